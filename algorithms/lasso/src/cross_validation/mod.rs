//! [`CrossValidation`]: lambda chosen by the error on rows that were held out.

pub(crate) mod curve;
pub(crate) mod folds;
pub(crate) mod rows;

use raddle::RunReport;
use raddle_datasets::{Filled, Matrix};

use crate::data::problem::Preparation;
use crate::error::LassoError;
use crate::model::Fit;
use crate::params::Lasso;
use curve::{Curve, Rule};
use folds::{Folds, Plan};
use rows::RowTerms;

/// A Lasso whose lambda is chosen by K-fold cross-validation: its parameters, unchecked until they are used.
///
/// The rows are put in an order that the seed fixes and cut into K even folds. For each fold, a path of lambdas is
/// fitted on the other rows, centred and scaled by these alone, and every point of it is certified; its error is
/// measured on the fold. The lambdas are the same everywhere, from lambda_max of all rows down, as in glmnet. The
/// mean over all rows and its standard error make a [`Curve`]; at the lambda that the rule chooses, all rows are
/// fitted once more. (Hastie, Tibshirani and Friedman, "The Elements of Statistical Learning", 2nd edition, 7.10.)
///
/// | name | default | range | what it does |
/// |---|---|---|---|
/// | `folds` | 5 | 2 to n | K |
/// | `path` | 100 points, ratio 100 | >= 1, >= 1 | lambdas from lambda_max to lambda_max / ratio, evenly spaced in their logarithm |
/// | `seed` | 42 | | names the order of the rows |
/// | `rule` | `Min` | | which lambda of the curve is chosen |
///
/// All other parameters are those of the [`Lasso`] it was made from; its lambda is replaced, and coefficients to start
/// from are where the last fit starts. The result is the same, bit for bit, for any number of workers.
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

/// What a [`CrossValidation`] came to.
#[derive(Debug, Clone)]
pub struct CrossValidated {
    /// The fit of all rows at the chosen lambda, with its certificate.
    pub fit: Fit,
    /// The error on held-out rows for each lambda.
    pub curve: Curve,
    /// The largest relative duality gap of all points of all folds.
    pub worst_gap: f64,
    /// What the run of each fold counted.
    pub folds: Vec<RunReport>,
}

impl Lasso {
    /// Chooses lambda by cross-validation, with these parameters for every fit.
    pub fn cv(self) -> CrossValidation {
        let filled = Vec::new();
        let rows = RowTerms::default();
        let plan = Plan { lasso: self, folds: 5, points: 100, ratio: 100.0, seed: 42, filled, rows };
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

    /// Tells which values of the data were missing and filled with means: each fold fills them with the means of the rows
    /// that it trains on.
    pub fn filled(mut self, filled: Vec<Filled>) -> Self {
        self.plan.filled = filled;
        self
    }

    /// Sets weights and offsets of the n rows, where there are some: see [`Problem::weights`](crate::Problem::weights) and
    /// [`Problem::offset`](crate::Problem::offset). Errors on rows held out are weighted means.
    pub fn rows(mut self, weights: Option<Vec<f64>>, offset: Option<Vec<f64>>) -> Self {
        self.plan.rows = RowTerms { weights, offset };
        self
    }

    /// Sets which lambda is chosen.
    pub fn rule(mut self, rule: Rule) -> Self {
        self.rule = rule;
        self
    }

    /// Fits the folds one after the other, then all rows at the chosen lambda. `x` has n rows and p columns on their
    /// original scale, `y` n values.
    ///
    /// # Errors
    /// If a parameter is out of its range, the data cannot be fitted, no column varies with the response, a run fails,
    /// or a fold's path cannot be certified to its end.
    pub fn fit(self, x: Matrix, y: Vec<f64>, preparation: Preparation) -> Result<CrossValidated, LassoError> {
        let rule = self.rule;
        let mut folds = self.start(x, y, preparation)?;
        let mut reports = Vec::with_capacity(folds.count());
        for number in 0..folds.count() {
            let fold = folds.fold(number)?;
            let outcome = folds.engine(&fold)?.run()?;
            reports.push(outcome.report.clone());
            folds.score(&fold, outcome)?;
        }
        let curve = folds.curve()?;
        let fit = folds.all(curve.choose(rule).lambda).fit(folds.problem())?;
        Ok(CrossValidated { fit, curve, worst_gap: folds.worst_gap(), folds: reports })
    }

    /// Cuts the rows into folds and sets the lambdas; what remains of [`fit`](CrossValidation::fit) is for the caller,
    /// who may limit, observe and end each run.
    ///
    /// # Errors
    /// If a parameter is out of its range, the data cannot be fitted, or no column varies with the response.
    pub fn start(self, x: Matrix, y: Vec<f64>, preparation: Preparation) -> Result<Folds, LassoError> {
        Folds::new(self.plan, x, y, preparation)
    }
}
