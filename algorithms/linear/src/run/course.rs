//! [`Course`]: the choice of a solver by counted sizes and counted progress, never by the clock.

use crate::data::binary::Binary;
use crate::loss::Loss;
use crate::solve::gram::cheaper_side;

/// Passes of the first units; those behind have as many as the last.
const PASSES: [usize; 3] = [2, 3, 5];
const LATER: usize = 10;
/// Steps that a direct solver takes, as far as one can tell beforehand.
const STEPS: f64 = 15.0;
/// Passes still to be expected above which another solver is tried.
const MANY: f64 = 60.0;
/// Units without a smaller gap after which a solver is given up.
const IDLE: u32 = 6;

/// Way in which a unit of work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// So many dual passes.
    Passes(usize),
    /// Conjugate gradients by double sweeps: hinge losses.
    Sweeps,
    /// A matrix is factored: Newton steps, or an interior point for the hinge.
    Direct,
    /// Newton steps by conjugate gradients: the logistic loss.
    Conjugate,
}

/// Progress of the solvers so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Course {
    /// Units of passes.
    units: u64,
    /// Fall of the gap's logarithm for each multiplication, in the last unit of passes and of the others (sweeps, or
    /// conjugate gradients); 0 before there was one.
    by_passes: f64,
    by_others: f64,
    /// Passes in a row, and units in a row of whatever kind, that brought no smaller gap.
    idle: u32,
    /// `true` once a direct solver, or the others, have nothing more to give.
    direct_is_over: bool,
    others_are_over: bool,
}

raddle::state!(Course { units, by_passes, by_others, idle, direct_is_over, others_are_over });

impl Course {
    /// `true` if no solver brings the gap any further.
    pub(crate) fn is_over(&self) -> bool {
        self.idle >= 4 * IDLE
    }

    /// The way of the next unit, where the gap is to fall by this factor.
    pub(crate) fn way(&self, binary: &Binary<'_>, factor: f64) -> Way {
        let count = PASSES.get(self.units as usize).copied().unwrap_or(LATER);
        let passes = Way::Passes(count);
        if self.units == 0 {
            return passes;
        }
        let left = factor.ln().max(0.0);
        let stored = binary.rows.stored() as f64;
        let expected = |rate: f64| if rate > 0.0 { left / rate } else { f64::INFINITY };
        let by_passes = expected(self.by_passes);
        let by_direct = match cheaper_side(binary, binary.count()) {
            Some((_, cost)) if !self.direct_is_over => STEPS * cost,
            _ => f64::INFINITY,
        };
        let others = if binary.loss == Loss::Logistic { Way::Conjugate } else { Way::Sweeps };
        // Untried, they are tried where many passes are to be expected.
        let by_others = match self.by_others {
            _ if self.others_are_over => f64::INFINITY,
            0.0 => MANY * 2.0 * stored,
            rate => expected(rate),
        };
        if by_direct < by_passes.min(by_others) {
            Way::Direct
        } else if by_others < by_passes {
            others
        } else {
            passes
        }
    }

    /// Learns how far a unit brought the gap, before and after, for so many multiplications.
    pub(crate) fn learn(&mut self, way: Way, (before, after): (f64, f64), spent: f64, goes_on: bool) {
        let is_less = after < before;
        self.idle = if is_less { 0 } else { self.idle + 1 };
        let rate = if is_less && spent > 0.0 { (before / after.max(1e-300)).ln() / spent } else { 1e-30 };
        match way {
            Way::Passes(_) => {
                self.units += 1;
                self.by_passes = rate;
            }
            Way::Direct => self.direct_is_over |= !goes_on,
            Way::Sweeps | Way::Conjugate => {
                self.by_others = rate;
                self.others_are_over |= !goes_on || (!is_less && self.idle >= IDLE);
            }
        }
    }
}
