//! Models of `raddle.linear` in folders, as the program `linear` writes and reads them.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raddle_linear::Fit;
use raddle_linear::files::{About, Features, ModelFacts as _, Saved};

use crate::error::{bad_value, file_error};
use crate::folder::{Numbered, as_json, save};

/// Returns the metadata of a fit as JSON: those of `model.json`, without names.
pub(super) fn about(fit: &Fit) -> PyResult<String> {
    as_json(&About::new(fit, &Features::default()))
}

/// Writes a model to its own folder, or replaces the one in the folder. Coefficients are given with their
/// numbers, scorer by scorer; dual values have one row per scorer.
#[pyfunction]
pub(crate) fn save_linear(
    folder: PathBuf,
    about: &str,
    coefficients: Numbered<'_>,
    dual: PyReadonlyArray2<'_, f64>,
    replaces: bool,
) -> PyResult<()> {
    let about: About = serde_json::from_str(about).map_err(|why| bad_value(why.to_string()))?;
    about.check().map_err(bad_value)?;
    let dual = dual.as_array().rows().into_iter().map(|row| row.to_vec()).collect();
    let saved = Saved::new(about, &coefficients.pairs(), dual).map_err(bad_value)?;
    save(folder, replaces, "linear", |model| saved.write(model))
}

/// Reads a model.
#[pyfunction]
pub(crate) fn open_linear(folder: PathBuf, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let saved = Saved::open(&folder).map_err(file_error)?;
    let result = PyDict::new(py);
    let (mut scorers, digest) = (Vec::new(), saved.model_digest());
    for ((coefficients, dual), intercept) in
        saved.coefficients.into_iter().zip(saved.dual).zip(&saved.about.intercepts)
    {
        let entry = PyDict::new(py);
        let (columns, values): (Vec<u32>, Vec<f64>) = coefficients.into_iter().unzip();
        entry.set_item("columns", columns.into_pyarray(py))?;
        entry.set_item("values", values.into_pyarray(py))?;
        entry.set_item("intercept", *intercept)?;
        entry.set_item("dual", dual.into_pyarray(py))?;
        scorers.push(entry);
    }
    result.set_item("scorers", scorers)?;
    result.set_item("about", as_json(&saved.about)?)?;
    result.set_item("digest", digest)?;
    Ok(result)
}
