//! Solutions of the working set: of one solve, and at each certified point of a run.

use crate::loss::row_state::RowState;

/// A certified point of a run.
#[derive(Debug, Clone)]
pub(crate) struct Solution {
    /// n times lambda.
    pub(crate) penalty: f64,
    /// Relative duality gap.
    pub(crate) gap: f64,
    /// Factor from the residual to the dual point.
    pub(crate) scale: f64,
    /// The intercept for columns as prepared.
    pub(crate) intercept: f64,
    /// The intercepts of all classes; empty if there is a single intercept.
    pub(crate) intercepts: Vec<f64>,
    /// Nonzero coefficients, by column.
    pub(crate) coefficients: Vec<(u32, f64)>,
    /// Coefficients of free columns, as prepared; those of a column for all classes are adjacent.
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
