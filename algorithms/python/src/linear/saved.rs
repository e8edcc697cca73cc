//! Models of `raddle.linear` in folders, as the program `linear` writes and reads them.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raddle::ModelDigest;
use raddle::files::{FileError, ModelFiles, NewModel};
use raddle_datasets::npy;
use raddle_lasso::files::{Features, write_coefficients};
use raddle_linear::Fit;
use raddle_linear::files::{About, Saved};

use crate::error::{bad_value, file_error};

/// Facts about a fit, as JSON: those of `model.json`, without names.
pub(super) fn about(fit: &Fit) -> PyResult<String> {
    as_json(&About::new(fit, &Features::default()))
}

fn as_json(about: &About) -> PyResult<String> {
    serde_json::to_string(about).map_err(|why| bad_value(why.to_string()))
}

/// Writes a model into a folder of its own, or in the place of the one that is there. Coefficients are given by their
/// numbers, those of a scorer behind those of the one before, dual values with a row for each scorer.
#[pyfunction]
pub(crate) fn save_linear(
    folder: PathBuf,
    about: &str,
    coefficients: (PyReadonlyArray1<'_, u32>, PyReadonlyArray1<'_, f64>),
    dual: PyReadonlyArray2<'_, f64>,
    replaces: bool,
) -> PyResult<()> {
    let about: About = serde_json::from_str(about).map_err(|why| bad_value(why.to_string()))?;
    about.check().map_err(bad_value)?;
    let (numbers, values) = (coefficients.0.as_array(), coefficients.1.as_array());
    let fitted: Vec<(u32, f64)> = numbers.iter().copied().zip(values.iter().copied()).collect();
    let dual: Vec<Vec<f64>> = dual.as_array().rows().into_iter().map(|row| row.to_vec()).collect();
    let open = if replaces { NewModel::replace } else { NewModel::create };
    let write = || {
        let mut model = open(&folder)?;
        write_files(&mut model, &about, &fitted, &dual)?;
        model.commit("linear", env!("CARGO_PKG_VERSION"))
    };
    write().map_err(file_error)
}

/// Writes the files of a model, as those of a fit are.
fn write_files(
    files: &mut impl ModelFiles,
    about: &About,
    fitted: &[(u32, f64)],
    dual: &[Vec<f64>],
) -> Result<(), FileError> {
    let names = about.feature_names.as_deref();
    files.write("coef.tsv", |out| write_coefficients(out, fitted, names, about.layout()))?;
    files.write("dual.npy", |out| {
        match dual {
            [one] => npy::header(out, "<f8", &[one.len()])?,
            all => npy::header(out, "<f8", &[all.len(), all.first().map_or(0, Vec::len)])?,
        }
        dual.iter().try_for_each(|values| npy::f64s(out, values))
    })?;
    files.write("model.json", |out| Ok(serde_json::to_writer_pretty(out, about)?))
}

/// Reads a model.
#[pyfunction]
pub(crate) fn open_linear(folder: PathBuf, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let saved = Saved::open(&folder).map_err(file_error)?;
    let result = PyDict::new(py);
    let (mut scorers, mut digest) = (Vec::new(), ModelDigest::default());
    for ((coefficients, dual), intercept) in
        saved.coefficients.into_iter().zip(saved.dual).zip(&saved.about.intercepts)
    {
        let entry = PyDict::new(py);
        let (columns, values): (Vec<u32>, Vec<f64>) = coefficients.into_iter().unzip();
        let numbers: Vec<u64> = columns.iter().map(|&column| column.into()).collect();
        digest = digest.u64s(&numbers).f64s(&values).f64s(&[*intercept]);
        entry.set_item("columns", columns.into_pyarray(py))?;
        entry.set_item("values", values.into_pyarray(py))?;
        entry.set_item("intercept", *intercept)?;
        entry.set_item("dual", dual.into_pyarray(py))?;
        scorers.push(entry);
    }
    result.set_item("scorers", scorers)?;
    result.set_item("about", as_json(&saved.about)?)?;
    // As of a fit.
    result.set_item("digest", digest.f64s(&[saved.about.c]).finish())?;
    Ok(result)
}
