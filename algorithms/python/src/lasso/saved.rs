//! Models of `raddle.lasso` in folders, as the program `lasso` writes and reads them.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raddle_lasso::Fit;
use raddle_lasso::files::{About, Features, ModelFacts as _, Saved};

use crate::error::{bad_value, file_error};
use crate::folder::{Numbered, as_json, save};

/// Returns the metadata of a fit as JSON: those of `model.json`, without names.
pub(super) fn about(fit: &Fit) -> PyResult<String> {
    as_json(&About::new(fit, &Features::default()))
}

/// Writes a model of one alpha to its own folder, or replaces the one in the folder. Coefficients are given
/// with their numbers.
#[pyfunction]
pub(crate) fn save_lasso(
    folder: PathBuf,
    about: &str,
    coefficients: Numbered<'_>,
    dual: PyReadonlyArray1<'_, f64>,
    replaces: bool,
) -> PyResult<()> {
    let about: About = serde_json::from_str(about).map_err(|why| bad_value(why.to_string()))?;
    about.check().map_err(bad_value)?;
    let coefficients = about.schema().layout().of_data(&coefficients.pairs());
    let saved = Saved { about, coefficients, digest: String::new() };
    save(folder, replaces, "lasso", |model| saved.write(model, &dual.as_array().to_vec()))
}

/// Reads a model; for a path, the given point or the last one.
#[pyfunction]
pub(crate) fn open_lasso(folder: PathBuf, point: Option<u64>, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let saved = match point {
        None => Saved::open(&folder),
        Some(point) => Saved::open_point(&folder, point),
    };
    let saved = saved.map_err(file_error)?;
    let fitted = saved.about.schema().layout().of_fit(&saved.coefficients);
    let (numbers, values): (Vec<u32>, Vec<f64>) = fitted.into_iter().unzip();
    let result = PyDict::new(py);
    result.set_item("about", as_json(&saved.about)?)?;
    result.set_item("columns", numbers.into_pyarray(py))?;
    result.set_item("values", values.into_pyarray(py))?;
    result.set_item("digest", saved.model_digest())?;
    Ok(result)
}
