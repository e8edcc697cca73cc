//! Errors of a Lasso problem or its parameters.

use raddle_common::number;
use thiserror::Error;

/// Largest number of classes: more distinct values are taken for numbers that are not classes.
pub(crate) const MOST_CLASSES: usize = 1000;

/// Why a problem cannot be prepared or fitted.
#[derive(Debug, Error)]
pub enum LassoError {
    /// A response whose length differs from the number of rows.
    #[error("the matrix has {rows} rows, the response {responses} values: give one for each row")]
    Lengths {
        /// Rows of the matrix.
        rows: usize,
        /// Values of the response.
        responses: usize,
    },
    /// A matrix without rows or columns.
    #[error("the matrix has {rows} rows and {columns} columns: at least one of each is needed")]
    Empty {
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
    },
    /// More rows or columns than 32 bits can count.
    #[error("the matrix has {rows} rows and {columns} columns: at most 4294967295 of each are supported")]
    TooLarge {
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
    },
    /// More values than fit into memory.
    #[error("{0}")]
    Memory(String),
    /// Weights or offsets whose number differs from the number of rows.
    #[error("the matrix has {rows} rows, but there are {values} {what}: give one for each row")]
    RowValues {
        /// Weights or offsets.
        what: &'static str,
        /// Rows of the matrix.
        rows: usize,
        /// Number of values given.
        values: usize,
    },
    /// Factors, bounds or groups whose number differs from the number of columns.
    #[error("the matrix has {columns} columns, but there are {values} {what}: give one for each column")]
    ColumnValues {
        /// Factors or pairs of bounds.
        what: &'static str,
        /// Columns of the matrix.
        columns: usize,
        /// Number of values given.
        values: usize,
    },
    /// A penalty factor out of its range.
    #[error("the factor of column {column} is {}: it must be 0 or a number from 1e-100 to \
        1e100", number(*value))]
    Factor {
        /// Column, counted from 1.
        column: usize,
        /// The penalty factor of the column.
        value: f64,
    },
    /// A group of columns with different penalty factors.
    #[error("column {column} has another factor than others of its group: give all of a group the same")]
    GroupFactor {
        /// Column, counted from 1.
        column: usize,
    },
    /// Groups with bounds.
    #[error("groups cannot have bounds: leave out --groups, or --bounds and --nonnegative")]
    GroupBounds,
    /// Columns without a penalty for which the loss has no minimum.
    #[error(
        "the columns without a penalty fit the response without limit, such as where they separate two classes: \
         give some of them a penalty factor above 0"
    )]
    Free,
    /// Bounds on a column without a penalty.
    #[error(
        "column {column} has bounds and no penalty, which cannot be fitted together: give it a small \
         factor, or no bounds"
    )]
    FreeBounds {
        /// Column, counted from 1.
        column: usize,
    },
    /// Bounds that do not contain 0 between them.
    #[error(
        "the bounds of column {column} are {} and {}: the lower must be at most 0 and the upper at least 0, \
         for a penalty draws every coefficient to 0",
        number(*lower), number(*upper)
    )]
    Bounds {
        /// Column, counted from 1.
        column: usize,
        /// Lower bound of the column.
        lower: f64,
        /// Upper bound of the column.
        upper: f64,
    },
    /// A weight that is negative or not a number.
    #[error(
        "the weight is {} in row {row}, counted without a header: weights are numbers of at least 0, \
         correct it",
        number(*value)
    )]
    Weight {
        /// Row, counted from 1.
        row: usize,
        /// Weight of the row.
        value: f64,
    },
    /// Weights that are all 0.
    #[error("all weights are 0, so that no row counts: check the weights, or fit without them")]
    NoWeight,
    /// A value that is NaN or infinite.
    #[error("{what} is not finite in row {row}{}: remove or replace \
        it", column.map(|j| format!(", column {j}")).unwrap_or_default())]
    NotFinite {
        /// The matrix or the response.
        what: &'static str,
        /// Row, counted from 1.
        row: usize,
        /// Column of the matrix, counted from 1.
        column: Option<usize>,
    },
    /// A response whose squares overflow or underflow.
    #[error(
        "the response has values of up to {largest:.2e}, whose squares double precision cannot hold: scale \
         the response, \
         such as by 1e{}; the coefficients scale with it",
        back(*largest)
    )]
    Response {
        /// Largest absolute value of the response.
        largest: f64,
    },
    /// A column whose squares overflow or underflow.
    #[error(
        "column {column} has values of up to {largest:.2e}, whose squares double precision cannot hold: \
         scale the column, \
         such as by 1e{}, or leave it out",
        back(*largest)
    )]
    Column {
        /// Column of the matrix, counted from 1.
        column: usize,
        /// Largest absolute value of the column.
        largest: f64,
    },
    /// A column and a response whose product overflows when squared.
    #[error(
        "column {column} has the norm {norm:e} and the response values of up to {largest:.2e}, whose \
         product double \
         precision cannot hold squared: scale the response or the column, or standardise the columns"
    )]
    Product {
        /// Column of the matrix, counted from 1.
        column: usize,
        /// Norm of the column.
        norm: f64,
        /// The largest absolute value of the response.
        largest: f64,
    },
    /// A response that does not have exactly two classes.
    #[error("the response has {count} distinct value{}: the logistic loss needs exactly two, such as 0 and \
        1", if *count == 1 { "" } else { "s" })]
    Classes {
        /// Number of distinct values in the response.
        count: usize,
    },
    /// A response that has too few or too many distinct values for classes.
    #[error(
        "the response has {count} distinct value{}: the multinomial loss needs from 2 to {MOST_CLASSES} \
         classes; check --y, or \
         choose another loss", if *count == 1 { "" } else { "s" }
    )]
    Labels {
        /// Number of distinct values in the response.
        count: usize,
    },
    /// A class that is missing in the training rows of a fold.
    #[error("no row has the class {class}, which other folds have")]
    NoClass {
        /// The class, by its value in the response.
        class: f64,
    },
    /// Two options that do not work together.
    #[error("{what} with {with} is not offered: leave out one of the two")]
    NotOffered {
        /// The first option.
        what: &'static str,
        /// The second option.
        with: &'static str,
    },
    /// A response that is not a count.
    #[error(
        "the response is {} in row {row}, counted without a header: the Poisson loss needs counts, 0 or \
         from 1e-100 to 1e15; correct the row or \
         choose another loss",
        number(*value)
    )]
    Count {
        /// Row, counted from 1.
        row: usize,
        /// Value of the response.
        value: f64,
    },
    /// Counts that are all zero.
    #[error(
        "the response is 0 in every row, so that no intercept fits it: check the response, or fit no \
         intercept"
    )]
    NoCounts,
    /// A coefficient to start from whose column the problem does not have, or whose value is not finite.
    #[error(
        "the coefficients to start from name column {column} or have no finite value there; the data has \
         {columns}"
    )]
    Start {
        /// Column, counted from 1.
        column: usize,
        /// Columns of the matrix.
        columns: usize,
    },
    /// A path of a cross-validation that ended before its last lambda.
    #[error(
        "the path of fold {fold} came to {certified} of {points} lambdas: give a smaller ratio or a larger \
         tolerance"
    )]
    Fold {
        /// The fold, counted from 1.
        fold: usize,
        /// Number of certified lambdas.
        certified: usize,
        /// Number of lambdas of the path.
        points: usize,
    },
    /// A fold whose training rows cannot be fitted.
    #[error(
        "fold {fold} of {folds}: without its rows, {why}; choose another number of folds (--folds) or \
         another seed \
         (--seed)"
    )]
    InFold {
        /// The fold, counted from 1.
        fold: usize,
        /// Number of folds.
        folds: usize,
        /// The error of the training rows.
        why: Box<LassoError>,
    },
    /// A split whose training rows cannot be fitted.
    #[error("split {split} of {splits}: on its training rows, {why}; choose others")]
    InSplit {
        /// The split, counted from 1.
        split: usize,
        /// Number of splits.
        splits: usize,
        /// The error of the training rows.
        why: Box<LassoError>,
    },
    /// A split without training or test rows.
    #[error("split {split} has no {side} rows: give it some, or leave it out")]
    EmptySplit {
        /// The split, counted from 1.
        split: usize,
        /// Name of the empty side: training or test.
        side: &'static str,
    },
    /// A row that a split must not have.
    #[error("split {split} names row {row}, counted from 0, {why}: correct it")]
    SplitRow {
        /// The split, counted from 1.
        split: usize,
        /// The row, counted from 0.
        row: usize,
        /// Reason.
        why: &'static str,
    },
    /// A cross-validation that was stopped by request.
    #[error("the cross-validation was interrupted in fold {fold} of {folds}, so that no lambda is chosen")]
    Interrupted {
        /// The first fold, counted from 1, that did not finish.
        fold: usize,
        /// Number of folds.
        folds: usize,
    },
    /// A fold that holds out no row of a class, where the measure needs all classes.
    #[error(
        "fold {fold} of {folds} holds out no row of the class {class}, so that it has no area under the \
         curve: choose fewer \
         folds (--folds), or another measure (--measure)"
    )]
    FoldClass {
        /// The fold, counted from 1.
        fold: usize,
        /// Number of folds.
        folds: usize,
        /// The class, by its value in the response.
        class: f64,
    },
    /// Fewer rows than folds.
    #[error(
        "{rows} rows cannot be cut into {folds} folds, which need a row each: choose --folds from 2 to \
         {rows}, or give more rows"
    )]
    FewRows {
        /// Rows of the data.
        rows: usize,
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
    /// Columns that are read by parts cannot be read.
    #[error(transparent)]
    Read(#[from] raddle_datasets::ReadError),
    /// The run failed.
    #[error(transparent)]
    Engine(#[from] raddle::EngineError),
}

/// Returns the exponent of the power of ten that brings a value to about 1.
fn back(largest: f64) -> i32 {
    -libm::log10(largest).round() as i32
}
