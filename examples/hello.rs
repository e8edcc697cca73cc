//! What is the smallest useful program? The mean of numbers that are spread over shards, by gradient steps.
//!
//! `cargo run --example hello`

use raddle::schedule::{EachShard, Round};
use raddle::{Boundary, Engine, Metric, Parts, Program, Task, Update, Verbs, Verdict, replay};

struct Mean {
    count: f64,
}

impl Program for Mean {
    type Shard = Vec<f64>; // numbers
    type Block = ();
    type Pinned = ();
    type Replica = f64; // the estimate, equal on every worker
    type Partial = f64; // a shard's gradient
    type Change = f64; // a step
    type Phase = ();

    fn verbs() -> Verbs<Self> {
        Verbs::new().update()
    }

    fn aggregate(&self, _: &Round, (): &mut (), gradients: Vec<(u32, f64)>) -> f64 {
        0.8 * gradients.into_iter().map(|(_, gradient)| gradient).sum::<f64>() / self.count
    }

    fn commit(&self, step: &f64, estimate: &mut f64) {
        *estimate += step;
    }

    fn evaluate(&self, _: &Boundary, _: u32, numbers: &mut Vec<f64>, estimate: &f64) -> f64 {
        numbers.iter().map(|number| number - estimate).sum()
    }

    fn conclude(&self, _: &Boundary, (): &mut (), _: &f64, gradients: Vec<(u32, f64)>) -> Verdict<f64> {
        let gradient: f64 = gradients.into_iter().map(|(_, gradient)| gradient).sum();
        Verdict::new(Metric::new("gradient", gradient.abs(), "all numbers").target(1e-9))
    }
}

impl Update for Mean {
    fn update(&self, _: &Task, numbers: &mut Vec<f64>, estimate: &f64) -> f64 {
        numbers.iter().map(|number| number - estimate).sum()
    }
}

fn main() -> Result<(), raddle::EngineError> {
    let shards: Vec<Vec<f64>> = (0..8).map(|s| (0..1000).map(|i| f64::from(s * i % 97)).collect()).collect();
    // Every shard helps with every step: one round an epoch, one task a shard.
    let run = || Engine::new(Mean { count: 8000.0 }, EachShard::new(8), Parts::new(shards.clone(), 0.0));
    let outcome =
        run().workers(2).observe(|record| println!("{:2} {:.3e}", record.epoch, record.value())).run()?;
    println!("the mean is {} after {} epochs", outcome.parts.replica, outcome.report.epochs);
    // However it is run, it gives the same bits.
    replay::check(run)
}
