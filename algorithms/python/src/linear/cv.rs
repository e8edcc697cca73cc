//! Cross-validation: folds are fitted in parallel, each at every C.

use std::time::Instant;

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raddle_linear::{CrossValidation, CurvePoint, Measure, Rule};

use super::asked::Asked;
use super::error::refused;
use super::result::as_dict;
use super::{GivenRows, spread};
use crate::arrays::GivenMatrix;
use crate::error::named;
use crate::run::{Seconds, carry_out};

/// The parameters of a cross-validation.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct AskedFolds<'py> {
    folds: usize,
    costs: Vec<f64>,
    rule: String,
    measure: String,
    seed: u64,
    /// Group of each row, as a number.
    groups: Option<PyReadonlyArray1<'py, u32>>,
}

/// Returns the fit of all rows at the C that the folds choose, as a dict.
#[pyfunction]
pub(crate) fn cross_validate_linear<'py>(
    x: GivenMatrix<'py>,
    rows: GivenRows<'py>,
    asked: Asked<'py>,
    folds: AskedFolds<'py>,
    py: Python<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let rule = named("rule", &folds.rule, &Rule::NAMES)?;
    let measure = named("measure", &folds.measure, &Measure::NAMES)?;
    let (bias, epochs) = (asked.bias(), asked.max_iter);
    let started = Instant::now();
    let ((x, occurring), y) = (x.occurring(py)?, rows.y.as_array().to_vec());
    let read = started.elapsed().as_secs_f64();
    let cv =
        asked.linear(occurring.as_ref())?.cv().bias(bias).scaled(asked.standardize).workers(asked.workers);
    let cv = cv.folds(folds.folds).costs(folds.costs).rule(rule).measure(measure).seed(folds.seed);
    let cv = cv.given(folds.groups.map(|groups| groups.as_array().to_vec()), CrossValidation::groups);
    let weights = rows.sample_weight.as_ref().map(|given| given.as_array().to_vec());
    let cv = cv.given(weights, CrossValidation::weights).given(epochs, CrossValidation::epochs);
    let (chosen, seconds) = carry_out(py, None, move |watch| {
        let started = Instant::now();
        let chosen = cv.fit_with(x, y, |engine| watch.over(engine)).map_err(refused)?;
        Ok((chosen, Seconds { read, prepare: 0.0, fit: started.elapsed().as_secs_f64() }))
    })?;
    let result = as_dict(py, &spread(chosen.fit, occurring.as_ref()), seconds)?;
    let each = |of: fn(&CurvePoint) -> f64| {
        chosen.curve.points.iter().map(of).collect::<Vec<f64>>().into_pyarray(py)
    };
    result.set_item("worst_gap", chosen.worst_gap)?;
    result.set_item("costs", each(|point| point.c))?;
    result.set_item("means", each(|point| point.mean))?;
    result.set_item("errors", each(|point| point.se))?;
    Ok(result)
}
