//! Converts a fit to a dict of arrays.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raddle_lasso::Fit;

use super::saved::about;
use crate::run::{Seconds, report_as_dict};

/// Returns the fit as a dict.
pub(super) fn as_dict<'py>(py: Python<'py>, fit: &Fit, seconds: Seconds) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    result.set_item("alpha", fit.lambda)?;
    result.set_item("alpha_max", fit.lambda_max)?;
    result.set_item("columns", columns(&fit.coefficients).into_pyarray(py))?;
    result.set_item("values", values(&fit.coefficients).into_pyarray(py))?;
    result.set_item("intercepts", intercepts(fit.intercept, &fit.intercepts).into_pyarray(py))?;
    result.set_item("dual", fit.dual.clone().into_pyarray(py))?;
    result.set_item("digest", fit.digest())?;
    result.set_item("about", about(fit)?)?;
    result.set_item("iterations", fit.report.epochs)?;
    result.set_item("gradient", fit.gradient)?;
    result.set_item("gap", fit.report.metric.value)?;
    result.set_item("is_reached", fit.report.metric.is_reached())?;
    let points = fit.points.iter().map(|point| {
        let entry = PyDict::new(py);
        entry.set_item("alpha", point.lambda)?;
        entry.set_item("gap", point.gap)?;
        entry.set_item("columns", columns(&point.coefficients).into_pyarray(py))?;
        entry.set_item("values", values(&point.coefficients).into_pyarray(py))?;
        entry.set_item("intercepts", intercepts(point.intercept, &point.intercepts).into_pyarray(py))?;
        Ok(entry)
    });
    result.set_item("points", points.collect::<PyResult<Vec<_>>>()?)?;
    result.set_item("report", report_as_dict(py, &fit.report, seconds)?)?;
    Ok(result)
}

fn columns(coefficients: &[(u32, f64)]) -> Vec<u32> {
    coefficients.iter().map(|&(column, _)| column).collect()
}

fn values(coefficients: &[(u32, f64)]) -> Vec<f64> {
    coefficients.iter().map(|&(_, value)| value).collect()
}

/// Returns one intercept, or those of the classes.
fn intercepts(one: f64, classes: &[f64]) -> Vec<f64> {
    if classes.is_empty() { vec![one] } else { classes.to_vec() }
}
