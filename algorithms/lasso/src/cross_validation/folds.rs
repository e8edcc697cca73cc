//! [`Folds`]: a cross-validation under way, for whoever carries out its fits themselves.

use raddle::random::Stream;
use raddle::{Engine, Outcome};
use raddle_datasets::{Filled, Matrix};

use super::curve::{Curve, Scores};
use super::rows::RowTerms;
use crate::data::problem::{Preparation, Problem};
use crate::error::LassoError;
use crate::lambdas::{Course, share};
use crate::model::{Fit, Point};
use crate::params::Lasso;
use crate::run::program::LassoProgram;

/// Names the stream of the assignment, apart from those of the schedules.
const ASSIGNMENT: u64 = 0x666f_6c64;

/// How the rows are cut and what is fitted on them.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) lasso: Lasso,
    pub(crate) folds: usize,
    pub(crate) points: usize,
    pub(crate) ratio: f64,
    pub(crate) seed: u64,
    /// Missing values, which each fold fills with the means of its own training rows.
    pub(crate) filled: Vec<Filled>,
    /// Weights and offsets of the rows.
    pub(crate) rows: RowTerms,
}

/// The folds of a [`CrossValidation`](crate::CrossValidation): their problems, and the errors gathered so far.
///
/// ```
/// use raddle_lasso::{Lasso, Preparation, Rule};
///
/// let data = raddle_datasets::embedded::diabetes();
/// let mut folds = Lasso::params().cv().folds(3).path(20, 100.0).start(data.x, data.y, Preparation::default())?;
/// for number in 0..folds.count() {
///     let fold = folds.fold(number)?;
///     let outcome = folds.engine(&fold)?.workers(2).run()?; // any limits, any observer
///     folds.score(&fold, outcome)?;
/// }
/// let lambda = folds.curve()?.choose(Rule::OneSe).lambda;
/// let fit = folds.all(lambda).fit(folds.problem())?;
/// assert!(fit.report.metric.is_reached());
/// # Ok::<(), raddle_lasso::LassoError>(())
/// ```
#[derive(Debug)]
pub struct Folds {
    plan: Plan,
    x: Matrix,
    y: Vec<f64>,
    preparation: Preparation,
    /// All rows.
    problem: Problem,
    lambdas: Vec<f64>,
    /// The rows in the order in which they are cut.
    order: Vec<usize>,
    scores: Vec<Scores>,
    worst_gap: f64,
}

/// The rows of one fold, held out, and the problem on the others.
#[derive(Debug)]
pub struct Fold {
    number: usize,
    held_out: Vec<usize>,
    problem: Problem,
}

impl Folds {
    pub(crate) fn new(
        plan: Plan,
        x: Matrix,
        y: Vec<f64>,
        preparation: Preparation,
    ) -> Result<Self, LassoError> {
        let refuse = |name, value: String, range| Err(LassoError::Parameter { name, value, range });
        let Preparation::Usual { intercept, .. } = preparation else {
            let range = "cross-validation needs coefficients on the original scale, which this does not give";
            return refuse("mode", format!("{preparation:?}"), range);
        };
        if plan.points == 0 {
            return refuse("points", "0".into(), "a path needs at least 1 point");
        }
        if !(plan.ratio >= 1.0 && plan.ratio.is_finite()) {
            return refuse("ratio", plan.ratio.to_string(), "it must be a number of at least 1");
        }
        if plan.folds < 2 {
            return refuse("folds", plan.folds.to_string(), "there must be at least 2");
        }
        let problem = plan.rows.problem(x.clone(), y.clone(), preparation)?;
        let rows = problem.rows();
        if plan.folds > rows {
            return refuse("folds", format!("{} for {rows} rows", plan.folds), "each needs a row of its own");
        }
        let first = plan.lasso.lambda_max(&problem)?;
        // A response that does not vary is centred to zeros, but for rounding.
        let is_flat = || {
            let mut counted = problem.counted(&y);
            let first = counted.next();
            problem.offset.is_none() && counted.all(|value| Some(value) == first)
        };
        if first == 0.0 || (intercept && is_flat()) {
            return Err(LassoError::Flat);
        }
        let lambdas = (0..plan.points).map(|at| first * share(at, plan.points, plan.ratio)).collect();
        let mut order: Vec<usize> = (0..rows).collect();
        Stream::new(&[plan.seed, ASSIGNMENT]).shuffle(&mut order);
        Ok(Self { plan, x, y, preparation, problem, lambdas, order, scores: Vec::new(), worst_gap: 0.0 })
    }

    /// K, the number of folds.
    pub fn count(&self) -> usize {
        self.plan.folds
    }

    /// The problem on all rows, by which the lambdas are set.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The lambdas, falling: the same in every fold.
    pub fn lambdas(&self) -> &[f64] {
        &self.lambdas
    }

    /// The rows (from 0, ascending) that fold `number` (from 0) holds out: a K-th of them, or one more or less.
    pub fn held_out(&self, number: usize) -> Vec<usize> {
        let cut = |fold: usize| fold.min(self.plan.folds) * self.order.len() / self.plan.folds;
        let mut rows = self.order[cut(number)..cut(number + 1)].to_vec();
        rows.sort_unstable();
        rows
    }

    /// Fold `number` (from 0), centred and scaled anew on the rows that it does not hold out.
    ///
    /// # Errors
    /// If these rows cannot be prepared.
    pub fn fold(&self, number: usize) -> Result<Fold, LassoError> {
        let held_out = self.held_out(number);
        let kept: Vec<usize> = (0..self.y.len()).filter(|row| held_out.binary_search(row).is_err()).collect();
        let y = kept.iter().map(|&row| self.y[row]).collect();
        let (x, terms) = (self.rows(&kept, &held_out), self.plan.rows.select(&kept));
        let problem = terms.problem(x, y, self.preparation).map_err(|why| self.in_fold(number, why))?;
        Ok(Fold { number, held_out, problem })
    }

    /// Some rows, where those that are held out are not seen by the means that fill missing values.
    fn rows(&self, rows: &[usize], held_out: &[usize]) -> Matrix {
        if self.plan.filled.is_empty() {
            return self.x.select_rows(rows);
        }
        let (mut x, all) = (self.x.clone(), (0..self.y.len()).collect::<Vec<_>>());
        x.fill_again(&self.plan.filled, &all, |row| held_out.binary_search(&row).is_err());
        x.select_rows(rows)
    }

    /// The run that fits the path on a fold, from zeros.
    ///
    /// # Errors
    /// If a parameter is out of its range.
    pub fn engine(&self, fold: &Fold) -> Result<Engine<LassoProgram>, LassoError> {
        let Plan { points, ratio, .. } = self.plan;
        let grid = Course::Grid { first: self.lambdas[0], points, ratio };
        let lasso = self.plan.lasso.clone().course(grid).init(Vec::new());
        lasso.engine(&fold.problem).map_err(|why| match why {
            why @ LassoError::Parameter { .. } => why,
            why => self.in_fold(fold.number, why),
        })
    }

    fn in_fold(&self, number: usize, why: LassoError) -> LassoError {
        LassoError::InFold { fold: number + 1, folds: self.plan.folds, why: Box::new(why) }
    }

    /// Measures the path that a run on a fold came to on the rows held out. Folds are scored in order.
    ///
    /// # Errors
    /// If the run ended before its last lambda was certified.
    pub fn score(&mut self, fold: &Fold, outcome: Outcome<LassoProgram>) -> Result<(), LassoError> {
        let fit = Fit::new(&fold.problem, outcome);
        if fit.points.len() < self.lambdas.len() {
            let (fold, points) = (fold.number + 1, self.lambdas.len());
            return Err(LassoError::Fold { fold, certified: fit.points.len(), points });
        }
        let x = self.rows(&fold.held_out, &fold.held_out);
        let (loss, classes) = (fit.loss, self.problem.classes());
        let y: Vec<f64> = fold.held_out.iter().map(|&row| self.y[row]).collect();
        let terms = &self.plan.rows;
        let total: f64 = fold.held_out.iter().map(|&row| terms.weight(row)).sum();
        let mean = |point: &Point| {
            let rows = y.iter().zip(point.predict(&x)).zip(&fold.held_out);
            let error = |((&y, score), &row): ((&f64, f64), &usize)| match terms.weight(row) {
                0.0 => 0.0,
                weight => weight * loss.error(y, score + terms.offset(row), classes),
            };
            rows.map(error).sum::<f64>() / if total > 0.0 { total } else { 1.0 }
        };
        let means = fit.points.iter().map(mean).collect();
        let nonzeros = fit.points.iter().map(|point| point.coefficients.len()).collect();
        self.scores.push(Scores { rows: total, means, nonzeros });
        self.worst_gap = fit.points.iter().map(|point| point.gap).fold(self.worst_gap, f64::max);
        Ok(())
    }

    /// The largest relative duality gap of all points of the folds scored so far.
    pub fn worst_gap(&self) -> f64 {
        self.worst_gap
    }

    /// The curve over all folds.
    ///
    /// # Errors
    /// If a fold has not been scored.
    pub fn curve(&self) -> Result<Curve, LassoError> {
        match self.scores.len() == self.plan.folds {
            true => Ok(Curve::new(self.plan.lasso.which_loss(), &self.lambdas, &self.scores)),
            false => {
                let (fold, points) = (self.scores.len() + 1, self.lambdas.len());
                Err(LassoError::Fold { fold, certified: 0, points })
            }
        }
    }

    /// The Lasso at one of the lambdas, to be fitted on all rows.
    pub fn all(&self, lambda: f64) -> Lasso {
        self.plan.lasso.clone().lambda(lambda)
    }
}
