//! Ridge regression by parallel coordinate descent: columns are shards, the residual is the replica.
//!
//! The objective `|y - X b|^2 / 2 + lambda |b|^2 / 2` never grows where a round's columns are nearly
//! orthogonal; many correlated columns at once diverge: a case for the structure-aware schedule and the
//! guard.

use raddle::random::Stream;
use raddle::schedule::{Dependencies, Variables};
use raddle::{
    Aggregate, Conclude, Evaluate, Metric, Partials, Parts, Program, Relate, Task, TaskOf, Update, Verdict,
};

pub(crate) struct Ridge {
    pub(crate) lambda: f64,
    pub(crate) target: f64,
}

pub(crate) struct Columns {
    pub(crate) first: u32,
    pub(crate) columns: Vec<Vec<f64>>,
    pub(crate) coefficients: Vec<f64>,
}

#[derive(Default)]
pub(crate) struct Answer {
    /// (variable, how far it moved), or (variable, its gradient).
    variables: Vec<(u32, f64)>,
    /// Change of the residual by the moves.
    residual: Vec<f64>,
    columns: Vec<Vec<f64>>,
    /// The squares of the coefficients.
    penalty: f64,
}

raddle::state!(Columns { first, columns, coefficients });
raddle::state!(Answer { variables, residual, columns, penalty });

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Program for Ridge {
    raddle::program!(Shard = Columns, Replica = Vec<f64>, Partial = Answer; update, relate);

    fn aggregate(&self, at: Aggregate<'_, Self>) -> Answer {
        let mut change = Answer::default();
        for partial in at.partials {
            change.residual.resize(partial.residual.len(), 0.0);
            for (sum, part) in change.residual.iter_mut().zip(partial.residual) {
                *sum += part;
            }
            change.variables.extend(partial.variables);
        }
        change
    }

    fn commit(&self, change: &Answer, residual: &mut Vec<f64>) {
        for (value, change) in residual.iter_mut().zip(&change.residual) {
            *value += change;
        }
    }

    fn deltas(&self, change: &Answer, tell: &mut dyn FnMut(u32, f64)) {
        for &(variable, distance) in &change.variables {
            tell(variable, distance);
        }
    }

    fn evaluate(&self, at: Evaluate<'_, Self>) -> Answer {
        let Evaluate { shard, replica: residual, .. } = at;
        let gradient = |(column, b): (&Vec<f64>, &f64)| (dot(column, residual) - self.lambda * b).abs();
        let gradients = shard.columns.iter().zip(&shard.coefficients).map(gradient);
        let penalty = dot(&shard.coefficients, &shard.coefficients);
        Answer { variables: (shard.first..).zip(gradients).collect(), penalty, ..Answer::default() }
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Answer> {
        let penalty: f64 = at.partials.iter().map(|share| share.penalty).sum();
        let weights: Vec<_> = at.partials.into_iter().flat_map(|share| share.variables).collect();
        let steepest = weights.iter().map(|&(_, gradient)| gradient).fold(0.0, f64::max);
        Verdict {
            objective: Some(0.5 * dot(at.replica, at.replica) + 0.5 * self.lambda * penalty),
            weights,
            ..Verdict::new(Metric::new("gradient", steepest, "training data").target(self.target))
        }
    }
}

impl Update for Ridge {
    fn update(&self, at: TaskOf<'_, Self>) -> Answer {
        let TaskOf { task, shard, replica: residual } = at;
        let mut answer = Answer { residual: vec![0.0; residual.len()], ..Answer::default() };
        for &variable in &task.variables {
            let local = (variable - shard.first) as usize;
            let (column, coefficient) = (&shard.columns[local], &mut shard.coefficients[local]);
            let move_by =
                (dot(column, residual) - self.lambda * *coefficient) / (dot(column, column) + self.lambda);
            *coefficient += move_by;
            for (change, x) in answer.residual.iter_mut().zip(column) {
                *change -= move_by * x;
            }
            answer.variables.push((variable, move_by));
        }
        answer
    }
}

impl Relate for Ridge {
    fn gather(&self, task: &Task, shard: &Columns) -> Answer {
        let column = |&variable: &u32| shard.columns[(variable - shard.first) as usize].clone();
        let variables = task.variables.iter().map(|&variable| (variable, 0.0)).collect();
        Answer { variables, columns: task.variables.iter().map(column).collect(), ..Answer::default() }
    }

    fn relate(&self, _: &(), candidates: &[u32], pieces: Partials<Answer>) -> Dependencies {
        let pieces = pieces.into_iter().flat_map(|piece| piece.variables.into_iter().zip(piece.columns));
        let columns: Vec<(u32, Vec<f64>)> =
            pieces.map(|((variable, _), column)| (variable, column)).collect();
        let column = |variable| &columns.iter().find(|(other, _)| *other == variable).unwrap().1;
        Dependencies::of_pairs(candidates, |a, b| {
            let (a, b) = (column(a), column(b));
            (dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()).abs() as f32
        })
    }
}

/// A dense random matrix whose columns share a common part: `common` 0 makes them nearly orthogonal.
pub(crate) struct Problem {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) common: f64,
    pub(crate) shards: usize,
    pub(crate) seed: u64,
}

impl Problem {
    pub(crate) fn small(seed: u64) -> Self {
        Self { rows: 60, columns: 40, common: 0.3, shards: 9, seed }
    }

    /// The columns and the response.
    pub(crate) fn data(&self) -> (Vec<Vec<f64>>, Vec<f64>) {
        let mut stream = Stream::new(&[self.seed]);
        let mut draw = |_| stream.unit() - 0.5;
        let common: Vec<f64> = (0..self.rows).map(&mut draw).collect();
        let mut column = |_| common.iter().map(|c| self.common * c + draw(0)).collect::<Vec<f64>>();
        let columns: Vec<Vec<f64>> = (0..self.columns).map(&mut column).collect();
        let mut response: Vec<f64> = (0..self.rows).map(&mut draw).collect();
        for (j, column) in columns.iter().enumerate().step_by(3) {
            for (y, x) in response.iter_mut().zip(column) {
                *y += (1.0 + j as f64 / 10.0) * x;
            }
        }
        (columns, response)
    }

    pub(crate) fn parts(&self) -> (Ridge, Parts<Ridge>) {
        let (columns, response) = self.data();
        let shard = |range: std::ops::Range<usize>| Columns {
            first: range.start as u32,
            coefficients: vec![0.0; range.len()],
            columns: columns[range].to_vec(),
        };
        let shards = self.variables().ranges().into_iter().map(shard).collect();
        (Ridge { lambda: 0.1, target: 1e-8 }, Parts::new(shards, response))
    }

    pub(crate) fn variables(&self) -> Variables {
        Variables::evenly(self.columns, self.shards)
    }
}
