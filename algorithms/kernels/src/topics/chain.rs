//! [`Chain`]: draws the topics of one word's tokens after the other.
//!
//! For a token of word w in document d, topic k has probability in proportion to
//!
//! ```text
//! (n_dk + alpha_k) f_k,   f_k = (n_kw + beta) / (n_k + V beta),   all counts without the token itself
//! ```
//!
//! (Griffiths and Steyvers, "Finding scientific topics", 2004). Tokens come word by word: f is kept for all
//! topics while a chain is at a word, so that a draw reads one row of counts, the document's.

use super::word::{Weights, WordState};

/// Draws topics from one kind of document rows.
pub(super) trait Chain<'a> {
    /// How it keeps the weights of all topics.
    type Weights: Weights;
    /// The topics at the word where it is.
    fn word(&mut self) -> &mut WordState<'a, Self::Weights>;
    /// The tokens that a word has in a document are drawn together.
    const TOGETHER: bool;
    /// Draws the topics of tokens that the word has in a document, which had `topics`, one after the other.
    ///
    /// Sums to draw a token from leave it out. So where one was just given the topic that the next one has,
    /// the next can be drawn from the very same sums: without the one in this topic or without the other, the
    /// rest is equal.
    fn resample(&mut self, topics: &mut [u16], document: usize);
    /// Draws the topic of a token that has none.
    fn first(&mut self, document: usize) -> u16;
    /// Gives a token that has none one of `topics` topics, drawn uniformly.
    fn uniform(&mut self, document: usize, topics: u32) -> u16;
    /// Asks for the row of a document that is needed soon.
    fn prefetch(&self, document: usize);
}
