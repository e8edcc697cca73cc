//! [`Scores`]: the linear predictor of a fit with a [`Smooth`] loss, and what the loss says of it.

use std::fmt::Debug;

use super::rows::Rows;
use raddle_kernels::algebra::{LossSums, dot};

/// Steps to an exact intercept, at most; about three are usual.
const STEPS: i32 = 100;

/// The longest first step to an intercept; each further one may be twice as long.
const FIRST_STEP: f64 = 4.0;

/// A convex loss with two derivatives by the score, whose residual (minus the first) is a dual point when
/// scaled by any number in \[0, 1\].
pub(crate) trait Smooth: Debug + Send + Sync {
    /// The loss at these scores: writes the residual and the weights, the second derivatives, and returns the
    /// sums of all three, each times the weight of its row. All slices are as long as there are rows.
    fn evaluate(&self, rows: &Rows, scores: &[f64], residual: &mut [f64], weights: &mut [f64]) -> LossSums;

    /// The dual value of `scale` times the residual at these scores, scale in \[0, 1\]: minus the sum of the
    /// conjugates.
    fn dual(&self, rows: &Rows, scores: &[f64], scale: f64) -> f64;

    /// The fit is exact but for rounding, so that nothing is left to certify: no loss is negative.
    fn is_exact(&self, _: &LossSums) -> bool {
        false
    }

    /// How far all scores should move together to bring the sum of the residual to zero: a Newton step.
    fn intercept_step(&self, sums: &LossSums) -> f64 {
        sums.residual / sums.weights
    }

    /// The sum of the residual is zero but for rounding.
    fn is_settled(&self, sums: &LossSums) -> bool;
}

/// Rows and the loss that sees them so.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Response<'a> {
    pub(crate) rows: &'a Rows,
    pub(crate) loss: &'static dyn Smooth,
}

/// f = X b + b_0, and the loss there.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scores {
    pub(crate) values: Vec<f64>,
    /// Minus the derivative by the score,
    pub(crate) residual: Vec<f64>,
    /// and the second one.
    pub(crate) weights: Vec<f64>,
    pub(crate) sums: LossSums,
}

raddle::state!(Scores { values, residual, weights, sums });

impl Scores {
    /// The loss at `values`.
    pub(crate) fn new(response: Response<'_>, values: Vec<f64>) -> Self {
        let (residual, weights) = (vec![0.0; values.len()], vec![0.0; values.len()]);
        let mut scores = Self { values, residual, weights, sums: LossSums::default() };
        scores.evaluate(response);
        scores
    }

    /// To be called after `values` have changed.
    pub(crate) fn evaluate(&mut self, Response { rows, loss }: Response<'_>) {
        self.sums = loss.evaluate(rows, &self.values, &mut self.residual, &mut self.weights);
    }

    /// Moves all scores together to where the residual sums to zero: the best intercept for these
    /// coefficients. Returns how far.
    ///
    /// Newton's method, kept between the points where the slope was known to rise and to fall. Responses for
    /// which there is no such point, as when all labels are equal, are refused before.
    pub(crate) fn settle(&mut self, response: Response<'_>) -> f64 {
        let (mut total, mut low, mut high) = (0.0, f64::NEG_INFINITY, f64::INFINITY);
        for step in 0..STEPS {
            let slope = self.sums.residual;
            if slope.is_nan() || response.loss.is_settled(&self.sums) {
                break;
            }
            if slope > 0.0 {
                low = total;
            } else {
                high = total;
            }
            let most = FIRST_STEP * 2f64.powi(step);
            let mut next = total + response.loss.intercept_step(&self.sums).clamp(-most, most);
            if next <= low || next >= high {
                next = 0.5 * (low + high);
            }
            if next == total || !next.is_finite() {
                break;
            }
            self.values.iter_mut().for_each(|value| *value += next - total);
            total = next;
            self.evaluate(response);
        }
        total
    }

    /// The dual value of `scale` times the residual, scale in \[0, 1\]. The conjugate of a loss whose score
    /// begins at an offset gains the offset times the dual point.
    pub(crate) fn dual(&self, Response { rows, loss }: Response<'_>, scale: f64) -> f64 {
        let value = loss.dual(rows, &self.values, scale);
        match &rows.offset {
            Some(offset) => value - scale * dot(offset, &self.residual),
            None => value,
        }
    }
}
