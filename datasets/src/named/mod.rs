//! Reads data by the names that users give: a path, the name of a public set, or a specification to generate
//! from.

mod corpora;
mod ratings;
mod stored_corpora;
mod stored_ratings;
mod stored_tables;
mod tables;

pub use corpora::read_any_corpus;
pub use ratings::read_any_ratings;
pub use tables::{read_any, read_samples};
