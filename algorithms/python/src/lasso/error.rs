//! Converts errors of the library to exceptions with Python's parameter names and hints.

use pyo3::PyErr;
use raddle_lasso::LassoError;

use crate::error::{bad_parameter, bad_value, failed, no_memory};

/// Parameters with another name in Python.
const NAMES: [(&str, &str); 8] = [
    ("lambda", "alpha"),
    ("lambdas", "alphas"),
    ("l1-ratio", "l1_ratio"),
    ("points", "alphas"),
    ("ratio", "1 / eps"),
    ("folds", "cv"),
    ("fold-by", "groups"),
    ("workers", "n_jobs"),
];

/// Makes the exception for an error of the library.
pub(super) fn refused(error: LassoError) -> PyErr {
    match error {
        LassoError::Parameter { name, value, range } => bad_parameter(&NAMES, name, &value, range),
        LassoError::Engine(error) => failed(&error),
        LassoError::Memory(why) => no_memory(why),
        error => bad_value(text(&error)),
    }
}

/// Returns a message that names no option of the program.
fn text(error: &LassoError) -> String {
    match error {
        LassoError::GroupBounds => {
            "groups cannot have bounds: leave out groups, or bounds and positive".into()
        }
        LassoError::Classes { count } | LassoError::Labels { count } => {
            let end = if *count == 1 { "" } else { "es" };
            format!("y has {count} class{end}: from 2 to 1000 can be told apart")
        }
        LassoError::InFold { fold, folds, why } => {
            format!("fold {fold} of {folds}: without its rows, {}; choose another cv", text(why))
        }
        LassoError::InSplit { split, splits, why } => {
            format!("split {split} of {splits}: on its training rows, {}; choose another cv", text(why))
        }
        LassoError::FoldClass { fold, folds, .. } => format!(
            "fold {fold} of {folds} holds out no row of one of the classes, so that it has no area under the \
             curve: choose another cv, or another measure"
        ),
        LassoError::FewRows { rows, folds } => {
            format!("cv is {folds}: so many folds need a row each, and n_samples = {rows}")
        }
        LassoError::Fold { fold, certified, points } => format!(
            "the path of fold {fold} came to {certified} of {points} alphas: give a larger eps or tol"
        ),
        error => error.to_string(),
    }
}
