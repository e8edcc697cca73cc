//! A program for trying schedules on: each shard is a number, and an update halves it.

use raddle::schedule::Round;
use raddle::{Boundary, Metric, Program, Task, Update, Verbs, Verdict};

/// Halves numbers until their sum is below one half.
pub(crate) struct Halving;

impl Program for Halving {
    type Shard = f64;
    type Block = ();
    type Pinned = ();
    type Replica = ();
    type Partial = f64;
    type Change = Vec<(u32, f64)>;
    type Phase = ();

    fn verbs() -> Verbs<Self> {
        Verbs::new().update()
    }

    fn aggregate(&self, _: &Round, (): &mut (), moves: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
        moves
    }

    fn commit(&self, _: &Vec<(u32, f64)>, (): &mut ()) {}

    fn deltas(&self, moves: &Vec<(u32, f64)>, tell: &mut dyn FnMut(u32, f64)) {
        moves.iter().for_each(|&(shard, distance)| tell(shard, distance));
    }

    fn evaluate(&self, _: &Boundary, _: u32, number: &mut f64, (): &()) -> f64 {
        *number
    }

    fn conclude(
        &self,
        _: &Boundary,
        (): &mut (),
        (): &(),
        numbers: Vec<(u32, f64)>,
    ) -> Verdict<Vec<(u32, f64)>> {
        let sum = numbers.into_iter().map(|(_, number)| number).sum();
        Verdict::new(Metric::new("sum", sum, "all numbers").target(0.5))
    }
}

impl Update for Halving {
    fn update(&self, _: &Task, number: &mut f64, (): &()) -> f64 {
        *number /= 2.0;
        *number
    }
}
