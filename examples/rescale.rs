//! Does the number of workers change the model? No: 1 worker, 4 workers, and 3 -> 4 -> 1 leave the same bytes.
//!
//! `cargo run --example rescale`

use raddle::schedule::{Rotation, Round};
use raddle::{
    Boundary, Engine, Fold, Metric, Parts, Program, Task, UpdateBlock, Verbs, Verdict, Visibility, replay,
};

/// Moves shards and blocks towards each other: floating point, so that any other order would show.
struct Attraction;

impl Program for Attraction {
    type Shard = Vec<f64>;
    type Block = Vec<f64>;
    type Pinned = ();
    type Replica = f64;
    type Partial = f64;
    type Change = f64;
    type Phase = ();

    fn verbs() -> Verbs<Self> {
        Verbs::new().update_block().fold()
    }

    fn visibility(&self) -> Visibility {
        Visibility::AtBoundary
    }
    fn aggregate(&self, _: &Round, (): &mut (), distances: Vec<(u32, f64)>) -> f64 {
        distances.into_iter().map(|(_, distance)| distance).sum()
    }
    fn commit(&self, distance: &f64, replica: &mut f64) {
        *replica = *distance;
    }
    fn evaluate(&self, _: &Boundary, _: u32, _: &mut Vec<f64>, _: &f64) -> f64 {
        0.0
    }
    fn conclude(&self, _: &Boundary, (): &mut (), distance: &f64, _: Vec<(u32, f64)>) -> Verdict<f64> {
        Verdict::new(Metric::new("distance", *distance, "all pairs"))
    }
}

impl UpdateBlock for Attraction {
    fn update_block(&self, _: &Task, shard: &mut Vec<f64>, block: &mut Vec<f64>, _: &f64) -> f64 {
        for (a, b) in shard.iter_mut().zip(block.iter_mut()) {
            (*a, *b) = (*a + 0.3 * (*b - *a).sin(), *b - 0.2 * (*b - *a).sin());
        }
        shard.iter().zip(block).map(|(a, b)| (*a - *b) * (*a - *b)).sum()
    }
}

impl Fold for Attraction {
    fn fold(&self, so_far: &mut f64, next: f64) {
        *so_far += next;
    }
}

fn main() -> Result<(), raddle::EngineError> {
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
