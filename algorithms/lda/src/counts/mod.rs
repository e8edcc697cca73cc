//! Counts of a run, and their storage: tokens with their topics, and rows of how often each topic occurs.
//!
//! Nothing here is drawn or summed up: `kernels/` works on these rows, `data/` makes them for a corpus.

pub(crate) mod documents;
pub(crate) mod packing;
pub(crate) mod priors;
pub(crate) mod streams;
pub(crate) mod tokens;
pub(crate) mod words;
