//! [`StagedChunk`]: the ratings that a shard has taken from one chunk of the input, until they are joined.

use super::column_index::ColumnIndex;
use super::dictionary::{Dictionary, Values};
use crate::input::mmap_arrays::MmapArrays;

/// Ratings of a chunk in the layout of a shard's, in memory that leaves no holes when they are joined.
#[derive(Debug, Clone)]
pub(super) struct StagedChunk {
    /// Pages per row of the [`ColumnIndex`], then its arrays, then the values.
    arrays: MmapArrays,
}

raddle::state!(StagedChunk { arrays });

impl StagedChunk {
    pub(super) fn new(named: &ColumnIndex, values: &Values) -> Self {
        let [pages, starts, narrow, wide] = named.arrays();
        Self { arrays: MmapArrays::of(&[pages, starts, narrow, wide, values.bytes()]) }
    }

    /// Returns the ratings; as indices if there is a list, unless they are stored plainly here.
    fn read(&self, list: Option<&Dictionary>) -> (ColumnIndex, Values) {
        let (named, values) = (ColumnIndex::of(&self.arrays), self.arrays.array(4));
        let is_plain = values.len() == named.count() * size_of::<f32>();
        (named, Values::of(values, list.filter(|_| !is_plain)))
    }
}

/// Joins the ratings of all chunks, in order, as if they had been taken from the input at once.
pub(super) fn join(
    taken: &[StagedChunk],
    sizes: [usize; 2],
    mut list: Option<Dictionary>,
) -> (ColumnIndex, Values) {
    let taken: Vec<(ColumnIndex, Values)> = taken.iter().map(|taken| taken.read(list.as_ref())).collect();
    let count = taken.iter().map(|(named, _)| named.count()).sum();
    let mut values = Values::zeros(count, list.as_ref());
    let ratings = taken.iter().flat_map(|(named, _)| named.ratings());
    let mut from = taken.iter().flat_map(|(named, from)| (0..named.count()).map(move |place| (from, place)));
    let named = ColumnIndex::new(sizes, count, ratings, |at| {
        if let Some((from, place)) = from.next() {
            values.copy(at, from, place, list.as_mut());
        }
    });
    (named, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Stages ratings of 9 rows.
    fn laid(
        ratings: &[(usize, u32, f32)],
        others: usize,
        mut list: Option<Dictionary>,
    ) -> (ColumnIndex, Values) {
        let mut values = Values::zeros(ratings.len(), list.as_ref());
        let mut given = ratings.iter().map(|rating| rating.2);
        let pairs = ratings.iter().map(|rating| (rating.0, rating.1));
        let named = ColumnIndex::new([9, others], ratings.len(), pairs, |place| {
            values.set(place, given.next().unwrap(), list.as_mut());
        });
        (named, values)
    }

    proptest! {
        #[test]
        fn chunks_that_are_joined_are_what_the_whole_is(
            ratings in proptest::collection::vec((0usize..9, 0u32..200_000, 0u8..5), 0..400),
            others in prop_oneof![Just(200_000), Just(9_000_000)], cut in 1usize..90, listed: bool, staged_listed: bool,
        ) {
            let ratings: Vec<_> = ratings.iter().map(|&(row, other, value)| (row, other, f32::from(value))).collect();
            let list = listed.then(|| Dictionary::new((0..5).map(|value| value as f32).collect()));
            let taken: Vec<StagedChunk> = ratings.chunks(cut).map(|some| {
                let (named, values) = laid(some, others, list.clone().filter(|_| staged_listed));
                StagedChunk::new(&named, &values)
            }).collect();
            let whole = laid(&ratings, others, list.clone());
            prop_assert_eq!(join(&taken, [9, others], list), whole);
        }
    }
}
