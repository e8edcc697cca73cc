//! The solver of the plain Lasso on one Gram.

use super::alternate::{Limit, MOST_EPOCHS, Turns, alternate};
use super::basis::reduce;
use super::epoch::{Swept, epoch};
use super::factor::Factor;
use super::local::{Local, LocalProblem, ObjectiveGap};
use super::newton::{most_columns, newton};

/// Solves to the gap `target` (absolute), or until nothing changes; returns the last measure.
pub(crate) fn solve(
    local: &mut Local,
    problem: LocalProblem,
    target: f64,
    factor: &mut Factor,
) -> ObjectiveGap {
    let limit = Limit { gap: target, epochs: MOST_EPOCHS };
    alternate(local, &mut Plain { problem, factor }, limit, |local| local.measure(problem))
}

/// The alternation for the plain Lasso, whose Newton steps keep their factor from one to the next.
pub(super) struct Plain<'a> {
    pub(super) problem: LocalProblem,
    pub(super) factor: &'a mut Factor,
}

impl Turns for Plain<'_> {
    fn epoch(&mut self, local: &mut Local) -> Swept {
        epoch(local, self.problem.penalty)
    }

    fn free(&self, local: &Local) -> usize {
        local.b.iter().filter(|&&b| b != 0.0).count()
    }

    fn newton(
        &mut self,
        local: &mut Local,
        measure: ObjectiveGap,
        measure_of: impl Fn(&Local) -> ObjectiveGap,
    ) -> ObjectiveGap {
        if self.free(local) > most_columns(self.problem.rows) {
            reduce(local);
        }
        let before = (local.b.clone(), local.g.clone());
        let stepped = newton(local, self.problem, self.factor).is_ok();
        let after = measure_of(local);
        if stepped && (after.primal <= measure.primal || after.gap <= measure.gap) {
            return after;
        }
        // Columns depend on each other, as duplicates do: once one of them is out, the next step works.
        (local.b, local.g) = before;
        reduce(local);
        measure_of(local)
    }
}
