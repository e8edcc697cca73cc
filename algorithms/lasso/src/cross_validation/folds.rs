//! [`Folds`]: a cross-validation whose fits the caller runs.

use std::sync::{Arc, OnceLock};

use raddle::{Ending, Engine, Outcome};
use raddle_common::number;
use raddle_datasets::Matrix;
use raddle_tabular::folds::FoldTable;

use super::criterion::Truth;
use super::curve::{Curve, FoldScores};
use super::plan::{CrossValidation, Grid};
use super::splits::refused;
use crate::data::preparation::Preparation;
use crate::data::problem::{Problem, score_bytes};
use crate::error::LassoError;
use crate::lambdas::{Course, share};
use crate::model::{Fit, Point};
use crate::params::Lasso;
use crate::predict::predict;
use crate::run::program::LassoProgram;

/// The first lambda of a path if no column varies with the response, as in scikit-learn.
const FLAT: f64 = 1e-15;

/// The folds of a [`CrossValidation`]: their problems, and the errors gathered so
/// far.
///
/// ```
/// use raddle_lasso::{Lasso, Preparation, Rule};
///
/// let data = raddle_datasets::embedded::diabetes();
/// let cv = Lasso::params().cv().folds(3).path(20, 100.0);
/// let mut folds = cv.start(data.x, data.y, Preparation::default())?;
/// for number in 0..folds.count() {
///     let fold = folds.fold(number)?; // in any order, on any thread
///     let outcome = folds.engine(&fold, 0)?.workers(2).run()?; // any limits, any observer
///     folds.add(folds.score(&fold, 0, outcome)?)?;
/// }
/// let lambda = folds.curves()?[0].choose(Rule::OneSe).lambda;
/// let fit = folds.all(0, lambda).fit(folds.problem())?;
/// assert!(fit.report.metric.is_reached());
/// # Ok::<(), raddle_lasso::LassoError>(())
/// ```
#[derive(Debug)]
pub struct Folds {
    plan: CrossValidation,
    table: FoldTable,
    preparation: Preparation,
    /// All rows, prepared when first asked for, as the folds need the memory before.
    problem: OnceLock<Problem>,
    classes: Option<[f64; 2]>,
    /// The values of a response of classes, ascending; empty for other responses.
    labels: Vec<f64>,
    l1_ratios: Vec<f64>,
    /// The lambdas of each l1 ratio.
    lambdas: Vec<Vec<f64>>,
    /// Scores by l1 ratio, then by fold.
    scores: Vec<Option<FoldScores>>,
}

/// The held-out rows of a fold, and the problem on the other rows.
#[derive(Debug)]
pub struct Fold {
    number: usize,
    problem: Problem,
}

impl Folds {
    pub(crate) fn new(
        mut plan: CrossValidation,
        x: Matrix,
        y: Vec<f64>,
        preparation: Preparation,
    ) -> Result<Self, LassoError> {
        let refuse = |name, value: String, range| Err(LassoError::Parameter { name, value, range });
        let Preparation::Standard { .. } = preparation else {
            let range = "cross-validation needs coefficients on the original scale, which this does not give";
            return refuse("mode", format!("{preparation:?}"), range);
        };
        match &plan.grid {
            Grid::Even { points: 0, .. } => {
                return refuse("points", "0".into(), "a path needs at least 1 point");
            }
            Grid::Even { ratio, .. } if !(*ratio >= 1.0 && ratio.is_finite()) => {
                return refuse("ratio", number(*ratio), "it must be a number of at least 1");
            }
            Grid::Even { .. } => {}
            Grid::Given(lambdas) => plan.lasso.clone().course(Course::Given(Arc::clone(lambdas))).check()?,
        }
        let problem = Problem::new(x.clone(), y.clone(), preparation)?.with_values(plan.rows.clone())?;
        plan.check_count(problem.rows())?;
        let l1_ratios = match plan.l1_ratios.is_empty() {
            true => vec![plan.lasso.l1_ratio],
            false => plan.l1_ratios.clone(),
        };
        let folds = plan.cut(&problem)?;
        let scores = vec![None; l1_ratios.len() * plan.folds];
        let labels = match plan.lasso.loss.has_classes() {
            true => problem.labels(),
            false => Vec::new(),
        };
        let (values, filled) = (std::mem::take(&mut plan.rows), std::mem::take(&mut plan.filled));
        let (table, all) = (FoldTable { x, y, values, filled, folds }, OnceLock::new());
        let (classes, lambdas) = (problem.classes(), Vec::new());
        let mut folds =
            Self { plan, table, preparation, problem: all, classes, labels, l1_ratios, lambdas, scores };
        folds.lambdas =
            folds.l1_ratios.iter().map(|&ratio| folds.grid(&problem, ratio)).collect::<Result<_, _>>()?;
        Ok(folds)
    }

    /// Returns the lambdas of an l1 ratio, for the problem on all rows.
    fn grid(&self, problem: &Problem, l1_ratio: f64) -> Result<Vec<f64>, LassoError> {
        let lasso = self.plan.lasso.clone().l1_ratio(l1_ratio);
        lasso.check()?;
        let (points, ratio) = match &self.plan.grid {
            Grid::Even { points, ratio } => (*points, *ratio),
            Grid::Given(lambdas) => return Ok(lambdas.to_vec()),
        };
        let first = match self.is_flat(problem) {
            true => FLAT,
            false => match lasso.lambda_max(problem)? {
                0.0 => self.largest_of_folds(&lasso)?.max(FLAT),
                largest => largest,
            },
        };
        Ok((0..points).map(|at| first * share(at, points, ratio)).collect())
    }

    /// `true` if the intercept alone fits the response, up to rounding.
    fn is_flat(&self, problem: &Problem) -> bool {
        let mut counted = problem.counted(&self.table.y);
        let first = counted.next();
        let has_intercept = matches!(self.preparation, Preparation::Standard { intercept: true, .. });
        has_intercept && problem.offset.is_none() && counted.all(|value| Some(value) == first)
    }

    /// Returns the largest lambda_max of the folds.
    fn largest_of_folds(&self, lasso: &Lasso) -> Result<f64, LassoError> {
        (0..self.count()).try_fold(0.0, |largest: f64, number| {
            let of_fold = lasso.lambda_max(&self.fold(number)?.problem);
            Ok(largest.max(of_fold.map_err(|why| self.in_fold(number, why))?))
        })
    }

    /// K, the number of folds.
    pub fn count(&self) -> usize {
        self.plan.folds
    }

    /// Returns the problem on all rows, which sets the lambdas. It is prepared at the first call: call it
    /// best after the folds.
    pub fn problem(&self) -> &Problem {
        let FoldTable { x, y, values, .. } = &self.table;
        let again = || Problem::new(x.clone(), y.clone(), self.preparation)?.with_values(values.clone());
        self.problem.get_or_init(|| again().expect("these rows were prepared before the folds were cut"))
    }

    /// Returns the distinct values of a response of classes, ascending; empty for other responses.
    pub fn labels(&self) -> &[f64] {
        &self.labels
    }

    /// Returns the bytes that the rows take in a fit of all of them, as [`Problem::score_bytes`] counts them,
    /// with scores for each of the [`labels`](Self::labels). No [`problem`](Self::problem) is prepared for
    /// it.
    pub fn score_bytes(&self) -> usize {
        score_bytes(self.table.y.len(), self.labels.len())
    }

    /// Returns the l1 ratios to choose from.
    pub fn l1_ratios(&self) -> &[f64] {
        &self.l1_ratios
    }

    /// Returns the lambdas of an l1 ratio (by position), falling: the same in every fold.
    pub fn lambdas(&self, ratio: usize) -> &[f64] {
        &self.lambdas[ratio]
    }

    /// Returns the rows (from 0, ascending) that fold `number` (from 0) holds out.
    pub fn held_out(&self, number: usize) -> &[usize] {
        &self.table.folds[number].test
    }

    /// Returns fold `number` (from 0), centred and scaled again on its training rows: the rows that it does
    /// not hold out, or the training rows of its [`Split`](crate::Split).
    ///
    /// # Errors
    /// If these rows cannot be prepared.
    pub fn fold(&self, number: usize) -> Result<Fold, LassoError> {
        let (x, y, values) = self.table.training(number);
        let problem = Problem::new(x, y, self.preparation).and_then(|problem| problem.with_values(values));
        Ok(Fold { number, problem: problem.map_err(|why| self.in_fold(number, why))? })
    }

    /// Returns the run that fits the path of an l1 ratio (by position) on a fold, starting from zeros.
    ///
    /// # Errors
    /// If a parameter is out of its range.
    pub fn engine(&self, fold: &Fold, ratio: usize) -> Result<Engine<LassoProgram>, LassoError> {
        let course = match &self.plan.grid {
            Grid::Even { points, ratio: last } => {
                Course::Grid { first: self.lambdas[ratio][0], points: *points, ratio: *last }
            }
            Grid::Given(lambdas) => Course::Given(Arc::clone(lambdas)),
        };
        let lasso = self.plan.lasso.clone().l1_ratio(self.l1_ratios[ratio]).course(course).init(Vec::new());
        let epochs = self.plan.lasso.leave.and_then(|leave| leave.epochs);
        let lasso = lasso.frugal(true).whole_path(epochs);
        lasso.engine(&fold.problem).map_err(|why| match why {
            why @ LassoError::Parameter { .. } => why,
            why => self.in_fold(fold.number, why),
        })
    }

    fn in_fold(&self, number: usize, why: LassoError) -> LassoError {
        refused(&self.table.folds[number], number, self.plan.folds, why)
    }

    /// `true` if a run of [`engine`](Self::engine) has reached its last lambda.
    pub fn is_whole(&self, ratio: usize, outcome: &Outcome<LassoProgram>) -> bool {
        outcome.parts.pinned.solutions().len() == self.lambdas[ratio].len()
    }

    /// Measures the path of a finished run of [`engine`](Self::engine) on the held-out rows.
    ///
    /// # Errors
    /// If the run was interrupted, or ended otherwise before its last lambda.
    pub fn score(
        &self,
        fold: &Fold,
        ratio: usize,
        outcome: Outcome<LassoProgram>,
    ) -> Result<FoldScores, LassoError> {
        if outcome.report.ending == Ending::Interrupted {
            return Err(LassoError::Interrupted { fold: fold.number + 1, folds: self.plan.folds });
        }
        if !self.is_whole(ratio, &outcome) {
            let (fold, certified) = (fold.number + 1, outcome.parts.pinned.solutions().len());
            return Err(LassoError::Fold { fold, certified, points: self.lambdas[ratio].len() });
        }
        let fit = Fit::new(&fold.problem, outcome);
        // Predict from the matrix of all rows, unless missing values are filled for each fold: a copy of the
        // held-out rows would take memory, and a path takes longer to fit than to predict.
        let (table, held_out) = (&self.table, self.held_out(fold.number));
        let filled = (!table.filled.is_empty()).then(|| table.select(held_out, fold.number));
        let columns = table.x.cols();
        let predicted = |point: &Point, class: usize| -> Vec<f64> {
            let (intercept, coefficients) = point.of_class(columns, class);
            match &filled {
                Some(x) => predict(x, &coefficients, intercept),
                None => {
                    let scores = predict(&table.x, &coefficients, intercept);
                    held_out.iter().map(|&row| scores[row]).collect()
                }
            }
        };
        let y: Vec<f64> = held_out.iter().map(|&row| table.y[row]).collect();
        let weights = table.weights(fold.number);
        let classes = self.classes.filter(|_| fit.loss.has_classes());
        let truth = Truth { y: &y, weights: &weights, classes };
        let measure = |point: &Point| {
            if fit.loss.scores_each_class() {
                let scores: Vec<Vec<f64>> =
                    (0..self.labels.len()).map(|class| predicted(point, class)).collect();
                return self.plan.criterion.measure_classes(&y, &self.labels, &weights, &scores);
            }
            let scores = predicted(point, 0).into_iter().zip(held_out);
            let scores: Vec<f64> = scores.map(|(score, &row)| score + table.values.offset(row)).collect();
            self.plan.criterion.measure(fit.loss, truth, &scores)
        };
        Ok(FoldScores {
            place: (fold.number, ratio),
            rows: weights.iter().sum(),
            means: fit.points.iter().map(measure).collect(),
            sizes: fit.points.iter().map(|point| point.coefficients.len()).collect(),
            worst_gap: fit.points.iter().map(|point| point.gap).fold(0.0, f64::max),
        })
    }

    /// Adds the scores of a path, in any order.
    ///
    /// # Errors
    /// If the scores are of another cross-validation.
    pub fn add(&mut self, scores: FoldScores) -> Result<(), LassoError> {
        let (fold, ratio) = scores.place;
        let fits = fold < self.plan.folds
            && ratio < self.l1_ratios.len()
            && scores.fits(self.table.weights(fold).iter().sum(), self.lambdas[ratio].len());
        if !fits {
            let range = "these scores are of another cross-validation";
            return Err(LassoError::Parameter { name: "folds", value: format!("{fold}"), range });
        }
        self.scores[ratio * self.plan.folds + fold] = Some(scores);
        Ok(())
    }

    /// Returns the largest relative duality gap of all points of the folds scored so far.
    pub fn worst_gap(&self) -> f64 {
        FoldScores::worst_gap(&self.scores)
    }

    /// Returns the curve of each l1 ratio over all folds.
    ///
    /// # Errors
    /// If a fold has not been scored.
    pub fn curves(&self) -> Result<Vec<Curve>, LassoError> {
        let curve = |(ratio, scores): (usize, &[Option<FoldScores>])| {
            let missing = scores.iter().position(Option::is_none);
            if let Some(fold) = missing {
                return Err(LassoError::Fold {
                    fold: fold + 1,
                    certified: 0,
                    points: self.lambdas[ratio].len(),
                });
            }
            let criterion = self.plan.criterion;
            let measure = (criterion.title(self.plan.lasso.loss), criterion.is_larger_better());
            let (series, scores) = (Some(self.l1_ratios[ratio]), scores.iter().flatten().collect::<Vec<_>>());
            Ok(Curve::new(measure, series, &self.lambdas[ratio], &scores))
        };
        self.scores.chunks(self.plan.folds).enumerate().map(curve).collect()
    }

    /// Returns the Lasso at one of the l1 ratios (by position) and lambdas, to be fitted on all rows.
    pub fn all(&self, ratio: usize, lambda: f64) -> Lasso {
        self.plan.lasso.clone().l1_ratio(self.l1_ratios[ratio]).lambda(lambda).frugal(true)
    }
}
