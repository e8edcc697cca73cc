//! Errors of a corpus or the parameters of a model.

use thiserror::Error;

/// Why a corpus cannot be prepared or fitted.
#[derive(Debug, Error)]
pub enum LdaError {
    /// Nothing to fit.
    #[error(
        "of {documents} documents {held_out} are held out, and the others have no words: hold out fewer, or \
         keep more words"
    )]
    Empty {
        /// Documents of the corpus.
        documents: usize,
        /// Those held out.
        held_out: usize,
    },
    /// Held-out documents that say nothing of a model.
    #[error(
        "there is nothing to score among the {set}: hold out documents of two or more words, of which half \
         are observed and half scored, or none"
    )]
    NothingToScore {
        /// The held-out set.
        set: &'static str,
    },
    /// More tokens than memory holds.
    #[error("no memory for {tokens} tokens: is a count a mistake?")]
    Memory {
        /// Tokens of the documents that would be trained on.
        tokens: u64,
    },
    /// A held-out corpus of another vocabulary.
    #[error(
        "the held-out documents are over {words} words, the corpus over {expected}: both need the same \
         vocabulary"
    )]
    Words {
        /// Words of the held-out corpus.
        words: usize,
        /// Words of the corpus.
        expected: usize,
    },
    /// A word that is too frequent to be counted.
    #[error(
        "`{word}` has {tokens} tokens, but fewer than {most} can be counted: leave it out as a stop word"
    )]
    Word {
        /// The word.
        word: String,
        /// Its tokens.
        tokens: u64,
        /// The limit.
        most: u64,
    },
    /// A document that is too long for its counts.
    #[error(
        "a document has {tokens} tokens, but with {topics} topics at most {most} can be counted: cut it up, \
         or ask for fewer topics"
    )]
    Document {
        /// Its tokens.
        tokens: u64,
        /// The limit.
        most: u64,
        /// Topics asked for.
        topics: usize,
    },
    /// A shard whose rows or tokens are too many.
    #[error(
        "the {what} of a shard of {documents} documents are more than can be numbered: ask for more shards"
    )]
    Shard {
        /// Rows or tokens.
        what: &'static str,
        /// Its documents.
        documents: usize,
    },
    /// A parameter out of its range.
    #[error("{name} is {value}: {range}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: String,
        /// Range that it must lie in.
        range: &'static str,
    },
    /// A corpus that is read by parts could not be read.
    #[error(transparent)]
    Read(#[from] raddle_datasets::ReadError),
    /// The run failed.
    #[error(transparent)]
    Engine(#[from] raddle::EngineError),
}
