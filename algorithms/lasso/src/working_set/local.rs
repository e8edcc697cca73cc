//! A quadratic with an l1 term over some members, on which every part of the solver works.

use super::symmetric::Symmetric;
use crate::loss::duality_gap::best_scale;
use raddle_kernels::algebra::{add_scaled_columns, dot};

/// A member's number, in order of entry.
pub(crate) type Slot = u32;

/// F over m members: Gram G, q = X'y, coefficients b and gradient g = q - G b, one of each per member.
#[derive(Clone, Debug, Default)]
pub(crate) struct Local {
    pub(crate) gram: Symmetric,
    pub(crate) q: Vec<f64>,
    pub(crate) b: Vec<f64>,
    pub(crate) g: Vec<f64>,
}

raddle::state!(Local { gram, q, b, g });

/// Constants of a problem other than its members.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalProblem {
    /// L = n lambda.
    pub(crate) penalty: f64,
    /// y'y.
    pub(crate) yy: f64,
    /// n: at most so many columns can be independent.
    pub(crate) rows: usize,
}

/// Objective and duality gap, with the dual point that is the best multiple of the residual.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ObjectiveGap {
    /// F(b) = r'r/2 + L |b|_1.
    pub primal: f64,
    /// k y'r - k^2 r'r/2 with k = y'r/r'r, clipped to \[-L/m, L/m\], m = max |g|.
    pub dual: f64,
    /// primal - dual, not below 0.
    pub gap: f64,
}

impl ObjectiveGap {
    /// Computes both objectives from y'r, r'r, |b|_1, max |x_j'r| over the columns that count, and L.
    pub fn new(yr: f64, rr: f64, l1: f64, largest: f64, penalty: f64) -> Self {
        let rr = rr.max(0.0);
        let limit = if largest > 0.0 { penalty / largest } else { f64::MAX };
        let scale = best_scale(yr, rr, limit);
        let primal = 0.5 * rr + penalty * l1;
        let dual = scale * yr - 0.5 * scale * scale * rr;
        Self { primal, dual, gap: (primal - dual).max(0.0) }
    }
}

impl Local {
    /// Objective and gap over these members, from q'b, g'b and max |g|: y'r = y'y - q'b, r'r = y'r - g'b.
    pub(crate) fn measure(&self, problem: LocalProblem) -> ObjectiveGap {
        let yr = problem.yy - dot(&self.q, &self.b);
        let rr = yr - dot(&self.g, &self.b);
        let l1 = self.b.iter().map(|value| value.abs()).sum();
        let largest = self.g.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        ObjectiveGap::new(yr, rr, l1, largest, problem.penalty)
    }

    /// Moves b to `target` at the members `at`, and updates g.
    pub(crate) fn move_to(&mut self, at: &[usize], target: &[f64]) {
        let mut rows = Vec::with_capacity(at.len());
        for (&i, &target) in at.iter().zip(target) {
            if target != self.b[i] {
                rows.push((self.b[i] - target, self.gram.row(i)));
                self.b[i] = target;
            }
        }
        add_scaled_columns(&mut self.g, &rows);
    }
}
