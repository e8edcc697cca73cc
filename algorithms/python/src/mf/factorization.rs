//! [`Factorization`]: a fitted model that answers many calls.

use std::collections::HashMap;
use std::sync::{OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raddle_datasets::{Triples, room};
use raddle_mf::{FoldIn, FoldInSolver, Model, NewRows, Recommender, Seen, Similar, TopK};

use super::error::refused;
use super::given::triples;
use super::lists::{AskedList, List, Lists, lists};
use crate::arrays::Compressed;
use crate::error::{bad_value, no_memory};

/// Number of users for which a second worker pays off.
const SHARED: usize = 64;

/// A model, with data that are prepared once for all calls.
#[pyclass(frozen, module = "raddle._raddle")]
pub(crate) struct Factorization(RwLock<FactorizationState>);

/// The model, with data that are prepared on the first use.
struct FactorizationState {
    recommender: Recommender<Model>,
    how: FoldIn,
    /// Items that users have rated, if known, including those of users who were added later.
    seen: Option<Seen>,
    refitted: HashMap<u32, Vec<u32>>,
    solver: OnceLock<FoldInSolver>,
    item_solver: OnceLock<FoldInSolver>,
    items: OnceLock<Similar>,
    users: OnceLock<Similar>,
}

/// A side of a model.
enum Side {
    Users,
    Items,
}

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

impl FactorizationState {
    fn model(&self) -> &Model {
        self.recommender.model()
    }

    /// Returns the items that a user has rated, as far as known.
    fn seen_by(&self, user: u32) -> &[u32] {
        match self.refitted.get(&user) {
            Some(row) => row,
            None => self.seen.as_ref().map_or(&[], |seen| seen.row(user)),
        }
    }

    /// Finds the factors of users with these entries, without changing the model.
    fn rows(&self, entries: &Triples, count: usize) -> PyResult<NewRows> {
        let solver = self.solver.get_or_init(|| self.how.solver(self.model()));
        solver.users(self.model(), entries, count).map_err(refused)
    }

    /// Finds the factors of items with these entries, a row per item, without changing the model.
    fn item_rows(&self, entries: &Triples, count: usize) -> PyResult<NewRows> {
        let solver = self.item_solver.get_or_init(|| self.how.item_solver(self.model()));
        solver.items(self.model(), &turned(entries), count).map_err(refused)
    }

    /// Adds these observations to the rated items of users.
    fn saw(&mut self, observed: &Triples) {
        if self.seen.is_some() {
            let users = observed.users.iter().map(|&user| user as usize + 1).max().unwrap_or(0);
            let seen = Seen::new(observed, users);
            for user in (0..users as u32).filter(|&user| !seen.row(user).is_empty()) {
                let mut items = [self.seen_by(user), seen.row(user)].concat();
                items.sort_unstable();
                items.dedup();
                self.refitted.insert(user, items);
            }
        }
    }

    /// Returns lists for users of the model, or for new users with these entries.
    fn recommend(
        &self,
        users: &[u32],
        entries: Option<&Triples>,
        (is_filtered, is_anew): (bool, bool),
        list: &List,
    ) -> PyResult<TopK> {
        let mut liked = entries.filter(|_| is_filtered).map(|entries| Seen::new(entries, users.len()));
        if is_filtered && liked.is_none() {
            if self.seen.is_none() {
                return Err(bad_value(
                    "the model does not know what users have rated, as --no-seen or an earlier version has \
                     written its folder: give filter_already_liked_items=False, or their ratings where they \
                     can be given",
                ));
            }
            if !self.refitted.is_empty() {
                liked = Some(Seen::from_rows(users.iter().map(|&user| self.seen_by(user))));
            }
        }
        let query = match (&liked, &self.seen) {
            (Some(liked), _) => list.query().without_rows(liked),
            (None, Some(seen)) if is_filtered => list.query().without_seen(seen),
            _ => list.query(),
        };
        let mut found = TopK::with_capacity(users.len());
        match entries.filter(|_| is_anew) {
            Some(entries) => {
                let rows = self.rows(entries, users.len())?;
                self.recommender.each_of(&rows, &query, |_, best| found.push(best.to_vec()));
            }
            None if users.len() > SHARED && list.workers > 1 => {
                found = self.recommender.all(users, &query, list.workers).map_err(refused)?;
            }
            None => self.recommender.each(users, &query, |_, best| found.push(best.to_vec())),
        }
        Ok(found)
    }

    fn similar(&self, side: Side, rows: &[u32], list: &List) -> PyResult<TopK> {
        let similar = match side {
            Side::Items => self.items.get_or_init(|| Similar::items(self.model())),
            Side::Users => self.users.get_or_init(|| Similar::users(self.model())),
        };
        match rows {
            [row] => Ok(vec![similar.one(*row, &list.query())]),
            rows => similar.all(rows, &list.query(), list.workers).map_err(refused),
        }
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

/// Returns observations with users and items exchanged.
fn turned(of: &Triples) -> Triples {
    Triples { users: of.items.clone(), items: of.users.clone(), values: of.values.clone() }
}
