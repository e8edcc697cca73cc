//! [`Chain`]: draws the topics of one word's tokens one after another.
//!
//! For a token of word w in document d, topic k has probability in proportion to
//!
//! ```text
//! (n_dk + alpha_k) f_k,   f_k = (n_kw + beta) / (n_k + V beta),   all counts without the token itself
//! ```
//!
//! (Griffiths and Steyvers, "Finding scientific topics", 2004). Tokens are ordered word by word: f is kept
//! for all topics while a chain is at a word, so that a draw reads only one row of counts, that of the
//! document.

use super::word::{Weights, WordState};

/// Draws topics from one kind of document rows.
pub(super) trait Chain<'a> {
    /// Storage of the weights of all topics.
    type Weights: Weights;
    /// Returns the state at the chain's present word.
    fn word(&mut self) -> &mut WordState<'a, Self::Weights>;
    /// `true` if the tokens of a word in a document are drawn together.
    const TOGETHER: bool;
    /// Draws the topics of the word's tokens in a document, which had `topics`, one after another.
    ///
    /// The sums from which a token is drawn leave it out. So if a token has just been given the topic of the
    /// next one, the next can be drawn from the same sums: the counts without the one are those without the
    /// other.
    fn resample(&mut self, topics: &mut [u16], document: usize);
    /// Draws the topic of a token that has none.
    fn first(&mut self, document: usize) -> u16;
    /// Gives a token without a topic one of `topics` topics, drawn uniformly.
    fn uniform(&mut self, document: usize, topics: u32) -> u16;
    /// Prefetches the row of a document that is needed soon.
    fn prefetch(&self, document: usize);
}
