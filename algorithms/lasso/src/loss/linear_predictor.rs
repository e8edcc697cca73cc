//! [`Scores`]: the linear predictor of a logistic fit, and what the loss says of it.

use crate::kernels::{LogisticSums, logistic, logistic_entropy};

/// The intercept is exact when the residual's sum is this small beside the loss: about rounding.
const EXACT: f64 = 1e-14;

/// Steps to an exact intercept, at most; about three are usual.
const STEPS: i32 = 100;

/// The longest first step to an intercept; each further one may be twice as long.
const FIRST_STEP: f64 = 4.0;

/// f = X b + b_0, and the loss there: with s = 1 / (1 + exp(y f)), the residual y s, the weights s (1 - s).
#[derive(Debug, Clone, Default)]
pub(crate) struct Scores {
    pub(crate) values: Vec<f64>,
    pub(crate) residual: Vec<f64>,
    pub(crate) weights: Vec<f64>,
    pub(crate) sums: LogisticSums,
}

impl Scores {
    /// The loss at `values`, for labels y.
    pub(crate) fn new(y: &[f64], values: Vec<f64>) -> Self {
        let (residual, weights) = (vec![0.0; y.len()], vec![0.0; y.len()]);
        let mut scores = Self { values, residual, weights, sums: LogisticSums::default() };
        scores.evaluate(y);
        scores
    }

    /// To be called after `values` have changed.
    pub(crate) fn evaluate(&mut self, y: &[f64]) {
        self.sums = logistic(y, &self.values, &mut self.residual, &mut self.weights);
    }

    /// Moves all scores together to where the residual sums to zero: the best intercept for these coefficients.
    /// Returns how far.
    ///
    /// Newton's method, kept between the points where the slope was known to rise and to fall. There is no such
    /// point only where all labels are equal, which preparation refuses.
    pub(crate) fn settle(&mut self, y: &[f64]) -> f64 {
        let (mut total, mut low, mut high) = (0.0, f64::NEG_INFINITY, f64::INFINITY);
        for step in 0..STEPS {
            let slope = self.sums.residual;
            if slope.is_nan() || slope.abs() <= EXACT * self.sums.loss {
                break;
            }
            if slope > 0.0 {
                low = total;
            } else {
                high = total;
            }
            let most = FIRST_STEP * 2f64.powi(step);
            let mut next = total + (slope / self.sums.weights).clamp(-most, most);
            if next <= low || next >= high {
                next = 0.5 * (low + high);
            }
            if next == total || !next.is_finite() {
                break;
            }
            self.values.iter_mut().for_each(|value| *value += next - total);
            total = next;
            self.evaluate(y);
        }
        total
    }

    /// The dual value of `scale` times the residual, scale in \[0, 1\].
    ///
    /// The conjugate of f -> log(1 + exp(-y f)) at -y p is -H(p), with the binary entropy H (Koh, Kim and Boyd, "An
    /// interior-point method for large-scale l1-regularized logistic regression", 2007, section 2.3).
    pub(crate) fn dual(&self, y: &[f64], scale: f64) -> f64 {
        logistic_entropy(y, &self.values, scale)
    }
}
