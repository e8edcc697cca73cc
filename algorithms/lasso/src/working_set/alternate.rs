//! Epochs of coordinate descent and Newton steps, in turns, whatever terms the objective has.

use super::epoch::Swept;
use super::local::{Local, ObjectiveGap};
use super::stats::Work;

/// Epochs between measures: they let members enter and leave, which a Newton step only finishes.
const EPOCHS: usize = 2;

/// A Newton step gets through this many times as many operations of a whole factorisation in a second as an
/// epoch of its own: they are multiplications from registers, against rows from memory, and most rows of the
/// factor are there from the step before. Counted cost, so that the choice is the same on every machine.
const FACTOR_SPEED: u64 = 20;

/// Epochs after which a solve gives up; one that has not reached its gap reports it.
pub(super) const MOST_EPOCHS: u64 = 20_000;

/// The two kinds of steps that take turns.
pub(super) trait Turns {
    /// Minimises over each coefficient, or each group of them, in turn; g follows.
    fn epoch(&mut self, local: &mut Local, work: &mut Work) -> Swept;

    /// How many coefficients a Newton step solves for.
    fn free(&self, local: &Local) -> usize;

    /// Newton steps. Returns the measure after them; `measure` is that before.
    fn newton(
        &mut self,
        local: &mut Local,
        measure: ObjectiveGap,
        work: &mut Work,
        measure_of: impl Fn(&Local) -> ObjectiveGap,
    ) -> ObjectiveGap;
}

/// Goes on until the gap that `measure_of` computes is at most the target, nothing changes, or the epochs are
/// used up. Of its objective only differences count.
pub(super) fn alternate(
    local: &mut Local,
    turns: &mut impl Turns,
    (target, epochs): (f64, u64),
    work: &mut Work,
    measure_of: impl Fn(&Local) -> ObjectiveGap,
) -> ObjectiveGap {
    let limit = work.epochs + epochs;
    let mut measure = measure_of(local);
    let mut since_newton = 0;
    while measure.gap > target && work.epochs < limit {
        let before = work.epoch_flops;
        let mut swept = Swept::default();
        for _ in 0..EPOCHS {
            swept = turns.epoch(local, work);
        }
        since_newton += work.epoch_flops - before;
        measure = measure_of(local);
        if measure.gap <= target || swept.changed == 0 {
            break;
        }
        let free = turns.free(local);
        if free > 0 && (swept.signs == 0 || since_newton * FACTOR_SPEED >= (free as u64).pow(3) / 3) {
            since_newton = 0;
            measure = turns.newton(local, measure, work, &measure_of);
        }
    }
    measure
}
