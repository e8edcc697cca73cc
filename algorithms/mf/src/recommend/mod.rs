//! [`Recommender`]: the best items for users, in memory that does not grow with the users.

mod metrics;
mod top_k;

use std::sync::Arc;

use raddle_datasets::Triples;

use self::top_k::{ItemIndex, Queries};
use crate::error::MfError;
use crate::model::Model;
use crate::stand_in::StandIn;

pub use self::metrics::Ranking;
pub use self::top_k::TopK;

/// Which items each user has seen: compressed rows, 4 bytes an observation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    starts: Vec<usize>,
    items: Vec<u32>,
}

impl Seen {
    /// From observations, for `users` users; those of other users are left out.
    pub fn new(triples: &Triples, users: usize) -> Self {
        let mut starts = vec![0; users + 1];
        let known = |user: u32| (user as usize) < users;
        triples.users.iter().filter(|&&user| known(user)).for_each(|&user| starts[user as usize + 1] += 1);
        (0..users).for_each(|user| starts[user + 1] += starts[user]);
        let (mut next, mut items) = (starts.clone(), vec![0; starts[users]]);
        for (&user, &item) in triples.users.iter().zip(&triples.items).filter(|pair| known(*pair.0)) {
            items[next[user as usize]] = item;
            next[user as usize] += 1;
        }
        let mut seen = Self { starts, items };
        (0..users as u32).for_each(|user| seen.row_mut(user).sort_unstable());
        seen
    }

    /// The items of a user, ascending; none for a user beyond them.
    pub fn row(&self, user: u32) -> &[u32] {
        match self.starts.get(user as usize..user as usize + 2) {
            Some(&[start, end]) => &self.items[start..end],
            _ => &[],
        }
    }

    fn row_mut(&mut self, user: u32) -> &mut [u32] {
        &mut self.items[self.starts[user as usize]..self.starts[user as usize + 1]]
    }
}

/// Scores all items for users and keeps the best.
#[derive(Debug)]
pub struct Recommender<'a> {
    model: &'a Model,
    item_index: Arc<ItemIndex>,
    seen: Option<&'a Seen>,
    /// Who stands in for users of whom nothing was learned.
    stand_in: StandIn,
}

impl<'a> Recommender<'a> {
    /// For a model; it holds a padded copy of the items' factors, 4 (rank + 16) bytes an item at most.
    pub fn new(model: &'a Model) -> Self {
        Self { model, item_index: Arc::new(ItemIndex::new(model)), seen: None, stand_in: model.stand_in() }
    }

    /// Takes the row of every user as it is, even where nothing was learned of it.
    pub(crate) fn by_own_rows(self) -> Self {
        Self { stand_in: StandIn::default(), ..self }
    }

    /// Leaves out what users have seen.
    pub fn without(mut self, seen: &'a Seen) -> Self {
        self.seen = Some(seen);
        self
    }

    /// Recommends these items only.
    pub fn only(mut self, items: &[u32]) -> Self {
        let mut allowed = vec![false; self.item_index.len()];
        for &item in items {
            if let Some(allowed) = allowed.get_mut(item as usize) {
                *allowed = true;
            }
        }
        Arc::make_mut(&mut self.item_index).allowed = Some(allowed);
        self
    }

    /// Calls `take` with each user and the `count` best items for it, as (item, predicted rating), the best
    /// first; ties go to the lower item. For a user of whom nothing was learned, such as one that the model
    /// does not have, stands in who [`Model::stand_in`] says.
    pub fn each(&self, users: &[u32], count: usize, mut take: impl FnMut(u32, &[(u32, f32)])) {
        for some in users.chunks(ItemIndex::together()) {
            self.item_index.best(&self.queries(some), count, |at, best| take(some[at], best));
        }
    }

    /// Items for many users, user by user, found on this number of workers. All are in memory at once: ask
    /// for some thousands of users at a time.
    ///
    /// ```
    /// use raddle_mf::{Model, Recommender};
    ///
    /// let model = Model { item_biases: vec![0.1, 0.3, 0.2], ..Model::zeros(2, 3, 4) };
    /// let best = Recommender::new(&model).all(&[0, 1], 2, 2)?;
    /// assert_eq!(best[1], [(1, 0.3), (2, 0.2)]);
    /// # Ok::<(), raddle_mf::MfError>(())
    /// ```
    ///
    /// # Errors
    /// If the run fails, such as where threads cannot be started.
    pub fn all(&self, users: &[u32], count: usize, workers: usize) -> Result<TopK, MfError> {
        let shards = users.chunks(ItemIndex::together()).map(|some| self.queries(some));
        self.item_index.top_k(shards, count, workers)
    }

    /// As [`each`](Self::each); before, `judge` sees the user's scores of all items, as they are ranked by,
    /// with nothing left out.
    pub(crate) fn judged(
        &self,
        users: &[u32],
        count: usize,
        mut judge: impl FnMut(u32, &[f32]),
        mut take: impl FnMut(u32, &[(u32, f32)]),
    ) {
        for some in users.chunks(ItemIndex::together()) {
            let judge = |at: usize, scores: &[f32]| judge(some[at], scores);
            self.item_index.judged(&self.queries(some), count, judge, |at, best| take(some[at], best));
        }
    }

    /// The best items of one user.
    pub fn one(&self, user: u32, count: usize) -> Vec<(u32, f32)> {
        let mut found = Vec::new();
        self.each(&[user], count, |_, best| found = best.to_vec());
        found
    }

    fn queries(&self, users: &[u32]) -> Queries {
        let mut queries = Queries::default();
        let seen = |user| self.seen.map_or(&[][..], |seen| seen.row(user));
        users.iter().for_each(|&user| queries.add(self.model, user, &self.stand_in, seen(user)));
        queries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_workers_finds_the_same() {
        let mut model = Model { mean: 3.0, ..Model::zeros(500, 90, 20) };
        let mut stream = raddle::random::Stream::new(&[5]);
        let Model { user_factors, item_factors, user_biases, item_biases, .. } = &mut model;
        for values in [user_factors, item_factors, user_biases, item_biases] {
            values.iter_mut().for_each(|value| *value = stream.unit() as f32 - 0.5);
        }
        let seen = Triples { users: vec![3, 3, 499], items: vec![7, 9, 0], values: vec![1.0; 3] };
        let seen = Seen::new(&seen, 500);
        let recommender = Recommender::new(&model).without(&seen).only(&(0..80).collect::<Vec<u32>>());
        // Users may come in any order, twice, and be unknown.
        let users: Vec<u32> = (0..700).map(|at| at * 37 % 510).collect();
        let mut one_by_one = Vec::new();
        recommender.each(&users, 6, |_, best| one_by_one.push(best.to_vec()));
        assert!(one_by_one.iter().flatten().all(|&(item, _)| item < 80));
        for workers in [1, 2, 7] {
            assert_eq!(recommender.all(&users, 6, workers).unwrap(), one_by_one);
        }
        assert_eq!(recommender.all(&[], 6, 2).unwrap(), TopK::new());
        assert_eq!(recommender.one(users[11], 6), one_by_one[11]);
    }
}
