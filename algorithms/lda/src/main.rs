//! `lda`: fits a topic model, and infers with it.
fn main() {}
