//! [`CrossValidation`]: lambda chosen by the error on held-out rows.

pub(crate) mod criterion;
pub(crate) mod curve;
pub(crate) mod fold_run;
pub(crate) mod folds;
pub(crate) mod plan;
pub(crate) mod splits;

use std::ops::ControlFlow;

use raddle::{Engine, EngineError, EpochRecord, Reporter, RunReport, Stop, observed};
use raddle_datasets::Matrix;
use raddle_tabular::folds::{RowValues, fit_folds};

use crate::data::preparation::Preparation;
use crate::error::LassoError;
use crate::model::Fit;
use crate::params::Lasso;
use crate::run::program::LassoProgram;
use curve::{Curve, FoldScores};
use fold_run::FoldRun;
use folds::Folds;
use plan::{CrossValidation, Grid};

/// Result of a [`CrossValidation`].
#[derive(Debug, Clone)]
pub struct CrossValidated {
    /// The fit of all rows at the chosen lambda, with its certificate.
    pub fit: Fit,
    /// Errors of the held-out rows for each lambda, at the chosen l1 ratio.
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
        CrossValidation { lasso: self, ..CrossValidation::params() }
    }
}

impl CrossValidation {
    /// Sets the lambdas: `points` from lambda_max to lambda_max / `ratio`.
    pub fn path(self, points: usize, ratio: f64) -> Self {
        Self { grid: Grid::Even { points, ratio }, ..self }
    }

    /// Sets the lambdas to choose from: at least one, each a positive number.
    ///
    /// ```
    /// use raddle_lasso::{Lasso, Preparation};
    /// let data = raddle_datasets::embedded::diabetes();
    /// let cv = Lasso::params().cv().lambdas(vec![0.1, 1.0, 10.0]);
    /// let chosen = cv.fit(data.x, data.y, Preparation::default())?;
    /// assert_eq!(chosen.curve.points[0].lambda, 10.0);
    /// # Ok::<(), raddle_lasso::LassoError>(())
    /// ```
    pub fn lambdas(self, mut lambdas: Vec<f64>) -> Self {
        lambdas.sort_by(|a, b| b.total_cmp(a));
        Self { grid: Grid::Given(lambdas.into()), ..self }
    }

    /// Sets weights and offsets of the n rows, if any: see [`Problem::weights`](crate::Problem::weights) and
    /// [`Problem::offset`](crate::Problem::offset). Errors on held-out rows are then weighted means.
    pub fn rows(self, weights: Option<Vec<f64>>, offset: Option<Vec<f64>>) -> Self {
        Self { rows: RowValues { weights, offset }, ..self }
    }

    /// Fits the folds side by side on the workers of the Lasso, then all rows at the chosen l1 ratio and
    /// lambda. `x` has n rows and p columns on their original scale, `y` n values.
    ///
    /// # Errors
    /// If a parameter is out of its range, the data cannot be fitted, a run fails, or a limit ends a fold's
    /// path.
    pub fn fit(self, x: Matrix, y: Vec<f64>, preparation: Preparation) -> Result<CrossValidated, LassoError> {
        self.fit_with(x, y, preparation, |_, engine| engine)
    }

    /// Like [`fit`](CrossValidation::fit), on engines that `set` may change, on whichever thread each is run:
    /// limits, an observer, one [`Stop`] for all.
    ///
    /// # Errors
    /// The errors of [`fit`](CrossValidation::fit), and [`LassoError::Interrupted`] if a run on a fold was
    /// stopped; the last fit says so in its report.
    pub fn fit_with(
        self,
        x: Matrix,
        y: Vec<f64>,
        preparation: Preparation,
        set: impl Fn(FoldRun, Engine<LassoProgram>) -> Engine<LassoProgram> + Sync,
    ) -> Result<CrossValidated, LassoError> {
        let (rule, workers) = (self.rule, self.lasso.workers.max(1));
        let mut folds = self.start(x, y, preparation)?;
        let fitted = |number, workers| folds.fitted(number, workers, &set);
        let fitted = fit_folds(folds.count(), workers, fitted)?;
        let mut reports = Vec::with_capacity(folds.count());
        for (report, scores) in fitted.into_iter().flatten() {
            reports.push(report);
            folds.add(scores)?;
        }
        let curves = folds.curves()?;
        let best = Curve::best(&curves);
        let curve = curves[best].clone();
        let last = FoldRun { fold: None, l1_ratio: folds.l1_ratios()[best] };
        let lasso = folds.all(best, curve.choose(rule).lambda);
        let fit = lasso.fit_with(folds.problem(), |engine| set(last, engine))?;
        Ok(CrossValidated { fit, curve, curves, worst_gap: folds.worst_gap(), folds: reports })
    }

    /// Like [`fit`](CrossValidation::fit), with `observer` called on this thread with each epoch's record of
    /// all runs, as the records arrive; a [`Break`](ControlFlow::Break) ends all runs.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use raddle_lasso::{Lasso, LassoError, Preparation};
    /// let data = raddle_datasets::embedded::diabetes();
    /// let (cv, mut seen) = (Lasso::params().workers(2).cv(), 0);
    /// let ended = cv.fit_observed(data.x, data.y, Preparation::default(), |run, record| {
    ///     seen += 1; // no lock: all is seen here
    ///     match seen {
    ///         20 => ControlFlow::Break(()),
    ///         _ => ControlFlow::Continue(println!("{:?}: {:?}", run.fold, record.metric)),
    ///     }
    /// });
    /// assert!(matches!(ended, Err(LassoError::Interrupted { .. })));
    /// ```
    ///
    /// # Errors
    /// The errors of [`fit_with`](CrossValidation::fit_with).
    pub fn fit_observed(
        self,
        x: Matrix,
        y: Vec<f64>,
        preparation: Preparation,
        mut observer: impl FnMut(FoldRun, &EpochRecord) -> ControlFlow<()>,
    ) -> Result<CrossValidated, LassoError> {
        let fitted = |reporter: Reporter<(FoldRun, EpochRecord)>| {
            let stop = Stop::default();
            self.fit_with(x, y, preparation, |run, engine| {
                let (reporter, ends) = (reporter.clone(), stop.clone());
                engine.stop(stop.clone()).observe(move |record| {
                    if reporter.report((run, record.clone())).is_break() {
                        ends.request();
                    }
                })
            })
        };
        observed(fitted, |(run, record)| observer(run, &record))
    }

    /// Cuts the rows into folds and sets the lambdas; the caller then does the rest of
    /// [`fit`](CrossValidation::fit), and may limit, observe and end each run.
    ///
    /// # Errors
    /// If a parameter is out of its range, or the data cannot be fitted.
    pub fn start(self, x: Matrix, y: Vec<f64>, preparation: Preparation) -> Result<Folds, LassoError> {
        Folds::new(self, x, y, preparation)
    }
}

impl Folds {
    /// Fits and scores all l1 ratios on a fold.
    fn fitted(
        &self,
        number: usize,
        workers: usize,
        set: impl Fn(FoldRun, Engine<LassoProgram>) -> Engine<LassoProgram>,
    ) -> Result<Vec<(RunReport, FoldScores)>, LassoError> {
        let fold = self.fold(number)?;
        let path = |ratio| {
            let run = FoldRun { fold: Some(number), l1_ratio: self.l1_ratios()[ratio] };
            let outcome = set(run, self.engine(&fold, ratio)?.workers(workers)).run();
            let outcome = outcome.map_err(|why| match why {
                EngineError::BeforeBoundary { interrupted: true } => {
                    LassoError::Interrupted { fold: number + 1, folds: self.count() }
                }
                why => why.into(),
            })?;
            Ok((outcome.report.clone(), self.score(&fold, ratio, outcome)?))
        };
        (0..self.l1_ratios().len()).map(path).collect()
    }
}
