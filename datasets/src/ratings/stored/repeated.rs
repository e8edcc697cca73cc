//! Finds pairs that are observed more than once in a file, without reading all of it into memory.

use super::drawn::is_in;
use super::layout::{ITEMS, TIMES, USERS, VALUES, WIDE};
use crate::arrays::pieces::{PIECE, Pieces};
use crate::counter::splitmix64;
use crate::error::ReadError;
use crate::ratings::{Duplicates, RatingsOptions};

/// Approximate number of observations in memory at once.
const TOGETHER: usize = 1 << 20;

/// The effect of a rule on repeated observations.
#[derive(Debug, Default)]
pub(super) struct Repeated {
    /// For each observation a bit, set if it is removed.
    gone: Vec<u64>,
    /// Number of removed observations.
    pub(super) number: usize,
    /// Position of the first removed observation.
    pub(super) first: Option<usize>,
    /// Ascending positions of observations that stand for several, with their merged value and time.
    merged: Vec<(usize, f64, f64)>,
}

/// An observation of the raw file.
struct Seen {
    key: u64,
    at: usize,
    value: f64,
    time: f64,
}

impl Repeated {
    /// Applies the rule of these options to a raw file; removes nothing if all observations are kept.
    pub(super) fn of(raw: &Pieces, options: &RatingsOptions, pairs_only: bool) -> Result<Self, ReadError> {
        match options.keep_repeated {
            true => Ok(Self::default()),
            false => Self::find(raw, options.rule(pairs_only)),
        }
    }

    /// Applies a rule to the arrays users, items, values and, if there are any, times of a file.
    fn find(raw: &Pieces, rule: Duplicates) -> Result<Self, ReadError> {
        let count = raw.count(USERS);
        let mut found = Self { gone: vec![0; count.div_ceil(64)], ..Self::default() };
        let parts = count.div_ceil(TOGETHER) as u64;
        for part in 0..parts {
            found.take(some(raw, part, parts)?, rule);
        }
        found.merged.sort_unstable_by_key(|merged| merged.0);
        Ok(found)
    }

    /// Merges observations by pair; they must be in the order of the file.
    fn take(&mut self, mut seen: Vec<Seen>, rule: Duplicates) {
        seen.sort_unstable_by_key(|one| (one.key, one.at));
        for same in seen.chunk_by(|a, b| a.key == b.key).filter(|same| same.len() > 1) {
            for one in &same[1..] {
                self.gone[one.at / 64] |= 1 << (one.at % 64);
            }
            self.number += same.len() - 1;
            self.first = Some(self.first.map_or(same[1].at, |first| first.min(same[1].at)));
            // Equal times, and all observations without times, keep the order of the file.
            let earlier = |a: &&Seen, b: &&Seen| a.time.total_cmp(&b.time).then(a.at.cmp(&b.at));
            let (Some(first), Some(last)) = (same.iter().min_by(earlier), same.iter().max_by(earlier)) else {
                continue;
            };
            let sum = || same.iter().skip(1).fold(same[0].value, |sum, one| sum + one.value);
            let latest = || same.iter().fold(same[0].time, |latest, one| latest.max(one.time));
            let (value, time) = match rule {
                Duplicates::Last => (last.value, last.time),
                Duplicates::Sum => (sum(), latest()),
                Duplicates::Mean => (sum() / same.len() as f64, latest()),
                Duplicates::First => (first.value, first.time),
                Duplicates::Refuse => continue,
            };
            self.merged.push((same[0].at, value, time));
        }
    }

    /// Returns `true` if the observation at this position is removed.
    pub(super) fn is_gone(&self, at: usize) -> bool {
        is_in(&self.gone, at)
    }

    /// Returns the merged value and time of an observation that stands for several.
    pub(super) fn merged(&self, at: usize) -> Option<(f64, f64)> {
        let place = self.merged.binary_search_by_key(&at, |merged| merged.0).ok()?;
        Some((self.merged[place].1, self.merged[place].2))
    }
}

/// Reads the observations of one part of the pairs.
fn some(raw: &Pieces, part: u64, parts: u64) -> Result<Vec<Seen>, ReadError> {
    let count = raw.count(USERS);
    let mut seen = Vec::with_capacity(count / parts as usize + count / parts as usize / 8);
    for piece in 0..count.div_ceil(PIECE) {
        let (users, items, values) =
            (raw.piece(USERS, piece)?, raw.piece(ITEMS, piece)?, values(raw, piece)?);
        let times = if raw.count(TIMES) > 0 { raw.piece(TIMES, piece)? } else { Vec::new() };
        for (offset, (&user, &item)) in users.iter().zip(&items).enumerate() {
            let key = u64::from(user) << 32 | u64::from(item);
            if splitmix64(key) % parts == part {
                let time = times.get(offset).copied().unwrap_or(0.0);
                seen.push(Seen { key, at: piece * PIECE + offset, value: values[offset], time });
            }
        }
    }
    Ok(seen)
}

/// Reads the values of a piece of a raw file, which are in single or in double precision.
pub(super) fn values(raw: &Pieces, piece: usize) -> Result<Vec<f64>, ReadError> {
    match raw.count(WIDE) {
        0 => Ok(raw.piece(VALUES, piece)?.into_iter().map(f64::from).collect()),
        _ => raw.piece(WIDE, piece),
    }
}
