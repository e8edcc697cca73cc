//! Stop words: the embedded English list, or those of a file.

use std::collections::HashSet;
use std::path::Path;

use super::tokenizer::plain;
use super::vocabulary::Vocabulary;
use crate::bytes::source::Source;
use crate::error::ReadError;

const ENGLISH: &str = include_str!("../../data/stop-words-english.txt");

/// Returns the English function words. A contraction is there whole, with either apostrophe, and cut at the
/// apostrophe, as some programs cut it.
pub fn english_stop_words() -> HashSet<String> {
    ENGLISH.split_whitespace().flat_map(with_apostrophes).collect()
}

/// Reads a file with one word per line; words are converted to lower case and composed (NFC). A word with an
/// apostrophe is returned with either kind of apostrophe.
///
/// # Errors
/// If the file cannot be read, or is not UTF-8.
pub fn read_stop_words(path: &Path) -> Result<HashSet<String>, ReadError> {
    let words = Vocabulary::lines(&Source::open_text(path, None)?)?;
    let words = words.iter().map(|word| plain(word.trim())).filter(|word| !word.is_empty());
    Ok(words.flat_map(|word| with_apostrophes(&word)).collect())
}

/// Returns the word with the typewriter's apostrophe and with the typographic one.
fn with_apostrophes(word: &str) -> Vec<String> {
    match word.contains(['\'', '\u{2019}']) {
        true => vec![word.replace('\u{2019}', "'"), word.replace('\'', "\u{2019}")],
        false => vec![word.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_stop_words_are_words_as_texts_have_them_with_either_apostrophe() {
        let words = english_stop_words();
        assert!(words.len() > 100, "{}", words.len());
        for word in ["the", "of", "and", "don't", "don\u{2019}t"] {
            assert!(words.contains(word), "{word}");
        }
        for word in &words {
            assert_eq!(plain(word), *word);
            assert!(words.contains(&word.replace('\'', "\u{2019}")), "{word}");
        }
        assert!(!words.contains("ship") && !words.contains(""));
    }
}
