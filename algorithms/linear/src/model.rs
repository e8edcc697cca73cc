//! [`Fit`]: a fitted classifier with its certificate.

use raddle::{EpochRecord, ModelDigest, Outcome, RunReport};

use crate::data::problem::Problem;
use crate::loss::{Certificate, Loss};
use crate::run::program::LinearProgram;

/// A fitted linear classifier: scores above 0 speak for the larger class.
#[derive(Debug, Clone)]
pub struct Fit {
    /// (column from 0, coefficient) where it is not zero, by column.
    pub coefficients: Vec<(u32, f64)>,
    /// Intercept: the coefficient of the constant column times the bias.
    pub intercept: f64,
    /// The value of the constant column; 0 if there is none.
    pub bias: f64,
    /// The weight C of a row's loss.
    pub c: f64,
    /// The loss.
    pub loss: Loss,
    /// The response's two values, ascending.
    pub classes: [f64; 2],
    /// The dual value of each row: the coefficients are the sum of a y x, y 1 for the larger class and -1 for the other.
    pub dual: Vec<f64>,
    /// The weight of each row's loss: C times those of the row and of its class.
    pub costs: Vec<f64>,
    /// P = |w|^2 / 2 + sum c phi(y x'w).
    pub objective: f64,
    /// (P - D) / P.
    pub gap: f64,
    /// Counts of the run.
    pub report: RunReport,
    /// A record an epoch.
    pub trace: Vec<EpochRecord>,
    pub(crate) columns: usize,
}

impl Fit {
    pub(crate) fn new(
        problem: &Problem,
        (loss, c, costs): (Loss, f64, &[f64]),
        outcome: Outcome<LinearProgram>,
    ) -> Self {
        let Outcome { parts, report, trace, .. } = outcome;
        let w = parts.replica;
        let dual: Vec<f64> = parts.shards.into_iter().flat_map(|duals| duals.values).collect();
        let found = Certificate::of(problem, loss, costs, &dual, &w);
        let features = problem.columns();
        let coefficients = (0..).zip(&w[..features]).filter(|(_, value)| **value != 0.0);
        Self {
            coefficients: coefficients.map(|(column, &value)| (column, value)).collect(),
            intercept: w.get(features).map_or(0.0, |weight| weight * problem.bias),
            bias: problem.bias,
            c,
            loss,
            classes: problem.classes(),
            dual,
            costs: costs.to_vec(),
            objective: found.primal,
            gap: found.gap(),
            report,
            trace,
            columns: features,
        }
    }

    /// Number of columns of the matrix.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of rows whose dual value is not zero.
    pub fn support(&self) -> usize {
        self.dual.iter().filter(|a| **a > 0.0).count()
    }

    /// Digest of the coefficients: equal exactly for equal models.
    pub fn digest(&self) -> String {
        let (columns, values): (Vec<u64>, Vec<f64>) =
            self.coefficients.iter().map(|&(column, value)| (u64::from(column), value)).unzip();
        ModelDigest::default().u64s(&columns).f64s(&values).f64s(&[self.intercept, self.c]).finish()
    }
}
