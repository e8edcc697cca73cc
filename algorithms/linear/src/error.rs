//! Errors of a problem or its parameters.

use raddle::EngineError;
use raddle_common::number;
use thiserror::Error;

/// Reason why a problem cannot be prepared or fitted.
#[derive(Debug, Error)]
pub enum LinearError {
    /// Not one value for each row.
    #[error("the matrix has {rows} rows, but there are {values} {what}: give one for each row")]
    Lengths {
        /// Kind of the values.
        what: &'static str,
        /// Rows of the matrix.
        rows: usize,
        /// Number of values.
        values: usize,
    },
    /// Nothing to fit.
    #[error("the matrix has {rows} rows and {columns} columns: at least one of each is needed")]
    Empty {
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
    },
    /// A value that is no number, or too large for its square to be one.
    #[error("row {row}: {what} is not finite, or too large: fill it, scale it, or drop the row")]
    NotFinite {
        /// Row, counted from 1.
        row: usize,
        /// Value that is at fault.
        what: &'static str,
    },
    /// A weight out of its range.
    #[error("the weight of row {row} is {}: it must be 0 or a number from 1e-100 to 1e100", number(*value))]
    Weight {
        /// Row, counted from 1.
        row: usize,
        /// Its weight.
        value: f64,
    },
    /// All rows that count are of one class.
    #[error("all rows that count are of the class {}: give rows of two classes", number(*class))]
    OneClass {
        /// The class.
        class: f64,
    },
    /// A class without a row that counts.
    #[error("no row of the class {} counts: give it a weight above 0, or leave its rows out", number(*class))]
    NoRows {
        /// The class.
        class: f64,
    },
    /// A fold that lacks a class.
    #[error(
        "fold {fold} of {folds} {does} no row of the class {}: choose fewer folds, or leave the rows of this \
         class out",
        number(*class)
    )]
    FoldClass {
        /// The fold, counted from 1.
        fold: usize,
        /// Number of folds.
        folds: usize,
        /// The side that lacks it, as a verb.
        does: &'static str,
        /// The class.
        class: f64,
    },
    /// A response that names no classes.
    #[error(
        "the response has {values} values in {rows} rows: these are no classes; choose another column, or \
         `lasso` for a regression"
    )]
    NoClasses {
        /// Number of different values.
        values: usize,
        /// Number of rows.
        rows: usize,
    },
    /// More values than there is memory for.
    #[error("{0}")]
    Memory(String),
    /// A parameter out of its range.
    #[error("{name}: {why}")]
    Parameter {
        /// Its name.
        name: &'static str,
        /// Reason.
        why: String,
    },
    /// Rows that are read by parts cannot be read.
    #[error("{0}")]
    Read(String),
    /// The run failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}
