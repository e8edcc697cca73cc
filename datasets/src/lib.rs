//! Public data for machine learning: readers of public formats, a registry of public sets, seeded
//! generators and small embedded samples. It knows no engine and no algorithm.
//!
//! A kind of data is a module of its own with its type, its formats and its generators: [`table`] is a matrix of
//! features with a response, [`ratings`] are who rated what how high, a [`corpus`] is documents as bags of words.
//! What kinds share lies beside them: bytes of files, numbers in text, parsing in parallel, random numbers by address, [`registry`] and [`embedded`].
//!
//! ```
//! use raddle_datasets::{Options, read_any};
//! // A path, the name of a public set, or a specification to generate from:
//! let table = read_any("synth:groups:n=100,p=500,s=10", &Options::default())?;
//! println!("{}: {} x {}", table.name, table.x.rows(), table.x.cols());
//! # Ok::<(), raddle_datasets::ReadError>(())
//! ```

mod blocks;
mod claims;
pub mod corpus;
mod counter;
mod dialect;
pub mod embedded;
mod encoding;
mod error;
mod foreign;
mod inflate;
mod line_ends;
mod market;
mod memory;
pub mod npy;
pub mod npz;
mod number;
mod parallel;
mod pieces;
mod quoting;
pub mod ratings;
mod real;
mod records;
pub mod registry;
mod source;
pub mod table;

pub use claims::believable;
pub use corpus::{
    Completion, Corpus, CorpusFormat, CorpusOptions, Filter, Frequency, NoVocabulary, StoredCorpus,
    Tokenizer, TokensLeftOut, Vocabulary, Words, english_stop_words, is_test_document,
    is_validation_document, read_any_corpus, read_corpus, read_stop_words, vocabulary_names,
};
pub use dialect::{Dialect, Marks, Separator};
pub use encoding::TextEncoding;
pub use error::ReadError;
pub use memory::room;
pub use ratings::{
    Duplicates, Ids, PartOfRatings, Ratings, RatingsFormat, RatingsOptions, StoredRatings, Triples,
    read_any_ratings, read_ratings,
};
pub use records::RecordCounts;
pub use source::read_text;
pub use table::{
    Beside, Classes, ColumnOptions, Csc, EncodedColumn, Encoding, Filled, Format, Labels, LeftOut, Matrix,
    Missing, Occurring, Options, Samples, StoredTable, Table, generate, libsvm, read, read_any, read_samples,
    sparse_npz,
};
