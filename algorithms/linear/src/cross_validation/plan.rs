//! [`CrossValidation`]: the parameters of a choice of C.

use libm::{exp, log};
use raddle_datasets::{Filled, Matrix};
use raddle_tabular::folds::Rule;

use super::measure::Measure;
use crate::data::bias::Bias;
use crate::data::problem::Problem;
use crate::error::LinearError;
use crate::params::Linear;

raddle_common::params! {
    /// The parameters of a linear classifier whose C is chosen by K-fold cross-validation. They are checked
    /// when they are used.
    ///
    /// Every fold holds out its part of every class, in an order drawn from the seed. For each fold, the
    /// other rows are fitted at each C in ascending order, each fit starting from the dual values of the one
    /// before, and measured on the fold. At the chosen C all rows are fitted once more, from zeros, which
    /// gives the fit of the same parameters with this C. Folds are fitted in parallel on the workers; the
    /// result is the same, bit for bit, for any number of them.
    ///
    /// ```
    /// use raddle_linear::{Linear, Measure, Rule};
    ///
    /// let data = raddle_datasets::embedded::diabetes();
    /// let y: Vec<f64> = data.y.iter().map(|y| f64::from(u8::from(*y > 152.0))).collect();
    /// let cv = Linear::params().cv().measure(Measure::Auc).rule(Rule::OneSe);
    /// let chosen = cv.fit(data.x, y)?;
    /// assert!(chosen.curve.choose(Rule::OneSe).c <= chosen.curve.choose(Rule::Min).c);
    /// assert!(chosen.fit.gap() <= 1e-4 && chosen.worst_gap <= 1e-4);
    /// # Ok::<(), raddle_linear::LinearError>(())
    /// ```
    pub struct CrossValidation {
        /// Sets the number of folds, K.
        folds(folds: usize) = 5;
        /// Sets the seed for assigning rows to folds.
        seed(seed: u64) = 42;
        /// Sets the measure on held-out rows.
        measure(measure: Measure) = Measure::default();
        /// Sets the rule for choosing C.
        rule(rule: Rule) = Rule::Min;
        /// Keeps rows together: `groups` has a number for each row, and rows with equal numbers are in one
        /// fold.
        groups(groups: Vec<u32>);
        /// Sets the weight of each row, in fits and measures.
        weights(weights: Vec<f64>);
        /// Says which values were missing and filled with means: each fold fills them again with the means of
        /// its training rows.
        filled(filled: Vec<Filled>) = Vec::new();
        /// Sets the intercept: a constant column of 1 by default.
        bias(bias: Bias) = Bias::Penalized(1.0);
        /// Divides columns by their standard deviations over the training rows: see [`Problem::scaled`].
        scaled(scaled: bool) = false;
        /// Sets a limit of epochs for each fit.
        epochs(epochs: u64);
        /// Sets the number of workers.
        workers(workers: usize) = 1;
    }
    linear: Linear = Linear::params();
    costs: Vec<f64> = grid(0.01, 100.0, 9);
}

impl Linear {
    /// Chooses C by cross-validation with these parameters. Defaults: 5 folds, 9 values from 0.01 to 100.
    pub fn cv(self) -> CrossValidation {
        CrossValidation { linear: self, ..CrossValidation::params() }
    }
}

impl CrossValidation {
    /// Sets the values of C to choose from; they are sorted.
    pub fn costs(mut self, mut costs: Vec<f64>) -> Self {
        costs.sort_by(f64::total_cmp);
        costs.dedup();
        self.costs = costs;
        self
    }

    /// Sets the weight of each class, in ascending order: see [`Linear::class_weights`].
    pub fn class_weights(self, weights: Vec<f64>) -> Self {
        Self { linear: self.linear.class_weights(weights), ..self }
    }

    /// Makes the problem of some rows.
    pub(super) fn problem(
        &self,
        x: &Matrix,
        y: &[f64],
        weights: Option<Vec<f64>>,
    ) -> Result<Problem, LinearError> {
        let problem = Problem::new(x, y, self.bias)?;
        let problem = match weights {
            Some(weights) => problem.weights(weights)?,
            None => problem,
        };
        Ok(if self.scaled { problem.scaled() } else { problem })
    }
}

/// Returns `points` values from the first to the last, evenly spaced on a logarithmic scale and rounded to 12
/// digits: 0.01, 0.1, 1, ..
pub fn grid(first: f64, last: f64, points: usize) -> Vec<f64> {
    let at = |point: usize| {
        let share = point as f64 / (points.max(2) - 1) as f64;
        let value = exp(log(first) * (1.0 - share) + log(last) * share);
        format!("{value:.11e}").parse().unwrap_or(value)
    };
    match points {
        0 => Vec::new(),
        1 => vec![first],
        _ => (0..points)
            .map(|point| {
                if point == 0 {
                    first
                } else if point + 1 == points {
                    last
                } else {
                    at(point)
                }
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_has_round_numbers_between_its_ends() {
        assert_eq!(grid(0.01, 100.0, 5), [0.01, 0.1, 1.0, 10.0, 100.0]);
        assert_eq!(grid(0.01, 100.0, 9)[1], 0.0316227766017);
        assert_eq!(grid(0.3, 7.0, 2), [0.3, 7.0]);
        assert_eq!((grid(0.3, 7.0, 1), grid(0.3, 7.0, 0)), (vec![0.3], Vec::new()));
    }
}
