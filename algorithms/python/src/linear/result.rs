//! Converts a fit to a dict of arrays.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raddle_linear::Fit;

use super::saved::about;
use crate::run::{Seconds, report_as_dict};

/// Returns the fit as a dict.
pub(super) fn as_dict<'py>(py: Python<'py>, fit: &Fit, seconds: Seconds) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    let scorers = fit.scorers.iter().map(|scorer| {
        let entry = PyDict::new(py);
        let (columns, values): (Vec<u32>, Vec<f64>) = scorer.coefficients.iter().copied().unzip();
        entry.set_item("columns", columns.into_pyarray(py))?;
        entry.set_item("values", values.into_pyarray(py))?;
        entry.set_item("intercept", scorer.intercept)?;
        entry.set_item("dual", scorer.dual.clone().into_pyarray(py))?;
        entry.set_item("gap", scorer.gap)?;
        Ok(entry)
    });
    result.set_item("scorers", scorers.collect::<PyResult<Vec<_>>>()?)?;
    result.set_item("digest", fit.digest())?;
    result.set_item("about", about(fit)?)?;
    result.set_item("iterations", fit.report.epochs)?;
    result.set_item("gap", fit.gap())?;
    result.set_item("is_reached", fit.report.metric.is_reached())?;
    result.set_item("report", report_as_dict(py, &fit.report, seconds)?)?;
    Ok(result)
}
