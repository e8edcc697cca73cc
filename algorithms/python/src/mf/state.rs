//! [`FactorizationState`]: a model, with what is prepared once for all calls.

use std::collections::HashMap;
use std::sync::OnceLock;

use pyo3::prelude::*;
use raddle_datasets::Triples;
use raddle_mf::{FoldIn, FoldInSolver, Model, NewRows, Recommender, Seen, Similar, TopK};

use super::error::refused;
use super::lists::List;
use crate::error::bad_value;

/// Number of users for which a second worker pays off.
const SHARED: usize = 64;

/// The model, with data that are prepared on the first use.
pub(super) struct FactorizationState {
    pub(super) recommender: Recommender<Model>,
    pub(super) how: FoldIn,
    /// Items that users have rated, if known, including those of users who were added later.
    pub(super) seen: Option<Seen>,
    pub(super) refitted: HashMap<u32, Vec<u32>>,
    pub(super) solver: OnceLock<FoldInSolver>,
    pub(super) item_solver: OnceLock<FoldInSolver>,
    pub(super) items: OnceLock<Similar>,
    pub(super) users: OnceLock<Similar>,
}

/// A side of a model.
pub(super) enum Side {
    Users,
    Items,
}

impl FactorizationState {
    pub(super) fn model(&self) -> &Model {
        self.recommender.model()
    }

    /// Returns the items that a user has rated, as far as known.
    pub(super) fn seen_by(&self, user: u32) -> &[u32] {
        match self.refitted.get(&user) {
            Some(row) => row,
            None => self.seen.as_ref().map_or(&[], |seen| seen.row(user)),
        }
    }

    /// Finds the factors of users with these entries, without changing the model.
    pub(super) fn rows(&self, entries: &Triples, count: usize) -> PyResult<NewRows> {
        let solver = self.solver.get_or_init(|| self.how.solver(self.model()));
        solver.users(self.model(), entries, count).map_err(refused)
    }

    /// Finds the factors of items with these entries, a row per item, without changing the model.
    pub(super) fn item_rows(&self, entries: &Triples, count: usize) -> PyResult<NewRows> {
        let solver = self.item_solver.get_or_init(|| self.how.item_solver(self.model()));
        solver.items(self.model(), &turned(entries), count).map_err(refused)
    }

    /// Adds these observations to the rated items of users.
    pub(super) fn saw(&mut self, observed: &Triples) {
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
    pub(super) fn recommend(
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

    pub(super) fn similar(&self, side: Side, rows: &[u32], list: &List) -> PyResult<TopK> {
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

/// Returns observations with users and items exchanged.
fn turned(of: &Triples) -> Triples {
    Triples { users: of.items.clone(), items: of.users.clone(), values: of.values.clone() }
}
