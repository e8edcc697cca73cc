//! Solutions of the working set: of one solve, and at each certified point of the course.

use crate::loss::row_state::RowState;

/// A point of the course that is certified.
#[derive(Debug, Clone)]
pub(crate) struct Solution {
    /// n times lambda.
    pub(crate) penalty: f64,
    /// Relative duality gap.
    pub(crate) gap: f64,
    /// The dual point is the residual times this.
    pub(crate) scale: f64,
    /// The intercept for columns as prepared,
    pub(crate) intercept: f64,
    /// or those of all classes; empty where there is one.
    pub(crate) intercepts: Vec<f64>,
    /// Nonzero coefficients, by column.
    pub(crate) coefficients: Vec<(u32, f64)>,
    /// Those of free columns, as prepared; with classes side by side.
    pub(crate) freed: Vec<(u32, f64)>,
}

raddle::state!(Solution { penalty, gap, scale, intercept, intercepts, coefficients, freed });

/// Result of a solve of the working set.
#[derive(Debug)]
pub struct Solved {
    /// (column, coefficient) of the members.
    pub(crate) coefficients: Vec<(u32, f64)>,
    pub(crate) rows: RowState,
}

raddle::state!(Solved { coefficients, rows });
