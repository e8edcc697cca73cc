//! An oracle that shares no code with the crate: the Lasso's definition, and coordinate descent one column at
//! a time.

pub(crate) mod general;
pub(crate) mod options;

use ndarray::{Array2, ShapeBuilder};
use raddle_datasets::{Csc, Matrix, Table};
use raddle_lasso::{Fit, Preparation};

/// `true` if tests that combine settings try all combinations, as `RADDLE_COMBINATIONS=all` asks; otherwise
/// each value of a setting is tried with some values of the others.
pub(crate) fn all_combinations() -> bool {
    std::env::var("RADDLE_COMBINATIONS").is_ok_and(|which| which == "all")
}

/// Returns all of these values, or the one of this turn.
pub(crate) fn in_turn<T: Copy, const N: usize>(values: [T; N], turn: usize) -> Vec<T> {
    if all_combinations() { values.to_vec() } else { vec![values[turn % N]] }
}

/// Ways to carry out a fit: the number of workers, and whether their messages are bytes.
pub(crate) const WAYS: [(usize, bool); 5] = [(1, false), (2, true), (3, false), (3, true), (7, false)];

/// All preparations.
pub(crate) const PREPARATIONS: [Preparation; 6] = [
    Preparation::Standard { intercept: true, standardize: true },
    Preparation::Standard { intercept: true, standardize: false },
    Preparation::Standard { intercept: false, standardize: true },
    Preparation::Standard { intercept: false, standardize: false },
    Preparation::DenseStd,
    Preparation::SparseRaw,
];

/// A prepared problem, column by column as (row, value).
pub(crate) struct Oracle {
    pub y: Vec<f64>,
    pub columns: Vec<Vec<(usize, f64)>>,
    /// Factor from a coefficient on the original scale to one on the prepared scale.
    pub unit: Vec<f64>,
}

impl Oracle {
    /// Prepares by the definition: centred if there is an intercept, divided by the population deviation if
    /// standardized. A column that does not vary is then left out, unless it serves as the intercept.
    pub(crate) fn new(x: &Matrix, y: &[f64], preparation: Preparation) -> Self {
        let (center, scale, center_y, original) = match preparation {
            Preparation::Standard { intercept, standardize } => (intercept, standardize, intercept, true),
            Preparation::DenseStd => (true, true, true, false),
            Preparation::SparseRaw => (false, false, true, false),
        };
        let n = y.len() as f64;
        let mean_y = if center_y { y.iter().sum::<f64>() / n } else { 0.0 };
        let mut unit = Vec::new();
        let columns = raw_columns(x).into_iter().map(|column| {
            let mean = column.iter().map(|(_, value)| value).sum::<f64>() / n;
            let squares: f64 = column.iter().map(|(_, value)| (value - mean) * (value - mean)).sum();
            let deviation = ((squares + (n - column.len() as f64) * mean * mean) / n).sqrt();
            let values = || column.iter().map(|(_, value)| *value);
            let zeros = column.len() < y.len();
            let varies = values().any(|value| value != if zeros { 0.0 } else { column[0].1 });
            let is_constant =
                if original { !varies || deviation <= 1e-14 * mean.abs() } else { deviation < 1e-12 };
            let divisor = match (scale, is_constant) {
                (true, true) if center => f64::INFINITY,
                (true, false) => deviation,
                _ => 1.0,
            };
            unit.push(if original && divisor.is_finite() { divisor } else { 1.0 });
            if !center {
                return column.into_iter().map(|(row, value)| (row, value / divisor)).collect();
            }
            let mut full = vec![0.0; y.len()];
            column.into_iter().for_each(|(row, value)| full[row] = value);
            full.into_iter().map(|value| (value - mean) / divisor).enumerate().collect()
        });
        let columns = columns.collect();
        Self { y: y.iter().map(|value| value - mean_y).collect(), columns, unit }
    }

    /// max |x_j'y| / n.
    pub(crate) fn lambda_max(&self) -> f64 {
        self.columns.iter().map(|column| dot(column, &self.y).abs()).fold(0.0, f64::max) / self.y.len() as f64
    }

    /// y - X b.
    pub(crate) fn residual(&self, b: &[f64]) -> Vec<f64> {
        let mut residual = self.y.clone();
        for (column, &value) in self.columns.iter().zip(b).filter(|(_, value)| **value != 0.0) {
            column.iter().for_each(|&(row, x)| residual[row] -= x * value);
        }
        residual
    }

    /// P(b) = |y - X b|^2 / (2n) + lambda |b|_1, and the dual value of the residual's best multiple c:
    /// (c y'r - c^2 r'r / 2) / n with |c| max |x_j'r| <= n lambda.
    pub(crate) fn values(&self, b: &[f64], lambda: f64) -> (f64, f64) {
        let (n, r) = (self.y.len() as f64, self.residual(b));
        let (rr, yr) =
            (r.iter().map(|r| r * r).sum::<f64>(), r.iter().zip(&self.y).map(|(r, y)| r * y).sum::<f64>());
        let largest = self.columns.iter().map(|column| dot(column, &r).abs()).fold(0.0, f64::max);
        let bound = if largest > 0.0 { n * lambda / largest } else { f64::INFINITY };
        let c = (yr / rr.max(1e-300)).clamp(-bound, bound);
        let l1: f64 = b.iter().map(|value| value.abs()).sum();
        (rr / (2.0 * n) + lambda * l1, (c * yr - c * c * rr / 2.0) / n)
    }

    /// (P - D) / P; 0 for a response of zeros.
    pub(crate) fn gap(&self, b: &[f64], lambda: f64) -> f64 {
        let (primal, dual) = self.values(b, lambda);
        if primal == 0.0 { 0.0 } else { (primal - dual) / primal }
    }

    /// Runs cyclic coordinate descent until the gap is at most `gap`, or nothing more can be gained; returns
    /// the last (P, D).
    pub(crate) fn solve(&self, lambda: f64, gap: f64) -> (f64, f64) {
        let (n, mut b) = (self.y.len() as f64, vec![0.0; self.columns.len()]);
        let norms: Vec<f64> =
            self.columns.iter().map(|column| column.iter().map(|(_, x)| x * x).sum()).collect();
        let mut r = self.y.clone();
        for sweep in 0..50_000 {
            for (j, column) in self.columns.iter().enumerate().filter(|(j, _)| norms[*j] > 0.0) {
                let z = dot(column, &r) + norms[j] * b[j];
                let after = z.signum() * (z.abs() - n * lambda).max(0.0) / norms[j];
                let step = after - b[j];
                b[j] = after;
                column.iter().for_each(|&(row, x)| r[row] -= x * step);
            }
            if sweep % 10 == 0 && self.gap(&b, lambda) <= gap {
                break;
            }
        }
        self.values(&b, lambda)
    }

    /// All coefficients of a fit, on the prepared scale.
    pub(crate) fn coefficients(&self, fit: &Fit) -> Vec<f64> {
        self.scaled(&fit.coefficients)
    }

    /// All coefficients on the prepared scale, from (column from 0, value on the exported scale).
    pub(crate) fn scaled(&self, exported: &[(u32, f64)]) -> Vec<f64> {
        let mut b = vec![0.0; self.columns.len()];
        exported.iter().for_each(|&(j, value)| b[j as usize] = value * self.unit[j as usize]);
        b
    }

    /// Returns how exactly the gap of these coefficients can be computed: each term x_j b_j of r is rounded
    /// to eps |x_j| |b_j|, however much of it the other terms cancel, x_j'r to |x_j| times that, and n lambda
    /// may be far below it.
    pub(crate) fn rounding(&self, b: &[f64], lambda: f64) -> f64 {
        let norm = |column: &Vec<(usize, f64)>| column.iter().map(|(_, x)| x * x).sum::<f64>().sqrt();
        let norms: Vec<f64> = self.columns.iter().map(norm).collect();
        let largest = norms.iter().copied().fold(0.0, f64::max);
        let response = self.y.iter().map(|y| y * y).sum::<f64>().sqrt();
        let terms = response + norms.iter().zip(b).map(|(norm, b)| norm * b.abs()).sum::<f64>();
        10.0 * f64::EPSILON * largest * terms / (self.y.len() as f64 * lambda).max(1e-300)
    }

    /// Properties of every fit, whatever its data and however it ended.
    pub(crate) fn check(&self, fit: &Fit, context: &str) {
        let metric = &fit.report.metric;
        let b = self.coefficients(fit);
        let (gap, rounding) = (self.gap(&b, fit.lambda), self.rounding(&b, fit.lambda));
        let same = same_gap(metric.value, gap) || metric.value.max(gap) < rounding;
        assert!(same, "{context}: printed {:e}, computed {gap:e}", metric.value);
        assert!(metric.certified && metric.target.is_some(), "{context}");
        assert_eq!(metric.is_reached(), fit.report.ending == raddle::Ending::Target, "{context}");
        assert!(fit.coefficients.is_sorted_by_key(|(j, _)| *j), "{context}");
        assert!(fit.coefficients.iter().all(|(_, value)| *value != 0.0 && value.is_finite()), "{context}");
    }
}

/// `true` if a printed gap agrees with a computed one: within 10 %, or both below 1e-12.
pub(crate) fn same_gap(printed: f64, computed: f64) -> bool {
    (printed - computed).abs() <= 0.1 * computed.abs() || (printed < 1e-12 && computed < 1e-12)
}

/// The stored entries of every column.
pub(crate) fn raw_columns(x: &Matrix) -> Vec<Vec<(usize, f64)>> {
    match x {
        Matrix::Dense(x) => {
            x.columns().into_iter().map(|column| column.iter().copied().enumerate().collect()).collect()
        }
        Matrix::Sparse(x) => x
            .outer_iterator()
            .map(|column| column.iter().map(|(row, &value)| (row, value)).collect())
            .collect(),
    }
}

/// X b + intercept, from the data as they are.
pub(crate) fn predictions(x: &Matrix, coefficients: &[(u32, f64)], intercept: f64) -> Vec<f64> {
    let (columns, mut sums) = (raw_columns(x), vec![intercept; x.rows()]);
    for &(j, value) in coefficients {
        columns[j as usize].iter().for_each(|&(row, x)| sums[row] += x * value);
    }
    sums
}

/// A dense matrix of these columns.
pub(crate) fn dense(columns: &[Vec<f64>]) -> Matrix {
    Matrix::Dense(Array2::from_shape_fn((columns[0].len(), columns.len()).f(), |(i, j)| columns[j][i]))
}

/// Matrix with its zeros left out.
pub(crate) fn sparse(columns: &[Vec<f64>]) -> Matrix {
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for column in columns {
        for (row, &value) in column.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            indices.push(row as u32);
            values.push(value);
        }
        starts.push(indices.len());
    }
    Matrix::Sparse(Csc::new_csc((columns[0].len(), columns.len()), starts, indices, values))
}

/// Numbers in [-1, 1), the same for the same seed.
pub(crate) fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64) / (1u64 << 52) as f64 - 1.0
    }
}

/// Random columns of which about `fill` is not zero, and a response of some of them with noise.
pub(crate) fn random_data(rows: usize, columns: usize, fill: f64, seed: u64) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut next = random(seed);
    let mut entry = || if (next() + 1.0) / 2.0 < fill { 3.0 * next() + 1.0 } else { 0.0 };
    let x: Vec<Vec<f64>> = (0..columns).map(|_| (0..rows).map(|_| entry()).collect()).collect();
    let mut next = random(seed + 1);
    let response =
        |i: usize| 7.0 + x.iter().step_by(5).take(6).map(|column| 2.0 * column[i]).sum::<f64>() + next();
    let y = (0..rows).map(response).collect();
    (x, y)
}

/// Table with its zeros left out.
pub(crate) fn as_sparse(table: Table) -> Table {
    let Matrix::Dense(x) = &table.x else { return table };
    let columns: Vec<Vec<f64>> = x.columns().into_iter().map(|column| column.to_vec()).collect();
    Table { x: sparse(&columns), ..table }
}

fn dot(column: &[(usize, f64)], dense: &[f64]) -> f64 {
    column.iter().map(|&(row, x)| x * dense[row]).sum()
}

/// Makes two classes from a response: `low` if it is below its mean, else `high`, with some of them flipped.
pub(crate) fn classes(y: &[f64], low: f64, high: f64) -> Vec<f64> {
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let class = |(i, value): (usize, &f64)| if (*value > mean) != (i % 9 == 4) { high } else { low };
    y.iter().enumerate().map(class).collect()
}
