//! [`Tokenizer`]: splits texts into words.

mod rule;
mod scripts;
mod sieve;
mod simple;
#[cfg(test)]
mod tests;
mod tokens;
mod unicode;

pub use rule::{Tokenizer, Words};
pub use sieve::TokensLeftOut;
pub(super) use unicode::plain;
