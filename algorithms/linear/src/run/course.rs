//! [`Course`]: the choice of a solver by counted sizes and counted progress, never by the clock.

use crate::certificate::Certificate;
use crate::data::binary::Binary;
use crate::loss::Loss;
use crate::solve::gram::cheaper_side;
use crate::solve::passes::a_row_alone;

/// Passes of the first units; those behind have as many as the last.
const PASSES: [usize; 4] = [2, 3, 5, 10];
const LATER: usize = 10;
/// Steps that Newton's method, or an interior point, takes, as far as one can tell beforehand.
const NEWTON: f64 = 12.0;
const INTERIOR: f64 = 25.0;
/// Double sweeps, or products of conjugate gradients, as far as one can tell beforehand.
const SWEEPS: f64 = 200.0;
/// Units of passes by which the next are told.
const TRAIL: usize = 3;
/// Passes still to be expected above which another solver is tried.
const MANY: f64 = 200.0;
/// Passes that are more work than all of a direct solver, which of the logistic loss begins then.
const FEW: f64 = 20.0;
/// Part of the work of a direct solver, as it was told beforehand, that others may do before it is tried.
const PATIENCE: f64 = 0.3;
/// Least relative progress of a unit that counts.
const LEAST: f64 = 1e-3;
/// Units without a smaller gap after which a solver is given up.
const IDLE: u32 = 25;

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
    /// Work of passes behind, and the gap before the next, of the last units of passes: gaps fall by leaps.
    trail: Vec<(f64, f64)>,
    /// The gap behind the last unit of passes.
    now: f64,
    /// Work of all but direct solvers.
    spent: f64,
    /// `true` once passes gave way to sweeps or conjugate gradients.
    is_over_passes: bool,
    /// Units in a row that brought no bound further.
    idle: u32,
    /// `true` once a direct solver, or the others, have nothing more to give.
    direct_is_over: bool,
    others_are_over: bool,
}

raddle::state!(Course { units, is_over_passes, trail, now, spent, idle, direct_is_over, others_are_over });

impl Course {
    /// `true` if no solver brings the gap any further.
    pub(crate) fn is_over(&self) -> bool {
        self.idle >= 2 * IDLE
    }

    /// The way of the next unit, where the gap is to fall by this factor and so many rows support the point.
    pub(crate) fn way(&self, binary: &Binary<'_>, factor: f64, supports: usize) -> Way {
        let passes = Way::Passes(PASSES.get(self.units as usize).copied().unwrap_or(LATER));
        let alone = a_row_alone(binary.loss) * binary.count() as f64;
        let (left, pass) = (factor.ln().max(0.0), 2.0 * binary.rows.stored() as f64 + alone);
        let (steps, count) = match binary.loss {
            Loss::Hinge => (INTERIOR, binary.count()),
            Loss::SquaredHinge => (NEWTON, supports),
            Loss::Logistic => (NEWTON, binary.count()),
        };
        let direct = cheaper_side(binary, count).filter(|_| !self.direct_is_over);
        let by_direct = direct.map_or(f64::INFINITY, |(_, cost)| steps * cost);
        if self.units == 0 && !(binary.loss == Loss::Logistic && by_direct < FEW * pass) {
            return passes;
        }
        let by_passes = self.passes_left(left);
        let by_others = if self.others_are_over { f64::INFINITY } else { 2.0 * SWEEPS * pass };
        let is_known = self.units >= PASSES.len() as u64;
        let is_slow = self.is_over_passes || (is_known && by_passes > MANY * pass);
        if by_direct < by_others.min(by_passes) || (is_slow && PATIENCE * by_direct < self.spent) {
            Way::Direct
        } else if !is_slow || self.others_are_over {
            passes
        } else if binary.loss == Loss::Logistic {
            Way::Conjugate
        } else {
            Way::Sweeps
        }
    }

    /// Work of the passes that are still to be expected for the gap's logarithm to fall so far.
    fn passes_left(&self, left: f64) -> f64 {
        // By the last unit, or by all that are kept: a gap that falls by leaps may not have fallen in one.
        let since = |from: usize| {
            let of = &self.trail[from..];
            let fallen = of.first().map_or(0.0, |(_, before)| (before / self.now.max(1e-300)).ln());
            let work: f64 = of.iter().map(|(work, _)| work).sum();
            if fallen > 0.0 { left * work / fallen } else { f64::INFINITY }
        };
        since(0).min(since(self.trail.len().saturating_sub(1)))
    }

    /// Learns how far a unit brought the bounds, before and after, for so many multiplications.
    pub(crate) fn learn(
        &mut self,
        way: Way,
        (before, after): (Certificate, Certificate),
        spent: f64,
        goes_on: bool,
    ) {
        // Where rounding is all that is left, a bound may move by its last digits for ever.
        let is_further = after.gap() < before.gap() * (1.0 - LEAST)
            || after.dual > before.dual + LEAST * before.dual.abs();
        self.idle = if is_further { 0 } else { self.idle + 1 };
        match way {
            Way::Direct => self.direct_is_over |= !goes_on,
            Way::Passes(_) => {
                self.units += 1;
                self.spent += spent;
                self.trail.push((spent, before.gap()));
                if self.trail.len() > TRAIL {
                    self.trail.remove(0);
                }
                self.now = after.gap();
            }
            Way::Sweeps | Way::Conjugate => {
                self.is_over_passes = true;
                self.others_are_over |= !goes_on || self.idle >= IDLE;
                self.spent += spent;
            }
        }
    }
}
