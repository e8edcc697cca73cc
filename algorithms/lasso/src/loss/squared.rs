//! The squared loss: half the squared difference of response and score.

use std::sync::Arc;

use super::function::{Curvature, LossFunction, Measure, ScoredRows, Shape};
use crate::data::magnitudes;
use crate::data::problem::Problem;
use crate::error::LassoError;

#[derive(Debug)]
pub(super) struct Squared;

impl LossFunction for Squared {
    fn title(&self, penalty: &str) -> String {
        penalty.to_owned()
    }

    /// Centred, where there is an intercept.
    fn response(&self, problem: &Problem) -> Result<Arc<Vec<f64>>, LassoError> {
        let (largest, norm) = problem.y_size;
        magnitudes::check_response(largest, norm, problem.longest())?;
        Ok(Arc::clone(&problem.y))
    }

    fn intercept(&self, problem: &Problem) -> f64 {
        problem.y_mean
    }

    fn shape(&self) -> Shape {
        Shape::Quadratic
    }

    fn curvature(&self) -> Curvature {
        Curvature::AtMost(1.0)
    }

    fn mean(&self, score: f64) -> f64 {
        score
    }

    fn error_name(&self) -> &'static str {
        "mean squared error"
    }

    fn error(&self, response: f64, score: f64, _: Option<[f64; 2]>) -> f64 {
        (response - score) * (response - score)
    }

    /// Root mean squared error, and R2, the part of the response's variance that is explained.
    fn measures(&self, given: ScoredRows<'_>) -> Vec<Measure> {
        let ScoredRows { y, scores, .. } = given;
        let mean = given.mean(|row| y[row]);
        let error = given.sum(|row| (scores[row] - y[row]) * (scores[row] - y[row]));
        let total = given.sum(|row| (y[row] - mean) * (y[row] - mean));
        let explained =
            if total > 0.0 { Ok(1.0 - error / total) } else { Err("as the response does not vary") };
        let rows: f64 = given.weights.iter().sum();
        vec![("root mean squared error", Ok((error / rows).sqrt())), ("R2", explained)]
    }
}
