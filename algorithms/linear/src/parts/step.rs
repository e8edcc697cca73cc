//! Steps: the best dual value of one row for its part, and the best step along the sum of all changes.

use crate::loss::Loss;
use crate::solve::passes::logistic;

/// Signs of the rows of two classes, with the weight of each row's loss.
#[derive(Debug, Clone)]
pub(super) struct Weighed {
    /// Number of columns, including that of the bias.
    pub(super) width: usize,
    pub(super) loss: Loss,
    /// 1 for the larger class, -1 for the other.
    pub(super) signs: Vec<f64>,
    /// Weight of each row's loss.
    pub(super) costs: Vec<f64>,
}

impl Weighed {
    /// Returns the best dual value of a row with this squared norm and margin, if the margin moves sigma
    /// times as far as the row itself moves it.
    pub(super) fn best(&self, (row, square): (usize, f64), a: f64, margin: f64, sigma: f64) -> f64 {
        let (c, q) = (self.costs[row], sigma * square);
        if c == 0.0 {
            return 0.0;
        }
        // An empty row, whose margin is always 0.
        match self.loss {
            Loss::Hinge if q > 0.0 => (a - (margin - 1.0) / q).clamp(0.0, c),
            Loss::Hinge => c,
            Loss::SquaredHinge => (a - (margin - 1.0 + 0.5 / c * a) / (q + 0.5 / c)).max(0.0),
            Loss::Logistic | Loss::Multinomial => logistic(a, c, margin, q),
        }
    }

    /// Returns l and s such that the dual term of a row gains l t - s t^2 for a step of the fraction t from
    /// `from` to `to`: exactly for hinge losses, as a lower bound for the logistic loss.
    pub(super) fn gained(&self, row: usize, from: f64, to: f64) -> (f64, f64) {
        let (c, change) = (self.costs[row], to - from);
        match self.loss {
            Loss::Hinge => (change, 0.0),
            Loss::SquaredHinge => (change * (1.0 - 0.5 * from / c), 0.25 / c * change * change),
            Loss::Logistic | Loss::Multinomial => (self.loss.dual(to, c) - self.loss.dual(from, c), 0.0),
        }
    }
}

/// Returns the step t that maximises l t - s t^2; 1 if nothing has moved.
pub(super) fn best_step(l: f64, s: f64) -> f64 {
    let step = 0.5 * l / s;
    if step.is_finite() { step } else { 1.0 }
}
