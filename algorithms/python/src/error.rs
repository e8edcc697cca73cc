//! Errors as Python exceptions: a bad value is a `ValueError` that names Python's parameter, a failed run a
//! `RuntimeError`.

use std::any::Any;
use std::fmt::Display;

use pyo3::exceptions::{PyMemoryError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::{PyErr, PyResult};
use raddle::EngineError;
use raddle::files::FileError;

/// Makes the exception for a value, or data, that cannot be fitted.
pub(crate) fn bad_value(text: impl Display) -> PyErr {
    PyValueError::new_err(text.to_string())
}

/// Makes the exception for too little memory.
pub(crate) fn no_memory(text: impl Display) -> PyErr {
    PyMemoryError::new_err(text.to_string())
}

/// Makes the exception for a parameter out of range, by its name in Python.
pub(crate) fn bad_parameter(names: &[(&str, &str)], name: &str, value: &str, range: &str) -> PyErr {
    let here = names.iter().find(|(there, _)| *there == name).map_or(name, |(_, here)| here);
    bad_value(format!("{here} is {value}: {range}"))
}

/// Makes the exception for a failed run.
pub(crate) fn failed(error: &EngineError) -> PyErr {
    match error {
        EngineError::Setting(_) => bad_value(error),
        error => PyRuntimeError::new_err(error.to_string()),
    }
}

/// Makes the exception for a folder without such a model, or one that cannot be written.
pub(crate) fn file_error(error: FileError) -> PyErr {
    match error {
        FileError::Write { .. } => PyOSError::new_err(error.to_string()),
        FileError::Refused { .. } | FileError::Line { .. } => bad_value(error),
    }
}

/// Makes the exception for a panic, which is a bug in the library; the interpreter survives it.
pub(crate) fn panicked(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<&str>().copied().map(str::to_owned);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    PyRuntimeError::new_err(format!("the fit panicked, which is a fault of raddle: {text}"))
}

/// Returns the value with this name.
pub(crate) fn named<T: Copy>(parameter: &str, name: &str, all: &[(&str, T)]) -> PyResult<T> {
    let found = all.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(known, _)| *known).collect();
        bad_value(format!("{parameter} is {name:?}: it must be one of {}", names.join(", ")))
    })
}
