//! How do I cut data by rows? A support vector machine in its dual: each shard keeps its rows' multipliers
//! and works on them alone, and all agree on the weights (CoCoA+: Ma et al., "Adding vs. averaging", 2015).
//! The program `linear` (`algorithms/linear`) is what became of it: best steps, adaptive factors, any number
//! of parts. `cargo run --release --example svm`

use raddle::prelude::*;

/// min |w|^2 / 2 + C sum_i max(0, 1 - y_i w'x_i); its dual has a multiplier 0 <= a_i <= C a row, with
/// w = sum_i a_i y_i x_i.
pub(crate) struct Svm {
    c: f64,
    /// Number of shards that add their steps up: each must step as if all others did equally.
    shards: f64,
    /// The relative duality gap at which the run is done.
    target: f64,
}

/// Rows y_i x_i with their multipliers.
#[derive(Clone)]
pub(crate) struct Rows {
    rows: Vec<Vec<f64>>,
    multipliers: Vec<f64>,
}

raddle::state!(Rows { rows, multipliers });

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Program for Svm {
    raddle::program!(
        Shard = Rows,
        Replica = Vec<f64>, // w
        Partial = Vec<f64>; // how the shard moves w; or what its rows lose, and the sum of their multipliers
        update
    );

    fn aggregate(&self, at: Aggregate<'_, Self>) -> Vec<f64> {
        at.partials.sum()
    }

    fn commit(&self, moved: &Vec<f64>, weights: &mut Vec<f64>) {
        weights.iter_mut().zip(moved).for_each(|(weight, moved)| *weight += moved);
    }

    fn evaluate(&self, at: Evaluate<'_, Self>) -> Vec<f64> {
        let lost = at.shard.rows.iter().map(|row| (1.0 - dot(row, at.replica)).max(0.0)).sum();
        vec![lost, at.shard.multipliers.iter().sum()]
    }

    /// Primal less dual objective bounds how far the primal is from its least value.
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Vec<f64>> {
        let (sums, norm) = (at.partials.sum(), dot(at.replica, at.replica));
        let (primal, dual) = (0.5 * norm + self.c * sums[0], sums[1] - 0.5 * norm);
        let gap = Metric::new("relative-duality-gap", (primal - dual) / primal, "training data");
        Verdict::new(gap.target(self.target).certified()).show("primal", primal)
    }
}

impl Update for Svm {
    fn update(&self, at: TaskOf<'_, Self>) -> Vec<f64> {
        let TaskOf { task, shard, replica: weights } = at;
        let mut order: Vec<usize> = (0..shard.rows.len()).collect();
        task.stream(7).shuffle(&mut order);
        let mut moved = vec![0.0; weights.len()];
        for i in order {
            let row = &shard.rows[i];
            let slope = dot(row, weights) + self.shards * dot(row, &moved) - 1.0;
            let step = slope / (self.shards * dot(row, row));
            let multiplier = (shard.multipliers[i] - step).clamp(0.0, self.c);
            let change = multiplier - shard.multipliers[i];
            moved.iter_mut().zip(row).for_each(|(moved, x)| *moved += change * x);
            shard.multipliers[i] = multiplier;
        }
        moved
    }
}

/// Two clouds that overlap, in shards of 25 rows.
fn clouds(shards: usize) -> Vec<Rows> {
    let mut draw = Stream::new(&[3]);
    let mut row = |i: usize| {
        let sign = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        let x = (0..4).map(|j| sign * (draw.unit() + draw.unit() - 1.0) + if j == 0 { 0.4 } else { 0.0 });
        x.chain([sign]).collect::<Vec<f64>>() // the last column is the intercept's
    };
    let shard = |_| Rows { rows: (0..25).map(&mut row).collect(), multipliers: vec![0.0; 25] };
    (0..shards).map(shard).collect()
}

/// A run to this relative duality gap.
pub(crate) fn engine(target: f64) -> Engine<Svm> {
    let (program, parts) = (Svm { c: 1.0, shards: 8.0, target }, Parts::new(clouds(8), vec![0.0; 5]));
    Engine::new(program, EachShard::new(8), parts).epochs(2000)
}

fn main() -> Result<(), EngineError> {
    let outcome = engine(1e-6).workers(2).run()?;
    let supports = outcome.parts.shards.iter().flat_map(|shard| &shard.multipliers).filter(|&&a| a > 0.0);
    println!("weights {:.4?}, {} of 200 rows support them", outcome.parts.replica, supports.count());
    println!("gap {:.1e} after {} epochs", outcome.report.metric.value, outcome.report.epochs);
    assert!(outcome.report.metric.is_reached());
    replay::check(|| engine(1e-6).epochs(6))
}
