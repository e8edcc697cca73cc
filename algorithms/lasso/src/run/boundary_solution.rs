//! [`BoundarySolution`]: the part of the solution at the last boundary that the shards do not have.

use super::solution::Solution;
use crate::loss::row_state::RowState;
use crate::loss::rows::Rows;

/// Solution at the last boundary, and the lambda of its gap.
#[derive(Debug, Clone, Default)]
pub(crate) struct BoundarySolution {
    /// The intercept.
    pub(crate) intercept: f64,
    /// Coefficients of free columns along their basis; the next field has them by column.
    pub(crate) free: Vec<f64>,
    pub(crate) freed: Vec<(u32, f64)>,
    /// The intercepts of classes, if each class has one.
    pub(crate) intercepts: Vec<f64>,
    /// Nonzero coefficients, by column.
    pub(crate) support: Vec<(u32, f64)>,
    /// n times lambda.
    pub(crate) penalty: f64,
    /// Factor from the residual to the dual point.
    pub(crate) scale: f64,
    /// The absolute gap to which the working set is to be solved next.
    pub(crate) target: f64,
}

raddle::state!(BoundarySolution { intercept, free, freed, intercepts, support, penalty, scale, target });

impl BoundarySolution {
    /// Copies the replica's part of the solution.
    pub(super) fn set_rows(&mut self, rows: &RowState) {
        self.intercept = rows.intercept;
        self.free.clone_from(&rows.free);
    }

    /// Sets the nonzero coefficients, given in any order.
    pub(super) fn set_support(&mut self, nonzeros: impl Iterator<Item = (u32, f64)>) {
        self.support.clear();
        self.support.extend(nonzeros.filter(|&(_, value)| value != 0.0));
        self.support.sort_unstable_by_key(|&(variable, _)| variable);
    }

    /// Computes the coefficients of free columns, and the intercepts of classes.
    pub(super) fn free_coefficients(&mut self, rows: &Rows) {
        (self.intercepts, self.freed) = rows.told(&self.free);
    }

    /// Returns this solution as a certified point of the path, with its relative gap.
    pub(super) fn certified(&self, gap: f64) -> Solution {
        let Self { intercept, freed, intercepts, support, penalty, scale, .. } = self.clone();
        Solution { penalty, gap, scale, intercept, intercepts, coefficients: support, freed }
    }
}
