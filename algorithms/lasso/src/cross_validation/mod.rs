//! [`CrossValidation`]: lambda chosen by the error on rows that were held out.

mod assignment;
pub(crate) mod criterion;
pub(crate) mod curve;
pub(crate) mod folds;
mod plan;
pub(crate) mod rows;

use std::ops::ControlFlow;

use raddle::{RunReport, side_by_side};
use raddle_datasets::{Filled, Matrix};

use crate::data::preparation::Preparation;
use crate::error::LassoError;
use crate::model::Fit;
use crate::params::Lasso;
use criterion::Criterion;
use curve::{Curve, FoldScores, Rule};
use folds::Folds;
use plan::Plan;
use rows::RowTerms;

/// A Lasso whose lambda is chosen by K-fold cross-validation: its parameters, unchecked until they are used.
///
/// The rows are put in an order that the seed fixes and cut into K even folds. For each fold, a path of
/// lambdas is fitted on the other rows, centred and scaled by these alone, and every point of it is
/// certified; its error is measured on the fold. The lambdas are the same everywhere, from lambda_max of all
/// rows down, as in glmnet. The mean over all rows and its standard error make a [`Curve`]; at the lambda
/// that the rule chooses, all rows are fitted once more. (Hastie, Tibshirani and Friedman, "The Elements of
/// Statistical Learning", 2nd edition, 7.10.)
///
/// | name | default | range | what it does |
/// |---|---|---|---|
/// | `folds` | 5 | 2 to n | K |
/// | `path` | 100 points, ratio 100 | >= 1, >= 1 | lambdas from lambda_max to lambda_max / ratio, evenly spaced in their logarithm |
/// | `seed` | 42 | | names the order of the rows |
/// | `rule` | `Min` | | which lambda of the curve is chosen |
/// | `l1_ratios` | that of the Lasso | as its `l1_ratio` | a path for each; the one with the best mean is chosen, then the rule chooses on it |
/// | `criterion` | `Deviance` | | what the rows held out are measured by |
/// | `stratify` | for classes | for classes alone | every fold gets its part of every class |
/// | `groups` | none | a number for each row | rows of one number are held out together |
///
/// All other parameters are those of the [`Lasso`] it was made from; its lambda is replaced, and coefficients
/// to start from are where the last fit starts. Folds are fitted side by side on the workers; the result is
/// the same, bit for bit, for any number of them. At most X is held twice, and once more for each worker;
/// what a fit takes beside the data comes on top.
///
/// ```
/// use raddle_lasso::{Lasso, Preparation, Rule};
///
/// let data = raddle_datasets::embedded::diabetes();
/// let cv = Lasso::params().cv().folds(10).rule(Rule::OneSe);
/// let chosen = cv.fit(data.x, data.y, Preparation::default())?;
/// let (min, simple) = (chosen.curve.choose(Rule::Min), chosen.curve.choose(Rule::OneSe));
/// assert!(simple.lambda > min.lambda && simple.mean <= min.mean + min.se);
/// assert!(chosen.fit.report.metric.is_reached() && chosen.worst_gap <= 1e-6);
/// # Ok::<(), raddle_lasso::LassoError>(())
/// ```
#[derive(Debug, Clone)]
pub struct CrossValidation {
    plan: Plan,
    rule: Rule,
}

/// Result of a [`CrossValidation`].
#[derive(Debug, Clone)]
pub struct CrossValidated {
    /// The fit of all rows at the chosen lambda, with its certificate.
    pub fit: Fit,
    /// Errors of the rows held out for each lambda, at the chosen l1 ratio.
    pub curve: Curve,
    /// Curves of all l1 ratios, in their order.
    pub curves: Vec<Curve>,
    /// The largest relative duality gap of all points of all folds.
    pub worst_gap: f64,
    /// Reports of each fold's runs: one for each l1 ratio.
    pub folds: Vec<RunReport>,
}

impl Lasso {
    /// Chooses lambda by cross-validation, with these parameters for every fit.
    pub fn cv(self) -> CrossValidation {
        let filled = Vec::new();
        let (l1_ratios, criterion, stratify, groups) = (Vec::new(), Criterion::default(), None, None);
        let (folds, points, ratio, seed, rows) = (5, 100, 100.0, 42, RowTerms::default());
        let lasso = self;
        let plan =
            Plan { lasso, folds, points, ratio, seed, l1_ratios, criterion, stratify, groups, filled, rows };
        CrossValidation { plan, rule: Rule::Min }
    }
}

impl CrossValidation {
    /// Sets K.
    pub fn folds(mut self, folds: usize) -> Self {
        self.plan.folds = folds;
        self
    }

    /// Sets the lambdas: `points` from lambda_max to lambda_max / `ratio`.
    pub fn path(mut self, points: usize, ratio: f64) -> Self {
        (self.plan.points, self.plan.ratio) = (points, ratio);
        self
    }

    /// Sets the seed of the assignment of rows to folds.
    pub fn seed(mut self, seed: u64) -> Self {
        self.plan.seed = seed;
        self
    }

    /// Tells which values of the data were missing and filled with means: each fold fills them with the means
    /// of the rows that it trains on.
    pub fn filled(mut self, filled: Vec<Filled>) -> Self {
        self.plan.filled = filled;
        self
    }

    /// Sets weights and offsets of the n rows, where there are some: see
    /// [`Problem::weights`](crate::Problem::weights) and [`Problem::offset`](crate::Problem::offset). Errors
    /// on rows held out are weighted means.
    pub fn rows(mut self, weights: Option<Vec<f64>>, offset: Option<Vec<f64>>) -> Self {
        self.plan.rows = RowTerms { weights, offset };
        self
    }

    /// Sets the l1 ratios to choose from; none for that of the Lasso.
    pub fn l1_ratios(mut self, l1_ratios: Vec<f64>) -> Self {
        self.plan.l1_ratios = l1_ratios;
        self
    }

    /// Sets what the rows held out are measured by.
    pub fn criterion(mut self, criterion: Criterion) -> Self {
        self.plan.criterion = criterion;
        self
    }

    /// Sets whether every fold gets its part of every class.
    pub fn stratify(mut self, stratify: bool) -> Self {
        self.plan.stratify = Some(stratify);
        self
    }

    /// Keeps rows together: a number for each row, those of one number in one fold.
    pub fn groups(mut self, groups: Vec<u32>) -> Self {
        self.plan.groups = Some(groups);
        self
    }

    /// Sets which lambda is chosen.
    pub fn rule(mut self, rule: Rule) -> Self {
        self.rule = rule;
        self
    }

    /// Fits the folds side by side on the workers of the Lasso, then all rows at the chosen l1 ratio and
    /// lambda. `x` has n rows and p columns on their original scale, `y` n values.
    ///
    /// # Errors
    /// If a parameter is out of its range, the data cannot be fitted, no column varies with the response, a
    /// run fails, or a fold's path cannot be certified to its end.
    pub fn fit(self, x: Matrix, y: Vec<f64>, preparation: Preparation) -> Result<CrossValidated, LassoError> {
        let (rule, workers) = (self.rule, self.plan.lasso.workers.max(1));
        let mut folds = self.start(x, y, preparation)?;
        let lanes = workers.min(folds.count());
        let work = |number| match folds.fitted(number, workers / lanes) {
            Ok(done) => ControlFlow::Continue(Ok(done)),
            Err(why) => ControlFlow::Break(Err(why)),
        };
        let done = side_by_side(lanes, folds.count(), work);
        let mut reports = Vec::with_capacity(folds.count());
        for (report, scores) in
            done.into_iter().flatten().collect::<Result<Vec<_>, _>>()?.into_iter().flatten()
        {
            reports.push(report);
            folds.add(scores)?;
        }
        let curves = folds.curves()?;
        let best = Curve::best(&curves);
        let curve = curves[best].clone();
        let fit = folds.all(best, curve.choose(rule).lambda).fit(folds.problem())?;
        Ok(CrossValidated { fit, curve, curves, worst_gap: folds.worst_gap(), folds: reports })
    }

    /// Cuts the rows into folds and sets the lambdas; what remains of [`fit`](CrossValidation::fit) is for
    /// the caller, who may limit, observe and end each run.
    ///
    /// # Errors
    /// If a parameter is out of its range, the data cannot be fitted, or no column varies with the response.
    pub fn start(self, x: Matrix, y: Vec<f64>, preparation: Preparation) -> Result<Folds, LassoError> {
        Folds::new(self.plan, x, y, preparation)
    }
}

impl Folds {
    /// Fits and scores every l1 ratio on a fold.
    fn fitted(&self, number: usize, workers: usize) -> Result<Vec<(RunReport, FoldScores)>, LassoError> {
        let fold = self.fold(number)?;
        let path = |ratio| {
            let outcome = self.engine(&fold, ratio)?.workers(workers).run()?;
            Ok((outcome.report.clone(), self.score(&fold, ratio, outcome)?))
        };
        (0..self.l1_ratios().len()).map(path).collect()
    }
}
