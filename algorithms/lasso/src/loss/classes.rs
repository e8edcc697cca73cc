//! [`Directions`]: the coefficients without a penalty, an intercept and those of free columns.
//!
//! With classes that have a score each, every class has its own. As equal amounts may be added to all
//! classes, the last class is left at 0 while a fit runs; [`symmetric`](super::rows::symmetric) takes the
//! mean off what is reported.

use super::factored::Factored;
use super::linear_predictor::{Response, Scores};
use super::rows::Rows;
use raddle_kernels::algebra::{add_scaled, dot};

/// Largest number of Newton steps to the best coefficients, and of halvings of a step.
const STEPS: usize = 200;
const HALVINGS: usize = 50;

/// The best coefficients are found when every slope is at most this share of the sum of its absolute terms.
const EXACT: f64 = 1e-14;

/// The best coefficients are also found when a step promises at most this share of the loss.
const NOTHING: f64 = 1e-28;

/// The directions: B vectors of n rows, each for K classes, or for the only score if K is 0. Coefficients are
/// listed class by class.
#[derive(Debug, Clone, Default)]
pub(crate) struct Directions {
    rows: usize,
    classes: usize,
    basis: Vec<Vec<f64>>,
}

raddle::state!(Directions { rows, classes, basis });

impl Directions {
    pub(crate) fn new(rows: &Rows) -> Self {
        let ones = rows.intercept.then(|| vec![1.0; rows.len()]);
        let free = rows.free.iter().flat_map(|free| free.basis().iter().cloned());
        Self { rows: rows.len(), classes: rows.classes, basis: ones.into_iter().chain(free).collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.basis.is_empty()
    }

    /// Returns the number of directions that may move: those of all but the last class, or of the only score.
    fn count(&self) -> usize {
        self.basis.len() * if self.classes == 0 { 1 } else { self.classes - 1 }
    }

    /// Returns class and vector of a direction.
    fn place(&self, at: usize) -> (usize, &[f64]) {
        (at / self.basis.len(), &self.basis[at % self.basis.len()])
    }

    fn class<'a>(&self, class: usize, values: &'a [f64]) -> &'a [f64] {
        &values[class * self.rows..(class + 1) * self.rows]
    }

    /// Returns class and vector of each direction that may move.
    pub(crate) fn places(&self) -> impl Iterator<Item = (usize, &[f64])> {
        (0..self.count()).map(|at| self.place(at))
    }

    /// Adds the directions times their coefficients, of all classes, to scores.
    pub(crate) fn add(&self, parts: &[f64], scores: &mut [f64]) {
        for (at, &part) in parts.iter().enumerate().filter(|(_, part)| **part != 0.0) {
            let (class, vector) = self.place(at);
            add_scaled(&mut scores[class * self.rows..(class + 1) * self.rows], part, vector);
        }
    }

    /// Returns the products of the directions with values of scores.
    pub(crate) fn products(&self, values: &[f64]) -> Vec<f64> {
        let product = |at: usize| {
            let (class, vector) = self.place(at);
            dot(vector, self.class(class, values))
        };
        (0..self.count()).map(product).collect()
    }

    /// Returns the factored second derivatives along the directions, for weights q and their sums over
    /// classes.
    pub(crate) fn curvatures(&self, q: &[f64], totals: &[f64]) -> Factored {
        Factored::new(self.count(), |i, j| {
            let ((k, a), (l, b)) = (self.place(i), self.place(j));
            let (first, second) = (self.class(k, q), self.class(l, q));
            let of = |row: usize| {
                let shared = if totals[row] > 0.0 { first[row] * second[row] / totals[row] } else { 0.0 };
                a[row] * b[row] * if k == l { first[row] - shared } else { -shared }
            };
            (0..self.rows).map(of).sum()
        })
    }

    /// Moves the scores until the residual is orthogonal to the directions. Returns the movement, and whether
    /// it converged: a loss may have no minimum, such as where free columns separate the classes.
    pub(crate) fn settle(&self, scores: &mut Scores, response: Response<'_>) -> (Vec<f64>, bool) {
        let mut total = vec![0.0; self.basis.len() * self.classes.max(1)];
        if self.is_empty() {
            return (total, true);
        }
        for _ in 0..STEPS {
            let slopes = self.products(&scores.residual);
            let is_small = |(at, slope): (usize, &f64)| {
                let (class, vector) = self.place(at);
                let terms = vector.iter().zip(self.class(class, &scores.residual));
                slope.abs() <= EXACT * terms.map(|(x, r)| (x * r).abs()).sum::<f64>()
            };
            if slopes.iter().enumerate().all(is_small) {
                return (total, true);
            }
            // The second derivatives of a single score have no part that is shared.
            let totals = match self.classes {
                0 => vec![0.0; self.rows],
                _ => totals(&scores.weights, self.rows),
            };
            let Some(step) = self.curvatures(&scores.weights, &totals).solved(&slopes) else { break };
            let promised: f64 = step.iter().zip(&slopes).map(|(step, slope)| step * slope).sum();
            let (start, before) = (scores.values.clone(), scores.sums.loss);
            let noise = 4.0 * f64::EPSILON * before.abs();
            let mut length = 1.0;
            for halving in 0..=HALVINGS {
                scores.values.copy_from_slice(&start);
                let moved: Vec<f64> = step.iter().map(|step| length * step).collect();
                self.add(&moved, &mut scores.values);
                scores.evaluate(response);
                if scores.sums.loss <= before - 1e-4 * length * promised + noise || halving == HALVINGS {
                    break;
                }
                length *= 0.5;
            }
            total.iter_mut().zip(&step).for_each(|(total, step)| *total += length * step);
            if promised <= NOTHING * before.abs() {
                // Further steps would gain only rounding.
                return (total, true);
            }
        }
        (total, false)
    }
}

/// Sums over classes values that are listed class by class, for each of n rows.
pub(crate) fn totals(values: &[f64], rows: usize) -> Vec<f64> {
    let mut totals = vec![0.0; rows];
    for class in values.chunks_exact(rows.max(1)) {
        totals.iter_mut().zip(class).for_each(|(total, value)| *total += value);
    }
    totals
}
