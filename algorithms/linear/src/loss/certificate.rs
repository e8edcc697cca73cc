//! [`Certificate`]: both objectives at a dual point and the weights that follow from it.

use super::kind::Loss;
use crate::data::problem::Problem;

/// Objectives of the weights that follow from a dual point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Certificate {
    /// P = |w|^2 / 2 + sum c phi(m).
    pub(crate) primal: f64,
    /// D = sum psi(a) - |w|^2 / 2.
    pub(crate) dual: f64,
}

impl Certificate {
    /// Objectives of a dual point and weights, by the weight of each row's loss.
    pub(crate) fn of(problem: &Problem, loss: Loss, costs: &[f64], a: &[f64], w: &[f64]) -> Self {
        let half = 0.5 * w.iter().map(|w| w * w).sum::<f64>();
        let (mut lost, mut gained) = (0.0, 0.0);
        for (row, (&c, &a)) in costs.iter().zip(a).enumerate() {
            if c > 0.0 {
                lost += c * loss.value(problem.signs[row] * problem.rows.dot(row, w));
                gained += loss.dual(a, c);
            }
        }
        Self { primal: half + lost, dual: gained - half }
    }

    /// (P - D) / P, at least 0 where sums are exact.
    pub(crate) fn gap(self) -> f64 {
        if self.primal == 0.0 { 0.0 } else { ((self.primal - self.dual) / self.primal).max(0.0) }
    }
}

/// w = sum a y x, row after row.
pub(crate) fn weights_of(problem: &Problem, a: &[f64]) -> Vec<f64> {
    let mut w = vec![0.0; problem.rows.width()];
    for (row, &a) in a.iter().enumerate().filter(|(_, a)| **a != 0.0) {
        problem.rows.add(row, a * problem.signs[row], &mut w);
    }
    w
}
