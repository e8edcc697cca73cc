//! Converts errors of the library to exceptions with Python's parameter names.

use pyo3::PyErr;
use raddle_mf::MfError;

use crate::error::{bad_parameter, bad_value, failed, no_memory};

/// Parameters with another name in Python.
const NAMES: [(&str, &str); 5] = [
    ("count-alone", "alpha"),
    ("reg", "regularization"),
    ("implicit", "alpha"),
    ("workers", "n_jobs"),
    ("schedule", "solver"),
];

/// Makes the exception for an error of the library.
pub(super) fn refused(error: MfError) -> PyErr {
    match error {
        MfError::Parameter { name, value, range } => bad_parameter(&NAMES, name, &value, range),
        MfError::Engine(error) => failed(&error),
        MfError::Memory(why) => no_memory(why),
        MfError::Empty => bad_value("there are no ratings to train on: give some, or hold fewer out"),
        error => bad_value(error),
    }
}
