//! Shards of ratings that are read by parts, each made on the worker where it lives.

use raddle::Lazy;
use raddle_datasets::Triples;

use super::partitioning::{Tally, cut};
use super::rating_format::RatingFormat;
use super::shard::{CountedChunk, SideShard};
use crate::error::MfError;
use crate::input::chunk::{Chunk, chunk_owner, range};
use crate::input::problem::Problem;
use crate::input::source::RatingsSource;
use crate::model::Side;

/// Side of a shard: those of users and items alternate.
pub(super) fn side(shard: usize) -> Side {
    if shard.is_multiple_of(2) { Side::Users } else { Side::Items }
}

/// Shards that have staged their ratings of each chunk, read by one pass for all shards of a process; and the
/// tally of one chunk, if they count it.
pub(super) fn shards_by_parts(
    problem: &Problem,
    count: usize,
    chunks: usize,
    format: RatingFormat,
) -> Lazy<SideShard> {
    let problem = problem.clone();
    Lazy::together(count, move |numbers: &[u32]| make(&problem, numbers, count, chunks, format))
}

/// Makes the shards with these numbers.
fn make(
    problem: &Problem,
    numbers: &[u32],
    count: usize,
    chunks: usize,
    format: RatingFormat,
) -> Result<Vec<SideShard>, MfError> {
    let sizes = [problem.users, problem.items];
    let Some(counts) = &problem.counts else { return Ok(Vec::new()) };
    let firsts = counts.rows.each_ref().map(|counts| {
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
            let tally = Tally::of(&Chunk::of(problem, chunk as usize, chunks)?, sizes, format);
            shard.counted = Some(CountedChunk::Tally(Box::new(tally)));
        }
        shards.push(shard);
    }
    // Two copies exist of the ratings of one chunk at a time.
    for chunk in 0..chunks {
        let by_shard = chunk_by_shard(problem, chunk, chunks, &places, numbers.len())?;
        for ((shard, &number), chunk) in shards.iter_mut().zip(numbers).zip(by_shard) {
            let (of, rows) = rows(number);
            shard.stage(&chunk, rows, sizes[1 - of], format);
        }
    }
    Ok(shards)
}

/// Reads chunk `part` of `parts`, split among `count` shards: `places` has, for users (0) and items (1), the
/// shard of each row, if one here takes its ratings. Held-out ratings go with the users.
fn chunk_by_shard(
    problem: &Problem,
    part: usize,
    parts: usize,
    places: &[Vec<Option<u32>>; 2],
    count: usize,
) -> Result<Vec<Chunk>, MfError> {
    let split = |of: &RatingsSource, sides: usize| -> Result<Vec<Triples>, MfError> {
        let mut by_shard = vec![Triples::default(); count];
        of.each_in(range(of.len(), part, parts), |user, item, value| {
            for (place, row) in places.iter().zip([user, item]).take(sides) {
                if let Some(shard) = place[row as usize] {
                    by_shard[shard as usize].push(user, item, value);
                }
            }
        })?;
        by_shard.iter_mut().for_each(Triples::shrink_to_fit);
        Ok(by_shard)
    };
    let train = split(&problem.train, 2)?;
    let none = || Ok(vec![Triples::default(); count]);
    let held = problem.held_out().map_or_else(none, |held| split(held, 1))?;
    Ok(train.into_iter().zip(held).map(|(train, held)| Chunk::of_triples(train, held)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alternating::partitioning::Partitioning;
    use crate::input::tests::{in_file, ratings};
    use proptest::prelude::*;
    use raddle::state::to_bytes;
    use raddle_common::testing::pairs;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn made_shards_have_the_bytes_of_those_made_from_the_whole(
            triples in ratings(), parts in 1usize..5, chunks in 1usize..9, listed: bool, held_as in prop_oneof![Just(None), Just(Some(1.0))],
        ) {
            let (problem, stored) = in_file(&triples);
            let (count, chunks) = (2 * parts, chunks.min(2 * parts));
            let whole = Chunk::cut(&problem, chunks).unwrap();
            let rows = [problem.users, problem.items];
            let format = RatingFormat { center: 0.5, held_as, listed };
            let tallies: Vec<Tally> = whole.iter().map(|chunk| Tally::of(chunk, rows, format)).collect();
            let partitioning = Partitioning::new(&tallies, rows, parts);
            // Two processes, each with every other shard.
            let here = |first: usize| -> Vec<u32> { (0..count as u32).skip(first).step_by(2).collect() };
            let made = |first: usize| make(&stored, &here(first), count, chunks, format).unwrap();
            let made = [0, 1].map(|first| pairs(here(first), made(first)));
            for (number, mut made) in made.into_iter().flatten() {
                let counted = (0..).zip(&tallies).find(|&(c, _)| chunk_owner(c, chunks as u32, count as u32) == number);
                let of = made.counted.take().map(|counted| match counted {
                    CountedChunk::Tally(tally) => to_bytes(&*tally),
                    CountedChunk::Ratings(_) => panic!("counted where it was read"),
                });
                prop_assert_eq!(of, counted.map(|(_, tally)| to_bytes(tally)));
                let mut given = SideShard::new(side(number as usize), whole.clone());
                while !given.take(number as usize / 2, &partitioning, format) {}
                prop_assert!(made.take(number as usize / 2, &partitioning, format));
                prop_assert_eq!(to_bytes(&made), to_bytes(&given), "shard {} of {}", number, count);
            }
        }
    }
}
