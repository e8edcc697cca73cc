//! How do I keep variables apart that depend on each other? Multinomial logistic regression with an L1
//! penalty: columns are updated by importance, never together with a column that is correlated with them.
//! `cargo run --release --example multinomial`

use std::collections::BTreeMap;

use raddle::prelude::*;

/// min sum_i (log sum_k exp(s_ik) - s_i,y(i)) + L sum |b_jk|, where s = X b.
struct Multinomial {
    classes: Vec<usize>,
    count: usize,
    penalty: f64,
}

/// A range of columns with their coefficients, one a class.
#[derive(Clone)]
struct Columns {
    first: u32,
    columns: Vec<Vec<f64>>,
    coefficients: Vec<Vec<f64>>,
}

raddle::state!(Columns { first, columns, coefficients });

/// A shard's answer: of columns (number, a value), their effect on the scores, or the columns themselves.
#[derive(Default)]
struct Answer {
    told: Vec<(u32, f64)>,
    values: Vec<f64>,
    l1: f64,
}

raddle::state!(Answer { told, values, l1 });

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Multinomial {
    /// The probabilities of a row's classes, and the logarithm of their norm.
    fn probabilities(&self, scores: &[f64]) -> (Vec<f64>, f64) {
        let most = scores.iter().copied().fold(f64::MIN, f64::max);
        let powers: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
        let sum: f64 = powers.iter().sum();
        (powers.iter().map(|power| power / sum).collect(), most + sum.ln())
    }

    /// For each class, y - p of each row: minus the loss's slope by the scores.
    fn residuals(&self, scores: &[f64]) -> Vec<Vec<f64>> {
        let mut residuals = vec![Vec::with_capacity(self.classes.len()); self.count];
        for (row, &class) in scores.chunks(self.count).zip(&self.classes) {
            let (probabilities, _) = self.probabilities(row);
            for (k, probability) in probabilities.iter().enumerate() {
                residuals[k].push(f64::from(u8::from(k == class)) - probability);
            }
        }
        residuals
    }
}

impl Program for Multinomial {
    // The replica holds the scores, row by row.
    raddle::program!(Shard = Columns, Replica = Vec<f64>, Partial = Answer; update, relate);

    fn aggregate(&self, at: Aggregate<'_, Self>) -> Answer {
        let mut all = Answer { values: vec![0.0; self.classes.len() * self.count], ..Answer::default() };
        for answer in at.partials {
            all.told.extend(answer.told);
            all.values.iter_mut().zip(answer.values).for_each(|(sum, value)| *sum += value);
        }
        all
    }

    fn commit(&self, change: &Answer, scores: &mut Vec<f64>) {
        scores.iter_mut().zip(&change.values).for_each(|(score, value)| *score += value);
    }

    fn deltas(&self, change: &Answer, tell: &mut dyn FnMut(u32, f64)) {
        change.told.iter().for_each(|&(variable, distance)| tell(variable, distance));
    }

    /// The steepest slope of each column.
    fn evaluate(&self, at: Evaluate<'_, Self>) -> Answer {
        let residuals = self.residuals(at.replica);
        let slope = |column: &Vec<f64>| residuals.iter().map(|r| dot(column, r).abs()).fold(0.0, f64::max);
        let told = (at.shard.first..).zip(at.shard.columns.iter().map(slope)).collect();
        let l1 = at.shard.coefficients.iter().flatten().map(|b| b.abs()).sum();
        Answer { told, l1, ..Answer::default() }
    }

    /// The dual point is the residuals, scaled down until no slope exceeds the penalty; its objective is an
    /// entropy.
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Answer> {
        let l1: f64 = at.partials.iter().map(|share| share.l1).sum();
        let weights: Vec<(u32, f64)> = at.partials.into_iter().flat_map(|share| share.told).collect();
        let steepest = weights.iter().map(|&(_, slope)| slope).fold(0.0, f64::max);
        let shrink = (self.penalty / steepest).min(1.0);
        let (mut primal, mut dual) = (self.penalty * l1, 0.0);
        for (row, &class) in at.replica.chunks(self.count).zip(&self.classes) {
            let (probabilities, norm) = self.probabilities(row);
            primal += norm - row[class];
            for (k, p) in probabilities.iter().enumerate() {
                let point = shrink * p + (1.0 - shrink) * f64::from(u8::from(k == class));
                dual -= if point > 0.0 { point * point.ln() } else { 0.0 };
            }
        }
        let gap = Metric::new("relative-duality-gap", (primal - dual) / primal, "training data");
        Verdict { objective: Some(primal), weights, ..Verdict::new(gap.target(1e-6).certified()) }
    }
}

impl Update for Multinomial {
    fn update(&self, at: TaskOf<'_, Self>) -> Answer {
        let residuals = self.residuals(at.replica);
        let mut answer = Answer { values: vec![0.0; at.replica.len()], ..Answer::default() };
        for (j, &variable) in at.task.positions(at.shard.first).zip(&at.task.variables) {
            let column = &at.shard.columns[j];
            // The curvature of the classes' scores is at most 1/2 (Boehning, 1992).
            let curvature = 0.5 * dot(column, column);
            let mut distance: f64 = 0.0;
            for (k, residual) in residuals.iter().enumerate() {
                let old = at.shard.coefficients[j][k];
                let goal = old + dot(column, residual) / curvature;
                let new = goal.signum() * (goal.abs() - self.penalty / curvature).max(0.0);
                at.shard.coefficients[j][k] = new;
                distance = distance.max((new - old).abs());
                for (i, x) in column.iter().enumerate() {
                    answer.values[i * self.count + k] += x * (new - old);
                }
            }
            answer.told.push((variable, distance));
        }
        answer
    }
}

impl Relate for Multinomial {
    fn gather(&self, task: &Task, shard: &Columns) -> Answer {
        let told = task.variables.iter().map(|&variable| (variable, 0.0)).collect();
        let columns = task.positions(shard.first).flat_map(|j| shard.columns[j].clone());
        Answer { told, values: columns.collect(), l1: 0.0 }
    }

    /// Absolute correlations.
    fn relate(&self, _: &(), candidates: &[u32], pieces: Partials<Answer>) -> Dependencies {
        let rows = self.classes.len();
        let each = pieces.iter().flat_map(|piece| piece.told.iter().zip(piece.values.chunks(rows)));
        let columns: BTreeMap<u32, &[f64]> =
            each.map(|(&(variable, _), column)| (variable, column)).collect();
        Dependencies::of_pairs(candidates, |a, b| {
            let (a, b) = (columns[&a], columns[&b]);
            (dot(a, b).abs() / (dot(a, a) * dot(b, b)).sqrt()) as f32
        })
    }
}

fn main() -> Result<(), EngineError> {
    // 90 rows of 24 columns, of which neighbours are correlated; three classes, which three columns decide.
    let (mut draw, rows, width) = (Stream::new(&[11]), 90, 24);
    let base: Vec<f64> = (0..rows * (width + 1)).map(|_| draw.unit() - 0.5).collect();
    let column = |j: usize| (0..rows).map(|i| base[j * rows + i] + 0.7 * base[(j + 1) * rows + i]).collect();
    let columns: Vec<Vec<f64>> = (0..width).map(column).collect();
    let best = |i: usize| (0..3).max_by(|&a, &b| columns[8 * a][i].total_cmp(&columns[8 * b][i]));
    let classes: Vec<usize> = (0..rows).map(|i| best(i).unwrap_or(0)).collect();
    let variables = Variables::evenly(width, 4);
    let run = || {
        let shard = |range: std::ops::Range<usize>| {
            let coefficients = vec![vec![0.0; 3]; range.len()];
            Columns { first: range.start as u32, columns: columns[range].to_vec(), coefficients }
        };
        let shards = variables.ranges().into_iter().map(shard).collect();
        let settings = PrioritySettings { rho: Some(0.3), ..PrioritySettings::new(6, 1) };
        let schedule = Priority::new(variables.clone(), settings);
        let program = Multinomial { classes: classes.clone(), count: 3, penalty: 2.0 };
        Engine::new(program, schedule, Parts::new(shards, vec![0.0; 3 * rows])).epochs(2000)
    };
    let raddle::Outcome { parts, report, .. } = run().workers(2).run()?;
    let coefficients = parts.shards.iter().flat_map(|shard| &shard.coefficients);
    let used = coefficients.filter(|of_column| of_column.iter().any(|&b| b != 0.0)).count();
    println!("{used} of {width} columns used; {} candidates were too close to another", report.rejected);
    println!("gap {:.1e} after {} epochs", report.metric.value, report.epochs);
    assert!(report.metric.is_reached() && report.rejected > 0);
    replay::check(|| run().epochs(6))
}
