//! Public data for machine learning: readers of public formats, a registry of public sets, seeded generators
//! and small embedded samples. The crate knows neither the engine nor the algorithms.
//!
//! Each kind of data has a module with its type, its formats and its generators: [`table`] is a matrix of
//! features with a response, [`ratings`] are users' ratings of items, a [`corpus`] is documents as bags of
//! words. They share modules for the bytes of files, numbers in text, parallel parsing and counter-based
//! random numbers, [`registry`] and [`embedded`].
//!
//! With the feature `parquet`, tables and corpora are read from Apache Parquet, too. The `parquet` crate
//! needs a C compiler for zstd; this repository patches in a replacement without C (`[patch.crates-io]`),
//! which applies only in a workspace that names it.
//!
//! ```
//! use raddle_datasets::{Options, read_any};
//! // A path, the name of a public set, or a specification to generate from:
//! let table = read_any("synth:groups:n=100,p=500,s=10", &Options::default())?;
//! println!("{}: {} x {}", table.name, table.x.rows(), table.x.cols());
//! # Ok::<(), raddle_datasets::ReadError>(())
//! ```

mod arrays;
mod bytes;
pub mod corpus;
mod counter;
mod dialect;
mod error;
mod field;
mod metadata;
mod named;
mod names;
pub mod ratings;
mod records;
pub mod registry;
pub mod table;

pub use arrays::{npy, npz, pairs};
pub use bytes::encoding::TextEncoding;
pub use bytes::memory::{believable, room};
pub use bytes::quoting::Quotes;
pub use bytes::source::read_text;
pub use corpus::{
    Completion, Corpus, CorpusFormat, CorpusOptions, Filter, Frequency, NoVocabulary, Phrases, StoredCorpus,
    Tokenizer, TokensLeftOut, Vocabulary, Words, english_stop_words, is_test_document,
    is_validation_document, read_corpus, read_stop_words, vocabulary_names,
};
pub use dialect::{Dialect, Marks, Separator};
pub use error::ReadError;
pub use field::{Field, fields};
pub use named::{read_any, read_any_corpus, read_any_ratings, read_samples};
pub use ratings::{
    Duplicates, Ids, PartOfRatings, Ratings, RatingsFormat, RatingsOptions, StoredRatings, Triples,
    read_ratings,
};
pub use records::RecordCounts;
pub use registry::embedded;
pub use table::{
    Beside, Classes, ColumnOptions, Csc, EncodedColumn, Encoding, Filled, Format, HeldOut, IDS, Labels,
    LeftOut, Matrix, Missing, Occurring, Options, RowDigests, RowRange, Samples, StoredRows, StoredTable,
    Table, generate, libsvm, read, sparse_npz,
};
