//! The terms of the objective: weights and offsets of rows, factors and bounds of coefficients.

mod command_line;
mod oracle;
mod references;
pub(crate) mod replay;
mod ridge;
mod rows;
mod table;

use raddle_datasets::Matrix;
use raddle_lasso::{Fit, Loss, Preparation, Problem};

use crate::common::options::whole_weights;
use crate::common::{classes, random, random_data};

pub(crate) const LOSSES: [Loss; 3] = [Loss::Squared, Loss::Logistic, Loss::Poisson];

/// Columns and a response that suits the loss, usually with more rows than columns.
pub(crate) fn data(loss: Loss, rows: usize, columns: usize, seed: u64) -> (Vec<Vec<f64>>, Vec<f64>) {
    let (x, y) = random_data(rows, columns, 0.6, seed);
    let y = match loss {
        Loss::Squared => y,
        Loss::Logistic => classes(&y, -1.0, 1.0),
        Loss::Multinomial => unreachable!("it has a table of its own"),
        Loss::Poisson => y.iter().map(|y| (0.3 * y.abs()).round()).collect(),
    };
    (x, y)
}

fn offsets(rows: usize, seed: u64) -> Vec<f64> {
    let mut next = random(seed);
    (0..rows).map(|_| 0.5 * next()).collect()
}

/// All coefficients, the intercept first.
fn exported(fit: &Fit, columns: usize) -> oracle::Solution {
    let mut all = vec![0.0; columns];
    fit.coefficients.iter().for_each(|&(j, value)| all[j as usize] = value);
    (fit.intercept, all)
}

pub(crate) fn problem(x: Matrix, y: &[f64], intercept: bool, standardize: bool) -> Problem {
    Problem::new(x, y.to_vec(), Preparation::Standard { intercept, standardize }).unwrap()
}

/// Returns the largest difference of two solutions, relative to the largest coefficient.
fn apart(a: &oracle::Solution, b: &oracle::Solution) -> f64 {
    let size = a.1.iter().chain([&a.0]).fold(1e-300, |most: f64, value| most.max(value.abs()));
    let off = a.1.iter().zip(&b.1).map(|(a, b)| (a - b).abs()).fold((a.0 - b.0).abs(), f64::max);
    off / size
}
