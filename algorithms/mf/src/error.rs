//! Errors of a factorization problem or its parameters.

use raddle::{EpochRecord, RunReport};
use thiserror::Error;

/// Reason why a problem cannot be prepared, fitted or queried.
#[derive(Debug, Error)]
pub enum MfError {
    /// No ratings.
    #[error("there are no ratings to train on: check the data, and how much of it is held out")]
    Empty,
    /// Arrays of different lengths.
    #[error("{users} users, {items} items and {values} values: give one of each for every rating")]
    Lengths {
        /// Number of users given.
        users: usize,
        /// Number of items given.
        items: usize,
        /// Number of values given.
        values: usize,
    },
    /// More factors than fit into memory.
    #[error("{0}; or choose a smaller rank")]
    Memory(String),
    /// More than 32 bits can count.
    #[error("{count} {what}: at most 4294967294 are supported")]
    TooLarge {
        /// Name of what is counted: users, items or ratings.
        what: &'static str,
        /// Number counted.
        count: usize,
    },
    /// A row beyond the users or items.
    #[error("rating {position} names {what} {row}, but there are {count}, counted from 0")]
    Row {
        /// The rating, counted from 1.
        position: usize,
        /// Name of the side: user or item.
        what: &'static str,
        /// The row that the rating names.
        row: u32,
        /// Number of rows of that side.
        count: usize,
    },
    /// A rating that is NaN or infinite.
    #[error("rating {position} is {value}: remove or replace it")]
    NotFinite {
        /// The rating, counted from 1.
        position: usize,
        /// Value of the rating.
        value: f32,
    },
    /// Ratings less an offset, where factors represent the whole rating.
    #[error(
        "the ratings are less {0}, and without biases factors of 0 or above, as those of implicit feedback, \
         are of ratings as they are: read them with an offset of 0"
    )]
    Less(f64),
    /// A model to start from whose rank differs.
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
        /// Number of folds.
        folds: usize,
        /// Number of ratings.
        ratings: usize,
    },
    /// No setting found a model.
    #[error("every setting diverged on some fold: try a smaller --step")]
    Diverged,
    /// A cross-validation that was stopped by a time limit or the caller during this fit.
    #[error("the cross-validation was stopped before it had chosen a setting")]
    CutShort {
        /// Report of that fit.
        report: Box<RunReport>,
        /// One record per epoch of that fit.
        trace: Vec<EpochRecord>,
    },
    /// Fewer ratings than folds.
    #[error(
        "{ratings} ratings cannot be cut into {folds} folds, which need a rating each: give fewer folds, or \
         more ratings"
    )]
    FewRatings {
        /// Number of ratings.
        ratings: usize,
        /// Number of folds asked for.
        folds: usize,
    },
    /// A parameter out of its range.
    #[error("{name} is {value}: {range}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// Value of the parameter.
        value: String,
        /// Range that it must lie in.
        range: &'static str,
    },
    /// Ratings in a file could not be read.
    #[error(transparent)]
    Read(#[from] raddle_datasets::ReadError),
    /// The run failed.
    #[error(transparent)]
    Engine(#[from] raddle::EngineError),
}
