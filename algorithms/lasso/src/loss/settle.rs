//! Newton steps that make the residual orthogonal to the coefficients without a penalty: an intercept, free
//! columns, or both for every class.

use super::classes::Directions;
use super::factored::Factored;
use super::free::Free;
use super::linear_predictor::{Response, Scores};
use raddle_kernels::algebra::{add_scaled, dot};

/// Largest number of Newton steps to the best coefficients, and of halvings of a step.
const STEPS: usize = 200;
const HALVINGS: usize = 50;

/// Steps stop when one promises at most this share of the loss.
const NOTHING: f64 = 1e-28;

/// The best coefficients are found when every slope is at most this share of the sum of its absolute terms.
const EXACT: f64 = 1e-14;

impl Scores {
    /// Like [`settle`](Self::settle), with or without free columns. Returns the movement of the intercept,
    /// and of the free columns along their basis.
    pub(crate) fn settle_all(&mut self, response: Response<'_>, intercept: bool) -> (f64, Vec<f64>) {
        if response.rows.classes > 0 {
            return (0.0, Directions::new(response.rows, intercept).settle(self, response).0);
        }
        match &response.rows.free {
            Some(free) => {
                let (intercept, parts, _) = free.settle(self, response, intercept);
                (intercept, parts)
            }
            None if intercept => (self.settle(response), Vec::new()),
            None => (0.0, Vec::new()),
        }
    }
}

impl Free {
    /// Moves the scores until the residual of a smooth loss is orthogonal to the basis, and sums to zero if
    /// there is an intercept. Returns the movement along intercept and basis, and whether it converged: a
    /// loss may have no minimum, such as where columns separate two classes.
    pub(crate) fn settle(
        &self,
        scores: &mut Scores,
        response: Response<'_>,
        intercept: bool,
    ) -> (f64, Vec<f64>, bool) {
        let ones = vec![1.0; if intercept { response.rows.len() } else { 0 }];
        let columns: Vec<&[f64]> =
            ones.first().map(|_| &ones[..]).into_iter().chain(self.basis().iter().map(|q| &q[..])).collect();
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
                // Further steps would gain only rounding.
                is_settled = true;
                break;
            }
        }
        let first = if intercept { total.remove(0) } else { 0.0 };
        (first, total, is_settled)
    }
}

/// Solves X'W X step = slopes by Cholesky; columns that depend on others under these weights do not move.
fn newton(columns: &[&[f64]], slopes: &[f64], weights: &[f64]) -> Option<Vec<f64>> {
    let product = |i: usize, j: usize| -> f64 {
        columns[i].iter().zip(columns[j]).zip(weights).map(|((a, b), w)| a * b * w).sum()
    };
    Factored::new(columns.len(), product).solved(slopes)
}
