//! [`Free`]: columns whose coefficients have no penalty, like the intercept.
//!
//! A dual point theta must be orthogonal to the free columns: x_j'theta = 0. The residual is orthogonal to
//! them whenever their coefficients are optimal for the other coefficients. So they are optimised again each
//! time the rows are computed, as the intercept is; certificate and lambda_max then have the same form as
//! without free columns. For the working set they are eliminated: the members' projections on them are taken
//! out of the Gram, as centring takes out the intercept (Frisch and Waugh, "Partial time regressions as
//! compared with individual trends", 1933).

use super::rows::Rows;
use crate::data::design::View;
use raddle_kernels::algebra::{add_scaled, dot};

/// A column depends on those before it if, once they are projected out, less than this share of its squared
/// norm is left. Its coefficient is then 0.
const DEPENDENT: f64 = 1e-20;

/// A response of which less than this share of the squared norm is left by the free columns is rounding.
const ROUNDING: f64 = 1e-28;

/// The free columns, orthonormalised under the rows' weights.
#[derive(Debug, Clone, Default)]
pub(crate) struct Free {
    /// Numbers of the columns.
    columns: Vec<u32>,
    /// The orthonormal basis: q_k is in the span of the first k columns.
    basis: Vec<Vec<f64>>,
    /// Column k is the sum of q_i times `shares[k][i]`.
    shares: Vec<Vec<f64>>,
    /// For a quadratic, the response's projection on each q_k, which is subtracted from it.
    pub(crate) base: Vec<f64>,
}

impl Free {
    /// The basis of these prepared columns, each as (number, values).
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

    /// Subtracts from a response the part that the columns explain.
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

    /// Projects the basis out of values of rows, and returns the projections. Done twice, so that only
    /// rounding is left.
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

    /// Adds the basis times its coefficients to values of rows.
    pub(crate) fn add(&self, parts: &[f64], values: &mut [f64]) {
        self.basis.iter().zip(parts).for_each(|(q, &part)| add_scaled(values, part, q));
    }

    /// Returns the coordinates of a column along the basis.
    pub(crate) fn parts_of(&self, rows: &Rows, column: View<'_>) -> Vec<f64> {
        let part = |q: &Vec<f64>| {
            let mut weighted = q.clone();
            rows.weigh(&mut weighted);
            column.dot(&weighted, weighted.iter().sum())
        };
        self.basis.iter().map(part).collect()
    }

    /// Returns the basis, preceded by ones if there is an intercept, with every row multiplied by its root,
    /// orthonormalised again.
    pub(crate) fn under(&self, roots: &[f64], rows: &Rows) -> Vec<Vec<f64>> {
        let ones = rows.intercept.then(|| vec![1.0; roots.len()]);
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

    /// Converts coefficients along the basis to (column, coefficient as prepared).
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
