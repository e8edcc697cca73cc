//! [`Free`]: columns whose coefficients have no penalty, as the intercept has none.
//!
//! A dual point must be orthogonal to them: x_j'theta = 0. The residual is, whenever their coefficients are at their best for
//! the others, so they are brought there wherever the rows stand anew, as the intercept is; certificate and lambda_max
//! then are what they are without such columns. For the working set they are eliminated: what the members' columns share
//! with them is taken out of the Gram, as centring takes out the intercept (Frisch and Waugh, "Partial time regressions as
//! compared with individual trends", 1933).

use super::linear_predictor::{Response, Scores};
use super::rows::Rows;
use crate::data::design::View;
use crate::kernels::{add_scaled, dot};

/// A column of which less than this share is left, squared, once those before it are taken out depends on them: its
/// coefficient is 0.
const DEPENDENT: f64 = 1e-20;

/// What is left of a response, squared, where it is rounding.
const ROUNDING: f64 = 1e-28;

/// Newton steps to the best coefficients, and halvings of one.
const STEPS: usize = 200;
const HALVINGS: usize = 50;

/// Nothing is to be gained where a step promises no more than this share of the loss.
const NOTHING: f64 = 1e-28;

/// The best coefficients are found when no slope is above this share of what its terms add up to.
const EXACT: f64 = 1e-14;

/// The free columns, made orthonormal in the rows' weights.
#[derive(Debug, Clone, Default)]
pub(crate) struct Free {
    /// Their numbers,
    columns: Vec<u32>,
    /// q_k, of which each is the columns up to it,
    basis: Vec<Vec<f64>>,
    /// and how: column k is the sum of q_i times these.
    shares: Vec<Vec<f64>>,
    /// What the response of a quadratic has of each q_k, which is taken off it.
    pub(crate) base: Vec<f64>,
}

impl Free {
    /// Of these columns as prepared, which are (number, values).
    pub(crate) fn new<'a>(columns: impl Iterator<Item = (u32, View<'a>)>, rows: &Rows) -> Self {
        let mut free = Self::default();
        for (number, view) in columns {
            let mut values = vec![0.0; rows.len()];
            let shift = view.add_scaled_to(1.0, &mut values);
            values.iter_mut().for_each(|value| *value -= shift);
            let size = rows.dot(&values, &values);
            let mut shares = free.take_out(rows, &mut values);
            let left = rows.dot(&values, &values);
            if left > DEPENDENT * size {
                let length = left.sqrt();
                values.iter_mut().for_each(|value| *value /= length);
                shares.push(length);
                free.columns.push(number);
                free.basis.push(values);
                free.shares.push(shares);
            }
        }
        free.base = vec![0.0; free.basis.len()];
        free
    }

    /// Takes off a response what the columns explain of it.
    pub(crate) fn center(&mut self, rows: &Rows, y: &mut [f64]) {
        let size = rows.dot(y, y);
        self.base = self.take_out(rows, y);
        if rows.dot(y, y) <= ROUNDING * size {
            y.fill(0.0);
        }
    }

    pub(crate) fn basis(&self) -> &[Vec<f64>] {
        &self.basis
    }

    pub(crate) fn len(&self) -> usize {
        self.basis.len()
    }

    /// Takes the part in the basis out of values of rows; returns it. Twice, so that nothing but rounding is left.
    pub(crate) fn take_out(&self, rows: &Rows, values: &mut [f64]) -> Vec<f64> {
        let mut parts = vec![0.0; self.basis.len()];
        for _ in 0..2 {
            for (part, q) in parts.iter_mut().zip(&self.basis) {
                let share = rows.dot(q, values);
                add_scaled(values, -share, q);
                *part += share;
            }
        }
        parts
    }

    /// Adds the basis times these parts to values of rows.
    pub(crate) fn add(&self, parts: &[f64], values: &mut [f64]) {
        self.basis.iter().zip(parts).for_each(|(q, &part)| add_scaled(values, part, q));
    }

    /// What a column has of the basis.
    pub(crate) fn parts_of(&self, rows: &Rows, column: View<'_>) -> Vec<f64> {
        let part = |q: &Vec<f64>| {
            let mut weighted = q.clone();
            rows.weigh(&mut weighted);
            column.dot(&weighted, weighted.iter().sum())
        };
        self.basis.iter().map(part).collect()
    }

    /// The basis with ones before it where there is an intercept, every row times its root, orthonormal.
    pub(crate) fn under(&self, roots: &[f64], intercept: bool) -> Vec<Vec<f64>> {
        let ones = intercept.then(|| vec![1.0; roots.len()]);
        let mut under: Vec<Vec<f64>> = Vec::new();
        for column in ones.iter().chain(&self.basis) {
            let mut values: Vec<f64> = column.iter().zip(roots).map(|(value, root)| root * value).collect();
            let size = dot(&values, &values);
            for _ in 0..2 {
                for q in &under {
                    let share = dot(q, &values);
                    add_scaled(&mut values, -share, q);
                }
            }
            let left = dot(&values, &values);
            if left > DEPENDENT * size {
                let length = left.sqrt();
                values.iter_mut().for_each(|value| *value /= length);
                under.push(values);
            }
        }
        under
    }

    /// (column, coefficient as prepared) that these parts of the basis are.
    pub(crate) fn coefficients(&self, parts: &[f64]) -> Vec<(u32, f64)> {
        let mut left = parts.to_vec();
        let mut coefficients = Vec::with_capacity(self.columns.len());
        for (k, (&column, shares)) in self.columns.iter().zip(&self.shares).enumerate().rev() {
            let value = left[k] / shares[k];
            left.iter_mut().zip(shares).for_each(|(left, share)| *left -= value * share);
            coefficients.push((column, value));
        }
        coefficients.reverse();
        coefficients
    }

    /// Moves the scores to where the residual of a smooth loss is orthogonal to the basis, and sums to zero where there is an
    /// intercept. Returns how far along the intercept and the basis, and whether it came there: a loss may have no minimum,
    /// as where columns separate two classes.
    pub(crate) fn settle(
        &self,
        scores: &mut Scores,
        response: Response<'_>,
        intercept: bool,
    ) -> (f64, Vec<f64>, bool) {
        let ones = vec![1.0; if intercept { response.rows.len() } else { 0 }];
        let columns: Vec<&[f64]> =
            ones.first().map(|_| &ones[..]).into_iter().chain(self.basis.iter().map(|q| &q[..])).collect();
        let mut total = vec![0.0; columns.len()];
        let mut is_settled = false;
        for _ in 0..STEPS {
            let slopes: Vec<f64> = columns.iter().map(|column| dot(column, &scores.residual)).collect();
            let sizes = columns
                .iter()
                .map(|column| column.iter().zip(&scores.residual).map(|(x, r)| (x * r).abs()).sum::<f64>());
            is_settled = slopes.iter().zip(sizes).all(|(slope, size)| slope.abs() <= EXACT * size);
            if is_settled {
                break;
            }
            let Some(step) = newton(&columns, &slopes, &scores.weights) else { break };
            let promised: f64 = step.iter().zip(&slopes).map(|(step, slope)| step * slope).sum();
            let (start, before) = (scores.values.clone(), scores.sums.loss);
            let mut length = 1.0;
            let mut halvings = 0;
            loop {
                scores.values.copy_from_slice(&start);
                columns
                    .iter()
                    .zip(&step)
                    .for_each(|(column, &step)| add_scaled(&mut scores.values, length * step, column));
                scores.evaluate(response);
                let noise = 4.0 * f64::EPSILON * before.abs();
                if scores.sums.loss <= before - 1e-4 * length * promised + noise || halvings == HALVINGS {
                    break;
                }
                length *= 0.5;
                halvings += 1;
            }
            total.iter_mut().zip(&step).for_each(|(total, step)| *total += length * step);
            if promised <= NOTHING * before.abs() {
                // Nothing is to be gained but rounding.
                is_settled = true;
                break;
            }
        }
        let first = if intercept { total.remove(0) } else { 0.0 };
        (first, total, is_settled)
    }
}

/// The solution of X'W X step = slopes by Cholesky; columns that depend on others under these weights stay where they are.
fn newton(columns: &[&[f64]], slopes: &[f64], weights: &[f64]) -> Option<Vec<f64>> {
    let product = |i: usize, j: usize| -> f64 {
        columns[i].iter().zip(columns[j]).zip(weights).map(|((a, b), w)| a * b * w).sum()
    };
    Factored::new(columns.len(), product).solved(slopes)
}

/// A Cholesky factor, in which rows that depend on those before are left out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Factored {
    l: Vec<Vec<f64>>,
    kept: Vec<bool>,
}

raddle::state!(Factored { l, kept });

impl Factored {
    /// Of the matrix with these elements, i >= j.
    pub(crate) fn new(count: usize, product: impl Fn(usize, usize) -> f64) -> Self {
        let (mut l, mut kept) = (vec![vec![0.0; count]; count], vec![false; count]);
        for i in 0..count {
            let own = product(i, i);
            for j in 0..=i {
                let sum: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
                let rest = if i == j { own } else { product(i, j) } - sum;
                if i == j {
                    kept[i] = rest > 1e-12 * own && rest.is_finite();
                    l[i][i] = if kept[i] { rest.sqrt() } else { 1.0 };
                } else if kept[j] {
                    l[i][j] = rest / l[j][j];
                }
            }
            if !kept[i] {
                l[i][..i].fill(0.0);
            }
        }
        Self { l, kept }
    }

    /// The inverse of the factor times these values.
    pub(crate) fn half(&self, values: &[f64]) -> Vec<f64> {
        let mut half: Vec<f64> =
            values.iter().zip(&self.kept).map(|(value, kept)| if *kept { *value } else { 0.0 }).collect();
        for i in 0..half.len() {
            let sum: f64 = (0..i).map(|k| self.l[i][k] * half[k]).sum();
            half[i] = (half[i] - sum) / self.l[i][i];
        }
        half
    }

    /// The solution for these values, if there is one.
    pub(crate) fn solved(&self, values: &[f64]) -> Option<Vec<f64>> {
        let mut step = self.half(values);
        for i in (0..step.len()).rev() {
            let sum: f64 = (i + 1..step.len()).map(|k| self.l[k][i] * step[k]).sum();
            step[i] = (step[i] - sum) / self.l[i][i];
        }
        (self.kept.contains(&true) && step.iter().all(|step| step.is_finite())).then_some(step)
    }
}
