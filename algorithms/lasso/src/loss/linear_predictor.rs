//! [`Scores`]: the linear predictor of a fit with a [`Smooth`] loss, and the loss and its derivatives there.

use std::fmt::Debug;

use super::rows::Rows;
use raddle_kernels::algebra::{LossSums, dot};

/// Largest number of steps to an exact intercept; about three are usual.
const STEPS: i32 = 100;

/// The longest first step to an intercept; each further one may be twice as long.
const FIRST_STEP: f64 = 4.0;

/// A convex, twice differentiable loss of the score, whose residual (minus the first derivative) is a dual
/// point when scaled by any number in \[0, 1\].
pub(crate) trait Smooth: Debug + Send + Sync {
    /// Evaluates the loss at these scores: writes the residual and the weights (second derivatives), and
    /// returns the sums of all three, each times the weight of its row. All slices have one value per row.
    fn evaluate(&self, rows: &Rows, scores: &[f64], residual: &mut [f64], weights: &mut [f64]) -> LossSums;

    /// Returns the dual value of `scale` times the residual at these scores, scale in \[0, 1\]: minus the sum
    /// of the conjugates.
    fn dual(&self, rows: &Rows, scores: &[f64], scale: f64) -> f64;

    /// `true` if the fit is exact up to rounding, so that nothing is left to certify: no loss is negative.
    fn is_exact(&self, _: &LossSums) -> bool {
        false
    }

    /// Returns the Newton step by which all scores should move together to bring the sum of the residual to
    /// zero.
    fn intercept_step(&self, sums: &LossSums) -> f64 {
        sums.residual / sums.weights
    }

    /// `true` if the sum of the residual is zero up to rounding.
    fn is_settled(&self, sums: &LossSums) -> bool;
}

/// The rows and their loss.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Response<'a> {
    pub(crate) rows: &'a Rows,
    pub(crate) loss: &'static dyn Smooth,
}

/// f = X b + b_0, with the loss and its derivatives there.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scores {
    pub(crate) values: Vec<f64>,
    /// Minus the first derivative by the score.
    pub(crate) residual: Vec<f64>,
    /// The second derivative by the score.
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

    /// Evaluates the loss. Call it after `values` have changed.
    pub(crate) fn evaluate(&mut self, Response { rows, loss }: Response<'_>) {
        self.sums = loss.evaluate(rows, &self.values, &mut self.residual, &mut self.weights);
    }

    /// Moves all scores together until the residual sums to zero: the best intercept for these coefficients.
    /// Returns the movement.
    ///
    /// Newton's method, safeguarded by the interval known to contain the root. Responses for which there is
    /// no such point, as when all labels are equal, are refused before.
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
    /// starts at an offset gains the offset times the dual point.
    pub(crate) fn dual(&self, Response { rows, loss }: Response<'_>, scale: f64) -> f64 {
        let value = loss.dual(rows, &self.values, scale);
        match &rows.offset {
            Some(offset) => value - scale * dot(offset, &self.residual),
            None => value,
        }
    }
}
