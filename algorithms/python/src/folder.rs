//! Folders of models, whatever the program.

use std::path::PathBuf;

use pyo3::prelude::*;
use raddle::files::ModelFolder;

use crate::error::file_error;

/// Name of the program whose model is in a folder.
#[pyfunction]
pub(crate) fn program_of(folder: PathBuf) -> PyResult<String> {
    ModelFolder::program_of(&folder).map_err(file_error)
}
