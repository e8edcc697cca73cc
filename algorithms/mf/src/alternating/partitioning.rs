//! [`Partitioning`]: the rows of each shard, and [`Tally`]: the counts from which they are found.
//!
//! Shards receive their ratings on the workers where they live. At the first boundary some of them count
//! chunks of the input; the counts determine the rows of each shard; and in the first rounds each shard takes
//! the ratings of its rows from the input, one chunk per round. An input that may be used up is freed
//! meanwhile.

use std::ops::Range;

use raddle::schedule::even_parts;

use super::dictionary::{Dictionary, distinct};
use super::rating_format::RatingFormat;
use crate::input::chunk::Chunk;
use crate::input::source::Counts;

/// Solving a row costs as much as this number of ratings, in addition to its own.
const ROW: u64 = 16;

/// Division of both sides into shards.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Partitioning {
    /// The first row of each part, and the end of the last: of users, and of items.
    firsts: [Vec<u32>; 2],
    /// The distinct values of the centred ratings, if they are listed.
    pub(crate) list: Option<Dictionary>,
}

raddle::state!(Partitioning { firsts, list });

/// Number of times that a chunk of the input names each row; and its distinct values if they are asked for
/// and few.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    counts: Counts,
    values: Option<Vec<f32>>,
}

raddle::state!(Tally { counts, values });

impl Tally {
    /// Counts a chunk, and lists its values as they are stored.
    pub(crate) fn of(chunk: &Chunk, [users, items]: [usize; 2], format: RatingFormat) -> Self {
        let values = chunk.ratings().values.iter().map(|value| value - format.center);
        let values = format.listed.then(|| distinct(values)).flatten();
        Self { counts: chunk.count(users, items), values }
    }

    /// Adds the counts of later chunks.
    pub(crate) fn merge(&mut self, right: &Self) {
        self.counts.add_rows(&right.counts);
        self.values = match (self.values.take(), &right.values) {
            (Some(left), Some(right)) => distinct(left.iter().chain(right).copied()),
            _ => None,
        };
    }
}

/// Returns the number of ratings of each row of a side, from the tallies of all chunks.
pub(super) fn counts(tallies: &[Tally], side: usize, rows: usize) -> Vec<u64> {
    let mut all = vec![0; rows];
    for tally in tallies {
        all.iter_mut().zip(&tally.counts.rows[side]).for_each(|(sum, &count)| *sum += u64::from(count));
    }
    all
}

/// Returns the first row of each of `parts` ranges of rows of equal cost, from the number of ratings of each
/// row; and the end of the last range.
pub(super) fn cut(counts: &[u64], parts: usize) -> Vec<u32> {
    let costs: Vec<u64> = counts.iter().map(|count| ROW + count).collect();
    let ranges = even_parts(&costs, parts);
    ranges.iter().map(|range| range.start as u32).chain([counts.len() as u32]).collect()
}

impl Partitioning {
    /// Divides both sides into `parts` ranges of rows of equal cost, from the tallies of all chunks in order.
    pub(crate) fn new(tallies: &[Tally], rows: [usize; 2], parts: usize) -> Self {
        let lists: Option<Vec<&Vec<f32>>> = tallies.iter().map(|tally| tally.values.as_ref()).collect();
        let table = lists.and_then(|lists| distinct(lists.into_iter().flatten().copied()));
        let firsts = [0, 1].map(|side| cut(&counts(tallies, side, rows[side]), parts));
        Self { firsts, list: table.map(Dictionary::new) }
    }

    /// Returns the rows of a part of a side: 0 for users, 1 for items.
    pub(crate) fn rows(&self, side: usize, part: usize) -> Range<u32> {
        self.firsts[side][part]..self.firsts[side][part + 1]
    }

    /// Returns the number of rows of a side.
    pub(crate) fn count(&self, side: usize) -> usize {
        self.firsts[side].last().map_or(0, |&end| end as usize)
    }
}

/// Returns the positions at which rows of a range are named. Most stretches of sorted data name none, and are
/// skipped quickly.
pub(crate) fn positions(named: &[u32], rows: Range<u32>) -> Vec<u32> {
    const STRETCH: usize = 1024;
    let length = rows.end - rows.start;
    let is_mine = |row: u32| row.wrapping_sub(rows.start) < length;
    let (mut found, mut scratch) = (Vec::new(), [0; STRETCH]);
    for (stretch, first) in named.chunks(STRETCH).zip((0..).step_by(STRETCH)) {
        if !stretch.iter().fold(false, |any, &row| any | is_mine(row)) {
            continue;
        }
        // Without a branch, which in unordered data would be mispredicted half of the time.
        let mut count = 0;
        for (&row, at) in stretch.iter().zip(first..) {
            scratch[count] = at;
            count += usize::from(is_mine(row));
        }
        found.extend_from_slice(&scratch[..count]);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::problem::Problem;
    use proptest::prelude::*;
    use raddle_datasets::Triples;

    proptest! {
        #[test]
        fn a_range_of_rows_is_found_wherever_it_is_named(
            named in proptest::collection::vec(0u32..50, 0..3000), first in 0u32..50, length in 0u32..50,
        ) {
            let rows = first..first + length;
            let naive: Vec<u32> = (0..).zip(&named).filter(|(_, row)| rows.contains(row)).map(|(at, _)| at).collect();
            prop_assert_eq!(positions(&named, rows), naive);
        }
    }

    #[test]
    fn parts_cover_both_sides_evenly_however_the_input_is_chunked() {
        let triples: Triples = (0..4000u32).map(|i| (i * i % 90, i % 7, (i % 5) as f32)).collect();
        let problem = Problem::new(100, 7, triples.clone()).unwrap();
        let format = RatingFormat { center: 1.0, held_as: None, listed: true };
        let partitioning = |chunks| {
            let chunks = Chunk::cut(&problem, chunks).unwrap();
            let tallies: Vec<Tally> = chunks.iter().map(|chunk| Tally::of(chunk, [100, 7], format)).collect();
            let mut merged = tallies[0].clone();
            tallies[1..].iter().for_each(|tally| merged.merge(tally));
            let partitioning = Partitioning::new(&tallies, [100, 7], 4);
            assert_eq!(Partitioning::new(&[merged], [100, 7], 4), partitioning);
            partitioning
        };
        let whole = partitioning(1);
        assert_eq!(whole, partitioning(5));
        assert_eq!((whole.count(0), whole.count(1)), (100, 7));
        let counts = |side: usize, named: &[u32]| -> Vec<usize> {
            (0..4).map(|part| positions(named, whole.rows(side, part)).len()).collect()
        };
        assert_eq!(counts(0, &triples.users).iter().sum::<usize>(), 4000);
        assert!(
            counts(1, &triples.items).iter().all(|&count| count >= 500),
            "{:?}",
            counts(1, &triples.items)
        );
        assert_eq!(whole.list.as_ref().map(|list| list.table.len()), Some(5));
    }
}
