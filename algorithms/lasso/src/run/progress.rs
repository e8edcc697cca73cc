//! [`Progress`]: how close the run has come at a point of its course, and for how long no closer.

use crate::loss::duality_gap::DualityGap;

/// After this number of boundaries without a smaller gap or objective, the target lies below rounding.
const IN_VAIN: u64 = 20;

/// Rounds of single updates may creep, and a smaller step may add up: they get more.
const ROUNDS_IN_VAIN: u64 = 200;

/// The smallest gap and objective seen at a point of the course, and boundaries since either fell.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress {
    pub(crate) best: Option<(f64, f64)>,
    pub(crate) without_progress: u64,
}

raddle::state!(Progress { best, without_progress });

impl Progress {
    /// Notes if gap or objective fell.
    pub(super) fn note(&mut self, duality_gap: &DualityGap, working_set: bool) {
        let (gap, primal) = self.best.unwrap_or((f64::INFINITY, f64::INFINITY));
        // Rounding moves both in their last digits for ever.
        let fell = duality_gap.relative() < 0.99 * gap || duality_gap.primal < primal * (1.0 - 1e-13);
        self.without_progress = if fell { 0 } else { self.without_progress + 1 };
        // The gain of rounds counts from where they last fell, however many epochs it takes.
        if fell || working_set {
            self.best = Some((gap.min(duality_gap.relative()), primal.min(duality_gap.primal)));
        }
    }

    /// `true` if nothing has come closer for long.
    pub(super) fn is_stalled(&self, working_set: bool) -> bool {
        self.without_progress >= if working_set { IN_VAIN } else { ROUNDS_IN_VAIN }
    }
}
