//! Converts errors of the library to exceptions with Python's parameter names and hints.

use pyo3::PyErr;
use raddle_linear::LinearError;

use crate::error::{bad_parameter, bad_value, failed, no_memory};

/// Parameters with another name in Python.
const NAMES: [(&str, &str); 3] =
    [("bias", "intercept_scaling"), ("init", "warm_start"), ("workers", "n_jobs")];

/// Limit on the number of classes.
const MOST: usize = 1000;

/// Makes the exception for an error of the library.
pub(super) fn refused(error: LinearError) -> PyErr {
    match error {
        LinearError::Parameter { name, why } => {
            match why.strip_prefix("it is ").and_then(|why| why.split_once(": ")) {
                Some((value, range)) => bad_parameter(&NAMES, name, value, range),
                None => bad_value(format!("{name}: {why}")),
            }
        }
        LinearError::Engine(error) => failed(&error),
        LinearError::Memory(why) => no_memory(why),
        error => bad_value(text(&error)),
    }
}

/// Returns a message that names no option of the program. Classes have only numbers here.
fn text(error: &LinearError) -> String {
    match error {
        LinearError::OneClass { .. } => format!("y has 1 class: from 2 to {MOST} can be told apart"),
        LinearError::NoClasses { values, rows } if values > &MOST => {
            format!("y has {values} classes in {rows} rows: from 2 to {MOST} can be told apart")
        }
        LinearError::NoClasses { values, rows } if values == rows => {
            format!("y has another class in each of its {rows} rows: some must have a class in common")
        }
        LinearError::NoClasses { values, rows } => {
            format!("y has {values} classes in {rows} rows: more than 100 need two rows each, on average")
        }
        error => error.to_string(),
    }
}
