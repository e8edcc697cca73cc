//! Errors of a fit in the terms of the command line: with the file, and the names of columns and classes.

use raddle_cli::Error;
use raddle_datasets::Occurring;
use raddle_lasso::LassoError;
use raddle_lasso::files::Features;
use raddle_tabular::cli::class_text;

use super::features::some;

/// Classifies an error: a parameter out of range is bad usage, data that cannot be fitted are bad input, and
/// anything else is a failure.
pub(crate) fn refuse(error: LassoError) -> Error {
    match error {
        LassoError::Parameter { .. } => Error::usage(format!("--{error}")),
        LassoError::Engine(error) => Error::from(error),
        error => Error::input(error),
    }
}

/// Adds to an error the file, and the name of the column or the classes at fault.
pub(crate) fn refuse_named(error: LassoError, file: &str, features: &Features) -> Error {
    let names = features.names.as_deref();
    let error = renumbered(error, features.occurring.as_ref());
    let column = match error {
        LassoError::Parameter { .. } | LassoError::Engine(_) | LassoError::Read(_) => return refuse(error),
        LassoError::Column { column, .. }
        | LassoError::NotFinite { column: Some(column), .. }
        | LassoError::FreeBounds { column }
        | LassoError::GroupFactor { column } => Some(column),
        LassoError::Classes { .. } | LassoError::Labels { .. } => {
            return match &features.classes {
                Some(texts) => Error::input(format!("{file}: {error}; these are {}", some(texts))),
                None => Error::input(format!("{file}: {error}")),
            };
        }
        LassoError::InFold { ref why, .. } if matches!(**why, LassoError::NoClass { .. }) => {
            let LassoError::NoClass { class } = **why else { return refuse(error) };
            return Error::input(format!(
                "{file}: {error}{}",
                class_text(features.classes.as_deref(), class)
            ));
        }
        LassoError::FoldClass { class, .. } => {
            return Error::input(format!(
                "{file}: {error}{}",
                class_text(features.classes.as_deref(), class)
            ));
        }
        _ => None,
    };
    match column.and_then(|column| names?.get(column - 1)).filter(|name| !name.is_empty()) {
        Some(name) => Error::input(format!("{file}: column `{name}`: {error}")),
        None => Error::input(format!("{file}: {error}")),
    }
}

/// Replaces the number of a fitted column by its number in the data.
fn renumbered(mut error: LassoError, occurring: Option<&Occurring>) -> LassoError {
    let Some(occurring) = occurring else { return error };
    if let LassoError::Column { column, .. }
    | LassoError::NotFinite { column: Some(column), .. }
    | LassoError::FreeBounds { column }
    | LassoError::GroupFactor { column } = &mut error
    {
        *column = occurring.number(*column as u32 - 1) as usize + 1;
    }
    error
}
