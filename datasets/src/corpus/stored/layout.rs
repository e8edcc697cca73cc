//! The arrays of a file of documents, and the facts stored with them.

use serde::{Deserialize, Serialize};

use crate::arrays::pieces::Pieces;

/// Name of each array, with the bytes of one number.
pub(super) const ARRAYS: [(&str, usize); 5] = [
    ("words", 4),
    ("counts", 2),
    ("entries of document", 4),
    ("tokens of document", 8),
    ("tokens of word", 8),
];

/// Facts stored with the arrays.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CorpusFacts {
    pub(super) format: String,
    pub(super) width: usize,
}

/// Checks that the arrays of a file fit its facts.
pub(super) fn fits(pieces: &Pieces, about: &CorpusFacts) -> Option<bool> {
    let count = |array: usize| pieces.count(ARRAYS[array].0);
    let entries: Vec<u32> = pieces.all(ARRAYS[2].0).ok()?;
    let sum: usize = entries.iter().map(|&entries| entries as usize).sum();
    Some(count(0) == sum && count(1) == sum && count(2) == count(3) && count(4) == about.width)
}
