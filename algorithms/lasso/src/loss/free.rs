//! [`Free`]: columns whose coefficients have no penalty, as the intercept has none.
//!
//! A dual point must be orthogonal to them: x_j'theta = 0. The residual is, whenever their coefficients are
//! at their best for the others, so they are brought there wherever the rows stand anew, as the intercept is;
//! certificate and lambda_max then are what they are without such columns. For the working set they are
//! eliminated: what the members' columns share with them is taken out of the Gram, as centring takes out the
//! intercept (Frisch and Waugh, "Partial time regressions as compared with individual trends", 1933).

use super::rows::Rows;
use crate::data::design::View;
use raddle_kernels::algebra::{add_scaled, dot};

/// A column of which less than this share is left, squared, once those before it are taken out depends on
/// them: its coefficient is 0.
const DEPENDENT: f64 = 1e-20;

/// A squared norm of a response beside free columns that is rounding.
const ROUNDING: f64 = 1e-28;

/// The free columns, made orthonormal in the rows' weights.
#[derive(Debug, Clone, Default)]
pub(crate) struct Free {
    /// Their numbers,
    columns: Vec<u32>,
    /// q_k, of which each is the columns up to it,
    basis: Vec<Vec<f64>>,
    /// and how: column k is the sum of q_i times these.
    shares: Vec<Vec<f64>>,
    /// The response's projection on each q_k, subtracted from it, for a quadratic.
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

    /// Takes the part in the basis out of values of rows; returns it. Twice, so that nothing but rounding is
    /// left.
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

    /// Coordinates of a column along the basis.
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
}
