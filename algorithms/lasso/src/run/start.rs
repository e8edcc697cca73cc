//! [`Start`]: where a fit starts.

use std::sync::Arc;

use crate::data::design::add_columns;
use crate::data::magnitudes;
use crate::data::problem::Problem;
use crate::error::LassoError;
use crate::loss::linear_predictor::Scores;
use crate::loss::{Loss, Objective};

/// Where a fit starts.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) coefficients: Vec<(u32, f64)>,
    pub(crate) residual: Vec<f64>,
    /// For the logistic loss.
    pub(crate) scores: Vec<f64>,
    /// For columns as prepared.
    pub(crate) intercept: f64,
}

impl Start {
    /// From coefficients on the original scale, for the response of the loss.
    pub(crate) fn new(
        problem: &Problem,
        given: &[(u32, f64)],
        response: &[f64],
        objective: Objective,
    ) -> Result<Self, LassoError> {
        let squared = objective.loss == Loss::Squared;
        let mut coefficients = Vec::with_capacity(given.len());
        // The residual of the squared loss, or the scores of the logistic one.
        let mut values = if squared { response.to_vec() } else { vec![0.0; response.len()] };
        for &(column, value) in given {
            let (columns, value) = (problem.columns(), value / problem.scale(column));
            if column as usize >= columns || !value.is_finite() {
                return Err(LassoError::Start { column: column as usize + 1, columns });
            }
            coefficients.push((column, value));
        }
        let sign = if squared { -1.0 } else { 1.0 };
        let columns =
            coefficients.iter().map(|&(column, value)| (sign * value, problem.design.view(column as usize)));
        let shift = add_columns(columns, &mut values);
        values.iter_mut().for_each(|entry| *entry -= shift);
        if squared {
            let (scores, intercept) = (Vec::new(), problem.y_mean);
            return Ok(Self { coefficients, residual: values, scores, intercept });
        }
        let mut scores = Scores::new(response, values);
        let intercept = if objective.intercept { scores.settle(response) } else { 0.0 };
        Ok(Self { coefficients, residual: scores.residual, scores: scores.values, intercept })
    }
}

/// The response as a loss sees it.
pub(crate) fn response(problem: &Problem, loss: Loss) -> Result<Arc<Vec<f64>>, LassoError> {
    match (loss, &problem.signs) {
        (Loss::Squared, _) => {
            magnitudes::check_response(problem.y_size, problem.longest)?;
            Ok(Arc::clone(&problem.y))
        }
        (Loss::Logistic, Some((_, signs))) => Ok(Arc::clone(signs)),
        (Loss::Logistic, None) => {
            let mut values = problem.y.to_vec();
            values.sort_unstable_by(f64::total_cmp);
            values.dedup();
            Err(LassoError::Classes { count: values.len() })
        }
    }
}

/// What is minimised, with the intercept that the preparation has.
pub(crate) fn objective(problem: &Problem, loss: Loss, l1_ratio: f64) -> Objective {
    Objective { loss, l1_ratio, intercept: problem.intercept }
}
