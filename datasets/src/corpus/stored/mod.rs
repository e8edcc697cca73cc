//! [`StoredCorpus`]: a bag of words in a file of pieces, which is read by parts.
//!
//! The file's name is the SHA-256 of the data's bytes as stored. It has, document by document, the words and
//! how often each occurs, as a [`Corpus`](super::Corpus) holds them, and of each document how many entries
//! and tokens it has.

mod convert;
mod file;
mod layout;
#[cfg(test)]
mod tests;

pub use file::StoredCorpus;
