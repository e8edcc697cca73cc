//! Cross-validation: folds side by side, each of which the caller can see and end.

use std::ops::ControlFlow;
use std::time::Instant;

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raddle::{RunReport, side_by_side};
use raddle_lasso::{Criterion, CrossValidation, Curve, CurvePoint, Fit, FoldScores, Folds, LassoError, Rule};

use super::GivenRows;
use super::asked::Asked;
use super::error::refused;
use super::result::as_dict;
use crate::arrays::GivenMatrix;
use crate::error::bad_value;
use crate::run::{self, Seconds, Watch, carry_out};

/// What a cross-validation is asked for.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct AskedFolds<'py> {
    folds: usize,
    points: usize,
    ratio: f64,
    seed: u64,
    rule: String,
    measure: String,
    l1_ratios: Vec<f64>,
    /// A number for each row.
    groups: Option<PyReadonlyArray1<'py, u32>>,
}

/// All folds are done, and all rows fitted.
struct Chosen {
    fit: Fit,
    curves: Vec<Curve>,
    best: usize,
    worst_gap: f64,
    folds: Vec<RunReport>,
}

/// The fit of all rows at the alpha that the folds choose, as a dict; `None` if the callback ended it before.
#[pyfunction]
pub(crate) fn cross_validate_lasso<'py>(
    x: GivenMatrix<'py>,
    rows: GivenRows<'py>,
    asked: Asked<'py>,
    asked_folds: AskedFolds<'py>,
    callback: Option<Bound<'py, PyAny>>,
    py: Python<'py>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let (cv, rule) = (asked_folds.over(&asked)?, named("rule", &asked_folds.rule, &Rule::NAMES)?);
    let (preparation, workers, epochs) = (asked.preparation(), asked.workers(), asked.max_iter);
    let started = Instant::now();
    let (x, rows) = (x.copied(py)?, rows.copied());
    let read = started.elapsed().as_secs_f64();
    let done = carry_out(py, callback.as_ref(), move |watch| {
        let started = Instant::now();
        let cv = cv.rows(rows.weights, rows.offset);
        let folds = cv.start(x, rows.y, preparation).map_err(refused)?;
        let (prepare, started) = (started.elapsed().as_secs_f64(), Instant::now());
        let chosen = Under { folds, watch, epochs }.chosen(rule, workers).map_err(refused)?;
        Ok(chosen.map(|chosen| (chosen, Seconds { read, prepare, fit: started.elapsed().as_secs_f64() })))
    })?;
    let Some((chosen, seconds)) = done else { return Ok(None) };
    let result = as_dict(py, &chosen.fit, seconds)?;
    result.set_item("best", chosen.best)?;
    result.set_item("l1_ratio", chosen.fit.l1_ratio)?;
    result.set_item("worst_gap", chosen.worst_gap)?;
    let each = |of: fn(&CurvePoint) -> f64| {
        chosen
            .curves
            .iter()
            .map(move |curve| curve.points.iter().map(of).collect::<Vec<f64>>().into_pyarray(py))
    };
    result.set_item("alphas", each(|point| point.lambda).collect::<Vec<_>>())?;
    result.set_item("means", each(|point| point.mean).collect::<Vec<_>>())?;
    result.set_item("errors", each(|point| point.se).collect::<Vec<_>>())?;
    let reports = chosen.folds.iter().map(|report| run::as_dict(py, report));
    result.set_item("folds", reports.collect::<PyResult<Vec<_>>>()?)?;
    Ok(Some(result))
}

impl AskedFolds<'_> {
    fn over(&self, asked: &Asked<'_>) -> PyResult<CrossValidation> {
        let criterion = named("measure", &self.measure, &Criterion::NAMES)?;
        let cv = asked.lasso()?.cv().folds(self.folds).path(self.points, self.ratio).seed(self.seed);
        let cv = cv.l1_ratios(self.l1_ratios.clone()).criterion(criterion);
        Ok(match &self.groups {
            Some(groups) => cv.groups(groups.as_array().to_vec()),
            None => cv,
        })
    }
}

/// What has this name.
fn named<T: Copy>(parameter: &str, name: &str, all: &[(&str, T)]) -> PyResult<T> {
    let found = all.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(known, _)| *known).collect();
        bad_value(format!("{parameter} is {name:?}: it must be one of {}", names.join(", ")))
    })
}

/// Folds that are fitted.
struct Under<'a> {
    folds: Folds,
    watch: &'a Watch,
    epochs: Option<u64>,
}

type FoldRuns = Vec<(RunReport, FoldScores)>;

impl Under<'_> {
    /// Fits the folds side by side, then all rows; `None` if the caller ends it amid the folds.
    fn chosen(mut self, rule: Rule, workers: usize) -> Result<Option<Chosen>, LassoError> {
        let workers = workers.max(1);
        let lanes = workers.min(self.folds.count());
        let work = |number| match self.fitted(number, workers / lanes) {
            Ok(Some(done)) => ControlFlow::Continue(Ok(Some(done))),
            end => ControlFlow::Break(end),
        };
        let mut done: Vec<FoldRuns> = Vec::new();
        for end in side_by_side(lanes, self.folds.count(), work).into_iter().flatten() {
            match end? {
                Some(runs) => done.push(runs),
                None => return Ok(None),
            }
        }
        if self.watch.is_over() {
            return Ok(None);
        }
        let mut reports = Vec::new();
        for (report, scores) in done.into_iter().flatten() {
            reports.push(report);
            self.folds.add(scores)?;
        }
        let curves = self.folds.curves()?;
        let best = Curve::best(&curves);
        let lasso = self.folds.all(best, curves[best].choose(rule).lambda);
        let fit = lasso.fit_with(self.folds.problem(), |engine| self.limited(engine))?;
        Ok(Some(Chosen { fit, curves, best, worst_gap: self.folds.worst_gap(), folds: reports }))
    }

    /// Fits and scores every l1 ratio on a fold.
    fn fitted(&self, number: usize, workers: usize) -> Result<Option<FoldRuns>, LassoError> {
        let fold = self.folds.fold(number)?;
        let mut runs = Vec::new();
        for ratio in 0..self.folds.l1_ratios().len() {
            let engine = self.folds.engine(&fold, ratio)?.workers(workers);
            let outcome = self.limited(engine).run()?;
            if self.watch.is_over() {
                return Ok(None);
            }
            runs.push((outcome.report.clone(), self.folds.score(&fold, ratio, outcome)?));
        }
        Ok(Some(runs))
    }

    fn limited<P: raddle::Program>(&self, engine: raddle::Engine<P>) -> raddle::Engine<P> {
        let engine = self.watch.over(engine);
        if let Some(epochs) = self.epochs { engine.epochs(epochs) } else { engine }
    }
}
