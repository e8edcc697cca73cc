//! [`Fit`]: a fitted classifier with its certificates.

use raddle::{EpochRecord, ModelDigest, Outcome, RunReport};
use raddle_datasets::Matrix;
use raddle_lasso::predict;

use crate::certificate::Certificate;
use crate::data::problem::Problem;
use crate::data::rows::Rows;
use crate::error::LinearError;
use crate::loss::Loss;
use crate::run::program::LinearProgram;

/// A fitted linear classifier: the scores of a row say its class.
///
/// Of two classes there is one [`Scorer`], whose scores above 0 speak for the larger class; of more there is
/// one for each class, and the largest score says the class.
#[derive(Debug, Clone)]
pub struct Fit {
    /// One, or one for each class.
    pub scorers: Vec<Scorer>,
    /// The value of the constant column; 0 if there is none.
    pub bias: f64,
    /// The weight C of a row's loss.
    pub c: f64,
    /// The loss.
    pub loss: Loss,
    /// The response's values, ascending.
    pub classes: Vec<f64>,
    /// The weight of the loss of each row: C times those of the row and of its class.
    pub costs: Vec<f64>,
    /// Divisors of the columns, if these were scaled.
    pub scales: Option<Vec<f64>>,
    /// Share of the rows whose class is another than their scores say; each row counts once.
    pub training_error: f64,
    /// Counts of the run.
    pub report: RunReport,
    /// A record an epoch.
    pub trace: Vec<EpochRecord>,
    columns: usize,
}

/// Scores x'w + intercept of one class against the rest, with their certificate.
#[derive(Debug, Clone, PartialEq)]
pub struct Scorer {
    /// (column from 0, coefficient) where it is not zero, by column; on the scale of the columns as they were
    /// given.
    pub coefficients: Vec<(u32, f64)>,
    /// Intercept: the coefficient of the constant column times the bias.
    pub intercept: f64,
    /// The dual value of each row: with columns as they are fitted the coefficients are the sum of a y x, y 1
    /// for the rows of the class and -1 for the others.
    pub dual: Vec<f64>,
    /// P = |w|^2 / 2 + sum c phi(y x'w), w on the scale of the columns as they are fitted.
    pub objective: f64,
    /// (P - D) / P.
    pub gap: f64,
}

impl Scorer {
    /// Number of rows whose dual value is not zero.
    pub fn support(&self) -> usize {
        self.dual.iter().filter(|a| **a > 0.0).count()
    }
}

impl Fit {
    pub(crate) fn new(
        problem: &Problem,
        (loss, c, factors): (Loss, f64, &[f64]),
        outcome: Outcome<LinearProgram>,
    ) -> Result<Self, LinearError> {
        let Outcome { parts, report, trace, .. } = outcome;
        let machines = parts.shards.into_iter().flatten().chain(parts.pinned);
        let points = machines.map(|machine| (machine.best.a, Some(machine.best.w))).collect();
        Self::of(problem, (loss, c, factors), points, (report, trace))
    }

    /// The fit of dual values of the rows by their places, and of weights or, without any, of those that
    /// follow from the dual values, for each scorer.
    pub(crate) fn of(
        problem: &Problem,
        (loss, c, factors): (Loss, f64, &[f64]),
        points: Vec<(Vec<f64>, Option<Vec<f64>>)>,
        (report, trace): (RunReport, Vec<EpochRecord>),
    ) -> Result<Self, LinearError> {
        let (columns, scales, none) = (problem.columns(), problem.rows.scales()?, Rows::default());
        let mut scores = vec![Vec::new(); problem.rows()];
        let scorer =
            |(number, (best, w)): (usize, (Vec<f64>, Option<Vec<f64>>))| -> Result<Scorer, LinearError> {
                // Rows that are read by parts stay where they are.
                let binary = problem.over(&none, number, loss, factors);
                let signed: Vec<f64> = best.iter().zip(&binary.signs).map(|(a, sign)| a * sign).collect();
                let sum = problem.rows.sum(&signed)?;
                let dual = Certificate::dual_of(&binary, &best, &sum);
                let w = w.unwrap_or(sum);
                let products = problem.rows.products(&w)?;
                scores.iter_mut().zip(&products).for_each(|(of, product)| of.push(*product));
                let margins: Vec<f64> =
                    products.iter().zip(&binary.signs).map(|(m, sign)| m * sign).collect();
                let found = Certificate { primal: Certificate::primal_of(&binary, &w, &margins), dual };
                let scale = |at: usize| scales.map_or(1.0, |scales| scales[at]);
                let coefficients = w[..columns].iter().enumerate().filter(|(_, value)| **value != 0.0);
                Ok(Scorer {
                    coefficients: coefficients.map(|(at, value)| (at as u32, value / scale(at))).collect(),
                    intercept: w.get(columns).map_or(0.0, |weight| weight * problem.bias),
                    dual: problem.in_order(&best),
                    objective: found.primal,
                    gap: found.gap(),
                })
            };
        let scorers = points.into_iter().enumerate().map(scorer).collect::<Result<_, _>>()?;
        let is_wrong = |(row, scores): &(usize, &Vec<f64>)| Self::class(scores) != problem.class(*row);
        let wrong = scores.iter().enumerate().filter(is_wrong).count();
        Ok(Self {
            scorers,
            training_error: wrong as f64 / problem.rows() as f64,
            bias: problem.bias,
            c,
            loss,
            classes: problem.classes().to_vec(),
            costs: problem.in_order(&problem.over(&none, 0, loss, factors).costs),
            scales: scales.map(<[f64]>::to_vec),
            report,
            trace,
            columns,
        })
    }

    /// Number of columns of the matrix.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Largest relative duality gap of the scorers.
    pub fn gap(&self) -> f64 {
        self.scorers.iter().map(|of| of.gap).fold(0.0, f64::max)
    }

    /// Position among the classes that these scores of a row, one of each scorer, speak for; of equal ones
    /// the first.
    pub fn class(scores: &[f64]) -> usize {
        match scores {
            [score] => usize::from(*score > 0.0),
            _ => (1..scores.len()).fold(0, |best, at| if scores[at] > scores[best] { at } else { best }),
        }
    }

    /// Scores of a row: of each scorer the sum of its products, and the intercept.
    pub fn scores(&self, x: &Matrix) -> Vec<Vec<f64>> {
        self.scorers.iter().map(|of| predict(x, &of.coefficients, of.intercept)).collect()
    }

    /// Digest of the coefficients: equal exactly for equal models.
    pub fn digest(&self) -> String {
        digest(self.scorers.iter().map(|of| (&of.coefficients[..], of.intercept)), self.c)
    }
}

/// Digest of coefficients and intercepts, of each scorer, at this C.
pub(crate) fn digest<'a>(scorers: impl Iterator<Item = (&'a [(u32, f64)], f64)>, c: f64) -> String {
    let mut digest = ModelDigest::default();
    for (coefficients, intercept) in scorers {
        let (columns, values): (Vec<u64>, Vec<f64>) =
            coefficients.iter().map(|&(column, value)| (u64::from(column), value)).unzip();
        digest = digest.u64s(&columns).f64s(&values).f64s(&[intercept]);
    }
    digest.f64s(&[c]).finish()
}
