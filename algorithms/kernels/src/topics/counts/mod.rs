//! Counts of a run, and their storage: tokens with their topics, and rows of how often each topic occurs.
//!
//! Nothing here is drawn or summed: the other modules work on these rows, and `raddle-lda` makes them for a
//! corpus.

pub mod documents;
pub mod packing;
pub mod priors;
pub mod streams;
pub mod tokens;
pub mod words;
