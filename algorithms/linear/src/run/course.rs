//! [`Course`]: chooses a solver by counted sizes and counted progress, never by the clock.

use crate::certificate::Certificate;
use crate::data::binary::Binary;
use crate::loss::Loss;
use crate::solve::gram::cheaper_side;
use crate::solve::passes::a_row_alone;

/// Passes in the first units of work; later units have as many as the last constant says.
const PASSES: [usize; 4] = [2, 3, 5, 10];
const LATER: usize = 10;
/// Expected number of steps of Newton's method; then of an interior point method.
const NEWTON: f64 = 12.0;
const INTERIOR: f64 = 25.0;
/// Expected number of double sweeps, or of products in conjugate gradients.
const SWEEPS: f64 = 200.0;
/// Units of passes from which the passes left are predicted.
const TRAIL: usize = 3;
/// Number of expected passes above which another solver is tried.
const MANY: f64 = 200.0;
/// Cost of a direct solver, in passes, below which it starts at once for the logistic loss.
const FEW: f64 = 20.0;
/// Fraction of a direct solver's expected work that other solvers may use before it is tried.
const PATIENCE: f64 = 0.3;
/// Smallest relative progress of a unit that counts.
const LEAST: f64 = 1e-3;
/// Units without progress after which a solver is given up.
const IDLE: u32 = 25;

/// How a unit of work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SolverKind {
    /// Dual passes, of this number.
    Passes(usize),
    /// Conjugate gradients by double sweeps, for hinge losses.
    Sweeps,
    /// Factoring a matrix: Newton steps, or an interior point method for the hinge.
    Direct,
    /// Newton steps by conjugate gradients, for the logistic loss.
    Conjugate,
}

/// The progress of the solvers so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Course {
    /// Number of units of passes.
    units: u64,
    /// For each of the last units of passes, the work of passes before it and the gap at its start. Several
    /// are kept, as gaps fall in jumps.
    trail: Vec<(f64, f64)>,
    /// Gap after the last unit of passes.
    now: f64,
    /// Work of all solvers except direct ones.
    spent: f64,
    /// `true` once sweeps or conjugate gradients have replaced passes.
    is_over_passes: bool,
    /// Number of consecutive units without progress.
    idle: u32,
    /// `true` once a direct solver makes no more progress; then the same for the others.
    direct_is_over: bool,
    others_are_over: bool,
}

raddle::state!(Course { units, is_over_passes, trail, now, spent, idle, direct_is_over, others_are_over });

impl Course {
    /// Returns `true` if no solver makes any more progress.
    pub(crate) fn is_over(&self) -> bool {
        self.idle >= 2 * IDLE
    }

    /// Returns how the next unit is done, if the gap is to fall by this factor and `supports` rows have
    /// nonzero dual values.
    pub(crate) fn way(&self, binary: &Binary<'_>, factor: f64, supports: usize) -> SolverKind {
        let passes = SolverKind::Passes(PASSES.get(self.units as usize).copied().unwrap_or(LATER));
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
            SolverKind::Direct
        } else if !is_slow || self.others_are_over {
            passes
        } else if binary.loss == Loss::Logistic {
            SolverKind::Conjugate
        } else {
            SolverKind::Sweeps
        }
    }

    /// Returns the expected work of passes until the gap's logarithm has fallen by `left`.
    fn passes_left(&self, left: f64) -> f64 {
        // Predicted from the last unit, or from all that are kept: a gap that falls in jumps may not have
        // fallen in the last.
        let since = |from: usize| {
            let of = &self.trail[from..];
            let fallen = of.first().map_or(0.0, |(_, before)| (before / self.now.max(1e-300)).ln());
            let work: f64 = of.iter().map(|(work, _)| work).sum();
            if fallen > 0.0 { left * work / fallen } else { f64::INFINITY }
        };
        since(0).min(since(self.trail.len().saturating_sub(1)))
    }

    /// Records how a unit changed the bounds, with the number of its multiplications.
    pub(crate) fn learn(
        &mut self,
        way: SolverKind,
        (before, after): (Certificate, Certificate),
        spent: f64,
        goes_on: bool,
    ) {
        // If only rounding errors are left, a bound may change in its last digits for ever.
        let is_further = after.gap() < before.gap() * (1.0 - LEAST)
            || after.dual > before.dual + LEAST * before.dual.abs();
        self.idle = if is_further { 0 } else { self.idle + 1 };
        match way {
            SolverKind::Direct => self.direct_is_over |= !goes_on,
            SolverKind::Passes(_) => {
                self.units += 1;
                self.spent += spent;
                self.trail.push((spent, before.gap()));
                if self.trail.len() > TRAIL {
                    self.trail.remove(0);
                }
                self.now = after.gap();
            }
            SolverKind::Sweeps | SolverKind::Conjugate => {
                self.is_over_passes = true;
                self.others_are_over |= !goes_on || self.idle >= IDLE;
                self.spent += spent;
            }
        }
    }
}
