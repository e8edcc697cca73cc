//! How does a program of one's own run on several processes? It asks for its place in the run, and makes its shards.
//!
//! `cargo run --example processes`, and `raddle launch --processes 3 -- target/debug/examples/processes`

use raddle::schedule::{EachShard, Round};
use raddle::{Boundary, Cluster, Engine, Maker, Makers, Metric, Program, Task, Update, Verbs, Verdict};

/// The largest of numbers that lie in shards.
struct Largest;

impl Program for Largest {
    type Shard = Vec<u64>;
    type Block = ();
    type Pinned = ();
    type Replica = u64;
    type Partial = u64;
    type Change = u64;
    type Phase = ();

    fn verbs() -> Verbs<Self> {
        Verbs::new().update()
    }
    fn aggregate(&self, _: &Round, (): &mut (), largest: Vec<(u32, u64)>) -> u64 {
        largest.into_iter().map(|(_, number)| number).max().unwrap_or(0)
    }
    fn commit(&self, largest: &u64, known: &mut u64) {
        *known = *largest;
    }
    fn evaluate(&self, _: &Boundary, _: u32, numbers: &mut Vec<u64>, known: &u64) -> u64 {
        numbers.iter().filter(|&number| number > known).count() as u64
    }
    fn conclude(&self, _: &Boundary, (): &mut (), _: &u64, larger: Vec<(u32, u64)>) -> Verdict<u64> {
        let larger: u64 = larger.into_iter().map(|(_, count)| count).sum();
        Verdict::new(Metric::new("larger", larger as f64, "all numbers").target(0.0))
    }
}

impl Update for Largest {
    fn update(&self, _: &Task, numbers: &mut Vec<u64>, _: &u64) -> u64 {
        numbers.iter().copied().max().unwrap_or(0)
    }
}

fn main() -> Result<(), raddle::EngineError> {
    // Called only on the process where the shard begins: none holds all numbers.
    let shard = |shard: u32| Ok::<_, String>((0..1000).map(|i| i * u64::from(shard + 7) % 9973).collect());
    let parts = Makers { shards: Maker::new(9, shard), blocks: Vec::new().into(), pinned: (), replica: 0 };
    let engine = Engine::new(Largest, EachShard::new(9), parts);
    let outcome = match Cluster::from_environment()? {
        None => Some(engine.run()?),
        Some(cluster) => engine.run_on(&cluster)?,
    };
    // The first process has it; the others have nothing to say.
    if let Some(outcome) = outcome {
        println!("the largest is {}, {}", outcome.parts.replica, outcome.digest());
    }
    Ok(())
}
