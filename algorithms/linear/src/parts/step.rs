//! Steps: the best dual value of one row for its part, and the best step along the sum of all changes.

use crate::loss::Loss;
use crate::solve::passes::logistic;

/// Signs of the rows of two classes, with what the loss of each counts.
#[derive(Debug, Clone)]
pub(super) struct Weighed {
    /// Number of columns, that of the bias included.
    pub(super) width: usize,
    pub(super) loss: Loss,
    /// 1 for the larger class, -1 for the other.
    pub(super) signs: Vec<f64>,
    /// The weight of each row's loss.
    pub(super) costs: Vec<f64>,
}

impl Weighed {
    /// Best dual value of a row of this square at this margin, where the margin moves sigma times as far as
    /// the row moves it.
    pub(super) fn best(&self, (row, square): (usize, f64), a: f64, margin: f64, sigma: f64) -> f64 {
        let (c, q) = (self.costs[row], sigma * square);
        if c == 0.0 {
            return 0.0;
        }
        // An empty row: its margin is 0 whatever its dual value.
        match self.loss {
            Loss::Hinge if q > 0.0 => (a - (margin - 1.0) / q).clamp(0.0, c),
            Loss::Hinge => c,
            Loss::SquaredHinge => (a - (margin - 1.0 + 0.5 / c * a) / (q + 0.5 / c)).max(0.0),
            Loss::Logistic => logistic(a, c, margin, q),
        }
    }

    /// Coefficients of the parabola in t that the row's dual term gains between `from` and `to`, l t - s t^2:
    /// of hinge losses what it gains, of the logistic loss no more than that.
    pub(super) fn gained(&self, row: usize, from: f64, to: f64) -> (f64, f64) {
        let (c, change) = (self.costs[row], to - from);
        match self.loss {
            Loss::Hinge => (change, 0.0),
            Loss::SquaredHinge => (change * (1.0 - 0.5 * from / c), 0.25 / c * change * change),
            Loss::Logistic => (self.loss.dual(to, c) - self.loss.dual(from, c), 0.0),
        }
    }
}

/// The step t that is best for l t - s t^2; 1 where nothing has moved.
pub(super) fn best_step(l: f64, s: f64) -> f64 {
    let step = 0.5 * l / s;
    if step.is_finite() { step } else { 1.0 }
}
