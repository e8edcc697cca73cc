//! The arrays of a file of documents, and the facts stored with them.

use serde::{Deserialize, Serialize};

use crate::arrays::pieces::{Array, Pieces};

/// The words of all documents, one after another, and their counts.
pub(super) const WORDS: Array<'static, u32> = Array::new("words");
pub(super) const COUNTS: Array<'static, u16> = Array::new("counts");
/// Numbers of entries and of tokens in each document.
pub(super) const ENTRIES: Array<'static, u32> = Array::new("entries of document");
pub(super) const LENGTHS: Array<'static, u64> = Array::new("tokens of document");
pub(super) const WORD_COUNTS: Array<'static, u64> = Array::new("tokens of word");

/// Facts stored with the arrays.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CorpusFacts {
    pub(super) format: String,
    pub(super) width: usize,
}

/// Checks that the arrays of a file fit its facts.
pub(super) fn fits(pieces: &Pieces, about: &CorpusFacts) -> Option<bool> {
    let sum: usize = pieces.all(ENTRIES).ok()?.iter().map(|&entries| entries as usize).sum();
    let is_whole = pieces.count(WORDS) == sum && pieces.count(COUNTS) == sum;
    let documents = pieces.count(ENTRIES) == pieces.count(LENGTHS);
    Some(is_whole && documents && pieces.count(WORD_COUNTS) == about.width)
}
