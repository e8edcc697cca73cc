//! The squared loss: half the squared difference of response and score.

use std::sync::Arc;

use super::{Curvature, LossFunction, Measure, Shape};
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
        magnitudes::check_response(problem.y_size, problem.longest)?;
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
    fn measures(&self, response: &[f64], scores: &[f64], _: Option<[f64; 2]>) -> Vec<Measure> {
        let rows = response.len() as f64;
        let mean = response.iter().sum::<f64>() / rows;
        let error: f64 = scores.iter().zip(response).map(|(p, y)| (p - y) * (p - y)).sum();
        let total: f64 = response.iter().map(|y| (y - mean) * (y - mean)).sum();
        let explained =
            if total > 0.0 { Ok(1.0 - error / total) } else { Err("as the response does not vary") };
        vec![("root mean squared error", Ok((error / rows).sqrt())), ("R2", explained)]
    }
}
