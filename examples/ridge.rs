//! How do I write coordinate descent? Ridge regression: each shard keeps some columns with their
//! coefficients, and all agree on the residual.
//!
//! `cargo run --example ridge`

use raddle::prelude::*;

/// min |y - X b|^2 / 2 + lambda |b|^2 / 2
struct Ridge {
    lambda: f64,
}

/// Twenty columns, each with its coefficient.
type Columns = Vec<(Vec<f64>, f64)>;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Program for Ridge {
    // The replica is the residual; a partial is its change, or the gradient of each coefficient.
    raddle::program!(Shard = Columns, Replica = Vec<f64>, Partial = Vec<f64>; update);

    fn aggregate(&self, at: Aggregate<'_, Self>) -> Vec<f64> {
        at.partials.sum()
    }

    fn commit(&self, moves: &Vec<f64>, residual: &mut Vec<f64>) {
        residual.iter_mut().zip(moves).for_each(|(value, by)| *value += by);
    }

    fn evaluate(&self, at: Evaluate<'_, Self>) -> Vec<f64> {
        at.shard.iter().map(|(x, b)| (dot(x, at.replica) - self.lambda * b).abs()).collect()
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Vec<f64>> {
        Metric::new("gradient", at.partials.max(), "training data").target(1e-8).into()
    }
}

impl Update for Ridge {
    fn update(&self, at: TaskOf<'_, Self>) -> Vec<f64> {
        let mut moves = vec![0.0; at.replica.len()];
        for j in at.task.positions(20 * at.task.shard) {
            let (x, b) = &mut at.shard[j];
            let step = (dot(x, at.replica) - self.lambda * *b) / (dot(x, x) + self.lambda);
            *b += step;
            moves.iter_mut().zip(x).for_each(|(by, x)| *by -= step * *x);
        }
        moves
    }
}

fn main() -> Result<(), EngineError> {
    let mut draw = Stream::new(&[5]);
    let mut column = || (0..60).map(|_| draw.unit() - 0.5).collect::<Vec<f64>>();
    let (y, mut shard) = (column(), || (0..20).map(|_| (column(), 0.0)).collect::<Columns>());
    let parts = (vec![shard(), shard()], y);
    let schedule = || Cyclic::new(Variables::evenly(40, 2), 2); // two of 40 columns a round, of two shards
    let run = || Engine::new(Ridge { lambda: 0.1 }, schedule(), Parts::new(parts.0.clone(), parts.1.clone()));
    let outcome = run().workers(2).run()?;
    println!("gradient {:.1e} after {} epochs", outcome.report.metric.value, outcome.report.epochs);
    replay::check(|| run().epochs(6))
}
