//! The solver on one Gram: epochs of coordinate descent and Newton steps, in turns.

use super::basis::reduce;
use super::epoch::epoch;
use super::factor::Factor;
use super::local::{Local, Measure, Problem};
use super::newton::newton;
use super::stats::Work;

/// Epochs between measures: they let members enter and leave, which a Newton step only finishes.
const EPOCHS: usize = 2;

/// A Newton step gets through this many times as many operations of a whole factorisation in a second as an epoch of its
/// own: they are multiplications from registers, against rows from memory, and most rows of the factor are there from
/// the step before. Counted cost, so that the choice is the same on every machine.
const FACTOR_SPEED: u64 = 20;

/// Epochs after which a solve gives up; one that has not reached its gap reports it.
const MOST_EPOCHS: u64 = 20_000;

/// The largest support a Newton step is tried on as it is, n rows: beyond it the Gram is singular or nearly so.
pub(crate) fn most_columns(rows: usize) -> usize {
    (rows * 98 / 100).max(1)
}

/// Solves to the gap `target` (absolute), or until nothing changes; returns the last measure.
pub(crate) fn solve(
    local: &mut Local,
    problem: Problem,
    target: f64,
    factor: &mut Factor,
    work: &mut Work,
) -> Measure {
    descend(local, problem, (target, MOST_EPOCHS), factor, work, |local| local.measure(problem))
}

/// Epochs and Newton steps in turns, until the gap that `measure` tells is at most the target, nothing changes, or the
/// epochs are used up. Of its objective only differences count.
pub(crate) fn descend(
    local: &mut Local,
    problem: Problem,
    (target, epochs): (f64, u64),
    factor: &mut Factor,
    work: &mut Work,
    measure_of: impl Fn(&Local) -> Measure,
) -> Measure {
    let limit = work.epochs + epochs;
    let mut measure = measure_of(local);
    let mut since_newton = 0;
    while measure.gap > target && work.epochs < limit {
        let before = work.epoch_flops;
        let (mut changed, mut signs) = (0, 0);
        for _ in 0..EPOCHS {
            let swept = epoch(local, problem.penalty, work);
            (changed, signs) = (swept.changed, swept.signs);
        }
        since_newton += work.epoch_flops - before;
        measure = measure_of(local);
        if measure.gap <= target || changed == 0 {
            break;
        }
        let support = local.b.iter().filter(|&&b| b != 0.0).count();
        let due = signs == 0 || since_newton * FACTOR_SPEED >= (support as u64).pow(3) / 3;
        if due && support > 0 {
            since_newton = 0;
            if support > most_columns(problem.rows) {
                reduce(local, work);
            }
            let before = (local.b.clone(), local.g.clone());
            let stepped = newton(local, problem, factor, work).is_ok();
            let after = measure_of(local);
            if stepped && (after.primal <= measure.primal || after.gap <= measure.gap) {
                measure = after;
            } else {
                // Columns that depend on each other, as duplicates do: once one of them is out, the next step works.
                (local.b, local.g) = before;
                reduce(local, work);
                measure = measure_of(local);
            }
        }
    }
    measure
}
