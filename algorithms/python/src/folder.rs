//! Folders of models of all programs.

use std::path::PathBuf;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use raddle::files::{FileError, ModelFolder, NewModel};
use serde::Serialize;

use crate::error::{bad_value, file_error};

/// Returns the name of the program whose model is in a folder.
#[pyfunction]
pub(crate) fn program_of(folder: PathBuf) -> PyResult<String> {
    ModelFolder::program_of(&folder).map_err(file_error)
}

/// Returns the metadata of a model as JSON.
pub(crate) fn as_json(about: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(about).map_err(|why| bad_value(why.to_string()))
}

/// Returns (number, coefficient) pairs from an array of numbers and one of coefficients.
pub(crate) fn numbered(of: &(PyReadonlyArray1<'_, u32>, PyReadonlyArray1<'_, f64>)) -> Vec<(u32, f64)> {
    of.0.as_array().iter().copied().zip(of.1.as_array().iter().copied()).collect()
}

/// Writes a model of a program to its own folder, or replaces the one in the folder.
pub(crate) fn save(
    (folder, replaces): (PathBuf, bool),
    program: &str,
    write: impl FnOnce(&mut NewModel) -> Result<(), FileError>,
) -> PyResult<()> {
    let open = if replaces { NewModel::replace } else { NewModel::create };
    let saved = || {
        let mut model = open(&folder)?;
        write(&mut model)?;
        model.commit(program, env!("CARGO_PKG_VERSION"))
    };
    saved().map_err(file_error)
}
