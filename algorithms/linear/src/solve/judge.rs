//! [`Judge`]: the certificate of what solvers offer, the best point so far, and the count of their work.

use crate::certificate::Certificate;
use crate::data::binary::Binary;

/// Judge of dual points: keeps the best, and says when a solver has done enough.
pub(crate) struct Judge<'a> {
    pub(crate) binary: &'a Binary<'a>,
    /// Relative duality gap to reach.
    pub(crate) tolerance: f64,
    /// Multiplications that are left.
    pub(crate) budget: f64,
    /// Best dual point so far, and its certificate.
    pub(crate) best: &'a mut Vec<f64>,
    pub(crate) found: &'a mut Certificate,
    /// Least primal and largest dual objective so far, whatever points they are of.
    pub(crate) bounds: &'a mut Certificate,
}

impl Judge<'_> {
    /// Counts work in multiplications.
    pub(crate) fn count(&mut self, work: f64) {
        self.budget -= work;
    }

    /// Takes a dual point into account; `true` if no more is to be done now.
    pub(crate) fn offer(&mut self, a: &[f64]) -> bool {
        let w = self.binary.weights_of(a);
        self.offer_with(a, &w, &self.binary.margins(&w))
    }

    /// As [`offer`](Self::offer), where the weights that follow from the point are known, and their margins.
    pub(crate) fn offer_with(&mut self, a: &[f64], w: &[f64], margins: &[f64]) -> bool {
        let found = Certificate::at(self.binary, a, w, margins);
        self.count(2.0 * self.binary.rows.stored() as f64);
        self.bounds.dual = self.bounds.dual.max(found.dual);
        self.bounds.primal = self.bounds.primal.min(found.primal);
        if found.gap() < self.found.gap() {
            *self.found = found;
            self.best.clear();
            self.best.extend_from_slice(a);
        }
        self.is_over()
    }

    /// Takes the primal objective of other weights into account.
    pub(crate) fn saw_primal(&mut self, primal: f64) {
        self.bounds.primal = self.bounds.primal.min(primal);
    }

    /// `true` if the gap is reached.
    pub(crate) fn is_reached(&self) -> bool {
        self.found.gap() <= self.tolerance
    }

    /// `true` if the gap is reached or the budget is used up.
    pub(crate) fn is_over(&self) -> bool {
        self.is_reached() || self.budget <= 0.0
    }
}
