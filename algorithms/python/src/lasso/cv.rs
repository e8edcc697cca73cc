//! Cross-validation: folds are fitted in parallel, and the caller can observe and end each.

use std::time::Instant;

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raddle_lasso::{Criterion, CrossValidated, CrossValidation, CurvePoint, LassoError, Rule, Split};

use super::GivenRows;
use super::asked::Asked;
use super::error::refused;
use super::result::as_dict;
use crate::arrays::GivenMatrix;
use crate::error::named;
use crate::run::{self, Seconds, carry_out};

/// The parameters of a cross-validation.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct AskedFolds<'py> {
    folds: usize,
    /// Number of alphas and the ratio of the path's ends,
    path: (usize, f64),
    /// or the alphas.
    alphas: Option<PyReadonlyArray1<'py, f64>>,
    seed: u64,
    rule: String,
    measure: String,
    l1_ratios: Vec<f64>,
    /// Group of each row, as a number.
    groups: Option<PyReadonlyArray1<'py, u32>>,
    /// Training and test rows of each fold, instead of those from `folds` and `seed`.
    splits: Option<Vec<(PyReadonlyArray1<'py, u64>, PyReadonlyArray1<'py, u64>)>>,
}

/// Returns the fit of all rows at the alpha that the folds choose, as a dict; `None` if the callback ended it
/// earlier.
#[pyfunction]
pub(crate) fn cross_validate_lasso<'py>(
    x: GivenMatrix<'py>,
    rows: GivenRows<'py>,
    asked: Asked<'py>,
    asked_folds: AskedFolds<'py>,
    callback: Option<Bound<'py, PyAny>>,
    py: Python<'py>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let (cv, rule) = (asked_folds.over(&asked)?, asked_folds.rule()?);
    let (preparation, epochs) = (asked.preparation(), asked.max_iter);
    let started = Instant::now();
    let (x, (y, values)) = (x.copied(py)?, rows.copied());
    let read = started.elapsed().as_secs_f64();
    let done = carry_out(py, callback.as_ref(), move |watch| {
        let started = Instant::now();
        let cv = cv.rows(values.weights, values.offset);
        let chosen = cv.fit_with(x, y, preparation, |run, engine| {
            let engine = watch.over(engine);
            // In the paths of folds, the limit is per point.
            if let Some(epochs) = epochs.filter(|_| run.fold.is_none()) {
                engine.epochs(epochs)
            } else {
                engine
            }
        });
        match chosen {
            Ok(chosen) => {
                // Folds are prepared during the fits.
                Ok(Some((chosen, Seconds { read, prepare: 0.0, fit: started.elapsed().as_secs_f64() })))
            }
            Err(LassoError::Interrupted { .. }) => Ok(None),
            Err(error) => Err(refused(error)),
        }
    })?;
    let Some((chosen, seconds)) = done else { return Ok(None) };
    chosen_as_dict(py, &chosen, rule, seconds).map(Some)
}

fn chosen_as_dict<'py>(
    py: Python<'py>,
    chosen: &CrossValidated,
    rule: Rule,
    seconds: Seconds,
) -> PyResult<Bound<'py, PyDict>> {
    let result = as_dict(py, &chosen.fit, seconds)?;
    result.set_item("l1_ratio", chosen.fit.l1_ratio)?;
    result.set_item("worst_gap", chosen.worst_gap)?;
    // Taken from the curve, as that of the fit was multiplied and divided by n.
    result.set_item("alpha", chosen.curve.choose(rule).lambda)?;
    let each = |of: fn(&CurvePoint) -> f64| {
        chosen
            .curves
            .iter()
            .map(move |curve| curve.points.iter().map(of).collect::<Vec<f64>>().into_pyarray(py))
    };
    result.set_item("alphas", each(|point| point.lambda).collect::<Vec<_>>())?;
    result.set_item("means", each(|point| point.mean).collect::<Vec<_>>())?;
    result.set_item("errors", each(|point| point.se).collect::<Vec<_>>())?;
    let folds = chosen.curves.iter().map(|curve| curve.folds.clone());
    result.set_item("scores", folds.collect::<Vec<_>>())?;
    let reports = chosen.folds.iter().map(|report| run::as_dict(py, report));
    result.set_item("folds", reports.collect::<PyResult<Vec<_>>>()?)?;
    Ok(result)
}

impl AskedFolds<'_> {
    fn rule(&self) -> PyResult<Rule> {
        named("rule", &self.rule, &Rule::NAMES)
    }

    fn over(&self, asked: &Asked<'_>) -> PyResult<CrossValidation> {
        let criterion = named("measure", &self.measure, &Criterion::NAMES)?;
        let cv = asked.lasso()?.whole_path(asked.max_iter).cv().folds(self.folds).seed(self.seed);
        let cv = match &self.alphas {
            Some(alphas) => cv.lambdas(alphas.as_array().to_vec()),
            None => cv.path(self.path.0, self.path.1),
        };
        let cv = cv.l1_ratios(self.l1_ratios.clone()).criterion(criterion).rule(self.rule()?);
        let rows =
            |given: &PyReadonlyArray1<'_, u64>| given.as_array().iter().map(|&row| row as usize).collect();
        Ok(match (&self.splits, &self.groups) {
            (Some(splits), _) => cv.splits(
                splits.iter().map(|(train, test)| Split { train: rows(train), test: rows(test) }).collect(),
            ),
            (None, Some(groups)) => cv.groups(groups.as_array().to_vec()),
            (None, None) => cv,
        })
    }
}
