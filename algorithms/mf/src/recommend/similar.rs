//! [`Similar`]: the items, or users, whose factors point in the same direction.

use std::sync::Arc;

use super::all_pairs::all_pairs;
use super::query::Query;
use super::top_k::{BLOCK, Candidates, ItemIndex, Queries, SHARD, TopK};
use crate::error::MfError;
use crate::model::Model;

/// Limit on the entries of the lists of all workers together, where each worker has lists of all rows.
const PAIRED: usize = 1 << 24;

/// Finds similar items, or similar users, by the cosine of their factors, without biases and mean.
///
/// The row asked about comes first, with similarity 1, unless filters leave it out; then the most similar
/// rows, with ties to the lower row. The similarity with a row of zeros is 0. A row that the model does not
/// have has an empty list.
///
/// ```
/// use raddle_mf::{Model, Query, Similar};
///
/// let model = Model { item_factors: vec![1.0, 0.0, 0.0, 2.0, 3.0, 3.0], ..Model::zeros(1, 3, 2) };
/// let similar = Similar::items(&model);
/// assert_eq!(similar.one(1, &Query::best(2)), [(1, 1.0), (2, 0.5_f32.sqrt())]);
/// assert_eq!(similar.one(1, &Query::best(2).without(&[1, 2])), [(0, 0.0)]);
/// ```
#[derive(Debug, Clone)]
pub struct Similar {
    /// Rows scaled to length 1, or zeros.
    index: Arc<ItemIndex>,
}

impl Similar {
    /// An index of the items of a model; it holds a row of length 1 for each, at most 4 (rank + 16) bytes per
    /// item.
    pub fn items(model: &Model) -> Self {
        Self::new(model.rank, &model.item_factors, model.items())
    }

    /// An index of the users of a model; it holds a row of length 1 for each, at most 4 (rank + 16) bytes per
    /// user.
    pub fn users(model: &Model) -> Self {
        Self::new(model.rank, &model.user_factors, model.users())
    }

    fn new(rank: usize, factors: &[f32], count: usize) -> Self {
        let mut unit = factors.to_vec();
        for row in unit.chunks_exact_mut(rank.max(1)) {
            let length = row.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>().sqrt();
            row.iter_mut()
                .for_each(|value| *value = (f64::from(*value) / length.max(f64::MIN_POSITIVE)) as f32);
        }
        Self { index: Arc::new(ItemIndex::new(rank, &unit, vec![0.0; count])) }
    }

    /// Returns the rows most similar to this one, as (row, cosine).
    pub fn one(&self, row: u32, query: &Query<'_>) -> Vec<(u32, f32)> {
        let candidates = Candidates::new(&self.index, query);
        let (mut found, queries) = (Vec::new(), self.queries(&[row], 0, &candidates, query));
        candidates.best(&queries, query.count, |_, best| found = best.to_vec());
        self.finish((0, row), candidates.has(row), query, &mut found);
        found
    }

    /// Returns the most similar rows of many, found by this number of workers. All lists are in memory at
    /// once: ask about some thousands at a time.
    ///
    /// # Errors
    /// If the run fails, such as when threads cannot be started.
    pub fn all(&self, rows: &[u32], query: &Query<'_>, workers: usize) -> Result<TopK, MfError> {
        let lists = self.index.len().saturating_mul(workers.max(1)).saturating_mul(query.count);
        let is_small = lists <= PAIRED;
        if is_small && query.is_of_all() && rows.iter().copied().eq(0..self.index.len() as u32) {
            let mut found = all_pairs(&self.index, query.count, workers.max(1), BLOCK)?;
            rows.iter().zip(&mut found).for_each(|(&row, list)| self.finish((0, row), true, query, list));
            return Ok(found);
        }
        let candidates = Candidates::new(&self.index, query);
        let may: Vec<bool> = rows.iter().map(|&row| candidates.has(row)).collect();
        let shards = rows.chunks(SHARD).enumerate();
        let shards =
            shards.map(|(shard, some)| self.queries(some, shard * SHARD, &candidates, query)).collect();
        let mut found = candidates.top_k(shards, query.count, workers)?;
        for (asked, (&may, list)) in rows.iter().copied().enumerate().zip(may.iter().zip(&mut found)) {
            self.finish(asked, may, query, list);
        }
        Ok(found)
    }

    /// Makes the queries of these rows, of which the first has the place `first`; each leaves itself out.
    fn queries(&self, rows: &[u32], first: usize, candidates: &Candidates, query: &Query<'_>) -> Queries {
        let mut queries = Queries::default();
        for (place, &row) in (first..).zip(rows) {
            let mut left_out = query.left_out(place, row).to_vec();
            left_out.insert(left_out.partition_point(|&other| other < row), row);
            queries.add(self.index.rank(), self.index.row(row), 0.0, candidates.places(&left_out));
        }
        queries
    }

    /// Inserts the row asked about at the front, and clips rounded values to the range of a cosine.
    fn finish(&self, (place, row): (usize, u32), may: bool, query: &Query<'_>, list: &mut Vec<(u32, f32)>) {
        if row as usize >= self.index.len() {
            return list.clear();
        }
        list.iter_mut().for_each(|(_, cosine)| *cosine = cosine.clamp(-1.0, 1.0));
        if may && query.left_out(place, row).binary_search(&row).is_err() {
            let is_known = self.index.row(row).iter().any(|&value| value != 0.0);
            list.insert(0, (row, if is_known { 1.0 } else { 0.0 }));
            list.truncate(query.count);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use raddle_common::testing::pairs;

    use super::super::tests::random;
    use super::*;

    /// Computes a cosine in double precision.
    fn cosine(a: &[f32], b: &[f32]) -> f64 {
        let dot = |a: &[f32], b: &[f32]| -> f64 {
            a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
        };
        let lengths = (dot(a, a) * dot(b, b)).sqrt();
        if lengths > 0.0 { dot(a, b) / lengths } else { 0.0 }
    }

    proptest! {
        #[test]
        fn all_rows_at_once_have_the_lists_of_each(seed: u64, count in 0usize..12, workers in 1usize..6, rows in 1usize..70) {
            // Few distinct values: many ties.
            let model = random(seed, 3, rows, 2);
            let (similar, query) = (Similar::items(&model), Query::best(count));
            let each: Vec<_> = (0..rows as u32).map(|row| similar.one(row, &query)).collect();
            let all: Vec<u32> = (0..rows as u32).collect();
            prop_assert_eq!(similar.all(&all, &query, workers).unwrap(), each);
        }

        #[test]
        fn pairs_have_the_same_lists_in_blocks_of_any_size(
            seed: u64, count in 1usize..12, workers in 1usize..4, rows in 1usize..70, block in 1usize..70,
        ) {
            // Blocks of rows end within the four rows that are asked together, and within sixteen compared.
            let index = Similar::items(&random(seed, 3, rows, 2)).index;
            let found = all_pairs(&index, count, workers, block).unwrap();
            prop_assert_eq!(found, all_pairs(&index, count, 1, rows).unwrap());
        }

        #[test]
        fn the_most_similar_are_those_of_the_largest_cosines(
            seed: u64, count in 1usize..60, scale in prop_oneof![Just(1.0), Just(1e30_f32), Just(1e-30)],
            without in proptest::collection::vec(0u32..60, 0..5), row in 0u32..50,
        ) {
            let mut model = random(seed, 40, 50, 3);
            [&mut model.item_factors, &mut model.user_factors].into_iter().flatten().for_each(|value| *value *= scale);
            for (similar, rows, is_items) in [(Similar::items(&model), 50, true), (Similar::users(&model), 40, false)] {
                let of = |row| if is_items { model.item(row) } else { model.user(row) };
                let found = similar.one(row, &Query::best(count).without(&without));
                let asked = similar.all(&[7, row], &Query::best(count).without(&without), 2).unwrap();
                prop_assert_eq!(&asked[1], &found);
                if row >= rows {
                    prop_assert!(found.is_empty());
                    continue;
                }
                let allowed: Vec<u32> = (0..rows).filter(|other| !without.contains(other)).collect();
                prop_assert_eq!(found.len(), count.min(allowed.len()));
                let zero = of(row).iter().all(|&value| value == 0.0);
                if allowed.contains(&row) {
                    prop_assert_eq!(found[0], (row, if zero { 0.0 } else { 1.0 }));
                }
                let others = &found[usize::from(allowed.contains(&row))..];
                prop_assert!(others.is_sorted_by(|a, b| a.1 > b.1 || (a.1 == b.1 && a.0 < b.0)));
                for &(other, score) in others {
                    prop_assert!(allowed.contains(&other) && other != row);
                    prop_assert!((f64::from(score) - cosine(of(row), of(other))).abs() < 1e-6);
                }
                // No row that is missing in the list is more similar than its last.
                if let Some(&(_, last)) = others.last() {
                    for other in allowed.iter().filter(|&&other| other != row && found.iter().all(|&(row, _)| row != other)) {
                        prop_assert!(cosine(of(row), of(*other)) < f64::from(last) + 1e-6);
                    }
                }
            }
        }
    }

    #[test]
    fn rows_of_zeros_are_like_nobody_and_scale_does_not_matter() {
        let factors = vec![0.0, 0.0, 3.0, 4.0, 6.0e-40, 8.0e-40, -3.0e37, -4.0e37];
        let model = Model { item_factors: factors, ..Model::zeros(1, 4, 2) };
        let similar = Similar::items(&model);
        let list = |row| similar.one(row, &Query::best(9));
        assert_eq!(list(0), [(0, 0.0), (1, 0.0), (2, 0.0), (3, 0.0)]);
        let near = |list: &[(u32, f32)], expected: &[(u32, f32)]| {
            for (a, b) in pairs(list, expected) {
                assert!(a.0 == b.0 && (a.1 - b.1).abs() < 1e-4, "{list:?}");
            }
        };
        near(&list(1), &[(1, 1.0), (2, 1.0), (0, 0.0), (3, -1.0)]);
        near(&list(3), &[(3, 1.0), (0, 0.0), (1, -1.0), (2, -1.0)]);
        assert_eq!(similar.one(1, &Query::best(2).only(&[3, 0, 3])), [(0, 0.0), (3, list(1)[3].1)]);
        assert!(similar.one(4, &Query::best(2)).is_empty());
        assert!(similar.one(1, &Query::best(0)).is_empty());
    }
}
