//! [`RowTerms`]: weights and offsets of rows that are cut into folds.

use raddle_datasets::Matrix;

use crate::data::preparation::Preparation;
use crate::data::problem::Problem;
use crate::error::LassoError;

/// Weights and offsets of n rows, if any.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowTerms {
    pub(crate) weights: Option<Vec<f64>>,
    pub(crate) offset: Option<Vec<f64>>,
}

impl RowTerms {
    /// Returns the weights and offsets of some rows.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        let of = |values: &Option<Vec<f64>>| {
            values.as_ref().map(|values| rows.iter().filter_map(|&row| values.get(row).copied()).collect())
        };
        Self { weights: of(&self.weights), offset: of(&self.offset) }
    }

    /// Makes the problem of these rows.
    pub(crate) fn problem(
        &self,
        x: Matrix,
        y: Vec<f64>,
        preparation: Preparation,
    ) -> Result<Problem, LassoError> {
        let mut problem = Problem::new(x, y, preparation)?;
        if let Some(weights) = &self.weights {
            problem = problem.weights(weights.clone())?;
        }
        match &self.offset {
            Some(offset) => problem.offset(offset.clone()),
            None => Ok(problem),
        }
    }

    /// Returns the weight of a row.
    pub(crate) fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// Returns the offset at which the score of a row starts.
    pub(crate) fn offset(&self, row: usize) -> f64 {
        self.offset.as_ref().map_or(0.0, |offset| offset[row])
    }
}
