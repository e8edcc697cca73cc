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
        stored + residual.common * fixed.mass - view.shift() * residual.sum
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
        residual.common += change * view.shift();
        residual.sum -= change * (fixed.mass - self.rows.len() as f64 * view.shift());
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
        let norms = Norms { l1, squares, penalty, ridge, largest, active_bounds: &active_bounds };
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
mod tests {
    use std::sync::Arc;

    use super::super::WorkingSet;
    use super::*;
    use crate::data::design::Design;
    use crate::penalties::PenaltyOptions;
    use raddle_common::testing::pairs;

    const ROWS: usize = 90;
    const COLUMNS: usize = 70;

    /// Makes sparse columns, centred by these weights or not, some of them nearly equal; and a response.
    fn data(weights: &[f64], centred: bool) -> (Vec<Column>, Rows) {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let (mut starts, mut indices, mut values, mut shift) = (vec![0], Vec::new(), Vec::new(), Vec::new());
        for j in 0..COLUMNS {
            let alike = (j % 5 == 4).then(|| starts[j - 1]..starts[j]);
            for row in (0..ROWS).filter(|row| (row * 7 + j / 5 * 3 + j % 5 / 4) % 4 == 0) {
                let near: Option<f64> = alike.clone().and_then(|range| values.get(range.start).copied());
                indices.push(row as u32);
                values.push(next() + 0.3 * near.unwrap_or(0.0));
            }
            let own = starts[j]..indices.len();
            let total: f64 = own.clone().map(|at| weights[indices[at] as usize] * values[at]).sum();
            shift.push(if centred { total / ROWS as f64 } else { 0.0 });
            starts.push(own.end);
        }
        let mut y: Vec<f64> = (0..ROWS).map(|_| 3.0 * next()).collect();
        if centred {
            let mean = y.iter().zip(weights).map(|(y, w)| y * w).sum::<f64>() / ROWS as f64;
            y.iter_mut().for_each(|y| *y -= mean);
        }
        let design = Arc::new(Design::Sparse { rows: ROWS, starts, indices, values, shift });
        let columns = (0..COLUMNS).map(|at| Column::new(&design, at)).collect();
        let is_weighted = weights.iter().any(|weight| *weight != 1.0);
        let weights = is_weighted.then(|| Arc::new(weights.to_vec()));
        (columns, Rows { y: Arc::new(y), weights, ..Rows::default() })
    }

    /// A warm start may have a coefficient of a column whose rows were retracted.
    #[test]
    fn a_column_without_values_has_no_coefficient() {
        let (mut columns, rows) = data(&vec![1.0; ROWS], true);
        let target = Target { penalty: 0.4, ridge: 0.0, intercept: true, gap: 1e-13 };
        let terms = Terms::default();
        let solved = |columns: &[Column], mut b: Vec<f64>| {
            ByColumns { columns, rows: &rows, terms: &terms, target }.solve(&mut b);
            b
        };
        let expected = solved(&columns, vec![0.0; COLUMNS]);
        let (starts, shift) = (vec![0, 0], vec![0.0]);
        let (indices, values) = (Vec::new(), Vec::new());
        let empty = Arc::new(Design::Sparse { rows: ROWS, starts, indices, values, shift });
        columns.push(Column::new(&empty, 0));
        let mut start = vec![0.0; COLUMNS];
        start.push(5.0);
        let found = solved(&columns, start);
        assert_eq!(found[COLUMNS], 0.0);
        assert_eq!(found[..COLUMNS], expected);
    }

    /// The coefficients are those of the solver on the Gram, for every weighting, centring, ridge and bound.
    #[test]
    fn it_comes_to_what_the_gram_comes_to() {
        let mut weights: Vec<f64> = (0..ROWS).map(|row| (row % 4) as f64).collect();
        let total: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight *= ROWS as f64 / total);
        let mut bounded = vec![(f64::NEG_INFINITY, f64::INFINITY); COLUMNS];
        bounded.iter_mut().step_by(3).for_each(|bounds| *bounds = (-0.05, 0.1));
        for (weights, centred) in [(vec![1.0; ROWS], true), (vec![1.0; ROWS], false), (weights, true)] {
            let (columns, rows) = data(&weights, centred);
            for (ridge, bounds) in [(0.0, &[][..]), (2.0, &[]), (0.0, &bounded), (2.0, &bounded)] {
                let asked = PenaltyOptions { bounds: bounds.to_vec(), ..PenaltyOptions::default() };
                let terms = match bounds {
                    [] => Terms::default(),
                    _ => asked.terms(COLUMNS, |_| 1.0).expect("bounds around 0"),
                };
                let target = Target { penalty: 0.4, ridge, intercept: centred, gap: 1e-13 };
                let solver = ByColumns { columns: &columns, rows: &rows, terms: &terms, target };
                let mut found = vec![0.0; COLUMNS];
                solver.solve(&mut found);

                let (_, roots) = rows.for_gram();
                let dense = |column: &Column| {
                    let mut values = vec![0.0; ROWS];
                    let shift = column.view().add_scaled_to(1.0, &mut values);
                    let roots = if roots.is_empty() { vec![1.0; ROWS] } else { roots.clone() };
                    values.iter().zip(roots).map(|(value, root)| root * (value - shift)).collect::<Vec<f64>>()
                };
                let x: Vec<Vec<f64>> = columns.iter().map(dense).collect();
                let y: Vec<f64> = match rows.weights() {
                    None => rows.y.to_vec(),
                    Some(weights) => rows.y.iter().zip(weights).map(|(y, w)| y * w.sqrt()).collect(),
                };
                let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
                let mut set = WorkingSet::new();
                (0..COLUMNS).for_each(|j| set.terms_mut().push(&terms, j));
                set.enter(x.iter().zip(0..).map(|(column, j)| (j, dot(column, &y), 0.0)));
                let slots: Vec<u32> = (0..COLUMNS as u32).collect();
                let gram: Vec<f64> = x.iter().flat_map(|a| x.iter().map(|b| dot(a, b))).collect();
                set.add_tile(0, &slots, &gram);
                set.finish_gram();
                set.set_ridge(ridge);
                set.set_gradient(&x.iter().map(|column| dot(column, &y)).collect::<Vec<f64>>());
                let report = set.solve(0.4, dot(&y, &y), ROWS, 1e-13);
                assert!(report.support > 20, "nothing to compare: {}", report.support);
                for (a, b) in pairs(&found, set.coefficients()) {
                    assert!((a - b).abs() < 1e-7, "{centred} {ridge} {}: {a} {b}", terms.is_bounded());
                }
                assert_eq!(found.iter().filter(|b| **b != 0.0).count(), report.support);
            }
        }
    }
}
