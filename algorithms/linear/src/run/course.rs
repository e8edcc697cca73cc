//! [`Course`]: chooses a solver by counted sizes and counted progress, never by the clock.

use crate::certificate::Certificate;
use crate::data::binary::Binary;
use crate::loss::Loss;
use crate::solve::gram::cheaper_side;
use crate::solve::passes::a_row_alone;

/// Passes in the first units of work; later units have as many as the last constant says.
const PASSES: [usize; 4] = [2, 3, 5, 10];
const LATER: usize = 10;
/// Expected number of double sweeps, or of products in conjugate gradients.
const SWEEPS: f64 = 200.0;
/// Units of passes from which the passes left are predicted.
const TRAIL: usize = 3;
/// Work of passes after which the progress of others is no longer known, in units of what it was judged by.
const AGE: f64 = 4.0;
/// Number of expected passes above which another solver is tried; then that of the logistic loss, for whose
/// steps conjugate gradients need few products once passes have come near.
const MANY: f64 = 200.0;
const MANY_LOGISTIC: f64 = 10.0;
/// Cost of a direct solver, in passes, below which it starts at once for the logistic loss: a row of dense
/// values is multiplied many times as fast as a pass finds its dual value.
const FEW: f64 = 100.0;
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
    /// Progress of passes; then of sweeps or conjugate gradients.
    passes: Progress,
    others: Progress,
    /// `true` while sweeps or conjugate gradients have the turn; then the units of the turn so far.
    is_at_others: bool,
    turn: u32,
    /// Work since sweeps or conjugate gradients had the turn.
    since: f64,
    /// Work of all solvers except direct ones.
    spent: f64,
    /// Number of consecutive units without progress.
    idle: u32,
    /// `true` once a direct solver makes no more progress; then the same for the others.
    direct_is_over: bool,
    others_are_over: bool,
}

raddle::state!(Course {
    units,
    passes,
    others,
    is_at_others,
    turn,
    since,
    spent,
    idle,
    direct_is_over,
    others_are_over
});

/// How a solver brought the gap with it in its last units of work.
#[derive(Debug, Clone, Default)]
struct Progress {
    /// The work of each unit and the gap at its start. Several are kept, as gaps fall in jumps.
    trail: Vec<(f64, f64)>,
    /// Gap after the last unit.
    now: f64,
}

raddle::state!(Progress { trail, now });

impl Progress {
    fn add(&mut self, spent: f64, (before, after): (f64, f64)) {
        self.trail.push((spent, before));
        if self.trail.len() > TRAIL {
            self.trail.remove(0);
        }
        self.now = after;
    }

    fn work(&self) -> f64 {
        self.trail.iter().map(|(work, _)| work).sum()
    }

    /// Returns the expected work until the gap's logarithm has fallen by `left`; `None` if the solver has not
    /// been tried.
    fn expected(&self, left: f64) -> Option<f64> {
        // Predicted from the last unit, or from all that are kept: a gap that falls in jumps may not have
        // fallen in the last.
        let since = |from: usize| {
            let of = &self.trail[from..];
            let fallen = of.first().map_or(0.0, |(_, before)| libm::log(before / self.now.max(1e-300)));
            let work: f64 = of.iter().map(|(work, _)| work).sum();
            if fallen > 0.0 { left * work / fallen } else { f64::INFINITY }
        };
        let last = self.trail.len().checked_sub(1)?;
        Some(since(0).min(since(last)))
    }
}

impl Course {
    /// Returns `true` if no solver makes any more progress.
    pub(crate) fn is_over(&self) -> bool {
        self.idle >= 2 * IDLE
    }

    /// Ends the course, as no step makes progress.
    pub(crate) fn give_up(&mut self) {
        self.idle = 2 * IDLE;
    }

    /// Returns how the next unit is done, if the gap is to fall by this factor and `supports` rows have
    /// nonzero dual values.
    pub(crate) fn way(&self, binary: &Binary<'_>, factor: f64, supports: usize) -> SolverKind {
        let passes = SolverKind::Passes(PASSES.get(self.units as usize).copied().unwrap_or(LATER));
        let alone = a_row_alone(binary.loss) * binary.count() as f64;
        let (left, pass) = (libm::log(factor).max(0.0), 2.0 * binary.rows.stored() as f64 + alone);
        let is_free = binary.bias.is_free();
        let count = if binary.loss == Loss::SquaredHinge && !is_free { supports } else { binary.count() };
        let direct = cheaper_side(binary, count).filter(|_| !self.direct_is_over);
        let by_direct = direct.map_or(f64::INFINITY, |(_, cost)| cost.expected(binary.loss));
        if is_free {
            // Steps of single dual values would not keep their sum.
            let is_direct = direct.is_some() && (self.others_are_over || by_direct < 2.0 * SWEEPS * pass);
            return if is_direct { SolverKind::Direct } else { SolverKind::Conjugate };
        }
        if self.units == 0 && !(binary.loss == Loss::Logistic && by_direct < FEW * pass) {
            return passes;
        }
        let by_passes = self.passes.expected(left).unwrap_or(f64::INFINITY);
        // A direct solver has to be cheaper than this, too, as gaps stand still at times.
        let usual = if self.others_are_over { f64::INFINITY } else { 2.0 * SWEEPS * pass };
        // What is known of the others grows old: passes may have led to where they do better.
        let is_known_of = self.is_at_others || self.since < AGE * self.others.work();
        let (many, untried) = match binary.loss {
            Loss::Logistic => (MANY_LOGISTIC, MANY_LOGISTIC * pass),
            _ => (MANY, usual),
        };
        let by_others = self.others.expected(left).filter(|_| is_known_of).unwrap_or(untried);
        let is_known = self.units >= PASSES.len() as u64;
        let is_slow = is_known && by_passes > many * pass;
        if by_direct < usual.min(by_passes) || (is_slow && PATIENCE * by_direct < self.spent) {
            SolverKind::Direct
        } else if self.others_are_over || !self.goes_to_others(is_slow, (by_passes, by_others)) {
            passes
        } else if binary.loss == Loss::Logistic {
            SolverKind::Conjugate
        } else {
            SolverKind::Sweeps
        }
    }

    /// Returns `true` if sweeps or conjugate gradients have the next turn. A turn lasts as many units as are
    /// needed to judge by.
    fn goes_to_others(&self, is_slow: bool, (by_passes, by_others): (f64, f64)) -> bool {
        if self.turn < TRAIL as u32 && self.units >= PASSES.len() as u64 {
            return self.is_at_others;
        }
        is_slow && by_others < by_passes
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
        let is_at_others = matches!(way, SolverKind::Sweeps | SolverKind::Conjugate);
        if way != SolverKind::Direct {
            self.spent += spent;
            self.turn = if is_at_others == self.is_at_others { self.turn + 1 } else { 1 };
            self.is_at_others = is_at_others;
            self.since = if is_at_others { 0.0 } else { self.since + spent };
            let progress = if is_at_others { &mut self.others } else { &mut self.passes };
            if self.turn == 1 {
                *progress = Progress::default();
            }
            progress.add(spent, (before.gap(), after.gap()));
        }
        match way {
            SolverKind::Direct => self.direct_is_over |= !goes_on,
            SolverKind::Passes(_) => self.units += 1,
            SolverKind::Sweeps | SolverKind::Conjugate => {
                self.others_are_over |= !goes_on || self.idle >= IDLE;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use raddle_datasets::embedded;

    use super::*;
    use crate::Problem;

    /// Units of passes and of the others among the first ones of a fit, of which each multiplies the gap by a
    /// factor of its own; then the number of turns that the others had.
    fn turns(loss: Loss, units: usize, by_passes: f64, by_others: f64) -> ([usize; 2], usize) {
        let data = embedded::diabetes();
        let y: Vec<f64> = data.y.iter().map(|y| f64::from(u8::from(*y > 152.0))).collect();
        let problem = Problem::new(&data.x, &y, 1.0).unwrap();
        let binary = problem.binary(0, loss, &[1.0, 1.0]).unwrap();
        let of = |gap: f64| Certificate { primal: 1.0, dual: 1.0 - gap };
        let (mut course, mut gap, mut count, mut turns) = (Course::default(), 1.0, [0; 2], 0);
        // A factored matrix would be far cheaper than both.
        course.learn(SolverKind::Direct, (of(gap), of(gap)), 0.0, false);
        let mut before = 0;
        for _ in 0..units {
            let way = course.way(&binary, gap * 1e9, 442);
            let at = usize::from(!matches!(way, SolverKind::Passes(_)));
            let after = gap * [by_passes, by_others][at];
            course.learn(way, (of(gap), of(after)), 10.0 * 2.0 * binary.rows.stored() as f64, true);
            count[at] += 1;
            turns += usize::from(at > before);
            (before, gap) = (at, after);
        }
        (count, turns)
    }

    #[test]
    fn who_gains_more_has_most_of_the_turns_and_the_others_are_tried_now_and_then() {
        for loss in [Loss::Hinge, Loss::SquaredHinge, Loss::Logistic] {
            // Passes that come to the end soon enough are left alone.
            assert_eq!(turns(loss, 15, 0.1, 0.01), ([15, 0], 0), "{}", loss.name());
            let ([passes, others], tried) = turns(loss, 200, 0.99, 1.0);
            assert!(others < passes / 2 && tried > 3, "{}: {passes} {others} {tried}", loss.name());
            let ([passes, others], _) = turns(loss, 60, 0.99, 0.9);
            assert!(passes < others / 4, "{}: {passes} {others}", loss.name());
        }
    }

    #[test]
    fn what_is_expected_follows_from_what_was_gained() {
        let mut progress = Progress::default();
        assert_eq!(progress.expected(1.0), None);
        progress.add(5.0, (1.0, 1.0));
        assert_eq!(progress.expected(1.0), Some(f64::INFINITY));
        progress.add(5.0, (1.0, 0.5));
        let expected = progress.expected(0.25_f64.ln().abs()).unwrap();
        assert!((expected - 10.0).abs() < 1e-12, "{expected}");
    }
}
