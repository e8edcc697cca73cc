//! Does the number of workers change the model? No: 1 worker, 4 workers, and 3 -> 4 -> 1 leave the same
//! bytes.
//!
//! `cargo run --example rescale`

use raddle::prelude::*;

/// Moves shards and blocks towards each other: floating point, so that any other order would show.
struct Attraction;

impl Program for Attraction {
    raddle::program!(Shard = Vec<f64>, Block = Vec<f64>, Replica = f64, Partial = f64; update_block, fold);

    fn visibility(&self) -> Visibility {
        Visibility::AtBoundary
    }
    fn aggregate(&self, at: Aggregate<'_, Self>) -> f64 {
        at.partials.sum()
    }
    fn commit(&self, distance: &f64, replica: &mut f64) {
        *replica = *distance;
    }
    fn evaluate(&self, _: Evaluate<'_, Self>) -> f64 {
        0.0
    }
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<f64> {
        Metric::new("distance", *at.replica, "all pairs").into()
    }
}

impl UpdateBlock for Attraction {
    fn update_block(&self, at: BlockTaskOf<'_, Self>) -> f64 {
        for (a, b) in at.shard.iter_mut().zip(at.block.iter_mut()) {
            (*a, *b) = (*a + 0.3 * (*b - *a).sin(), *b - 0.2 * (*b - *a).sin());
        }
        at.shard.iter().zip(at.block).map(|(a, b)| (*a - *b) * (*a - *b)).sum()
    }
}

impl Fold for Attraction {
    fn fold(&self, so_far: &mut f64, next: f64) {
        *so_far += next;
    }
}

fn main() -> Result<(), EngineError> {
    let run = || {
        let vectors =
            |count, step| (0..count).map(move |i| (0..50).map(|j| step * f64::from(i + j)).collect());
        let parts = Parts::new(vectors(12, 0.1).collect(), f64::MAX).blocks(vectors(8, 0.07).collect());
        Engine::new(Attraction, Rotation::new(12, 8), parts).epochs(12)
    };
    for (workers, plan) in [(1, &[][..]), (4, &[]), (3, &[(4, 4), (8, 1)])] {
        let outcome = run().workers(workers).rescale(plan).run()?;
        let bytes = raddle::state::to_bytes(&(outcome.parts.shards, outcome.parts.blocks));
        let digest = bytes.iter().fold(0u64, |sum, &byte| raddle::random::splitmix64(sum ^ u64::from(byte)));
        let steps: Vec<usize> =
            outcome.report.generations.iter().map(|generation| generation.workers).collect();
        println!("workers {steps:?}: {} bytes, digest {digest:016x}", bytes.len());
    }
    replay::check(run)
}
