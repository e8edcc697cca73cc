//! Asynchronous logistic regression: each round is the gradient of one shard's rows, and a commit steps along
//! it. With rows sorted by class, a shard that is never committed is missed.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use raddle::random::Stream;
use raddle::{Aggregate, Conclude, Evaluate, Metric, Parts, Program, TaskOf, Update, Verdict};

pub(crate) const SHARDS: usize = 16;
const ROWS: usize = 20;
const COLUMNS: usize = 4;

pub(crate) struct Logistic {
    pub(crate) step: f64,
    /// `true` if tasks take a random time.
    pub(crate) sleeps: bool,
}

/// Rows, of which the first value is 1, with their class, 1 or -1.
#[derive(Clone)]
pub(crate) struct Rows(Vec<(Vec<f64>, f64)>);

raddle::state!(Rows(rows));

fn margin((row, class): &(Vec<f64>, f64), weights: &[f64]) -> f64 {
    class * row.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>()
}

impl Program for Logistic {
    raddle::program!(Shard = Rows, Replica = Vec<f64>, Partial = Vec<f64>; update);

    fn aggregate(&self, at: Aggregate<'_, Self>) -> Vec<f64> {
        at.partials.sum()
    }
    fn commit(&self, gradient: &Vec<f64>, weights: &mut Vec<f64>) {
        weights.iter_mut().zip(gradient).for_each(|(weight, slope)| *weight -= self.step * slope);
    }
    fn evaluate(&self, at: Evaluate<'_, Self>) -> Vec<f64> {
        let rows = &at.shard.0;
        vec![rows.iter().map(|row| (-margin(row, at.replica)).exp().ln_1p()).sum::<f64>() / rows.len() as f64]
    }
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Vec<f64>> {
        let shards = at.partials.len() as f64;
        Metric::new("loss", at.partials.sum()[0] / shards, "training data").into()
    }
}

impl Update for Logistic {
    fn update(&self, at: TaskOf<'_, Self>) -> Vec<f64> {
        if self.sleeps {
            let micros = RandomState::new().hash_one(at.task.round) % 200;
            std::thread::sleep(Duration::from_micros(micros));
        }
        let mut gradient = vec![0.0; COLUMNS];
        for row in &at.shard.0 {
            let slope = -row.1 / (1.0 + margin(row, at.replica).exp()) / ROWS as f64;
            gradient.iter_mut().zip(&row.0).for_each(|(sum, x)| *sum += slope * x);
        }
        gradient
    }
}

/// Rows of two classes that overlap, sorted by class: the last quarter of the shards has one of them.
pub(crate) fn parts(seed: u64) -> Parts<Logistic> {
    let mut stream = Stream::new(&[seed]);
    let shard = |shard: usize| {
        let class = if shard < SHARDS / 4 * 3 { -1.0 } else { 1.0 };
        let mut row = || {
            // Nearly normal: the sum of twelve numbers from 0 to 1 has variance 1.
            let mut normal = |_| (0..12).map(|_| stream.unit()).sum::<f64>() - 6.0 + class;
            (std::iter::once(1.0).chain((1..COLUMNS).map(&mut normal)).collect(), class)
        };
        Rows((0..ROWS).map(|_| row()).collect())
    };
    Parts::new((0..SHARDS).map(shard).collect(), vec![0.0; COLUMNS])
}
