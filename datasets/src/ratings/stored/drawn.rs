//! Writes generated ratings as they are drawn.

use std::collections::HashSet;
use std::path::Path;

use super::layout::{Filling, RatingsFacts};
use crate::arrays::pieces::{PIECE, Pieces};
use crate::counter::splitmix64;
use crate::error::ReadError;
use crate::ratings::Triples;
use crate::ratings::generate::Drawn;

/// Approximate number of draws whose pairs are in memory at once.
const TOGETHER: usize = 1 << 20;

/// Writes to the file what [`generate::ratings`](crate::ratings::generate::ratings) would hold in memory.
pub(crate) fn write(drawn: &Drawn, path: &Path) -> Result<(Pieces, RatingsFacts), ReadError> {
    let repeats = repeats(drawn);
    let mut out = Filling::create(path)?;
    let (mut triples, mut left) = (Triples::default(), drawn.count);
    for t in (0..).filter(|&t| !is_in(&repeats, t)) {
        if triples.len() == PIECE || left == 0 {
            out.push(&triples, None)?;
            triples.truncate(0);
        }
        if left == 0 {
            break;
        }
        let (user, item) = drawn.pair(t as u64);
        triples.push(user, item, drawn.rating(t as u64, user, item));
        left -= 1;
    }
    out.finish(&drawn.described(""), false)
}

/// Returns a bit for each draw up to the last one needed: set if its pair was drawn before.
fn repeats(drawn: &Drawn) -> Vec<u64> {
    let mut draws = drawn.count + drawn.count / 4 + 64;
    loop {
        let mut repeats = vec![0_u64; draws.div_ceil(64)];
        let parts = draws.div_ceil(TOGETHER) as u64;
        // Handles the pairs in parts, so that few are in memory; drawing again costs less than keeping them.
        for part in 0..parts {
            let mut seen = HashSet::with_capacity(draws / parts as usize);
            for t in 0..draws {
                let (user, item) = drawn.pair(t as u64);
                let key = u64::from(user) << 32 | u64::from(item);
                if splitmix64(key) % parts == part && !seen.insert(key) {
                    repeats[t / 64] |= 1 << (t % 64);
                }
            }
        }
        let different = draws - repeats.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        if different >= drawn.count {
            return repeats;
        }
        draws += draws / 2;
    }
}

pub(super) fn is_in(bits: &[u64], at: usize) -> bool {
    bits.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
}
