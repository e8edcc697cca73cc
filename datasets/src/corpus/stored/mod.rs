//! [`StoredCorpus`]: a bag of words in a file of pieces, read on demand.
//!
//! The file is named after the SHA-256 of the stored data. It contains, document by document, the words and
//! their counts as a [`Corpus`](super::Corpus) holds them, and the numbers of entries and tokens of each
//! document.

mod convert;
mod file;
mod layout;
#[cfg(test)]
mod tests;

pub use file::StoredCorpus;
