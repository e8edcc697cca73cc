//! [`Factorization`]: a fitted model that answers many calls.

use std::collections::HashMap;
use std::sync::{OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raddle_datasets::room;
use raddle_mf::{FoldIn, Model, Recommender, Seen};

use super::given::triples;
use super::lists::{AskedList, Lists, lists};
use super::state::{FactorizationState, Side};
use crate::arrays::Compressed;
use crate::error::{bad_value, no_memory};

/// A model, with data that are prepared once for all calls.
#[pyclass(frozen, module = "raddle._raddle")]
pub(crate) struct Factorization(RwLock<FactorizationState>);

/// The arrays of a model: rank, mean, factors and biases of users and items.
type Arrays<'py> = (
    usize,
    f64,
    PyReadonlyArray1<'py, f32>,
    PyReadonlyArray1<'py, f32>,
    PyReadonlyArray1<'py, f32>,
    PyReadonlyArray1<'py, f32>,
);

impl Factorization {
    pub(super) fn of(model: Model, how: FoldIn, seen: Option<Seen>) -> Self {
        let recommender = Recommender::new(model);
        let (solver, item_solver) = (OnceLock::new(), OnceLock::new());
        let (items, users) = (OnceLock::new(), OnceLock::new());
        Self(RwLock::new(FactorizationState {
            recommender,
            how,
            seen,
            refitted: HashMap::new(),
            solver,
            item_solver,
            items,
            users,
        }))
    }

    /// Returns a copy of the current model.
    pub(super) fn model(&self) -> Model {
        self.held().model().clone()
    }

    /// Returns the rated items of each user, if known.
    pub(super) fn seen(&self) -> Option<Seen> {
        let held = self.held();
        let rows = || Seen::from_rows((0..held.model().users() as u32).map(|user| held.seen_by(user)));
        held.seen.is_some().then(rows)
    }

    fn held(&self) -> RwLockReadGuard<'_, FactorizationState> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn held_alone(&self) -> RwLockWriteGuard<'_, FactorizationState> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Factorization {
    /// Makes a model from its arrays, as a pickle stores them.
    #[new]
    fn new<'py>(
        arrays: Arrays<'py>,
        how: (f64, f64, bool, Option<f64>, bool),
        seen: Option<(Vec<usize>, PyReadonlyArray1<'py, u32>)>,
    ) -> PyResult<Self> {
        let (rank, mean, user_factors, item_factors, user_biases, item_biases) = arrays;
        let of = |values: PyReadonlyArray1<'_, f32>| values.as_array().to_vec();
        let model = Model {
            rank,
            mean,
            user_factors: of(user_factors),
            item_factors: of(item_factors),
            user_biases: of(user_biases),
            item_biases: of(item_biases),
        };
        let fits = model.user_factors.len() == model.users().saturating_mul(rank)
            && model.item_factors.len() == model.items().saturating_mul(rank);
        if !fits || rank == 0 {
            return Err(bad_value("the arrays of the model do not fit each other"));
        }
        let (reg, reg_power, biases, implicit, count_alone) = how;
        let seen = seen.map(|(lengths, items)| {
            let (items, mut start) = (items.as_array().to_vec(), 0);
            Seen::from_rows(lengths.into_iter().map(|length| {
                let end = (start + length).min(items.len());
                items[std::mem::replace(&mut start, end)..end].to_vec()
            }))
        });
        Ok(Self::of(model, FoldIn { reg, reg_power, biases, implicit, count_alone }, seen))
    }

    /// Returns the arguments of the constructor, for pickles.
    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let held = self.held();
        let (model, how) = (held.model(), held.how);
        let of = |values: &Vec<f32>| values.clone().into_pyarray(py);
        let arrays = (
            model.rank,
            model.mean,
            of(&model.user_factors),
            of(&model.item_factors),
            of(&model.user_biases),
            of(&model.item_biases),
        );
        let seen = held.seen.is_some().then(|| {
            let rows = || (0..model.users() as u32).map(|user| held.seen_by(user));
            let lengths: Vec<usize> = rows().map(<[u32]>::len).collect();
            (lengths, rows().flatten().copied().collect::<Vec<u32>>().into_pyarray(py))
        });
        (arrays, (how.reg, how.reg_power, how.biases, how.implicit, how.count_alone), seen)
            .into_pyobject(py)
            .map(Bound::into_any)
    }

    /// Returns copies of factors and biases, and the mean.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let held = self.held();
        let model = held.model();
        let factors = |values: &Vec<f32>, rows: usize| {
            Array2::from_shape_vec((rows, model.rank), values.clone()).unwrap_or_default().into_pyarray(py)
        };
        let arrays = PyDict::new(py);
        arrays.set_item("mean", model.mean)?;
        arrays.set_item("user_factors", factors(&model.user_factors, model.users()))?;
        arrays.set_item("item_factors", factors(&model.item_factors, model.items()))?;
        arrays.set_item("user_bias", model.user_biases.clone().into_pyarray(py))?;
        arrays.set_item("item_bias", model.item_biases.clone().into_pyarray(py))?;
        Ok(arrays)
    }

    /// Returns the numbers of users and items.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        let held = self.held();
        (held.model().users(), held.model().items())
    }

    /// Returns the digest of the current model.
    fn digest(&self, py: Python<'_>) -> String {
        py.detach(|| self.held().model().digest())
    }

    /// Predicts ratings of pairs; rows that the model lacks contribute nothing.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        users: PyReadonlyArray1<'py, u32>,
        items: PyReadonlyArray1<'py, u32>,
    ) -> Bound<'py, PyArray1<f64>> {
        let (users, items) = (users.as_array(), items.as_array());
        let found: Vec<f64> = py.detach(|| {
            let held = self.held();
            users.iter().zip(items).map(|(&user, &item)| held.recommender.predict(user, item)).collect()
        });
        found.into_pyarray(py)
    }

    /// Returns the best items of users. With `is_filtered`, without the items in `rows` or those that the
    /// model knows as rated; with `is_anew`, for factors that are found from `rows`.
    fn recommend<'py>(
        &self,
        py: Python<'py>,
        users: PyReadonlyArray1<'py, u32>,
        rows: Option<Compressed<'py>>,
        list: AskedList<'py>,
        is_filtered: bool,
        is_anew: bool,
    ) -> PyResult<Lists<'py>> {
        let entries = rows.map(|rows| triples(py, &rows)).transpose()?;
        let (users, list) = (users.as_array().to_vec(), list.copied());
        let found =
            py.detach(|| self.held().recommend(&users, entries.as_ref(), (is_filtered, is_anew), &list))?;
        Ok(lists(py, &found))
    }

    /// Returns the items, or else users, that are most similar to these.
    fn similar<'py>(
        &self,
        py: Python<'py>,
        is_items: bool,
        rows: PyReadonlyArray1<'py, u32>,
        list: AskedList<'py>,
    ) -> PyResult<Lists<'py>> {
        let (rows, list) = (rows.as_array().to_vec(), list.copied());
        let side = if is_items { Side::Items } else { Side::Users };
        let found = py.detach(|| self.held().similar(side, &rows, &list))?;
        Ok(lists(py, &found))
    }

    /// Finds factors of users, or else of items, from their rows, without changing the model.
    fn rows<'py>(
        &self,
        py: Python<'py>,
        is_items: bool,
        rows: Compressed<'py>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let (entries, count) = (triples(py, &rows)?, rows.shape().0);
        let (found, rank) = py.detach(|| {
            let held = self.held();
            let found = match is_items {
                true => held.item_rows(&entries, count)?,
                false => held.rows(&entries, count)?,
            };
            Ok::<_, PyErr>((found, held.model().rank))
        })?;
        let factors = Array2::from_shape_vec((count, rank), found.factors).unwrap_or_default();
        Ok(factors.into_pyarray(py))
    }

    /// Replaces factors of items by those found from these entries, a row per item.
    fn refit_items<'py>(
        &self,
        py: Python<'py>,
        items: PyReadonlyArray1<'py, u32>,
        rows: Compressed<'py>,
    ) -> PyResult<()> {
        let (entries, items) = (triples(py, &rows)?, items.as_array().to_vec());
        py.detach(|| {
            let mut held = self.held_alone();
            let count = items.iter().map(|&item| item as usize + 1).max().unwrap_or(0);
            room::<f32>(count.saturating_mul(held.model().rank), "factors of items").map_err(no_memory)?;
            let rows = held.item_rows(&entries, items.len())?;
            held.recommender.put_items(&items, &rows);
            let of_item = |(at, user, value): (u32, u32, f32)| (user, items[at as usize], value);
            held.saw(&entries.iter().map(of_item).collect());
            // The prepared data depend on the items.
            (held.solver, held.item_solver) = (OnceLock::new(), OnceLock::new());
            held.items = OnceLock::new();
            Ok(())
        })
    }

    /// Replaces factors of users by those found from these entries.
    fn refit_users<'py>(
        &self,
        py: Python<'py>,
        users: PyReadonlyArray1<'py, u32>,
        rows: Compressed<'py>,
    ) -> PyResult<()> {
        let (entries, users) = (triples(py, &rows)?, users.as_array().to_vec());
        py.detach(|| {
            let mut held = self.held_alone();
            let count = users.iter().map(|&user| user as usize + 1).max().unwrap_or(0);
            room::<f32>(count.saturating_mul(held.model().rank), "factors of users").map_err(no_memory)?;
            let rows = held.rows(&entries, users.len())?;
            held.recommender.put_users(&users, &rows);
            if held.seen.is_some() {
                let seen = Seen::new(&entries, users.len());
                let rows = users.iter().zip(0..).map(|(&user, at)| (user, seen.row(at).to_vec()));
                held.refitted.extend(rows);
            }
            // The prepared data depend on the users.
            (held.solver, held.item_solver) = (OnceLock::new(), OnceLock::new());
            held.users = OnceLock::new();
            Ok(())
        })
    }
}
