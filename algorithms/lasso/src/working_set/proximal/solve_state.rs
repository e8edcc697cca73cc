//! [`SolveState`]: where a solve stands.

use crate::loss::linear_predictor::Scores;

/// Place where a solve stands, beside the coefficients.
#[derive(Debug)]
pub(crate) struct SolveState {
    pub(crate) scores: Scores,
    pub(crate) intercept: f64,
    /// Free columns along their basis, where the solve began.
    pub(crate) free: Vec<f64>,
    /// X'r - R b of the members.
    pub(crate) g: Vec<f64>,
}
