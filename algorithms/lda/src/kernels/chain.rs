//! [`Chain`]: draws the topics of one word's tokens after the other.
//!
//! For a token of word w in document d, topic k has probability in proportion to
//!
//! ```text
//! (n_dk + alpha_k) f_k,   f_k = (n_kw + beta) / (n_k + V beta),   all counts without the token itself
//! ```
//!
//! (Griffiths and Steyvers, "Finding scientific topics", 2004). Tokens come word by word: f is kept for all topics while
//! a chain is at a word, so that a draw reads one row of counts, the document's.

use crate::rows::WordRows;
use crate::seeds::Seeds;

use super::word::{AtWord, Given, Weights};

/// Draws topics from one kind of document rows.
pub(super) trait Chain {
    /// The rows of all documents.
    type Rows;
    /// How it keeps the weights of all topics.
    type Weights: Weights;
    /// The topics at the word where it is.
    fn word(&mut self) -> &mut AtWord<Self::Weights>;
    /// Whether the tokens that a word has in a document are drawn together.
    const TOGETHER: bool;
    /// Draws the topics of tokens that the word has in a document, which had `topics`, one after the other.
    ///
    /// What a token is drawn from leaves it out. So where one was just given the topic that the next one has, the next can
    /// be drawn from the very same sums: without the one in this topic or without the other, what is left is the same.
    fn again(&mut self, topics: &mut [u16], document: usize, rows: &mut Self::Rows);
    /// Draws the topic of a token that has none.
    fn first(&mut self, document: usize, rows: &mut Self::Rows) -> u16;
    /// Gives a token that has none one of `topics` topics, drawn uniformly.
    fn uniform(&mut self, document: usize, rows: &mut Self::Rows, topics: u32) -> u16;
    /// Asks for the row of a document that is needed soon.
    fn ask_for(rows: &Self::Rows, document: usize);

    /// Comes to a word.
    #[inline(always)]
    fn enter(&mut self, word: usize, words: &WordRows, seeds: &Seeds) {
        self.word().enter(word, words, seeds);
    }

    /// Leaves it.
    #[inline(always)]
    fn leave(&mut self, word: usize, words: &mut WordRows) {
        self.word().leave(word, words);
    }

    /// How the tokens of each topic have changed since `given`.
    #[inline(always)]
    fn moved(&mut self, given: Given<'_>) -> Vec<i32> {
        self.word().moved(given)
    }
}
