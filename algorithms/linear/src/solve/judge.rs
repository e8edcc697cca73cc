//! [`Judge`]: certifies what solvers offer, keeps the best points, and counts the work.

use raddle::cancellation_point;

use super::intercept::{balance, settle};
use super::line::{Ray, best_step};
use crate::certificate::Certificate;
use crate::data::binary::Binary;
use crate::loss::Loss;

/// Evaluations of the slope in the search for the best weights between two.
const SEARCH: usize = 12;
/// Counted cost of a step besides its multiplications, which dominates if there are few rows.
const STEP: u64 = 1 << 14;
/// Evaluations of a hinge's slope in the search for the best multiple of weights: near the optimum the error
/// of the multiple is then below the gap.
const SCALE: usize = 36;

/// The best dual point and the best weights so far, which need not belong together, with their certificate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Best {
    /// Dual values, one per row.
    pub(crate) a: Vec<f64>,
    /// Weights, one per column.
    pub(crate) w: Vec<f64>,
    pub(crate) found: Certificate,
}

raddle::state!(Best { a, w, found });

impl Best {
    /// Takes dual values with the weights that follow from them, or zero weights if these are better.
    pub(crate) fn new(binary: &Binary<'_>, mut a: Vec<f64>) -> Self {
        balance(binary, &mut a);
        let nothing = vec![0.0; binary.rows.width()];
        let zeros = binary.lost(&vec![0.0; binary.count()]);
        if a.iter().all(|a| *a == 0.0) {
            return Self { a, w: nothing, found: Certificate { primal: zeros, dual: 0.0 } };
        }
        let Weights { mut w, mut margins } = Weights::of(binary, &a);
        let dual = Certificate::dual_of(binary, &a, &w);
        settle(binary, &mut w, &mut margins);
        let mut found = Certificate { primal: Certificate::primal_of(binary, &w, &margins), dual };
        let is_better = found.primal < zeros;
        found.primal = found.primal.min(zeros);
        Self { a, w: if is_better { w } else { nothing }, found }
    }
}

/// Weights with their margins.
pub(crate) struct Weights {
    pub(crate) w: Vec<f64>,
    pub(crate) margins: Vec<f64>,
}

impl Weights {
    /// Makes the weights that follow from a dual point.
    pub(crate) fn of(binary: &Binary<'_>, a: &[f64]) -> Self {
        let w = binary.weights_of(a);
        let margins = binary.margins(&w);
        Self { w, margins }
    }

    fn ray(&self) -> Ray<'_> {
        Ray { w: &self.w, margins: &self.margins }
    }

    fn go(&mut self, step: f64, along: Ray<'_>) {
        self.w.iter_mut().zip(along.w).for_each(|(w, by)| *w += step * by);
        self.margins.iter_mut().zip(along.margins).for_each(|(m, by)| *m += step * by);
    }

    /// Scales the weights by the best factor.
    fn scale(&mut self, binary: &Binary<'_>) {
        if binary.loss != Loss::Hinge {
            return;
        }
        let outward = best_step(binary, self.ray(), self.ray(), (1.0, SCALE));
        let step = if outward > 0.0 {
            outward
        } else {
            let against = |values: &[f64]| values.iter().map(|value| -value).collect();
            let back = Self { w: against(&self.w), margins: against(&self.margins) };
            -best_step(binary, self.ray(), back.ray(), (1.0, SCALE))
        };
        self.w.iter_mut().chain(&mut self.margins).for_each(|value| *value *= 1.0 + step);
    }
}

/// The judge of dual points and weights: keeps the best of both, and decides when a solver has done enough.
pub(crate) struct Judge<'a> {
    pub(crate) binary: &'a Binary<'a>,
    /// Relative duality gap to reach.
    pub(crate) tolerance: f64,
    /// Multiplications left.
    pub(crate) budget: f64,
    best: &'a mut Best,
    /// Margins at the best weights.
    margins: Vec<f64>,
    /// `true` if the margins were computed from the rows, and not as sums of other margins.
    is_exact: bool,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(binary: &'a Binary<'a>, (tolerance, budget): (f64, f64), best: &'a mut Best) -> Self {
        let is_nothing = best.w.iter().all(|w| *w == 0.0);
        let margins = if is_nothing { vec![0.0; binary.count()] } else { binary.margins(&best.w) };
        Self { binary, tolerance, budget, best, margins, is_exact: true }
    }

    /// Counts work in multiplications; callers count at least one pass over all rows.
    pub(crate) fn count(&mut self, work: f64) {
        self.budget -= work;
        cancellation_point(work as u64 + STEP);
    }

    /// Returns the certificate of the best dual point and the best weights.
    pub(crate) fn found(&self) -> Certificate {
        self.best.found
    }

    /// Returns the best weights.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.best.w
    }

    /// Offers a dual point with the weights that follow from it; returns these.
    pub(crate) fn offer(&mut self, a: &[f64]) -> Weights {
        let found = Weights::of(self.binary, a);
        self.count(2.0 * self.binary.rows.stored() as f64);
        self.offer_with(a, found.ray());
        found
    }

    /// Offers the slopes of the losses at weights as a dual point; returns the weights that follow from it,
    /// which are seldom better than those.
    pub(crate) fn offer_slopes(&mut self, mut a: Vec<f64>) -> Vec<f64> {
        balance(self.binary, &mut a);
        self.count(2.0 * self.binary.rows.stored() as f64);
        let sum = self.binary.weights_of(&a);
        self.offer_dual(&a, &sum);
        sum
    }

    /// Offers a dual point as [`offer`](Self::offer) does, if its weights and margins are known.
    pub(crate) fn offer_with(&mut self, a: &[f64], at: Ray<'_>) {
        self.offer_dual(a, at.w);
        let primal = self.primal(at);
        let is_enough = Certificate { primal, ..self.best.found }.gap() <= self.tolerance;
        if is_enough {
            self.take(at, primal);
            return;
        }
        // The dual objective rises steadily while the primal one jumps: weights between the best ones and
        // these, and multiples of them, are better than both.
        let mut found = Weights { w: at.w.to_vec(), margins: at.margins.to_vec() };
        found.scale(self.binary);
        let direction = |of: &[f64], from: &[f64]| of.iter().zip(from).map(|(of, from)| of - from).collect();
        let best = Weights { w: self.best.w.clone(), margins: self.margins.clone() };
        let along =
            Weights { w: direction(&best.w, &found.w), margins: direction(&best.margins, &found.margins) };
        found.go(best_step(self.binary, found.ray(), along.ray(), (1.0, SEARCH)), along.ray());
        found.scale(self.binary);
        let between = self.primal(found.ray());
        if between < primal && between < self.best.found.primal {
            (self.best.w, self.margins, self.best.found.primal, self.is_exact) =
                (found.w, found.margins, between, false);
        } else {
            self.take(at, primal);
        }
    }

    /// Offers a dual point from which these weights follow.
    pub(crate) fn offer_dual(&mut self, a: &[f64], w: &[f64]) {
        let dual = Certificate::dual_of(self.binary, a, w);
        if dual > self.best.found.dual {
            self.best.found.dual = dual;
            self.best.a.clear();
            self.best.a.extend_from_slice(a);
        }
    }

    /// Offers weights whose margins may be sums of others.
    pub(crate) fn offer_primal(&mut self, at: Ray<'_>) {
        let primal = self.primal(at);
        if self.take(at, primal) {
            self.is_exact = false;
        }
    }

    fn primal(&self, at: Ray<'_>) -> f64 {
        Certificate::primal_of(self.binary, at.w, at.margins)
    }

    /// Keeps weights that are better than the best ones, with recomputed margins; returns `true` if they are.
    fn take(&mut self, at: Ray<'_>, primal: f64) -> bool {
        let is_better = primal < self.best.found.primal;
        if is_better {
            self.best.found.primal = primal;
            self.best.w.copy_from_slice(at.w);
            self.margins.copy_from_slice(at.margins);
            self.is_exact = true;
        }
        is_better
    }

    /// Returns `true` if the gap is reached, with margins computed from the rows.
    pub(crate) fn is_reached(&mut self) -> bool {
        if self.best.found.gap() <= self.tolerance && !self.is_exact {
            self.margins = self.binary.margins(&self.best.w);
            self.best.found.primal = self.primal(Ray { w: &self.best.w, margins: &self.margins });
            self.is_exact = true;
        }
        self.best.found.gap() <= self.tolerance
    }

    /// Returns `true` if the gap is reached or the budget is used up.
    pub(crate) fn is_over(&mut self) -> bool {
        self.is_reached() || self.budget <= 0.0
    }
}
