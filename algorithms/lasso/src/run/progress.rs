//! [`Progress`]: the smallest gap of a run at a point, and for how long there was no smaller one.

use super::spec::Spec;
use crate::loss::duality_gap::DualityGap;

/// Number of boundaries without a smaller gap or objective after which the target is taken to lie below
/// rounding.
const IN_VAIN: u64 = 20;

/// Rounds of single updates get more boundaries, as they may make slow progress in small steps.
const ROUNDS_IN_VAIN: u64 = 200;

/// The smallest gap and objective seen at a point, and the number of boundaries since either fell.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress {
    pub(crate) best: Option<(f64, f64)>,
    pub(crate) without_progress: u64,
}

raddle::state!(Progress { best, without_progress });

impl Progress {
    /// Records whether gap or objective fell.
    pub(super) fn note(&mut self, duality_gap: &DualityGap, spec: &Spec) {
        let (gap, primal) = self.best.unwrap_or((f64::INFINITY, f64::INFINITY));
        // Rounding changes the last digits of both for ever.
        let fell = duality_gap.relative() < 0.99 * gap || duality_gap.primal < primal * (1.0 - 1e-13);
        self.without_progress = if fell { 0 } else { self.without_progress + 1 };
        // The gain of rounds is measured from their last fall, however many epochs it takes.
        if fell || spec.working_set {
            self.best = Some((gap.min(duality_gap.relative()), primal.min(duality_gap.primal)));
        }
    }

    /// `true` if gap and objective have not fallen for long.
    pub(super) fn is_stalled(&self, spec: &Spec) -> bool {
        self.without_progress >= if spec.working_set { IN_VAIN } else { ROUNDS_IN_VAIN }
    }
}
