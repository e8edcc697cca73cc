//! [`Vocabulary`]: numbered texts, stored in one string; the file next to a bag of words that has it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::bytes::encoding::{BYTE_ORDER_MARK, utf8};
use crate::bytes::source::Source;
use crate::error::ReadError;

/// Texts with numbers from 0: the words of a corpus, or the names of its documents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vocabulary {
    text: String,
    /// End of each text in the string.
    ends: Vec<usize>,
}

impl Vocabulary {
    /// Returns the number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns `true` if there are no texts.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the text with this number.
    pub fn get(&self, number: usize) -> Option<&str> {
        let end = *self.ends.get(number)?;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(start..end)
    }

    /// Iterates over all texts in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|number| self.get(number))
    }

    /// Adds a text.
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    /// Reads a file with one word per line; line i, from 0, is word i. Lines may end with LF, CR LF or CR. An
    /// empty word and a repeated one are errors.
    pub(super) fn read(source: &Source) -> Result<Self, ReadError> {
        let words = Self::lines(source)?;
        let mut first: HashMap<&str, usize> = HashMap::with_capacity(words.len());
        for (line, word) in (1..).zip(words.iter()) {
            let at = |message: String| ReadError::at(&source.path, line, message);
            if word.is_empty() {
                return Err(at("the line is empty: a vocabulary has one word per line".into()));
            }
            if let Some(before) = first.insert(word, line) {
                return Err(at(format!("the word `{word}` is in line {before}, too: words must differ")));
            }
        }
        Ok(words)
    }

    /// Reads the lines of a file without these checks.
    pub(super) fn lines(source: &Source) -> Result<Self, ReadError> {
        let content = source.text()?;
        let content = content.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&content);
        let mut words = Self::default();
        for (number, line) in (1..).zip(content.split_inclusive(|&byte| byte == b'\n')) {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            words.push(utf8(line).map_err(|why| ReadError::at(&source.path, number, why))?);
        }
        Ok(words)
    }
}

impl<'a> FromIterator<&'a str> for Vocabulary {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        let mut words = Self::default();
        texts.into_iter().for_each(|text| words.push(text));
        words
    }
}

/// Returns the paths at which the vocabulary of a bag of words is looked for; the first that exists is used.
/// For `docword.NAME.txt.gz` this is `vocab.NAME.txt`, compressed with gzip or not; for `NAME.mtx` and
/// `NAME.ldac` these are `NAME.vocab.txt`, `vocab.NAME.txt`, `NAME.vocab` and `NAME.tokens`; for `.ldac` and
/// `.dat` files `vocab.txt` comes last.
pub fn vocabulary_names(path: &Path) -> Vec<PathBuf> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    let bare = [".gz", ".zst"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    let candidates = match bare.strip_prefix("docword.") {
        Some(rest) => vec![format!("vocab.{rest}")],
        None => {
            let (stem, ending) = bare.rsplit_once('.').unwrap_or((bare, ""));
            let mut names =
                vec![format!("{stem}.vocab.txt"), format!("vocab.{stem}.txt"), format!("{stem}.vocab")];
            names.push(format!("{stem}.tokens"));
            names.extend(["ldac", "dat"].contains(&ending).then(|| "vocab.txt".into()));
            names
        }
    };
    let candidates = candidates.into_iter().flat_map(|name| [format!("{name}.gz"), name]);
    candidates.map(|name| path.with_file_name(name)).collect()
}

/// Returns the first of [`vocabulary_names`] that exists.
pub(super) fn beside(path: &Path) -> Option<PathBuf> {
    vocabulary_names(path).into_iter().find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_by_number() {
        let words: Vocabulary = ["sea", "", "ship"].into_iter().collect();
        assert_eq!(
            (words.get(0), words.get(1), words.get(2), words.get(3)),
            (Some("sea"), Some(""), Some("ship"), None)
        );
        assert_eq!(words.iter().collect::<Vec<_>>(), ["sea", "", "ship"]);
    }
}
