//! Shards of ratings that are read by parts, each made where it lives.

use std::sync::Arc;

use raddle::Lazy;

use super::partitioning::cut;
use super::shard::SideShard;
use crate::error::MfError;
use crate::input::by_parts::ByParts;
use crate::input::chunk::chunk_owner;
use crate::model::Side;

/// Users and items take turns.
pub(super) fn side(shard: usize) -> Side {
    if shard.is_multiple_of(2) { Side::Users } else { Side::Items }
}

/// Shards that have of each chunk only what they take from it, read where they live by one pass for all; and
/// one chunk as a whole, where they count it.
pub(super) fn shards_by_parts(by_parts: &Arc<ByParts>, count: usize, chunks: usize) -> Lazy<SideShard> {
    let by_parts = Arc::clone(by_parts);
    Lazy::together(count, move |numbers: &[u32]| make(&by_parts, numbers, (count, chunks)))
}

/// The shards of these numbers.
fn make(
    by_parts: &ByParts,
    numbers: &[u32],
    (count, chunks): (usize, usize),
) -> Result<Vec<SideShard>, MfError> {
    let firsts = by_parts.counts.each_ref().map(|counts| {
        let counts: Vec<u64> = counts.iter().map(|&count| u64::from(count)).collect();
        cut(&counts, count / 2)
    });
    let mut places = by_parts.counts.each_ref().map(|counts| vec![None; counts.len()]);
    for (place, &number) in (0..).zip(numbers) {
        let (part, of) = (number as usize / 2, side(number as usize) as usize);
        let rows = firsts[of][part] as usize..firsts[of][part + 1] as usize;
        places[of][rows].fill(Some(place));
    }
    let new = |&number: &u32| SideShard::new(side(number as usize), Vec::with_capacity(chunks));
    let mut shards: Vec<SideShard> = numbers.iter().map(new).collect();
    for chunk in 0..chunks {
        let by_shard = by_parts.chunk_by_shard((chunk, chunks), &places, numbers.len())?;
        shards.iter_mut().zip(by_shard).for_each(|(shard, chunk)| shard.input.push(chunk));
    }
    for (shard, &number) in shards.iter_mut().zip(numbers) {
        let counted = (0..chunks as u32).find(|&c| chunk_owner(c, chunks as u32, count as u32) == number);
        shard.counted = counted.map(|chunk| by_parts.chunk(chunk as usize, chunks)).transpose()?;
    }
    Ok(shards)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alternating::partitioning::{Partitioning, Tally};
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
            let tallies: Vec<Tally> = whole.iter().map(|chunk| Tally::of(chunk, rows, 0.5, listed)).collect();
            let partitioning = Partitioning::new(&tallies, rows, parts);
            // On two processes, each of which has every other one.
            let here = |first: usize| -> Vec<u32> { (0..count as u32).skip(first).step_by(2).collect() };
            let made = |first: usize| make(&by_parts, &here(first), (count, chunks)).unwrap();
            let made = [0, 1].map(|first| pairs(here(first), made(first)));
            for (number, mut made) in made.into_iter().flatten() {
                let counted = (0..).zip(&whole).find(|&(c, _)| chunk_owner(c, chunks as u32, count as u32) == number);
                let tally = |chunk: &Chunk| to_bytes(&Tally::of(chunk, rows, 0.5, listed));
                prop_assert_eq!(made.counted.as_ref().map(tally), counted.map(|(_, chunk)| tally(chunk)));
                let mut given = SideShard::new(side(number as usize), whole.clone());
                loop {
                    let (over, over_too) = (given.input.is_empty(), made.input.is_empty());
                    prop_assert_eq!(over, over_too);
                    for shard in [&mut given, &mut made] {
                        shard.take(number as usize / 2, &partitioning, 0.5, held_as);
                    }
                    if over {
                        break;
                    }
                }
                prop_assert_eq!(to_bytes(&made), to_bytes(&given), "shard {} of {}", number, count);
            }
        }
    }
}
