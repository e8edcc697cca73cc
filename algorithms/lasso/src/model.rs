//! [`Fit`]: a fitted Lasso with its certificate.

use std::borrow::Cow;

use raddle::{EpochRecord, ModelDigest, Outcome, RunReport};
use raddle_datasets::Occurring;

use crate::data::problem::Problem;
use crate::loss::row_state::RowState;
use crate::loss::rows::symmetric;
use crate::loss::{Loss, Measure, Objective};
use crate::penalties::Terms;
use crate::run::program::LassoProgram;
use crate::run::solution::Solution;

/// A fitted Lasso.
#[derive(Debug, Clone)]
pub struct Fit {
    /// Nonzero coefficients as (column from 0 of the matrix, coefficient on the original scale), by column.
    /// If a table [keeps only the columns that occur](Occurring), that has the column's number in the data.
    /// For a path, the coefficients of the last lambda. With K classes that have scores of their own, column
    /// j of class k has the number k p + j; [`of_class`](Self::of_class) returns the coefficients of one
    /// class.
    pub coefficients: Vec<(u32, f64)>,
    /// The intercept; 0 if none is fitted, or if each class has its own.
    pub intercept: f64,
    /// The intercepts of the classes with scores of their own, which sum to zero; else empty.
    pub intercepts: Vec<f64>,
    /// lambda; of a path, the last.
    pub lambda: f64,
    /// The smallest lambda without support; 0 for an l1 ratio of 0, with which every lambda has support.
    pub lambda_max: f64,
    /// For a lambda of 0, the largest derivative of the mean loss by a coefficient of a prepared column: all
    /// are 0 at a minimum.
    pub gradient: Option<f64>,
    /// The loss.
    pub loss: Loss,
    /// The share of the l1 norm in the penalty.
    pub l1_ratio: f64,
    /// For a loss of two classes, the two values of the response, ascending: scores above 0 predict the
    /// second.
    pub classes: Option<[f64; 2]>,
    /// For classes with scores of their own, the response's K values, ascending; else empty.
    pub labels: Vec<f64>,
    /// R2, or the share of the deviance that is explained, on the training rows; or the reason why there is
    /// none.
    pub explained: Measure,
    /// p, the number of columns.
    pub(crate) columns: usize,
    /// The certified points, in order: one, or those of a path.
    pub points: Vec<Point>,
    /// The dual point of the certificate, n values (n rows of K values where each class has a score): theta =
    /// k r, where r is minus the derivative of each row's loss by its score and k the factor that makes it
    /// feasible. With a the l1 ratio and x_j the columns as prepared,
    ///
    /// ```text
    /// |x_j'theta| <= n lambda                                              (a = 1)
    /// D = 1/n sum_i d(y_i, theta_i) - 1/(2 n^2 lambda (1 - a)) sum_j max(0, |x_j'theta| - n lambda a)^2
    ///
    /// squared   d = theta y - theta^2 / 2                                  (y centred, where the fit is)
    /// logistic  d = -(p log p + (1 - p) log(1 - p)),  p = theta y,         (y = 1 or -1)
    /// poisson   d = theta log(m) + y log(y / m) - (y - m),  m = y - theta
    /// multinomial  d = -sum_k u_k log u_k,  u_k = [y = k] - theta_k
    /// ```
    ///
    /// A column with a factor f_j has n lambda f_j in place of n lambda, and one without a penalty has 0. On
    /// a side that bounds forbid, x_j'theta is not limited; if a coefficient is at its bound u, D is instead
    /// reduced by u/n max(0, |x_j'theta| - n lambda f_j). For a group of m columns |x_g'theta|_2 is limited
    /// by n lambda f_g sqrt(m).
    ///
    /// With weights (of mean 1) a row gives w_i d(y_i, theta_i / w_i), and with offsets D is reduced by 1/n
    /// sum_i theta_i o_i for a smooth loss; for the squared loss the offsets are subtracted from the
    /// response. The second sum belongs to an elastic net (a < 1), for which this D is at least the one in
    /// the metric. With an intercept the values sum to zero. For a path, this is the dual point of
    /// [`coefficients`](Self::coefficients); the other points have a [`dual_scale`](Point::dual_scale).
    pub dual: Vec<f64>,
    /// Counts and certificate of the run; for a path the certificate of the worst point.
    pub report: RunReport,
    /// One record per epoch.
    pub trace: Vec<EpochRecord>,
    pub(crate) is_path: bool,
}

/// A certified point of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// lambda.
    pub lambda: f64,
    /// Relative duality gap.
    pub gap: f64,
    /// The intercept; 0 if none is fitted, or if each class has its own.
    pub intercept: f64,
    /// The intercepts of the classes, as in [`Fit::intercepts`].
    pub intercepts: Vec<f64>,
    /// k: the dual point is k times minus the derivative of each row's loss at the point's coefficients, as
    /// in [`Fit::dual`].
    pub dual_scale: f64,
    /// Nonzero coefficients as (column from 0, coefficient on the original scale), by column.
    pub coefficients: Vec<(u32, f64)>,
}

impl Fit {
    /// Makes the fit from the outcome of a run of [`Lasso::engine`](crate::Lasso::engine) on this problem.
    pub fn new(problem: &Problem, outcome: Outcome<LassoProgram>) -> Self {
        let Outcome { parts, report, trace, .. } = outcome;
        let fitted = parts.shards.iter().flat_map(|shard| {
            let nonzero = shard.coefficients.iter().enumerate().filter(|(_, value)| **value != 0.0);
            nonzero.map(|(at, &value)| (shard.first + at as u32, value))
        });
        let (replica, solver) = (&parts.replica, &parts.pinned);
        let Objective { loss, l1_ratio, .. } = solver.objective();
        let penalty = replica.stage.map_or(f64::NAN, |stage| stage.penalty);
        let (scale, intercept) = (solver.scale(), replica.rows.intercept);
        let (intercepts, freed) = (solver.last.intercepts.clone(), solver.last.freed.clone());
        let coefficients = fitted.collect();
        let last = Solution { penalty, gap: 0.0, scale, intercept, intercepts, coefficients, freed };
        let Point { lambda, intercept, intercepts, coefficients, .. } =
            Point::new(problem, &solver.terms, &last);
        let labels = if loss.scores_each_class() { problem.labels() } else { Vec::new() };
        let classes = problem.classes().filter(|_| loss.has_classes() && !loss.scores_each_class());
        let weights = problem.weights.as_ref().map(|weights| &weights[..]);
        let scores = fitted_scores(problem, &replica.rows);
        let measures = loss.measures(&problem.given, &scores, weights, classes, &labels);
        let explained = measures.into_iter().next_back().unwrap_or(("R2", Err("as there is no row")));
        Self {
            coefficients,
            intercept,
            intercepts,
            lambda,
            lambda_max: match l1_ratio > 0.0 {
                true => solver.largest() / problem.rows() as f64 / l1_ratio,
                false => 0.0,
            },
            gradient: (lambda == 0.0).then(|| largest_slope(problem, &replica.rows.residual)),
            loss,
            l1_ratio,
            classes,
            explained,
            dual: by_row(&replica.rows.residual, scale, labels.len()),
            labels,
            columns: problem.columns(),
            points: solver
                .solutions()
                .iter()
                .map(|solution| Point::new(problem, &solver.terms, solution))
                .collect(),
            report,
            trace,
            is_path: solver.is_path(),
        }
    }

    /// Returns intercept and coefficients, as (column from 0, value), of a class by its number from 0.
    /// Without scores for each class, class 0 has the only score.
    pub fn of_class(&self, class: usize) -> (f64, Vec<(u32, f64)>) {
        let intercept = self.intercepts.get(class).copied().unwrap_or(self.intercept);
        (intercept, of_class(&self.coefficients, self.columns, class))
    }

    /// Returns the SHA-256 of the model, 64 hexadecimal digits: equal exactly for equal models, and equal to
    /// `model_digest` in the report of `lasso`. It is computed over the columns (u32, from 1), the
    /// coefficients, the intercept (or those of the classes) and lambda (f64), all little-endian; for a path,
    /// over these of each point in order.
    pub fn digest(&self) -> String {
        self.digest_of(None)
    }

    /// Returns the digest of a fit to a table that keeps only the columns that occur: columns count by their
    /// numbers in the data.
    pub fn digest_of(&self, occurring: Option<&Occurring>) -> String {
        let digest = ModelDigest::default();
        let number = |at: u32| match occurring {
            None => u64::from(at),
            Some(some) => {
                let (class, column) = (at / self.columns as u32, at % self.columns as u32);
                u64::from(class) * some.width() as u64 + u64::from(some.number(column))
            }
        };
        let numbered = |of: &[(u32, f64)]| -> Vec<(u64, f64)> {
            of.iter().map(|&(at, value)| (number(at), value)).collect()
        };
        if !self.is_path {
            let numbered = numbered(&self.coefficients).into_iter();
            return digested(digest, numbered, self.intercept, &self.intercepts, self.lambda).finish();
        }
        let add = |digest, point: &Point| {
            let numbered = numbered(&point.coefficients).into_iter();
            digested(digest, numbered, point.intercept, &point.intercepts, point.lambda)
        };
        self.points.iter().fold(digest, add).finish()
    }
}

/// Returns the scores of these rows; for the squared loss they follow from the residual.
fn fitted_scores<'a>(problem: &Problem, rows: &'a RowState) -> Cow<'a, [f64]> {
    if !rows.scores.is_empty() {
        return Cow::Borrowed(&rows.scores);
    }
    let weight = |row: usize| problem.weights.as_ref().map_or(1.0, |weights| weights[row]);
    // A row of weight 0 counts nothing, whatever its score.
    let error =
        |(row, &residual): (usize, &f64)| if weight(row) > 0.0 { residual / weight(row) } else { 0.0 };
    let errors = rows.residual.iter().enumerate().map(error);
    errors.zip(&problem.given[..]).map(|(error, y)| y - error).collect()
}

/// Returns the coefficients of one class, from those listed class by class.
fn of_class(coefficients: &[(u32, f64)], columns: usize, class: usize) -> Vec<(u32, f64)> {
    let range = (class * columns) as u32..((class + 1) * columns) as u32;
    let own = coefficients.iter().filter(|(at, _)| range.contains(at));
    own.map(|&(at, value)| (at - range.start, value)).collect()
}

impl Point {
    /// Returns intercept and coefficients of a class, as [`Fit::of_class`]; `columns` is p.
    pub(crate) fn of_class(&self, columns: usize, class: usize) -> (f64, Vec<(u32, f64)>) {
        let intercept = self.intercepts.get(class).copied().unwrap_or(self.intercept);
        (intercept, of_class(&self.coefficients, columns, class))
    }

    /// Converts a solution to the original scale if each class has a score: intercepts then sum to zero.
    fn of_classes(problem: &Problem, terms: &Terms, solution: &Solution) -> Self {
        let (classes, columns) = (solution.intercepts.len(), problem.columns());
        let mut intercepts = solution.intercepts.clone();
        let mut coefficients = Vec::with_capacity(solution.coefficients.len() + solution.freed.len());
        let penalized = solution.coefficients.iter();
        let penalized = penalized.map(|&(at, value)| (at, value * terms.unit(at as usize)));
        let freed = solution.freed.iter().copied().filter(|(_, value)| *value != 0.0);
        for (at, value) in penalized.chain(freed) {
            let (column, class) = (at / classes as u32, at as usize % classes);
            let value = terms.within(at, value * problem.scale(column));
            // Sparse columns are not centred if each class has a score: the intercepts include their means.
            if !problem.is_sparse() {
                intercepts[class] -= value * problem.center(column);
            }
            coefficients.push(((class * columns) as u32 + column, value));
        }
        coefficients.sort_unstable_by_key(|&(at, _)| at);
        Self {
            lambda: solution.penalty / problem.rows() as f64,
            gap: solution.gap,
            intercept: 0.0,
            intercepts: symmetric(&intercepts, classes),
            dual_scale: solution.scale,
            coefficients,
        }
    }

    /// Converts a solution to the original scale.
    fn new(problem: &Problem, terms: &Terms, solution: &Solution) -> Self {
        if !solution.intercepts.is_empty() {
            return Self::of_classes(problem, terms, solution);
        }
        let scaled = solution.coefficients.iter().map(|&(j, value)| {
            let column = terms.original(j);
            let value = value * terms.unit(j as usize) * problem.scale(column);
            (column, terms.within(column, value))
        });
        let mut coefficients: Vec<(u32, f64)> = scaled.collect();
        if !solution.freed.is_empty() || terms.has_groups() {
            let freed = solution.freed.iter().filter(|(_, value)| *value != 0.0);
            coefficients.extend(freed.map(|&(j, value)| (j, value * problem.scale(j))));
            coefficients.sort_unstable_by_key(|&(j, _)| j);
        }
        let centered: f64 = coefficients.iter().map(|&(j, value)| value * problem.center(j)).sum();
        Self {
            lambda: solution.penalty / problem.rows() as f64,
            gap: solution.gap,
            intercept: solution.intercept - centered,
            intercepts: Vec::new(),
            dual_scale: solution.scale,
            coefficients,
        }
    }
}

/// Returns max |x_j'r| / n of these residuals, one for each score; not a number if columns cannot be read.
fn largest_slope(problem: &Problem, residual: &[f64]) -> f64 {
    let of_score = |residual| problem.design.largest(residual, |_, slope| slope).unwrap_or(f64::NAN);
    let slopes = residual.chunks(problem.rows()).map(of_score);
    slopes.fold(0.0, f64::max) / problem.rows() as f64
}

/// Returns a dual point row by row: `scale` times a residual, which is listed class by class if there are
/// classes.
fn by_row(residual: &[f64], scale: f64, classes: usize) -> Vec<f64> {
    let rows = residual.len() / classes.max(1);
    let place = |at: usize| if classes > 0 { at % classes * rows + at / classes } else { at };
    (0..residual.len()).map(|at| scale * residual[place(at)]).collect()
}

/// Computes the digest of coefficients with their numbers from 0 in the data, of the intercept or those of
/// classes, and of lambda.
pub(crate) fn digested(
    digest: ModelDigest,
    coefficients: impl Iterator<Item = (u64, f64)>,
    intercept: f64,
    intercepts: &[f64],
    lambda: f64,
) -> ModelDigest {
    let (numbers, values): (Vec<u64>, Vec<f64>) =
        coefficients.map(|(number, value)| (number + 1, value)).unzip();
    let columns: Vec<u32> = numbers.iter().map(|&number| number as u32).collect();
    // Numbers exceed 32 bits only if several classes have very many columns each.
    let digest = match numbers.iter().any(|&number| number > u64::from(u32::MAX)) {
        true => digest.u32s(&numbers.iter().map(|number| (number >> 32) as u32).collect::<Vec<_>>()),
        false => digest,
    };
    let rest = match intercepts {
        [] => vec![intercept, lambda],
        all => all.iter().copied().chain([lambda]).collect(),
    };
    digest.u32s(&columns).f64s(&values).f64s(&rest)
}
