//! Errors in a problem or its parameters.

use raddle::EngineError;
use raddle_common::number;
use thiserror::Error;

/// Why a problem cannot be prepared or fitted.
#[derive(Debug, Error)]
pub enum LinearError {
    /// A number of values that differs from the number of rows.
    #[error("the matrix has {rows} rows, but there are {values} {what}: give one for each row")]
    Lengths {
        /// Kind of the values.
        what: &'static str,
        /// Number of rows of the matrix.
        rows: usize,
        /// Number of values.
        values: usize,
    },
    /// A matrix without rows or columns.
    #[error("the matrix has {rows} rows and {columns} columns: at least one of each is needed")]
    Empty {
        /// Number of rows of the matrix.
        rows: usize,
        /// Number of columns of the matrix.
        columns: usize,
    },
    /// A value that is not finite, or whose square overflows.
    #[error("row {row}: {what} is not finite, or too large: fill it, scale it, or drop the row")]
    NotFinite {
        /// The row, from 1.
        row: usize,
        /// The value.
        what: &'static str,
    },
    /// A value beyond the bound that was declared for its column.
    #[error(
        "row {row}, column {column}: the value {} is beyond its bound {}: correct the row, or declare a larger \
         bound",
        number(*value),
        number(*bound)
    )]
    Beyond {
        /// The row, from 1.
        row: usize,
        /// The column, from 1.
        column: usize,
        /// The value.
        value: f64,
        /// Bound of the column.
        bound: f64,
    },
    /// A weight out of range.
    #[error("the weight of row {row} is {}: it must be 0 or a number from 1e-100 to 1e100", number(*value))]
    Weight {
        /// The row, from 1.
        row: usize,
        /// Weight of the row.
        value: f64,
    },
    /// Rows of which only one class has a weight above 0.
    #[error("all rows that count are of the class {}: give rows of two classes", number(*class))]
    OneClass {
        /// The class.
        class: f64,
    },
    /// A class without weight.
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
        /// The fold, from 1.
        fold: usize,
        /// Number of folds.
        folds: usize,
        /// The side that lacks the class, as a verb.
        does: &'static str,
        /// The class.
        class: f64,
    },
    /// A response whose values are not classes.
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
    /// More values than fit into memory.
    #[error("{0}")]
    Memory(String),
    /// A parameter out of range.
    #[error("{name}: {why}")]
    Parameter {
        /// Name of the parameter.
        name: &'static str,
        /// Reason.
        why: String,
    },
    /// Rows in a file that could not be read.
    #[error("{0}")]
    Read(String),
    /// The run failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}
