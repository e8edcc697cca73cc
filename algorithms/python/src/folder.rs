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

/// An array of numbers and one of the coefficients with these numbers.
#[derive(FromPyObject)]
pub(crate) struct Numbered<'py>(PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, f64>);

impl Numbered<'_> {
    /// Returns (number, coefficient) pairs.
    pub(crate) fn pairs(&self) -> Vec<(u32, f64)> {
        self.0.as_array().iter().copied().zip(self.1.as_array().iter().copied()).collect()
    }
}

/// Writes a model of a program to its own folder, or replaces the one in the folder.
pub(crate) fn save(
    folder: PathBuf,
    replaces: bool,
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
