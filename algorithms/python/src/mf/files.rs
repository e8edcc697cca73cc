//! Models in folders, as the program `mf` writes and reads them.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raddle_datasets::Ids;
use raddle_mf::files::{About, Saved, integer_ids};

use super::factorization::Factorization;
use crate::error::file_error;

/// Ids of rows: whole numbers, or texts.
#[derive(FromPyObject)]
pub(crate) enum GivenIds<'py> {
    Numbers(PyReadonlyArray1<'py, i64>),
    Texts(Vec<String>),
}

impl GivenIds<'_> {
    /// As the programs have them: whole numbers beyond 32 bits are texts.
    pub(super) fn copied(self) -> Ids {
        match self {
            Self::Texts(texts) => Ids::Names(texts),
            Self::Numbers(given) => {
                let given = given.as_array();
                let narrow: Option<Vec<u32>> = given.iter().map(|&id| u32::try_from(id).ok()).collect();
                narrow.map_or_else(|| Ids::Names(given.iter().map(i64::to_string).collect()), integer_ids)
            }
        }
    }
}

/// A model that the program or this package wrote: itself, and the facts about it as a dict.
#[pyfunction]
pub(crate) fn open_mf(py: Python<'_>, folder: PathBuf) -> PyResult<(Factorization, Bound<'_, PyDict>)> {
    let Saved { mut about, model } = py.detach(|| Saved::open(&folder)).map_err(file_error)?;
    let facts = PyDict::new(py);
    for (name, ids) in [("users", &mut about.users), ("items", &mut about.items)] {
        match std::mem::replace(ids, Ids::Dense(0)) {
            Ids::Dense(count) => {
                facts.set_item(name, (0..i64::from(count)).collect::<Vec<_>>().into_pyarray(py))
            }
            Ids::Integers(ids) => {
                facts.set_item(name, ids.into_iter().map(i64::from).collect::<Vec<_>>().into_pyarray(py))
            }
            Ids::Names(names) => facts.set_item(name, names),
        }?;
    }
    let About { rank, biases, implicit, reg, best_epoch, best, .. } = about;
    facts.set_item("rank", rank)?;
    facts.set_item("biases", biases)?;
    facts.set_item("alpha", implicit)?;
    facts.set_item("regularization", reg)?;
    facts.set_item("best_iteration", best_epoch)?;
    facts.set_item("validation_error", best)?;
    facts.set_item("learned", &about.learned)?;
    Ok((Factorization::of(Saved { about, model }, None), facts))
}
