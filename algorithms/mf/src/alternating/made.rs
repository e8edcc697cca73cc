//! Shards of ratings that are read by parts, each made on the worker where it lives.

use std::sync::Arc;

use raddle::Lazy;

use super::keeping::Keeping;
use super::partitioning::{Tally, cut};
use super::shard::{CountedChunk, SideShard};
use crate::error::MfError;
use crate::input::by_parts::ByParts;
use crate::input::chunk::chunk_owner;
use crate::model::Side;

/// Side of a shard: those of users and items alternate.
pub(super) fn side(shard: usize) -> Side {
    if shard.is_multiple_of(2) { Side::Users } else { Side::Items }
}

/// Shards that have staged their ratings of each chunk, read by one pass for all shards of a process; and the
/// tally of one chunk, if they count it.
pub(super) fn shards_by_parts(
    by_parts: &Arc<ByParts>,
    count: usize,
    chunks: usize,
    keeping: Keeping,
) -> Lazy<SideShard> {
    let by_parts = Arc::clone(by_parts);
    Lazy::together(count, move |numbers: &[u32]| make(&by_parts, numbers, (count, chunks), keeping))
}

/// Makes the shards with these numbers.
fn make(
    by_parts: &ByParts,
    numbers: &[u32],
    (count, chunks): (usize, usize),
    keeping: Keeping,
) -> Result<Vec<SideShard>, MfError> {
    let sizes = by_parts.counts.each_ref().map(Vec::len);
    let firsts = by_parts.counts.each_ref().map(|counts| {
        let counts: Vec<u64> = counts.iter().map(|&count| u64::from(count)).collect();
        cut(&counts, count / 2)
    });
    let rows = |number: u32| {
        let (part, of) = (number as usize / 2, side(number as usize) as usize);
        (of, firsts[of][part]..firsts[of][part + 1])
    };
    let mut places = sizes.map(|size| vec![None; size]);
    for (place, &number) in (0..).zip(numbers) {
        let (of, rows) = rows(number);
        places[of][rows.start as usize..rows.end as usize].fill(Some(place));
    }
    let mut shards = Vec::with_capacity(numbers.len());
    for &number in numbers {
        let mut shard = SideShard::new(side(number as usize), Vec::new());
        let counted = (0..chunks as u32).find(|&c| chunk_owner(c, chunks as u32, count as u32) == number);
        if let Some(chunk) = counted {
            let tally = Tally::of(&by_parts.chunk(chunk as usize, chunks)?, sizes.into(), keeping);
            shard.counted = Some(CountedChunk::Tally(Box::new(tally)));
        }
        shards.push(shard);
    }
    // Two copies exist of the ratings of one chunk at a time.
    for chunk in 0..chunks {
        let by_shard = by_parts.chunk_by_shard((chunk, chunks), &places, numbers.len())?;
        for ((shard, &number), chunk) in shards.iter_mut().zip(numbers).zip(by_shard) {
            let (of, rows) = rows(number);
            shard.stage(&chunk, (rows, sizes[1 - of]), keeping);
        }
    }
    Ok(shards)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alternating::partitioning::Partitioning;
    use crate::input::by_parts::testing::{in_file, ratings};
    use crate::input::chunk::Chunk;
    use proptest::prelude::*;
    use raddle::state::to_bytes;
    use raddle_common::testing::pairs;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn made_shards_have_the_bytes_of_those_made_from_the_whole(
            triples in ratings(), parts in 1usize..5, chunks in 1usize..9, listed: bool, held_as in prop_oneof![Just(None), Just(Some(1.0))],
        ) {
            let (problem, by_parts) = in_file(&triples);
            let (count, chunks) = (2 * parts, chunks.min(2 * parts));
            let measured = problem.measured.as_ref().map(|measured| &measured.triples);
            let whole = Chunk::cut(&problem.train, measured, chunks);
            let rows = (problem.users, problem.items);
            let keeping = Keeping { center: 0.5, held_as, listed };
            let tallies: Vec<Tally> = whole.iter().map(|chunk| Tally::of(chunk, rows, keeping)).collect();
            let partitioning = Partitioning::new(&tallies, rows, parts);
            // Two processes, each with every other shard.
            let here = |first: usize| -> Vec<u32> { (0..count as u32).skip(first).step_by(2).collect() };
            let made = |first: usize| make(&by_parts, &here(first), (count, chunks), keeping).unwrap();
            let made = [0, 1].map(|first| pairs(here(first), made(first)));
            for (number, mut made) in made.into_iter().flatten() {
                let counted = (0..).zip(&tallies).find(|&(c, _)| chunk_owner(c, chunks as u32, count as u32) == number);
                let of = made.counted.take().map(|counted| match counted {
                    CountedChunk::Tally(tally) => to_bytes(&*tally),
                    CountedChunk::Ratings(_) => panic!("counted where it was read"),
                });
                prop_assert_eq!(of, counted.map(|(_, tally)| to_bytes(tally)));
                let mut given = SideShard::new(side(number as usize), whole.clone());
                while !given.take(number as usize / 2, &partitioning, keeping) {}
                prop_assert!(made.take(number as usize / 2, &partitioning, keeping));
                prop_assert_eq!(to_bytes(&made), to_bytes(&given), "shard {} of {}", number, count);
            }
        }
    }
}
