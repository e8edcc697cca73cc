//! How does a program of one's own run on several processes? It asks for its place in the run, and makes its
//! shards.
//!
//! `cargo run --example processes`, and `raddle launch --processes 3 -- target/debug/examples/processes`

use raddle::prelude::*;
use raddle::{Cluster, Lazy, LazyParts};

/// The largest of numbers that lie in shards.
struct Largest;

impl Program for Largest {
    raddle::program!(Shard = Vec<u64>, Replica = u64, Partial = u64; update);
    fn aggregate(&self, at: Aggregate<'_, Self>) -> u64 {
        at.partials.max()
    }
    fn commit(&self, largest: &u64, known: &mut u64) {
        *known = *largest;
    }
    fn evaluate(&self, at: Evaluate<'_, Self>) -> u64 {
        at.shard.iter().filter(|&number| number > at.replica).count() as u64
    }
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<u64> {
        Metric::new("larger", at.partials.sum() as f64, "all numbers").target(0.0).into()
    }
}

impl Update for Largest {
    fn update(&self, at: TaskOf<'_, Self>) -> u64 {
        at.shard.iter().copied().max().unwrap_or(0)
    }
}

fn main() -> Result<(), EngineError> {
    // Called only on the process where the shard begins: none holds all numbers.
    let shard = |shard: u32| Ok::<_, String>((0..1000).map(|i| i * u64::from(shard + 7) % 9973).collect());
    let parts = LazyParts { shards: Lazy::new(9, shard), blocks: Vec::new().into(), pinned: (), replica: 0 };
    let engine = Engine::new(Largest, EachShard::new(9), parts);
    let outcome = match Cluster::launched(std::process::exit)? {
        None => Some(engine.run()?),
        Some(cluster) => engine.run_on(&cluster)?,
    };
    // The first process has the outcome; the others have nothing to report.
    if let Some(outcome) = outcome {
        println!("the largest is {}, {}", outcome.parts.replica, outcome.digest());
    }
    Ok(())
}
