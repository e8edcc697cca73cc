//! How small can a useful program be? The mean of numbers that are spread over shards, by gradient steps.
//!
//! `cargo run --example hello`

use raddle::prelude::*;

struct Mean {
    count: f64,
}

impl Program for Mean {
    // A shard holds numbers, the replica is the estimate, and a partial is a shard's gradient. Types left out
    // are ().
    raddle::program!(Shard = Vec<f64>, Replica = f64, Partial = f64; update);

    fn aggregate(&self, at: Aggregate<'_, Self>) -> f64 {
        0.8 * at.partials.sum() / self.count
    }

    fn commit(&self, step: &f64, estimate: &mut f64) {
        *estimate += step;
    }

    fn evaluate(&self, at: Evaluate<'_, Self>) -> f64 {
        at.shard.iter().map(|number| number - at.replica).sum()
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<f64> {
        Metric::new("gradient", at.partials.sum().abs(), "all numbers").target(1e-9).into()
    }
}

impl Update for Mean {
    fn update(&self, at: TaskOf<'_, Self>) -> f64 {
        at.shard.iter().map(|number| number - at.replica).sum()
    }
}

fn main() -> Result<(), EngineError> {
    let shards: Vec<Vec<f64>> = (0..8).map(|s| (0..1000).map(|i| f64::from(s * i % 97)).collect()).collect();
    // Every shard helps with every step: one round an epoch, one task a shard.
    let run = || Engine::new(Mean { count: 8000.0 }, EachShard::new(8), Parts::new(shards.clone(), 0.0));
    let outcome = run().workers(2).observe(|record| println!("{:.3e}", record.value())).run()?;
    println!("the mean is {} after {} epochs", outcome.parts.replica, outcome.report.epochs);
    replay::check(run) // However it is run, it gives the same bits.
}
