//! [`ByColumns`]: coordinate descent on the columns themselves, for members whose Gram would outgrow the
//! data.
//!
//! A Gram of m members takes m^2 values, and an epoch on it as many operations. Sparse columns have few
//! entries, so an epoch on them is cheaper from some hundreds of members on, and needs no memory beyond a
//! residual. It uses no second-order information, for which extrapolation makes up (Bertrand and Massias,
//! "Anderson acceleration of coordinate descent", 2021).

use crate::data::design::{Column, add_columns};
use crate::loss::duality_gap::{DualityGap, Norms};
use crate::loss::rows::Rows;
use crate::loss::soft_threshold;
use crate::penalties::{ActiveBounds, Terms};

use super::proximal::Target;

/// Number of epochs over the support, whose iterates are extrapolated, between two epochs over all members.
const DEPTH: usize = 5;

/// Number of such rounds between two computations of the gap, for which the residual is recomputed.
const ROUNDS: usize = 4;

/// Largest number of computations of the gap: about as many epochs as on a Gram.
const LOOKS: usize = 1000;

/// The members of a quadratic whose columns are sparse, and their penalties; no groups, no free columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByColumns<'a> {
    pub(crate) columns: &'a [Column],
    pub(crate) rows: &'a Rows,
    pub(crate) terms: &'a Terms,
    pub(crate) target: Target,
}

/// The weighted residual: for row i it is `values[i] + common w_i`.
#[derive(Clone, Debug)]
struct Residual {
    values: Vec<f64>,
    common: f64,
    /// The sum of the residual's entries.
    sum: f64,
}

/// Constants of a column's step, other than its entries.
#[derive(Clone, Copy, Debug)]
struct Fixed {
    /// The squared norm, with the ridge.
    curvature: f64,
    ridge: f64,
    /// The weighted sum of the stored entries.
    mass: f64,
}

impl ByColumns<'_> {
    /// Minimises over the members from the coefficients `b`, until the gap over them is at most the target or
    /// nothing improves.
    pub(crate) fn solve(&self, b: &mut [f64]) {
        let fixed = self.fixed();
        let all: Vec<usize> = (0..b.len()).collect();
        let mut last = f64::INFINITY;
        for _ in 0..LOOKS {
            let mut residual = self.residual(b);
            let (gap, objective) = self.measured(b, &residual, &fixed);
            let is_better = objective < last * (1.0 - f64::EPSILON);
            if gap <= self.target.gap || gap.is_nan() || !is_better {
                break;
            }
            last = objective;
            for _ in 0..ROUNDS {
                self.epoch(&all, &fixed, b, &mut residual);
                self.extrapolated(&fixed, b, &mut residual);
            }
        }
    }

    fn fixed(&self) -> Vec<Fixed> {
        let weights = self.rows.weights();
        let of = |(j, column): (usize, &Column)| {
            let view = column.view();
            let (indices, values) = view.stored().unwrap_or_default();
            let (norm, mass) = match weights {
                None => (view.sum_squares(self.rows.len()), values.iter().sum()),
                Some(weights) => {
                    let mass = indices.iter().zip(values).map(|(&row, x)| weights[row as usize] * x).sum();
                    (view.weighed(weights).0, mass)
                }
            };
            let ridge = self.target.ridge * self.terms.ridge(j);
            Fixed { curvature: norm + ridge, ridge, mass }
        };
        self.columns.iter().enumerate().map(of).collect()
    }

    /// Recomputes the residual at these coefficients.
    fn residual(&self, b: &[f64]) -> Residual {
        let mut values = self.rows.y.to_vec();
        let moved = self.columns.iter().zip(b).filter(|(_, value)| **value != 0.0);
        let shift = add_columns(moved.map(|(column, value)| (-value, column.view())), &mut values);
        values.iter_mut().for_each(|value| *value -= shift);
        self.rows.weigh(&mut values);
        let sum = values.iter().sum();
        Residual { values, common: 0.0, sum }
    }

    /// Returns x_j'r.
    fn slope(&self, j: usize, fixed: &Fixed, residual: &Residual) -> f64 {
        let view = self.columns[j].view();
        let (indices, values) = view.stored().unwrap_or_default();
        let stored = raddle_kernels::algebra::sparse_dot(indices, values, &residual.values);
        stored + residual.common * fixed.mass - view.shift * residual.sum
    }

    /// Adds `change` to the coefficient of member `j`, and updates the residual.
    fn step(&self, j: usize, change: f64, fixed: &Fixed, residual: &mut Residual) {
        let view = self.columns[j].view();
        let (indices, values) = view.stored().unwrap_or_default();
        match self.rows.weights() {
            None => {
                raddle_kernels::algebra::sparse_add_scaled(&mut residual.values, -change, indices, values)
            }
            Some(weights) => indices.iter().zip(values).for_each(|(&row, x)| {
                residual.values[row as usize] -= change * weights[row as usize] * x;
            }),
        }
        // Weights have the mean 1: they sum to n.
        residual.common += change * view.shift;
        residual.sum -= change * (fixed.mass - self.rows.len() as f64 * view.shift);
    }

    /// Minimises over each coefficient of some members in turn.
    fn epoch(&self, members: &[usize], fixed: &[Fixed], b: &mut [f64], residual: &mut Residual) {
        for &j in members {
            raddle::cancellation_point(
                self.columns[j].view().stored().map_or(0, |(rows, _)| 2 * rows.len() as u64),
            );
            let fixed = &fixed[j];
            if fixed.curvature <= 0.0 {
                // A warm start may have a column without values: its coefficient costs and does nothing.
                b[j] = 0.0;
                continue;
            }
            let slope = self.slope(j, fixed, residual);
            let moved = (fixed.curvature - fixed.ridge) * b[j] + slope;
            let after = soft_threshold(moved, self.target.penalty) / fixed.curvature;
            let after = self.terms.clamp(j, after);
            if after != b[j] {
                self.step(j, after - b[j], fixed, residual);
                b[j] = after;
            }
        }
    }

    /// Runs epochs over the support, and moves to the combination of their iterates whose next steps would
    /// cancel, if the objective is smaller there.
    fn extrapolated(&self, fixed: &[Fixed], b: &mut [f64], residual: &mut Residual) {
        let support: Vec<usize> = (0..b.len()).filter(|&j| b[j] != 0.0).collect();
        let of = |b: &[f64]| -> Vec<f64> { support.iter().map(|&j| b[j]).collect() };
        let (mut before, mut steps, mut ends) = (of(b), Vec::new(), Vec::new());
        for _ in 0..DEPTH {
            self.epoch(&support, fixed, b, residual);
            let after = of(b);
            steps.push(after.iter().zip(&before).map(|(a, b)| a - b).collect::<Vec<f64>>());
            ends.push((after.clone(), residual.clone()));
            before = after;
        }
        let Some(parts) = cancelling(&steps) else { return };
        let mut values = vec![0.0; residual.values.len()];
        let (mut common, mut sum) = (0.0, 0.0);
        let mut there = vec![0.0; support.len()];
        for (part, (b, end)) in parts.iter().zip(&ends) {
            raddle_kernels::algebra::add_scaled(&mut there, *part, b);
            raddle_kernels::algebra::add_scaled(&mut values, *part, &end.values);
            (common, sum) = (common + part * end.common, sum + part * end.sum);
        }
        let is_within = support.iter().zip(&there).all(|(&j, &value)| self.terms.clamp(j, value) == value);
        let end = Residual { values, common, sum };
        let mut trial = b.to_vec();
        support.iter().zip(&there).for_each(|(&j, value)| trial[j] = *value);
        if is_within && self.objective(&trial, &end) < self.objective(b, residual) {
            b.copy_from_slice(&trial);
            *residual = end;
        }
    }

    /// Returns the weighted residual itself.
    fn whole(&self, residual: &Residual) -> Vec<f64> {
        let mut whole = vec![residual.common; residual.values.len()];
        self.rows.weigh(&mut whole);
        whole.iter_mut().zip(&residual.values).for_each(|(to, value)| *to += value);
        whole
    }

    /// Returns |b|_1, and the sum of ridge_j b_j^2.
    fn norms(&self, b: &[f64]) -> (f64, f64) {
        let squares = b.iter().enumerate().map(|(j, value)| self.terms.ridge(j) * value * value).sum();
        (b.iter().map(|value| value.abs()).sum(), squares)
    }

    fn objective(&self, b: &[f64], residual: &Residual) -> f64 {
        let ((l1, squares), (rr, _)) = (self.norms(b), self.rows.products(&self.whole(residual)));
        0.5 * rr + self.target.penalty * l1 + 0.5 * self.target.ridge * squares
    }

    /// Returns the gap over the members, and the objective.
    fn measured(&self, b: &[f64], residual: &Residual, fixed: &[Fixed]) -> (f64, f64) {
        let (mut active_bounds, mut largest) = (ActiveBounds::new(), 0.0f64);
        for (j, (fixed, value)) in fixed.iter().zip(b).enumerate() {
            let slope = self.slope(j, fixed, residual) - fixed.ridge * value;
            largest = largest.max(self.terms.limiting(j, *value, slope, &mut active_bounds));
        }
        let ((l1, squares), (rr, yr)) = (self.norms(b), self.rows.products(&self.whole(residual)));
        let Target { penalty, ridge, .. } = self.target;
        let norms = Norms { l1, squares, penalty, ridge, largest, columns: 0, active_bounds: &active_bounds };
        let DualityGap { primal, dual, .. } = DualityGap::squared(rr, yr, norms);
        (primal - dual, primal)
    }
}

/// Returns the weights c, which sum to 1, that minimise |sum c_k u_k|; `None` if they are not determined.
fn cancelling(steps: &[Vec<f64>]) -> Option<Vec<f64>> {
    let count = steps.len();
    let product = |i: usize, k: usize| raddle_kernels::algebra::dot(&steps[i], &steps[k]);
    let mut rows: Vec<Vec<f64>> = (0..count).map(|i| (0..count).map(|k| product(i, k)).collect()).collect();
    let trace: f64 = (0..count).map(|i| rows[i][i]).sum();
    (0..count).for_each(|i| rows[i][i] += 1e-14 * trace);
    let mut parts = vec![1.0; count];
    for i in 0..count {
        let pivot = rows[i][i];
        if pivot.is_nan() || pivot <= 0.0 {
            return None;
        }
        for k in i + 1..count {
            let share = rows[k][i] / pivot;
            let (above, below) = rows.split_at_mut(k);
            below[0].iter_mut().zip(&above[i]).for_each(|(to, value)| *to -= share * value);
            parts[k] -= share * parts[i];
        }
    }
    for i in (0..count).rev() {
        let rest: f64 = (i + 1..count).map(|k| rows[i][k] * parts[k]).sum();
        parts[i] = (parts[i] - rest) / rows[i][i];
    }
    let total: f64 = parts.iter().sum();
    parts.iter_mut().for_each(|part| *part /= total);
    parts.iter().all(|part| part.is_finite()).then_some(parts)
}

#[cfg(test)]
mod tests;
