//! A program for trying schedules on: each shard is a number, and an update halves it.

use raddle::prelude::*;

/// Halves numbers until their sum is below one half.
pub struct Halving;

impl Program for Halving {
    raddle::program!(Shard = f64, Partial = f64, Change = Vec<(u32, f64)>; update);

    fn aggregate(&self, at: Aggregate<'_, Self>) -> Vec<(u32, f64)> {
        at.partials.into_pairs()
    }

    fn commit(&self, _: &Vec<(u32, f64)>, (): &mut ()) {}

    fn deltas(&self, moves: &Vec<(u32, f64)>, tell: &mut dyn FnMut(u32, f64)) {
        moves.iter().for_each(|&(shard, distance)| tell(shard, distance));
    }

    fn evaluate(&self, at: Evaluate<'_, Self>) -> f64 {
        *at.shard
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Vec<(u32, f64)>> {
        Metric::new("sum", at.partials.sum(), "all numbers").target(0.5).into()
    }
}

impl Update for Halving {
    fn update(&self, at: TaskOf<'_, Self>) -> f64 {
        *at.shard /= 2.0;
        *at.shard
    }
}
