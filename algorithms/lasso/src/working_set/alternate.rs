//! Alternation of coordinate-descent epochs and Newton steps, for any terms of the objective.

use super::epoch::Swept;
use super::local::{Local, ObjectiveGap};

/// Number of epochs between measures: epochs decide which coefficients are zero, and a Newton step finishes
/// them.
const EPOCHS: usize = 2;

/// A Newton step performs this many times as many operations per second as an epoch. Its operations are
/// multiplications from registers, whereas an epoch reads rows from memory, and most rows of the factor are
/// there from the step before. The cost is counted, not timed, so that the choice is the same on every
/// machine.
const FACTOR_SPEED: u64 = 20;

/// Number of epochs after which a solve gives up and reports the gap it has reached.
pub(super) const MOST_EPOCHS: u64 = 20_000;

/// The end of an alternation.
#[derive(Clone, Copy)]
pub(super) struct Limit {
    /// The gap to reach.
    pub(super) gap: f64,
    pub(super) epochs: u64,
}

/// The two kinds of steps that alternate.
pub(super) trait Turns {
    /// Minimises over each coefficient, or each group of them, in turn, and updates g.
    fn epoch(&mut self, local: &mut Local) -> Swept;

    /// Returns how many coefficients a Newton step solves for.
    fn free(&self, local: &Local) -> usize;

    /// Takes Newton steps. Returns the measure after them; `measure` is the one before.
    fn newton(
        &mut self,
        local: &mut Local,
        measure: ObjectiveGap,
        measure_of: impl Fn(&Local) -> ObjectiveGap,
    ) -> ObjectiveGap;
}

/// Alternates until the gap that `measure_of` computes is at most that of the limit, nothing changes, or the
/// epochs are used up. Only differences of the objective matter.
pub(super) fn alternate(
    local: &mut Local,
    turns: &mut impl Turns,
    limit: Limit,
    measure_of: impl Fn(&Local) -> ObjectiveGap,
) -> ObjectiveGap {
    let mut measure = measure_of(local);
    let (mut done, mut since_newton) = (0, 0);
    while measure.gap > limit.gap && done < limit.epochs {
        let mut swept = Swept::default();
        for _ in 0..EPOCHS {
            swept = turns.epoch(local);
            (done, since_newton) = (done + 1, since_newton + swept.flops);
        }
        measure = measure_of(local);
        if measure.gap <= limit.gap || swept.changed == 0 {
            break;
        }
        let free = turns.free(local);
        if free > 0 && (swept.signs == 0 || since_newton * FACTOR_SPEED >= (free as u64).pow(3) / 3) {
            since_newton = 0;
            measure = turns.newton(local, measure, &measure_of);
        }
    }
    measure
}
