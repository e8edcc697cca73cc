//! Words that say little: the embedded English list, or a file's.

use std::collections::HashSet;
use std::path::Path;

use super::Vocabulary;
use crate::error::ReadError;
use crate::source::Source;

const ENGLISH: &str = include_str!("../../data/stop-words-english.txt");

/// English function words, contractions cut at the apostrophe included.
pub fn english_stop_words() -> HashSet<String> {
    ENGLISH.split_whitespace().map(str::to_owned).collect()
}

/// The words of a file, one a line.
///
/// # Errors
/// If the file cannot be read, or is not UTF-8.
pub fn read_stop_words(path: &Path) -> Result<HashSet<String>, ReadError> {
    let words = Vocabulary::lines(&Source::open_text(path, None)?)?;
    Ok(words.iter().map(|word| word.trim().to_lowercase()).filter(|word| !word.is_empty()).collect())
}
