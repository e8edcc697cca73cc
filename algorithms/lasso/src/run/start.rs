//! [`Start`]: where a fit starts.

use std::sync::Arc;

use crate::data::problem::Problem;
use crate::error::LassoError;
use crate::loss::row_state::RowState;
use crate::loss::{Loss, Objective};

/// What is minimised, the response as the loss sees it, and where a fit starts.
#[derive(Debug)]
pub(crate) struct Start<'a> {
    problem: &'a Problem,
    pub(crate) objective: Objective,
    pub(crate) y: Arc<Vec<f64>>,
}

impl<'a> Start<'a> {
    /// For a loss with the intercept that the preparation has.
    ///
    /// # Errors
    /// If the response does not suit the loss.
    pub(crate) fn new(problem: &'a Problem, loss: Loss, l1_ratio: f64) -> Result<Self, LassoError> {
        let objective = Objective { loss, l1_ratio, intercept: problem.intercept };
        Ok(Self { problem, objective, y: loss.function().response(problem)? })
    }

    /// Coefficients from the original scale to that of the columns as prepared.
    ///
    /// # Errors
    /// If the problem does not have such columns, or values are not finite.
    pub(crate) fn prepared(&self, given: &[(u32, f64)]) -> Result<Vec<(u32, f64)>, LassoError> {
        let columns = self.problem.columns();
        let prepared = |&(column, value): &(u32, f64)| {
            let value = value / self.problem.scale(column);
            let fits = (column as usize) < columns && value.is_finite();
            fits.then_some((column, value)).ok_or(LassoError::Start { column: column as usize + 1, columns })
        };
        given.iter().map(prepared).collect()
    }

    /// Where the rows stand at these coefficients of columns as prepared.
    pub(crate) fn rows(&self, coefficients: &[(u32, f64)]) -> RowState {
        let design = &self.problem.design;
        let columns = coefficients.iter().map(|&(column, value)| (value, design.view(column as usize)));
        let intercept = self.objective.loss.function().intercept(self.problem);
        RowState::at(columns, &self.y, self.objective, intercept)
    }

    /// max |x_j'r| without coefficients.
    pub(crate) fn largest(&self) -> f64 {
        self.problem.largest(&self.rows(&[]).residual)
    }
}
