//! [`AskedList`]: which recommendations are asked for; and the arrays that answer.

use ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use raddle_mf::{Query, TopK};

/// The parameters of a recommendation list.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct AskedList<'py> {
    n: usize,
    only: Option<PyReadonlyArray1<'py, u32>>,
    without: Option<PyReadonlyArray1<'py, u32>>,
    workers: usize,
}

/// Filters, copied from Python.
pub(super) struct List {
    n: usize,
    only: Option<Vec<u32>>,
    without: Vec<u32>,
    pub(super) workers: usize,
}

impl AskedList<'_> {
    pub(super) fn copied(&self) -> List {
        let of = |rows: &PyReadonlyArray1<'_, u32>| rows.as_array().to_vec();
        List {
            n: self.n,
            only: self.only.as_ref().map(of),
            without: self.without.as_ref().map(of).unwrap_or_default(),
            workers: self.workers,
        }
    }
}

impl List {
    pub(super) fn query(&self) -> Query<'_> {
        let query = Query::best(self.n).without(&self.without);
        self.only.as_ref().map_or(query, |only| query.only(only))
    }
}

/// Ids and scores, one row per list; short lists are padded with -1 and minus infinity.
pub(super) type Lists<'py> = (Bound<'py, PyArray2<i32>>, Bound<'py, PyArray2<f32>>);

/// Returns lists as arrays.
pub(super) fn lists<'py>(py: Python<'py>, found: &TopK) -> Lists<'py> {
    let width = found.iter().map(Vec::len).max().unwrap_or(0);
    let mut ids = Array2::from_elem((found.len(), width), -1);
    let mut scores = Array2::from_elem((found.len(), width), f32::NEG_INFINITY);
    for (row, list) in found.iter().enumerate() {
        for (at, &(id, score)) in list.iter().enumerate() {
            (ids[(row, at)], scores[(row, at)]) = (id as i32, score);
        }
    }
    (ids.into_pyarray(py), scores.into_pyarray(py))
}
