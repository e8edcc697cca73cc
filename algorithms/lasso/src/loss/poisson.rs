//! The Poisson loss of a response of counts: half the deviance, so that no objective is negative.
//!
//! With the mean m = exp(f), the loss of a row is y log(y / m) - (y - m), at least 0 and 0 where m = y; it
//! differs from minus the log-likelihood by a constant. Its derivatives by f are -(y - m) and m: the residual
//! is y - m.

use std::sync::Arc;

use super::function::{Curvature, EXPLAINED, LossFunction, Measure, ScoredRows, Shape};
use super::linear_predictor::Smooth;
use super::rows::Rows;
use crate::data::problem::Problem;
use crate::error::LassoError;
use raddle_kernels::algebra::{LossSums, poisson, poisson_dual};

/// Range of counts other than 0: exponentials of scores then stay within double precision, also when summed.
const RANGE: std::ops::RangeInclusive<f64> = 1e-100..=1e15;

/// The intercept is exact when the residual's sum is at most this share of the sum of the means: about
/// rounding.
const EXACT: f64 = 1e-15;

/// A fit is perfect when its loss is at most this share of the sum of the means.
const PERFECT: f64 = 1e-28;

#[derive(Debug)]
pub(super) struct Poisson;

/// Half the deviance of a row.
fn row(y: f64, score: f64) -> f64 {
    // libm is compiled in, so that the same lambda is chosen on every machine.
    match y > 0.0 {
        true => {
            let t = score - libm::log(y);
            y * (libm::expm1(t) - t)
        }
        false => libm::exp(score),
    }
}

impl LossFunction for Poisson {
    fn title(&self, penalty: &str) -> String {
        format!("Poisson {}", penalty.to_lowercase())
    }

    /// Returns the response as given: counts, or other numbers that are not negative, such as rates.
    fn response(&self, problem: &Problem) -> Result<Arc<Vec<f64>>, LassoError> {
        let given = &problem.given;
        let is_count = |value: f64| value == 0.0 || RANGE.contains(&value);
        let counts = |row: usize| problem.weights.as_ref().is_none_or(|weights| weights[row] > 0.0);
        let wrong = given.iter().enumerate().position(|(row, &value)| counts(row) && !is_count(value));
        if let Some(at) = wrong {
            return Err(LassoError::Count { row: at + 1, value: given[at] });
        }
        if problem.intercept && problem.counted(given).all(|value| value == 0.0) {
            return Err(LassoError::NoCounts);
        }
        Ok(Arc::clone(given))
    }

    fn shape(&self) -> Shape {
        Shape::Smooth(&Poisson)
    }

    /// The mean, which has no bound, is the second derivative.
    fn curvature(&self) -> Curvature {
        Curvature::Local(|y, residual| y - residual)
    }

    /// exp(score).
    fn mean(&self, score: f64) -> f64 {
        libm::exp(score)
    }

    fn error_name(&self) -> &'static str {
        "mean Poisson deviance"
    }

    fn error(&self, response: f64, score: f64, _: Option<[f64; 2]>) -> f64 {
        2.0 * row(response, score)
    }

    /// The mean deviance, and the share of the deviance from the response's mean that is explained.
    fn measures(&self, given: ScoredRows<'_>) -> Vec<Measure> {
        let ScoredRows { y, scores, .. } = given;
        if y.iter().any(|&y| y < 0.0) {
            let why = Err("as the response has negative values");
            return vec![(self.error_name(), why), (EXPLAINED, why)];
        }
        let deviance =
            |score: &dyn Fn(usize) -> f64| -> f64 { given.sum(|row| 2.0 * self::row(y[row], score(row))) };
        let error = deviance(&|row| scores[row]);
        let mean = libm::log(given.mean(|row| y[row]));
        let varies = y.iter().any(|&value| value != y[0]);
        let part = match varies {
            true => Ok(1.0 - error / deviance(&|_| mean)),
            false => Err("as the response does not vary"),
        };
        vec![(self.error_name(), Ok(error / given.weights.iter().sum::<f64>())), (EXPLAINED, part)]
    }
}

impl Smooth for Poisson {
    fn evaluate(&self, rows: &Rows, scores: &[f64], residual: &mut [f64], weights: &mut [f64]) -> LossSums {
        poisson((&rows.y, scores, rows.weights()), residual, weights)
    }

    /// With r the residual and m = y - k r, which lies between y and the mean, the conjugates give
    /// sum (k r log m + y log(y / m) - (y - m)).
    fn dual(&self, rows: &Rows, scores: &[f64], scale: f64) -> f64 {
        poisson_dual((&rows.y, scores, rows.weights()), scale)
    }

    /// A perfect fit is as exact as for a constant response: a score is exact to about 4e-15, and the
    /// deviance to the square of that.
    fn is_exact(&self, sums: &LossSums) -> bool {
        sums.loss <= PERFECT * sums.weights
    }

    /// An exact step: all means grow by the factor sum y / sum m.
    fn intercept_step(&self, sums: &LossSums) -> f64 {
        libm::log1p(sums.residual / sums.weights)
    }

    fn is_settled(&self, sums: &LossSums) -> bool {
        sums.residual.abs() <= EXACT * sums.weights
    }
}
