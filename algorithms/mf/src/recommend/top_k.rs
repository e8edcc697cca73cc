//! [`ItemIndex`]: the items that are ranked, and [`Queries`]: the users to rank them for, as rows of their
//! own.

use std::sync::Arc;

use crate::error::MfError;
use crate::kernels::{LANES, TOGETHER, Vector, padded, scores};
use crate::model::Model;
use crate::ranking::top;
use crate::stand_in::StandIn;

/// Users of a shard: enough that a task is worth scheduling.
const USERS: usize = 64;

/// The items of each user, as (item, predicted rating), the best first.
pub type TopK = Vec<Vec<(u32, f32)>>;

/// Items as they are scored.
#[derive(Debug, Clone)]
pub(crate) struct ItemIndex {
    /// Their factors, padded to whole vectors.
    items: Vec<Vector>,
    biases: Vec<f32>,
    rank: usize,
    chunks: usize,
    /// Items that may be chosen; all if none are named.
    pub(crate) allowed: Option<Vec<bool>>,
}

/// Users as they ask: a row of factors, what is added to all their scores, and the items that they know.
#[derive(Debug, Clone, Default)]
pub(crate) struct Queries {
    factors: Vec<f32>,
    bases: Vec<f32>,
    seen: Vec<Vec<u32>>,
}

raddle::state!(Queries { factors, bases, seen });

impl Queries {
    /// Adds a user; one of whom nothing was learned has the factors of who stands in.
    pub(crate) fn add(&mut self, model: &Model, user: u32, stand_in: &StandIn, seen: &[u32]) {
        let end = self.factors.len() + model.rank;
        self.factors.extend_from_slice(stand_in.user(model, user));
        self.factors.resize(end, 0.0);
        let bias = model.user_biases.get(user as usize).copied().unwrap_or(0.0);
        self.bases.push(model.mean as f32 + bias);
        self.seen.push(seen.to_vec());
    }
}

impl ItemIndex {
    pub(crate) fn new(model: &Model) -> Self {
        let Model { rank, item_factors, item_biases, .. } = model;
        let chunks = rank.div_ceil(LANES).max(1);
        let (items, biases) = (padded(item_factors, *rank), item_biases.clone());
        Self { items, biases, rank: *rank, chunks, allowed: None }
    }

    /// How many items there are.
    pub(crate) fn len(&self) -> usize {
        self.biases.len()
    }

    /// Calls `take` with the number of each user and the scores of all items, without what is added to all of
    /// them.
    fn scored(&self, queries: &Queries, mut take: impl FnMut(usize, &mut [f32])) {
        let mut out: [Vec<f32>; TOGETHER] = Default::default();
        for first in (0..queries.bases.len()).step_by(TOGETHER) {
            let row = |user: usize| {
                let row = queries.factors.get(user * self.rank..(user + 1) * self.rank).unwrap_or(&[]);
                let mut row = padded(row, self.rank);
                row.resize(self.chunks, Vector([0.0; LANES]));
                row
            };
            let rows: [Vec<Vector>; TOGETHER] = std::array::from_fn(|j| row(first + j));
            scores(rows.each_ref().map(Vec::as_slice), &self.items, self.chunks, &mut out);
            for (user, scores) in (first..queries.bases.len()).zip(&mut out) {
                scores.iter_mut().zip(&self.biases).for_each(|(score, bias)| *score += bias);
                take(user, scores);
            }
        }
    }

    /// Calls `take` with the number of each user and the `count` best items for it.
    pub(crate) fn best(&self, queries: &Queries, count: usize, take: impl FnMut(usize, &[(u32, f32)])) {
        self.judged(queries, count, |_, _| (), take);
    }

    /// Top items of each query; before, `judge` sees the user's scores of all items, with nothing left out.
    pub(crate) fn judged(
        &self,
        queries: &Queries,
        count: usize,
        mut judge: impl FnMut(usize, &[f32]),
        mut take: impl FnMut(usize, &[(u32, f32)]),
    ) {
        let mut best = Vec::new();
        self.scored(queries, |user, scores| {
            judge(user, scores);
            self.mask(&queries.seen[user], scores);
            top(scores, count, &mut best);
            best.iter_mut().for_each(|(_, score)| *score += queries.bases[user]);
            take(user, &best);
        });
    }

    fn mask(&self, seen: &[u32], scores: &mut [f32]) {
        if let Some(allowed) = &self.allowed {
            let excluded = scores.iter_mut().zip(allowed).filter(|(_, allowed)| !**allowed);
            excluded.for_each(|(score, _)| *score = f32::NEG_INFINITY);
        }
        for &item in seen {
            if let Some(score) = scores.get_mut(item as usize) {
                *score = f32::NEG_INFINITY;
            }
        }
    }

    /// The best items of all these users, found on this number of workers.
    pub(crate) fn top_k(
        self: &Arc<Self>,
        queries: impl Iterator<Item = Queries>,
        count: usize,
        workers: usize,
    ) -> Result<TopK, MfError> {
        let index = Arc::clone(self);
        let chosen = raddle::map(queries.collect(), workers, move |queries: &Queries| {
            let mut chosen = TopK::with_capacity(queries.bases.len());
            index.best(queries, count, |_, best| chosen.push(best.to_vec()));
            chosen
        })?;
        Ok(chosen.into_iter().flatten().collect())
    }

    /// How many users make up a shard.
    pub(crate) const fn together() -> usize {
        USERS
    }
}
