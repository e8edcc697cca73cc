//! [`Fit`]: a fitted classifier with its certificates.

use raddle::{EpochRecord, ModelDigest, RunReport};
use raddle_datasets::Matrix;

use crate::certificate::Certificate;
use crate::data::bias::{Bias, half_square};
use crate::data::binary::Binary;
use crate::data::problem::Problem;
use crate::data::rows::Rows;
use crate::data::softmax::block;
use crate::error::LinearError;
use crate::loss::Loss;
use crate::solve::judge::Best;

/// A fitted linear classifier, which assigns classes by the scores of a row.
///
/// With two classes there is one [`Scorer`], whose scores above 0 stand for the larger class; with more there
/// is one per class, and the largest score decides.
#[derive(Debug, Clone)]
pub struct Fit {
    /// The scorer, or one for each class.
    pub scorers: Vec<Scorer>,
    /// The constant column.
    pub bias: Bias,
    /// Weight C of a row's loss.
    pub c: f64,
    /// The loss.
    pub loss: Loss,
    /// Values of the response, ascending.
    pub classes: Vec<f64>,
    /// Weight of the loss of each row: C times the weights of the row and of its class.
    pub costs: Vec<f64>,
    /// Number of rows that were solved: equal rows of a class are one.
    pub distinct: usize,
    /// Divisors of the columns, if these were scaled.
    pub scales: Option<Vec<f64>>,
    /// Fraction of the rows whose class differs from the one that their scores give; rows are not weighted.
    pub training_error: f64,
    /// Standard errors of the coefficients, of a logistic fit by sums.
    pub errors: Option<StandardErrors>,
    /// Report of the run.
    pub report: RunReport,
    /// One record per epoch.
    pub trace: Vec<EpochRecord>,
    pub(crate) columns: usize,
}

/// Standard errors of the coefficients of a logistic regression: the roots of the diagonal of (sum_i v_i p_i
/// (1 - p_i) x_i x_i')^-1, with probabilities p and weights v of the rows, without the penalty. NaN where
/// columns depend on each other, or are empty.
#[derive(Debug, Clone, PartialEq)]
pub struct StandardErrors {
    /// Standard error of each column's coefficient, for the original columns.
    pub columns: Vec<f64>,
    /// Standard error of the intercept, if there is one.
    pub intercept: Option<f64>,
}

impl StandardErrors {
    /// Takes apart the standard errors of all weights, the last of which is that of a nonzero bias.
    pub(crate) fn of(mut columns: Vec<f64>, bias: f64) -> Self {
        let intercept = if bias == 0.0 { None } else { columns.pop().map(|error| error * bias.abs()) };
        Self { columns, intercept }
    }
}

/// A scorer of one class against the rest, x'w + intercept, with its certificate.
#[derive(Debug, Clone, PartialEq)]
pub struct Scorer {
    /// Nonzero coefficients as (column from 0, coefficient), by column; for the original columns.
    pub coefficients: Vec<(u32, f64)>,
    /// Intercept: the coefficient of the constant column times the bias.
    pub intercept: f64,
    /// Dual value a of each row: with columns as they were fitted, the coefficients are the sum of a y x,
    /// where y is 1 for rows of the class and -1 for the others.
    pub dual: Vec<f64>,
    /// Primal objective P = |w|^2 / 2 + sum c phi(y x'w), for columns as they were fitted; with the
    /// multinomial loss that of all classes.
    pub objective: f64,
    /// Relative duality gap (P - D) / P of this objective.
    pub gap: f64,
}

impl Scorer {
    /// Returns the number of rows with a nonzero dual value.
    pub fn support(&self) -> usize {
        self.dual.iter().filter(|a| **a > 0.0).count()
    }
}

impl Fit {
    /// Makes the fit from the solution of each solver.
    pub(crate) fn new(
        problem: &Problem,
        (loss, c, factors): (Loss, f64, &[f64]),
        found: Vec<Best>,
        report: RunReport,
        trace: Vec<EpochRecord>,
    ) -> Result<Self, LinearError> {
        let points = found.into_iter().flat_map(|Best { a, w, .. }| match loss {
            Loss::Multinomial => {
                let (count, block) = (problem.distinct(), block(problem.classes().len()));
                let weights = |class: usize| w.chunks(block).map(|block| block[class]).collect();
                (0..).zip(a.chunks(count)).map(|(class, a)| (a.to_vec(), Some(weights(class)))).collect()
            }
            _ => vec![(a, Some(w))],
        });
        let points = points.collect();
        Self::of(problem, (loss, c, factors), points, (report, trace))
    }

    /// Makes the fit from the dual values of the rows by place, and from weights or, without these, those
    /// that follow from the dual values, for each scorer.
    pub(crate) fn of(
        problem: &Problem,
        (loss, c, factors): (Loss, f64, &[f64]),
        points: Vec<(Vec<f64>, Option<Vec<f64>>)>,
        (report, trace): (RunReport, Vec<EpochRecord>),
    ) -> Result<Self, LinearError> {
        let scales = problem.rows.scales()?;
        let none = Rows::default();
        let export = |(number, (a, w))| {
            // Rows in a file stay there.
            Exported::new(problem, &problem.over(&none, number, loss, factors), a, w)
        };
        let mut exported = points.into_iter().enumerate().map(export).collect::<Result<Vec<_>, _>>()?;
        if loss == Loss::Multinomial {
            Exported::certify_together(problem, factors, &mut exported);
        }
        let mut scores = vec![Vec::new(); problem.distinct()];
        let scored = |(of, product): (&mut Vec<f64>, &f64)| of.push(*product);
        exported.iter().for_each(|of| scores.iter_mut().zip(&of.products).for_each(scored));
        let share_out = |Exported { a, found, w, .. }: Exported| {
            let scale = |at: usize| scales.map_or(1.0, |scales| scales[at]);
            let columns = w[..problem.columns()].iter().enumerate().filter(|(_, value)| **value != 0.0);
            Scorer {
                coefficients: columns.map(|(at, value)| (at as u32, value / scale(at))).collect(),
                intercept: w.get(problem.columns()).map_or(0.0, |weight| weight * problem.bias.value()),
                dual: problem.shared_out(&a, (loss, factors)),
                objective: found.primal,
                gap: found.gap(),
            }
        };
        let scorers = exported.into_iter().map(share_out).collect();
        let is_wrong = |(place, scores): &(usize, &Vec<f64>)| Self::class(scores) != problem.class(*place);
        let copies = |(place, _): (usize, &Vec<f64>)| problem.copies()[place] as usize;
        let wrong: usize = scores.iter().enumerate().filter(is_wrong).map(copies).sum();
        Ok(Self {
            scorers,
            training_error: wrong as f64 / problem.rows() as f64,
            bias: problem.bias,
            c,
            loss,
            classes: problem.classes().to_vec(),
            costs: problem.costs(factors),
            distinct: problem.distinct(),
            scales: scales.map(<[f64]>::to_vec),
            errors: None,
            report,
            trace,
            columns: problem.columns(),
        })
    }

    /// Returns `true` if the classes are known to be separable, as no row is of another class than its scores
    /// say; told of the multinomial loss and of intercepts without penalty.
    pub fn is_separable(&self) -> bool {
        (self.loss == Loss::Multinomial || self.bias.is_free()) && self.training_error == 0.0
    }

    /// Returns the fit with the columns of wider data, of which those of the matrix have these numbers; the
    /// others are empty.
    pub fn spread(mut self, width: usize, number: impl Fn(u32) -> u32) -> Self {
        for scorer in &mut self.scorers {
            scorer.coefficients.iter_mut().for_each(|(column, _)| *column = number(*column));
        }
        if let Some(scales) = &mut self.scales {
            let mut spread = vec![1.0; width];
            (0..).zip(scales.iter()).for_each(|(at, scale)| spread[number(at) as usize] = *scale);
            *scales = spread;
        }
        Self { columns: width, ..self }
    }

    /// Returns the number of columns of the matrix.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the largest relative duality gap of the scorers.
    pub fn gap(&self) -> f64 {
        self.scorers.iter().map(|of| of.gap).fold(0.0, f64::max)
    }

    /// Returns the number of nonzero dual values of all scorers.
    pub fn support(&self) -> usize {
        self.scorers.iter().map(Scorer::support).sum()
    }

    /// Returns the primal objective: that of all classes together, or the sum of the scorers'.
    pub fn objective(&self) -> f64 {
        let count = if self.loss == Loss::Multinomial { 1 } else { self.scorers.len() };
        self.scorers.iter().take(count).map(|of| of.objective).sum()
    }

    /// Returns the index of the class for these scores of a row, one per scorer; of equal scores the first
    /// wins.
    pub fn class(scores: &[f64]) -> usize {
        match scores {
            [score] => usize::from(*score > 0.0),
            _ => (1..scores.len()).fold(0, |best, at| if scores[at] > scores[best] { at } else { best }),
        }
    }

    /// Returns the scores of all rows, including the intercept, for each scorer.
    pub fn scores(&self, x: &Matrix) -> Vec<Vec<f64>> {
        self.scorers.iter().map(|of| x.scores(&of.coefficients, of.intercept)).collect()
    }

    /// Returns the digest of the coefficients, equal exactly for equal models.
    pub fn digest(&self) -> String {
        self.digested(ModelDigest::default()).finish()
    }

    /// Adds the coefficients to a digest.
    pub(crate) fn digested(&self, digest: ModelDigest) -> ModelDigest {
        digested(digest, self.scorers.iter().map(|of| (&of.coefficients[..], of.intercept)), self.c)
    }
}

/// A scorer with values by place.
struct Exported {
    a: Vec<f64>,
    w: Vec<f64>,
    /// Products of the rows with the weights.
    products: Vec<f64>,
    found: Certificate,
}

impl Exported {
    /// Evaluates dual values, and weights or those that follow from the dual values. With the multinomial
    /// loss, the certificate has no losses and no entropies yet.
    fn new(
        problem: &Problem,
        binary: &Binary<'_>,
        a: Vec<f64>,
        w: Option<Vec<f64>>,
    ) -> Result<Self, LinearError> {
        let signed: Vec<f64> = a.iter().zip(&binary.signs).map(|(a, sign)| a * sign).collect();
        let sum = problem.rows.sum(&signed)?;
        let half = |w: &[f64]| half_square(binary.penalized(w));
        let is_part = binary.loss == Loss::Multinomial;
        let dual = if is_part { -half(&sum) } else { Certificate::dual_of(binary, &a, &sum) };
        let w = w.unwrap_or(sum);
        let products = problem.rows.products(&w)?;
        let margins: Vec<f64> = products.iter().zip(&binary.signs).map(|(m, sign)| m * sign).collect();
        let primal = if is_part { half(&w) } else { Certificate::primal_of(binary, &w, &margins) };
        Ok(Self { a, w, products, found: Certificate { primal, dual } })
    }

    /// Gives all classes the certificate of their sum.
    fn certify_together(problem: &Problem, factors: &[f64], exported: &mut [Self]) {
        let none = Rows::default();
        let all = problem.softmax(&none, factors);
        let listed = |of: &dyn Fn(&Self) -> &Vec<f64>| -> Vec<f64> {
            exported.iter().flat_map(|one| of(one).iter().copied()).collect()
        };
        let mut found = Certificate {
            primal: all.losses(&listed(&|one| &one.products)).sum,
            dual: all.entropy(&listed(&|one| &one.a)),
        };
        for one in exported.iter() {
            found.primal += one.found.primal;
            found.dual += one.found.dual;
        }
        exported.iter_mut().for_each(|one| one.found = found);
    }
}

/// Adds each scorer's coefficients and intercept, then C, to a digest.
pub(crate) fn digested<'a>(
    mut digest: ModelDigest,
    scorers: impl Iterator<Item = (&'a [(u32, f64)], f64)>,
    c: f64,
) -> ModelDigest {
    for (coefficients, intercept) in scorers {
        let (columns, values): (Vec<u64>, Vec<f64>) =
            coefficients.iter().map(|&(column, value)| (u64::from(column), value)).unzip();
        digest = digest.u64s(&columns).f64s(&values).f64s(&[intercept]);
    }
    digest.f64s(&[c])
}
