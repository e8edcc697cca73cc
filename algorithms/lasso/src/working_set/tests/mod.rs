//! A dense problem for the tests of the working set, with an oracle: plain coordinate descent.

mod candidates;
mod gram;
mod inverse;
mod solving;

use raddle_common::testing::Numbers;
use raddle_kernels::algebra::{dot, gram, pass};

use super::factor::Factor;
use super::local::LocalProblem;
use super::*;

/// A dense problem, one column after another.
struct Case {
    n: usize,
    p: usize,
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Case {
    fn random(seed: u64, n: usize, p: usize) -> Self {
        let mut numbers = Numbers(seed);
        Self { n, p, x: numbers.many(n * p), y: numbers.many(n) }
    }

    fn column(&self, j: usize) -> &[f64] {
        &self.x[j * self.n..(j + 1) * self.n]
    }

    fn copy_column(&mut self, from: usize, to: usize, scale: f64) {
        let copy: Vec<f64> = self.column(from).iter().map(|value| value * scale).collect();
        self.x[to * self.n..(to + 1) * self.n].copy_from_slice(&copy);
    }

    fn largest(&self) -> f64 {
        (0..self.p).map(|j| dot(self.column(j), &self.y).abs()).fold(0.0, f64::max)
    }

    fn residual(&self, b: &[f64]) -> Vec<f64> {
        let mut r = self.y.clone();
        for (j, &b) in b.iter().enumerate() {
            r.iter_mut().zip(self.column(j)).for_each(|(r, x)| *r -= b * x);
        }
        r
    }

    /// Computes objective and gap by plain sums.
    fn measure(&self, b: &[f64], penalty: f64) -> ObjectiveGap {
        let r = self.residual(b);
        let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let largest = (0..self.p).map(|j| sum(self.column(j), &r).abs()).fold(0.0, f64::max);
        ObjectiveGap::new(sum(&self.y, &r), sum(&r, &r), b.iter().map(|b| b.abs()).sum(), largest, penalty)
    }

    /// The oracle: residual coordinate descent, many epochs.
    fn plain(&self, penalty: f64, epochs: usize) -> Vec<f64> {
        let mut b = vec![0.0; self.p];
        let mut r = self.y.clone();
        for _ in 0..epochs {
            for (j, b) in b.iter_mut().enumerate() {
                let x = self.column(j);
                let norm: f64 = x.iter().map(|x| x * x).sum();
                if norm == 0.0 {
                    continue;
                }
                let moved = x.iter().zip(&r).map(|(x, r)| x * r).sum::<f64>() + norm * *b;
                let next = moved.signum() * (moved.abs() - penalty).max(0.0) / norm;
                r.iter_mut().zip(x).for_each(|(r, x)| *r += (*b - next) * x);
                *b = next;
            }
        }
        b
    }

    /// All columns in the set at once.
    fn whole_set(&self) -> WorkingSet {
        let mut set = WorkingSet::new();
        self.enter(&mut set, 0..self.p as u32);
        set
    }

    fn enter(&self, set: &mut WorkingSet, columns: impl Iterator<Item = u32>) {
        let mut q = vec![0.0; self.p];
        pass(&self.x, &self.y, &mut q);
        let first = set.enter(columns.map(|j| (j, q[j as usize], 0.0)));
        let all: Vec<&[f64]> = set.members().iter().map(|&j| self.column(j as usize)).collect();
        let (rows, stride) = set.gram_rows_mut(first);
        gram(&all[first..], &all, first, rows, stride);
        set.finish_gram();
        let r = self.residual(&self.coefficients(set));
        let g: Vec<f64> = all.iter().map(|column| dot(column, &r)).collect();
        set.set_gradient(&g);
    }

    fn coefficients(&self, set: &WorkingSet) -> Vec<f64> {
        let mut b = vec![0.0; self.p];
        set.members().iter().zip(set.coefficients()).for_each(|(&j, &value)| b[j as usize] = value);
        b
    }

    /// Solves with all columns, by the path and by epochs and Newton steps, and compares with the oracle.
    fn check(&self, ratio: f64) {
        let penalty = self.largest() / ratio;
        let yy = dot(&self.y, &self.y);
        let plain = self.measure(&self.plain(penalty, 3000), penalty);
        let (mut first, mut without) = (self.whole_set(), self.whole_set());
        let report = first.solve(penalty, yy, self.n, 1e-10 * yy);
        let problem = LocalProblem { penalty, yy, rows: self.n };
        let measure = inner::solve(&mut without.whole, problem, 1e-10 * yy, &mut Factor::default());
        for (set, inner) in [(&first, report.measure), (&without, measure)] {
            let measure = self.measure(&self.coefficients(set), penalty);
            let case = format!("n {} p {} ratio {ratio}", self.n, self.p);
            assert!(inner.gap <= 1e-10 * yy, "{case}");
            assert!(measure.gap <= 2e-10 * yy, "{case}: {measure:?}");
            assert!(measure.primal <= plain.primal + 1e-9 * yy, "{case}: {measure:?} against {plain:?}");
            assert!(measure.dual <= plain.primal + 1e-9 * yy, "{case}: a dual value above a primal one");
        }
    }
}
