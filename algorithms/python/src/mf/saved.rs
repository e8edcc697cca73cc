//! Models of `raddle.mf` in folders, as the program `mf` writes and reads them.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raddle_datasets::Ids;
use raddle_mf::Fit;
use raddle_mf::files::{About, Saved, integer_ids};

use super::factorization::Factorization;
use crate::error::{bad_value, file_error};
use crate::folder::as_json;

/// The ids of rows, in order.
#[derive(FromPyObject)]
pub(crate) enum GivenIds<'py> {
    /// The numbers from 0 to below this one.
    Count(u32),
    /// Whole numbers.
    Integers(PyReadonlyArray1<'py, i64>),
    /// Texts.
    Names(Vec<String>),
}

impl GivenIds<'_> {
    /// Converts the ids; numbers that the programs only know as texts become texts.
    fn copied(self) -> Ids {
        match self {
            Self::Count(count) => Ids::Dense(count),
            Self::Names(names) => Ids::Names(names),
            Self::Integers(ids) => {
                let ids = ids.as_array();
                let small: Option<Vec<u32>> = ids.iter().map(|&id| u32::try_from(id).ok()).collect();
                small.map_or_else(|| Ids::Names(ids.iter().map(i64::to_string).collect()), integer_ids)
            }
        }
    }
}

/// Returns the metadata of a fit as JSON: those of `model.json`, without ids.
pub(super) fn about(fit: &Fit, offset: f64) -> PyResult<String> {
    as_json(&About { offset, ..About::new(fit, Ids::Dense(0), Ids::Dense(0)) })
}

/// Writes a model to its own folder, or replaces the one in the folder. With `keeps_seen`, writes the rated
/// items of users, too, if known.
#[pyfunction]
pub(crate) fn save_mf(
    folder: PathBuf,
    about: &str,
    model: &Factorization,
    ids: (GivenIds<'_>, GivenIds<'_>),
    how: (bool, bool),
    py: Python<'_>,
) -> PyResult<()> {
    let (replaces, keeps_seen) = how;
    let about: About = serde_json::from_str(about).map_err(|why| bad_value(why.to_string()))?;
    let about = About { users: ids.0.copied(), items: ids.1.copied(), ..about };
    let saved = Saved { about, model: model.model(), seen: model.seen().filter(|_| keeps_seen) };
    let write = || if replaces { saved.replace(&folder) } else { saved.save(&folder) };
    py.detach(write).map_err(file_error)
}

/// Reads a model.
#[pyfunction]
pub(crate) fn open_mf(folder: PathBuf, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let Saved { mut about, model, seen } = py.detach(|| Saved::open(&folder)).map_err(file_error)?;
    let result = PyDict::new(py);
    for (name, ids) in [("users", &mut about.users), ("items", &mut about.items)] {
        match std::mem::replace(ids, Ids::Dense(0)) {
            Ids::Dense(count) => result.set_item(name, count)?,
            Ids::Integers(ids) => {
                let ids: Vec<i64> = ids.into_iter().map(i64::from).collect();
                result.set_item(name, ids.into_pyarray(py))?;
            }
            Ids::Names(names) => result.set_item(name, names)?,
        }
    }
    result.set_item("about", as_json(&about)?)?;
    result.set_item("digest", py.detach(|| model.digest()))?;
    result.set_item("model", Factorization::of(model, about.fold_in(), seen))?;
    Ok(result)
}
