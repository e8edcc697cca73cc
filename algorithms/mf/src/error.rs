//! Errors of a factorization problem or its parameters.

use raddle::{EpochRecord, RunReport};
use thiserror::Error;

/// Why a problem cannot be prepared, fitted or asked.
#[derive(Debug, Error)]
pub enum MfError {
    /// Nothing to fit.
    #[error("there are no ratings to train on: check the data, and how much of it is held out")]
    Empty,
    /// Arrays of different lengths.
    #[error("{users} users, {items} items and {values} values: give one of each for every rating")]
    Lengths {
        /// Users given.
        users: usize,
        /// Items given.
        items: usize,
        /// Values given.
        values: usize,
    },
    /// More factors than there is memory for.
    #[error("{0}; or choose a smaller rank")]
    Memory(String),
    /// More than 32 bits count.
    #[error("{count} {what}: at most 4294967294 are supported")]
    TooLarge {
        /// Users, items or ratings.
        what: &'static str,
        /// How many.
        count: usize,
    },
    /// A row beyond the rows there are.
    #[error("rating {position} names {what} {row}, but there are {count}, counted from 0")]
    Row {
        /// The rating, counted from 1.
        position: usize,
        /// User or item.
        what: &'static str,
        /// The row it names.
        row: u32,
        /// How many rows there are.
        count: usize,
    },
    /// NaN or infinity.
    #[error("rating {position} is {value}: remove or replace it")]
    NotFinite {
        /// The rating, counted from 1.
        position: usize,
        /// Its value.
        value: f32,
    },
    /// Ratings less a number, where factors stand for all of a rating.
    #[error(
        "the ratings are less {0}, and without biases factors of 0 or above, as those of implicit feedback, are of \
         ratings as they are: read them with an offset of 0"
    )]
    Less(f64),
    /// A model of another shape.
    #[error(
        "the model to start from has rank {found}, the fit {wanted}: give --rank {found}, or leave --init out"
    )]
    Rank {
        /// The model's rank.
        found: usize,
        /// The fit's rank.
        wanted: usize,
    },
    /// Rows carried over from a fit of another solver or rank.
    #[error("what the earlier fit left is of another solver or rank: go on with its own")]
    CarriedOver,
    /// Folds on which nothing can be measured.
    #[error(
        "none of the {folds} folds of {ratings} ratings holds one out whose user and item have others: \
         cross-validation needs more ratings"
    )]
    Folds {
        /// The folds.
        folds: usize,
        /// The ratings.
        ratings: usize,
    },
    /// No setting came to a model.
    #[error("every setting diverged on some fold: try a smaller --step")]
    Diverged,
    /// A cross-validation that a time limit or somebody stopped, in this fit.
    #[error("the cross-validation was stopped before it had chosen a setting")]
    CutShort {
        /// Report of that fit.
        report: Box<RunReport>,
        /// A record an epoch of it.
        trace: Vec<EpochRecord>,
    },
    /// Fewer ratings than folds.
    #[error(
        "{ratings} ratings cannot be cut into {folds} folds, which need a rating each: give fewer folds, or more ratings"
    )]
    FewRatings {
        /// Ratings of the data.
        ratings: usize,
        /// Folds that there would be.
        folds: usize,
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
    /// Ratings of a file, to measure on, where those to train on are in memory.
    #[error("the ratings to train on are in memory: give those to measure on in memory, too")]
    InMemory,
    /// Ratings that are read by parts could not be read.
    #[error(transparent)]
    Read(#[from] raddle_datasets::ReadError),
    /// The run failed.
    #[error(transparent)]
    Engine(#[from] raddle::EngineError),
}
