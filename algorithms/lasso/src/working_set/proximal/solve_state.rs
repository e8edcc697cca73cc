//! [`SolveState`]: the scores, gradients and intercept of a solve in progress.

use crate::loss::linear_predictor::Scores;

/// State of a solve in progress, other than its coefficients.
#[derive(Debug)]
pub(crate) struct SolveState {
    pub(crate) scores: Scores,
    pub(crate) intercept: f64,
    /// Coefficients of free columns along their basis, at the start of the solve.
    pub(crate) free: Vec<f64>,
    /// X'r - R b of the members.
    pub(crate) g: Vec<f64>,
}
