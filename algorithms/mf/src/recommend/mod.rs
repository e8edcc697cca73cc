//! [`Recommender`]: the best items for users, in memory that does not grow with the number of users;
//! [`Similar`]: similar items or users.

mod all_pairs;
mod metrics;
mod query;
mod seen;
mod similar;
mod top_k;

use std::borrow::Borrow;
use std::sync::Arc;

use self::top_k::{Candidates, ItemIndex, Queries, SHARD};
use crate::error::MfError;
use crate::model::{Model, NewRows, Side};
use crate::stand_in::StandIn;

pub use self::metrics::Ranking;
pub use self::query::Query;
pub use self::seen::Seen;
pub use self::similar::Similar;
pub use self::top_k::TopK;

/// Scores all items for users and keeps the best, for a model that it owns, shares or borrows (`M` is
/// [`Model`], `Arc<Model>` or `&Model`).
///
/// ```
/// use raddle_mf::{Model, Query, Recommender};
///
/// let model = Model { item_biases: vec![0.1, 0.3, 0.2], ..Model::zeros(2, 3, 4) };
/// let recommender = Recommender::new(model);
/// assert_eq!(recommender.one(1, &Query::best(2)), [(1, 0.3), (2, 0.2)]);
/// assert_eq!(recommender.one(1, &Query::best(2).without(&[1])), [(2, 0.2), (0, 0.1)]);
/// ```
#[derive(Debug, Clone)]
pub struct Recommender<M = Model> {
    model: M,
    item_index: Arc<ItemIndex>,
    /// The row used for users of whom nothing was learned.
    stand_in: StandIn,
}

impl<M: Borrow<Model>> Recommender<M> {
    /// A recommender for a model; it holds a padded copy of the items' factors, at most 4 (rank + 16) bytes
    /// per item.
    pub fn new(model: M) -> Self {
        let Model { rank, item_factors, item_biases, .. } = model.borrow();
        let item_index = Arc::new(ItemIndex::new(*rank, item_factors, item_biases.clone()));
        let stand_in = model.borrow().stand_in();
        Self { model, item_index, stand_in }
    }

    /// Returns the model.
    pub fn model(&self) -> &Model {
        self.model.borrow()
    }

    /// Returns the predicted rating of a pair, as [`Model::predict_with`] with the stand-in of
    /// [`Model::stand_in`].
    pub fn predict(&self, user: u32, item: u32) -> f64 {
        self.model().predict_with(user, item, &self.stand_in)
    }

    /// Uses the row of every user as it is, even if nothing was learned of it.
    pub(crate) fn by_own_rows(self) -> Self {
        Self { stand_in: StandIn::default(), ..self }
    }

    /// Returns the best items of one user, as (item, predicted rating), the best first; ties go to the lower
    /// item. A user of whom nothing was learned, or whom the model does not have, gets the list of
    /// [`Model::stand_in`].
    pub fn one(&self, user: u32, query: &Query<'_>) -> Vec<(u32, f32)> {
        let mut found = Vec::new();
        self.each(&[user], query, |_, best| found = best.to_vec());
        found
    }

    /// Calls `take` with each user and the best items for it, as [`one`](Self::one) finds them.
    pub fn each(&self, users: &[u32], query: &Query<'_>, mut take: impl FnMut(u32, &[(u32, f32)])) {
        let candidates = Candidates::new(&self.item_index, query);
        for (some, queries) in self.queries(users, &candidates, query) {
            candidates.best(&queries, query.count, |at, best| take(some[at], best));
        }
    }

    /// Calls `take` with the number of each of these rows, which need not be part of the model, and the best
    /// items for it, as [`each`](Self::each) does with users. Items that a query leaves out for a user are
    /// found by this number.
    pub fn each_of(&self, rows: &NewRows, query: &Query<'_>, mut take: impl FnMut(usize, &[(u32, f32)])) {
        let (model, candidates) = (self.model(), Candidates::new(&self.item_index, query));
        for (first, biases) in (0..).step_by(SHARD).zip(rows.biases.chunks(SHARD)) {
            let mut queries = Queries::default();
            for (place, &bias) in (first..).zip(biases) {
                let row = rows.factors.get(place * model.rank..(place + 1) * model.rank).unwrap_or(&[]);
                let is_known = bias != 0.0 || row.iter().any(|&value| value != 0.0);
                let factors = if is_known { row } else { self.stand_in.user(model, u32::MAX) };
                let left_out = candidates.places(query.left_out(place, place as u32));
                queries.add(model.rank, factors, model.mean as f32 + bias, left_out);
            }
            candidates.best(&queries, query.count, |at, best| take(first + at, best));
        }
    }

    /// Returns the best items for many users, in their order, found by this number of workers. All lists are
    /// in memory at once: ask for some thousands of users at a time.
    ///
    /// ```
    /// use raddle_mf::{Model, Query, Recommender};
    ///
    /// let model = Model { item_biases: vec![0.1, 0.3, 0.2], ..Model::zeros(2, 3, 4) };
    /// let best = Recommender::new(&model).all(&[0, 1], &Query::best(2), 2)?;
    /// assert_eq!(best[1], [(1, 0.3), (2, 0.2)]);
    /// # Ok::<(), raddle_mf::MfError>(())
    /// ```
    ///
    /// # Errors
    /// If the run fails, such as when threads cannot be started.
    pub fn all(&self, users: &[u32], query: &Query<'_>, workers: usize) -> Result<TopK, MfError> {
        let candidates = Candidates::new(&self.item_index, query);
        let shards: Vec<Queries> =
            self.queries(users, &candidates, query).map(|(_, queries)| queries).collect();
        candidates.top_k(shards, query.count, workers)
    }

    /// Like [`each`](Self::each), but `judge` first sees the user's scores of all items, with nothing left
    /// out.
    pub(crate) fn judged(
        &self,
        users: &[u32],
        query: &Query<'_>,
        mut judge: impl FnMut(u32, &[f32]),
        mut take: impl FnMut(u32, &[(u32, f32)]),
    ) {
        let candidates = Candidates::new(&self.item_index, query);
        for (some, queries) in self.queries(users, &candidates, query) {
            let judge = |at: usize, scores: &[f32]| judge(some[at], scores);
            candidates.judged(&queries, query.count, judge, |at, best| take(some[at], best));
        }
    }

    /// Makes the queries of the users, shard by shard.
    fn queries<'q>(
        &'q self,
        users: &'q [u32],
        candidates: &'q Candidates,
        query: &'q Query<'_>,
    ) -> impl Iterator<Item = (&'q [u32], Queries)> {
        let model = self.model();
        users.chunks(SHARD).enumerate().map(move |(shard, some)| {
            let mut queries = Queries::default();
            for (place, &user) in (shard * SHARD..).zip(some) {
                let bias = model.user_biases.get(user as usize).copied().unwrap_or(0.0);
                let left_out = candidates.places(query.left_out(place, user));
                let factors = self.stand_in.user(model, user);
                queries.add(model.rank, factors, model.mean as f32 + bias, left_out);
            }
            (some, queries)
        })
    }
}

impl Recommender<Model> {
    /// Replaces the rows of these users in the model by new ones, such as those of
    /// [`FoldInSolver::users`](crate::FoldInSolver::users); if a user is named twice, by the last row. Users
    /// beyond the model are added to it, with zeros for those between.
    pub fn put_users(&mut self, users: &[u32], rows: &NewRows) {
        self.model.put(Side::Users, users, rows);
        self.stand_in = self.model.stand_in();
    }

    /// Replaces the rows of these items, as [`put_users`](Self::put_users) does those of users.
    pub fn put_items(&mut self, items: &[u32], rows: &NewRows) {
        self.model.put(Side::Items, items, rows);
        let Model { rank, item_factors, item_biases, .. } = &self.model;
        self.item_index = Arc::new(ItemIndex::new(*rank, item_factors, item_biases.clone()));
        self.stand_in = self.model.stand_in();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use raddle::random::Stream;
    use raddle_datasets::Triples;

    use super::*;

    /// Makes a model of random numbers with few distinct values, so that scores tie.
    pub(super) fn random(seed: u64, users: usize, items: usize, rank: usize) -> Model {
        let mut model = Model { mean: 3.0, ..Model::zeros(users, items, rank) };
        let mut stream = Stream::new(&[seed]);
        let Model { user_factors, item_factors, user_biases, item_biases, .. } = &mut model;
        for values in [user_factors, item_factors, user_biases, item_biases] {
            values.iter_mut().for_each(|value| *value = (stream.unit() * 4.0).floor() as f32 / 2.0 - 0.5);
        }
        model
    }

    #[test]
    fn any_number_of_workers_finds_the_same() {
        let model = random(5, 500, 90, 20);
        let seen = Triples { users: vec![3, 3, 499], items: vec![7, 9, 0], values: vec![1.0; 3] };
        let (seen, only) = (Seen::new(&seen, 500), (0..80).collect::<Vec<u32>>());
        let recommender = Recommender::new(&model);
        let query = Query::best(6).without_seen(&seen).only(&only);
        // Users may come in any order, be repeated, and be unknown.
        let users: Vec<u32> = (0..700).map(|at| at * 37 % 510).collect();
        let mut one_by_one = Vec::new();
        recommender.each(&users, &query, |_, best| one_by_one.push(best.to_vec()));
        assert!(one_by_one.iter().flatten().all(|&(item, _)| item < 80));
        for workers in [1, 2, 7] {
            assert_eq!(recommender.all(&users, &query, workers).unwrap(), one_by_one);
        }
        assert_eq!(recommender.all(&[], &query, 2).unwrap(), TopK::new());
        assert_eq!(recommender.one(users[11], &query), one_by_one[11]);
    }

    #[test]
    fn a_recommender_may_own_its_model_and_go_to_other_threads() {
        fn is_free<T: Send + Sync + 'static>(_: &T) {}
        let model = random(1, 4, 9, 3);
        let query = Query::best(3);
        let best = Recommender::new(&model).one(2, &query);
        let shared = Recommender::new(Arc::new(model.clone()));
        let owned = Recommender::new(model);
        is_free(&owned);
        is_free(&shared);
        assert_eq!([owned.one(2, &query), shared.one(2, &query)], [best.clone(), best]);
    }

    /// Recommends with filters as sets, and a full sort of scores that are computed one by one.
    fn naive(model: &Model, user: u32, out: &dyn Fn(u32) -> bool, count: usize) -> Vec<(u32, f32)> {
        let all = Recommender::new(model);
        let mut scores: Vec<(u32, f32)> = (0..model.items() as u32)
            .filter(|&item| !out(item))
            .flat_map(|item| all.one(user, &Query::best(1).only(&[item])))
            .collect();
        scores.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        scores.truncate(count);
        scores
    }

    proptest! {
        #[test]
        fn filters_leave_the_best_of_the_rest(
            seed: u64, count in 0usize..8, rows in proptest::collection::vec(proptest::collection::vec(0u32..60, 0..9), 3),
            only in proptest::option::of(proptest::collection::vec(0u32..60, 0..30)),
            without in proptest::collection::vec(0u32..60, 0..9),
        ) {
            let model = random(seed, 3, 50, 5);
            let (recommender, rows_of) = (Recommender::new(&model), Seen::from_rows(&rows));
            let mut query = Query::best(count).without(&without);
            if let Some(only) = &only {
                query = query.only(only);
            }
            // The second and the third user are asked about in turn; rows go by user or by place.
            for user in [2, 1] {
                let out = |row: &[u32], item: u32| {
                    row.contains(&item) || without.contains(&item)
                        || only.as_ref().is_some_and(|only| !only.contains(&item))
                };
                let expected = |row: usize| naive(&model, user, &|item| out(&rows[row], item), count);
                let found = recommender.one(user, &query.without_seen(&rows_of));
                prop_assert_eq!(found, expected(user as usize));
                let mut found = Vec::new();
                recommender.each(&[0, user], &query.without_rows(&rows_of), |_, best| found = best.to_vec());
                prop_assert_eq!(found, expected(1));
            }
        }

        #[test]
        fn scores_are_the_predictions(seed: u64, user in 0u32..5) {
            let model = random(seed, 4, 5000, 3);
            let recommender = Recommender::new(&model);
            let best = recommender.one(user, &Query::best(5000));
            prop_assert_eq!(best.len(), 5000);
            for (item, score) in best {
                let expected = model.predict_with(user, item, &model.stand_in());
                prop_assert!((f64::from(score) - expected).abs() < 1e-5);
                prop_assert_eq!(recommender.predict(user, item), expected);
            }
        }
    }
}
