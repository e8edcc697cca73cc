//! [`ItemIndex`]: the rows that are ranked; [`Candidates`]: those of a call; and [`Queries`]: the rows that
//! they are ranked for.

use std::sync::Arc;

use super::query::Query;
use crate::error::MfError;
use crate::ranking::merge;
use raddle_kernels::factors::{LANES, TOGETHER, Vector, padded, scores};

/// Number of queries in a shard: enough that a task is worth scheduling.
pub(super) const SHARD: usize = 64;

/// Number of rows that are scored at a time, so that their scores stay in the cache.
pub(super) const BLOCK: usize = 4096;

/// The items of each user, as (item, predicted rating), the best first.
pub type TopK = Vec<Vec<(u32, f32)>>;

/// Rows in the form in which they are scored.
#[derive(Debug, Clone)]
pub(super) struct ItemIndex {
    /// Factors of the rows, padded to whole vectors.
    pub(super) rows: Vec<Vector>,
    biases: Vec<f32>,
    rank: usize,
    pub(super) chunks: usize,
}

/// The queries: for each a row of factors, a number that is added to all scores, and the rows left out,
/// ascending.
#[derive(Debug, Clone, Default)]
pub(super) struct Queries {
    factors: Vec<f32>,
    bases: Vec<f32>,
    left_out: Vec<Vec<u32>>,
}

raddle::state!(Queries { factors, bases, left_out });

impl Queries {
    /// Adds a query; missing factors are zeros.
    pub(super) fn add(&mut self, rank: usize, factors: &[f32], base: f32, left_out: Vec<u32>) {
        let end = self.factors.len() + rank;
        self.factors.extend_from_slice(factors);
        self.factors.resize(end, 0.0);
        self.bases.push(base);
        self.left_out.push(left_out);
    }
}

impl ItemIndex {
    /// An index of rows with factors and a bias each.
    pub(super) fn new(rank: usize, factors: &[f32], biases: Vec<f32>) -> Self {
        let chunks = rank.div_ceil(LANES).max(1);
        let mut rows = padded(factors, rank);
        rows.resize(biases.len() * chunks, Vector([0.0; LANES]));
        Self { rows, biases, rank, chunks }
    }

    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        self.biases.len()
    }

    /// Returns the number of factors in a row.
    pub(super) fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the factors of a row; empty beyond the rows.
    pub(super) fn row(&self, row: u32) -> &[f32] {
        let start = row as usize * self.chunks;
        let vectors = self.rows.get(start..start + self.chunks).unwrap_or(&[]);
        bytemuck::cast_slice(vectors).get(..self.rank).unwrap_or(&[])
    }

    /// Returns an index of some of the rows.
    fn of(&self, rows: &[u32]) -> Self {
        let (chunks, mut picked) = (self.chunks, Vec::with_capacity(rows.len() * self.chunks));
        rows.iter().for_each(|&row| picked.extend_from_slice(&self.rows[row as usize * chunks..][..chunks]));
        let biases = rows.iter().map(|&row| self.biases[row as usize]).collect();
        Self { rows: picked, biases, ..*self }
    }
}

/// The rows that a call may choose from.
#[derive(Debug)]
pub(super) struct Candidates {
    index: Arc<ItemIndex>,
    /// The rows, ascending, if they are not all.
    names: Option<Vec<u32>>,
    /// Places of the rows that are left out, ascending.
    without: Vec<u32>,
}

impl Candidates {
    pub(super) fn new(index: &Arc<ItemIndex>, query: &Query<'_>) -> Self {
        let known = |rows: &[u32]| {
            let mut known: Vec<u32> =
                rows.iter().copied().filter(|&row| (row as usize) < index.len()).collect();
            known.sort_unstable();
            known.dedup();
            known
        };
        let without = known(query.without);
        let Some(only) = query.only else {
            return Self { index: Arc::clone(index), names: None, without };
        };
        let mut names = known(only);
        names.retain(|name| without.binary_search(name).is_err());
        Self { index: Arc::new(index.of(&names)), names: Some(names), without: Vec::new() }
    }

    /// Returns the places of these ascending rows among the candidates.
    pub(super) fn places(&self, rows: &[u32]) -> Vec<u32> {
        match &self.names {
            None => rows.to_vec(),
            Some(names) => {
                rows.iter().filter_map(|row| Some(names.binary_search(row).ok()? as u32)).collect()
            }
        }
    }

    /// `true` if a row may be chosen.
    pub(super) fn has(&self, row: u32) -> bool {
        match &self.names {
            None => (row as usize) < self.index.len() && self.without.binary_search(&row).is_err(),
            Some(names) => names.binary_search(&row).is_ok(),
        }
    }

    /// Calls `take` with the number of each query and the `count` best rows for it.
    pub(super) fn best(&self, queries: &Queries, count: usize, take: impl FnMut(usize, &[(u32, f32)])) {
        self.ranked(queries, count, BLOCK, |_, _| (), take);
    }

    /// Calls `take` with the best rows of each query; `judge` first sees all its scores, without the number
    /// added to all, and with nothing left out.
    pub(super) fn judged(
        &self,
        queries: &Queries,
        count: usize,
        judge: impl FnMut(usize, &[f32]),
        take: impl FnMut(usize, &[(u32, f32)]),
    ) {
        self.ranked(queries, count, self.index.len().max(1), judge, take);
    }

    /// Scores `block` rows at a time for some queries, and keeps the best.
    fn ranked(
        &self,
        queries: &Queries,
        count: usize,
        block: usize,
        mut judge: impl FnMut(usize, &[f32]),
        mut take: impl FnMut(usize, &[(u32, f32)]),
    ) {
        let ItemIndex { rows, biases, rank, chunks } = &*self.index;
        let mut out: [Vec<f32>; TOGETHER] = Default::default();
        let mut best: [Vec<(u32, f32)>; TOGETHER] = Default::default();
        let number = queries.bases.len();
        let has_biases = biases.iter().any(|&bias| bias != 0.0);
        for first in (0..number).step_by(TOGETHER) {
            let asking: [Vec<Vector>; TOGETHER] = std::array::from_fn(|j| {
                let row = queries.factors.get((first + j) * rank..(first + j + 1) * rank).unwrap_or(&[]);
                let mut row = padded(row, *rank);
                row.resize(*chunks, Vector([0.0; LANES]));
                row
            });
            best.iter_mut().for_each(Vec::clear);
            for start in (0..biases.len().max(1)).step_by(block) {
                let end = (start + block).min(biases.len());
                let rows = &rows[start * chunks..end * chunks];
                scores(asking.each_ref().map(Vec::as_slice), rows, *chunks, &mut out);
                for (query, (scores, best)) in (first..number).zip(out.iter_mut().zip(&mut best)) {
                    if has_biases {
                        scores.iter_mut().zip(&biases[start..end]).for_each(|(score, bias)| *score += bias);
                    }
                    judge(query, scores);
                    mask(&self.without, start, scores);
                    mask(&queries.left_out[query], start, scores);
                    merge(start as u32, scores, count, best);
                }
            }
            for (query, best) in (first..number).zip(&mut best) {
                for (row, score) in best.iter_mut() {
                    *score += queries.bases[query];
                    *row = self.names.as_ref().map_or(*row, |names| names[*row as usize]);
                }
                take(query, best);
            }
        }
    }

    /// Returns the best rows of all these queries, found by this number of workers.
    pub(super) fn top_k(self, queries: Vec<Queries>, count: usize, workers: usize) -> Result<TopK, MfError> {
        let chosen = raddle::map(queries, workers, move |queries: &Queries| {
            let mut chosen = TopK::with_capacity(queries.bases.len());
            self.best(queries, count, |_, best| chosen.push(best.to_vec()));
            chosen
        })?;
        Ok(chosen.into_iter().flatten().collect())
    }
}

/// Masks the scores of ascending rows; the first score is that of row `start`.
fn mask(rows: &[u32], start: usize, scores: &mut [f32]) {
    let from = rows.partition_point(|&row| (row as usize) < start);
    for &row in &rows[from..] {
        match scores.get_mut(row as usize - start) {
            Some(score) => *score = f32::NEG_INFINITY,
            None => break,
        }
    }
}
