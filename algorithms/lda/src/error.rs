//! Errors in a corpus or in the parameters of a model.

use thiserror::Error;

/// Why a corpus cannot be prepared or fitted.
#[derive(Debug, Error)]
pub enum LdaError {
    /// No document is left to train on.
    #[error(
        "of {documents} documents {held_out} are held out, and the others have no words: hold out fewer, or \
         keep more words"
    )]
    Empty {
        /// Documents of the corpus.
        documents: usize,
        /// Number of held-out documents.
        held_out: usize,
    },
    /// Held-out documents that cannot be scored.
    #[error(
        "there is nothing to score among the {set}: hold out documents of two or more words, of which half \
         are observed and half scored, or none"
    )]
    NothingToScore {
        /// Name of the held-out set.
        set: &'static str,
    },
    /// More folds than documents.
    #[error(
        "folds is {folds}, but only {documents} documents can be held out, as they have two words or more: \
         ask for fewer folds"
    )]
    Folds {
        /// Number of folds.
        folds: usize,
        /// Documents of two or more words.
        documents: usize,
    },
    /// More tokens than fit into memory.
    #[error("no memory for {tokens} tokens: is a count a mistake?")]
    Memory {
        /// Number of training tokens.
        tokens: u64,
    },
    /// A held-out corpus with another vocabulary.
    #[error(
        "the held-out documents have a vocabulary of {words} words, the corpus one of {expected}: both need \
         the same vocabulary"
    )]
    Words {
        /// Words of the held-out corpus.
        words: usize,
        /// Words of the corpus.
        expected: usize,
    },
    /// A word with too many tokens to count.
    #[error(
        "`{word}` has {tokens} tokens, but fewer than {most} can be counted: leave it out as a stop word"
    )]
    Word {
        /// The word.
        word: String,
        /// Number of its tokens.
        tokens: u64,
        /// Limit.
        most: u64,
    },
    /// A document with too many tokens to count.
    #[error(
        "a document has {tokens} tokens, but with {topics} topics at most {most} can be counted: cut it up, \
         or ask for fewer topics"
    )]
    Document {
        /// Number of its tokens.
        tokens: u64,
        /// Limit.
        most: u64,
        /// Number of topics.
        topics: usize,
    },
    /// A shard with too many rows or tokens.
    #[error("a shard of {documents} documents has too many {what}: ask for more shards")]
    Shard {
        /// Rows or tokens.
        what: &'static str,
        /// Number of its documents.
        documents: usize,
    },
    /// A parameter out of range.
    #[error("{name} is {value}: {range}")]
    Parameter {
        /// Name of the parameter.
        name: &'static str,
        /// Value of the parameter.
        value: String,
        /// The range, in words.
        range: &'static str,
    },
    /// A corpus in a file that could not be read.
    #[error(transparent)]
    Read(#[from] raddle_datasets::ReadError),
    /// The run failed.
    #[error(transparent)]
    Engine(#[from] raddle::EngineError),
}
