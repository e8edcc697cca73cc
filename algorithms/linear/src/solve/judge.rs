//! [`Judge`]: the certificate of what solvers offer, the best point so far, and the count of their work.

use raddle::cancellation_point;

use super::line::{Ray, best_step};
use crate::certificate::Certificate;
use crate::data::binary::Binary;
use crate::loss::Loss;

/// Evaluations of the slope in the search for the best weights between two.
const SEARCH: usize = 12;
/// Counted cost of what a step takes beside its multiplications: of few rows that is most of it.
const STEP: u64 = 1 << 14;
/// Of the slope of a hinge along a ray: near the best weights the best multiple is off by less than the gap.
const SCALE: usize = 36;

/// The best dual point and the best weights so far, whatever points they are of, and their certificate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Best {
    /// Dual values, one for each row.
    pub(crate) a: Vec<f64>,
    /// Weights, one for each column.
    pub(crate) w: Vec<f64>,
    pub(crate) found: Certificate,
}

raddle::state!(Best { a, w, found });

impl Best {
    /// Dual values with the weights that follow from them, or without any where these are better.
    pub(crate) fn new(binary: &Binary<'_>, a: Vec<f64>) -> Self {
        let nothing = vec![0.0; binary.rows.width()];
        let zeros = binary.lost(&vec![0.0; binary.count()]);
        if a.iter().all(|a| *a == 0.0) {
            return Self { a, w: nothing, found: Certificate { primal: zeros, dual: 0.0 } };
        }
        let w = binary.weights_of(&a);
        let mut found = Certificate::of(binary, &a, &w);
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
    /// Those that follow from a dual point.
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

    /// Goes to the best multiple.
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

/// Judge of dual points and weights: keeps the best of both, and says when a solver has done enough.
pub(crate) struct Judge<'a> {
    pub(crate) binary: &'a Binary<'a>,
    /// Relative duality gap to reach.
    pub(crate) tolerance: f64,
    /// Multiplications that are left.
    pub(crate) budget: f64,
    best: &'a mut Best,
    /// Margins at the best weights.
    margins: Vec<f64>,
    /// `true` if these are of the rows themselves, not of sums of other margins.
    is_exact: bool,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(binary: &'a Binary<'a>, (tolerance, budget): (f64, f64), best: &'a mut Best) -> Self {
        let is_nothing = best.w.iter().all(|w| *w == 0.0);
        let margins = if is_nothing { vec![0.0; binary.count()] } else { binary.margins(&best.w) };
        Self { binary, tolerance, budget, best, margins, is_exact: true }
    }

    /// Counts work in multiplications, of all rows at least once.
    pub(crate) fn count(&mut self, work: f64) {
        self.budget -= work;
        cancellation_point(work as u64 + STEP);
    }

    /// The certificate of the best dual point and the best weights.
    pub(crate) fn found(&self) -> Certificate {
        self.best.found
    }

    /// The best weights.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.best.w
    }

    /// Takes a dual point and the weights that follow from it into account; gives these.
    pub(crate) fn offer(&mut self, a: &[f64]) -> Weights {
        let found = Weights::of(self.binary, a);
        self.count(2.0 * self.binary.rows.stored() as f64);
        self.offer_with(a, found.ray());
        found
    }

    /// As [`offer`](Self::offer), where the weights that follow from the point are known, and their margins.
    pub(crate) fn offer_with(&mut self, a: &[f64], at: Ray<'_>) {
        self.offer_dual(a, at.w);
        let primal = self.primal(at);
        let is_enough = Certificate { primal, ..self.best.found }.gap() <= self.tolerance;
        if is_enough {
            self.take(at, primal);
            return;
        }
        // The dual objective rises for good where the primal one leaps: weights between the best ones and
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

    /// Takes a dual point into account, of which these weights follow.
    pub(crate) fn offer_dual(&mut self, a: &[f64], w: &[f64]) {
        let dual = Certificate::dual_of(self.binary, a, w);
        if dual > self.best.found.dual {
            self.best.found.dual = dual;
            self.best.a.clear();
            self.best.a.extend_from_slice(a);
        }
    }

    /// Takes weights into account whose margins may be sums of others.
    pub(crate) fn offer_primal(&mut self, at: Ray<'_>) {
        let primal = self.primal(at);
        if self.take(at, primal) {
            self.is_exact = false;
        }
    }

    fn primal(&self, at: Ray<'_>) -> f64 {
        Certificate::primal_of(self.binary, at.w, at.margins)
    }

    /// Keeps weights that are better than the best, with their own margins; `true` if they are.
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

    /// `true` if the gap is reached, by the rows' own margins.
    pub(crate) fn is_reached(&mut self) -> bool {
        if self.best.found.gap() <= self.tolerance && !self.is_exact {
            self.margins = self.binary.margins(&self.best.w);
            self.best.found.primal = self.primal(Ray { w: &self.best.w, margins: &self.margins });
            self.is_exact = true;
        }
        self.best.found.gap() <= self.tolerance
    }

    /// `true` if the gap is reached or the budget is used up.
    pub(crate) fn is_over(&mut self) -> bool {
        self.is_reached() || self.budget <= 0.0
    }
}
