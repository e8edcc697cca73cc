//! Converts ratings of Python to those of the library, and ids to numbers.

use std::collections::HashMap;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use raddle_datasets::ratings::{Exact, Narrowed, as_in_file};
use raddle_datasets::{Duplicates, Ids, Triples};

use crate::arrays::Compressed;
use crate::error::bad_value;

/// Ratings: three columns, or a matrix with one row per user.
#[derive(FromPyObject)]
pub(crate) enum GivenRatings<'py> {
    Columns(GivenColumns<'py>),
    Rows(Compressed<'py>),
}

/// Columns: rows of users and of items in a model, and values.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct GivenColumns<'py> {
    users: PyReadonlyArray1<'py, u32>,
    items: PyReadonlyArray1<'py, u32>,
    values: PyReadonlyArray1<'py, f64>,
    /// Numbers of users and of items.
    shape: (usize, usize),
    duplicates: String,
}

impl GivenRatings<'_> {
    /// Copies the ratings.
    ///
    /// # Errors
    /// If no rule for duplicates has this name, or indices are out of range.
    pub(super) fn copied(&self, py: Python<'_>) -> PyResult<Ratings> {
        match self {
            Self::Rows(rows) => {
                Ok(Ratings { shape: rows.shape(), observed: Observed::Single(triples(py, rows)?) })
            }
            Self::Columns(GivenColumns { users, items, values, shape, duplicates }) => {
                let rule = duplicates.parse().map_err(|why| bad_value(format!("duplicates: {why}")))?;
                let (users, items) = (users.as_array(), items.as_array());
                let (values, shape) = (values.as_array(), *shape);
                let exact = py.detach(|| Exact {
                    users: users.to_vec(),
                    items: items.to_vec(),
                    values: values.to_vec(),
                });
                Ok(Ratings { shape, observed: Observed::Exact(exact, rule) })
            }
        }
    }
}

/// Ratings, with the numbers of users and items.
pub(super) struct Ratings {
    pub(super) shape: (usize, usize),
    observed: Observed,
}

/// The observations from Python.
enum Observed {
    /// Each pair occurs once.
    Single(Triples),
    /// Observations in double precision, and the rule for repeated pairs.
    Exact(Exact, Duplicates),
}

impl Ratings {
    /// Merges repeated pairs and narrows the ratings to single precision, minus `offset`; `None` subtracts a
    /// number only if that makes the ratings more exact.
    ///
    /// # Errors
    /// If a pair repeats and the rule refuses that.
    pub(super) fn merged(self, offset: Option<f64>) -> PyResult<Narrowed> {
        match self.observed {
            Observed::Single(triples) => Ok(Narrowed { triples, ..Narrowed::default() }),
            Observed::Exact(exact, rule) => exact.narrowed(Some(rule), self.shape, offset).map_err(|at| {
                bad_value(format!("rating {} repeats a pair: choose another rule for duplicates", at + 1))
            }),
        }
    }
}

/// Returns the entries of a matrix, row by row.
///
/// # Errors
/// If indices are out of range.
pub(super) fn triples(py: Python<'_>, rows: &Compressed<'_>) -> PyResult<Triples> {
    let (starts, items, values) = rows.entries(py)?;
    let users = (0..).zip(starts.windows(2)).flat_map(|(user, ends)| (ends[0]..ends[1]).map(move |_| user));
    Ok(Triples { users: users.collect(), items, values })
}

/// Numbers ids as the programs do: if the ids are exactly the whole numbers from 0 on, the row is the id;
/// otherwise rows are numbered in the order of first appearance. Returns the rows, and the ids by row.
#[pyfunction]
pub(crate) fn number_ids<'py>(
    py: Python<'py>,
    ids: PyReadonlyArray1<'py, i64>,
) -> (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<i64>>) {
    let given = ids.as_array();
    let (rows, ids) = py.detach(|| {
        let narrow: Option<Vec<u32>> = given.iter().map(|&id| u32::try_from(id).ok()).collect();
        let Some(narrow) = narrow else { return numbered(given.iter().copied()) };
        let (rows, ids) = as_in_file(&narrow, &Ids::Dense(0));
        let ids = match ids {
            Ids::Integers(ids) => ids.into_iter().map(i64::from).collect(),
            others => (0..others.len() as i64).collect(),
        };
        (rows, ids)
    });
    (rows.into_pyarray(py), ids.into_pyarray(py))
}

/// Numbers values in the order of first appearance.
fn numbered(given: impl Iterator<Item = i64>) -> (Vec<u32>, Vec<i64>) {
    let (mut known, mut ids) = (HashMap::new(), Vec::new());
    let rows = given.map(|id| {
        *known.entry(id).or_insert_with(|| {
            ids.push(id);
            ids.len() as u32 - 1
        })
    });
    (rows.collect(), ids)
}
