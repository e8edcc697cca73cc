//! [`PartOfRatings`]: a subset of the observations of a file.

use std::ops::Range;
use std::sync::Arc;

use super::StoredRatings;
use super::drawn::is_in;
use crate::arrays::pieces::PIECE;
use crate::error::ReadError;
use crate::ratings::Triples;

/// A subset of the observations of a file, in their order; memory holds one bit per observation. The splits
/// of [`HeldOut`](crate::ratings::HeldOut) are made here by passes over the file.
#[derive(Clone, Debug)]
pub struct PartOfRatings {
    of: Arc<StoredRatings>,
    /// For each observation a bit, set if the subset has it.
    bits: Arc<Vec<u64>>,
    /// Number of observations of the subset before each piece, then of all.
    before: Arc<Vec<usize>>,
}

impl PartOfRatings {
    /// Returns the subset with all observations of a file.
    pub fn all(of: Arc<StoredRatings>) -> Self {
        let count = of.len();
        let mut bits = vec![u64::MAX; count.div_ceil(64)];
        if let Some(last) = bits.last_mut().filter(|_| !count.is_multiple_of(64)) {
            *last = (1 << (count % 64)) - 1;
        }
        Self::of(of, bits)
    }

    fn of(of: Arc<StoredRatings>, bits: Vec<u64>) -> Self {
        let mut before = vec![0];
        for words in bits.chunks(PIECE / 64) {
            let count: usize = words.iter().map(|word| word.count_ones() as usize).sum();
            before.push(before.last().copied().unwrap_or(0) + count);
        }
        Self { of, bits: Arc::new(bits), before: Arc::new(before) }
    }

    /// Returns the number of observations in the subset.
    pub fn len(&self) -> usize {
        self.before.last().copied().unwrap_or(0)
    }

    /// Returns `true` if the subset is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the ratings in the file.
    pub fn stored(&self) -> &StoredRatings {
        &self.of
    }

    /// Calls `see` with (user, item, value) of each observation in a range of the subset, in order.
    ///
    /// # Errors
    /// If the file cannot be read, or was damaged since it was opened.
    pub fn each(&self, range: Range<usize>, mut see: impl FnMut(u32, u32, f32)) -> Result<(), ReadError> {
        self.each_at(range, |_, _, (user, item, value)| see(user, item, value))
    }

    /// Calls `see` with each observation, its position in the file and, if there are times, its time.
    fn each_at(
        &self,
        range: Range<usize>,
        mut see: impl FnMut(usize, Option<f64>, (u32, u32, f32)),
    ) -> Result<(), ReadError> {
        let first = self.before.partition_point(|&before| before <= range.start).saturating_sub(1);
        for piece in first..self.of.pieces() {
            if self.before[piece] >= range.end {
                break;
            }
            if self.before[piece] == self.before[piece + 1] {
                continue;
            }
            let (triples, times) = (self.of.piece(piece)?, self.of.times(piece)?);
            let mut number = self.before[piece];
            for (offset, observation) in triples.iter().enumerate() {
                let at = piece * PIECE + offset;
                if !is_in(&self.bits, at) {
                    continue;
                }
                if range.contains(&number) {
                    see(at, times.as_ref().map(|times| times[offset]), observation);
                }
                number += 1;
            }
        }
        Ok(())
    }

    /// Reads the observations in a range of the subset.
    ///
    /// # Errors
    /// If the file cannot be read, or was damaged since it was opened.
    pub fn read(&self, range: Range<usize>) -> Result<Triples, ReadError> {
        let mut triples = Triples::with_capacity(range.len().min(self.len()));
        self.each(range, |user, item, value| triples.push(user, item, value))?;
        Ok(triples)
    }

    /// Returns the observations for which `keep` returns `true`.
    ///
    /// # Errors
    /// If the file cannot be read, or was damaged since it was opened.
    pub fn filter(&self, mut keep: impl FnMut(u32, u32, f32) -> bool) -> Result<Self, ReadError> {
        self.filter_at(|_, (user, item, value)| keep(user, item, value))
    }

    fn filter_at(
        &self,
        mut keep: impl FnMut(Option<f64>, (u32, u32, f32)) -> bool,
    ) -> Result<Self, ReadError> {
        let mut bits = vec![0_u64; self.bits.len()];
        self.each_at(0..self.len(), |at, time, observation| {
            bits[at / 64] |= u64::from(keep(time, observation)) << (at % 64);
        })?;
        Ok(Self::of(Arc::clone(&self.of), bits))
    }

    /// Returns for each user (0) and each item (1) whether the subset has an observation of it.
    ///
    /// # Errors
    /// If the file cannot be read, or was damaged since it was opened.
    pub fn rated(&self) -> Result<[Vec<bool>; 2], ReadError> {
        let mut rated = self.of.counts().each_ref().map(|counts| vec![false; counts.len()]);
        self.each(0..self.len(), |user, item, _| {
            (rated[0][user as usize], rated[1][item as usize]) = (true, true);
        })?;
        Ok(rated)
    }

    /// Splits the subset as [`HeldOut::out`](crate::ratings::HeldOut::out) does: returns the training
    /// observations, the held-out ones, and how many of these were dropped, as their user or item has no
    /// training observation.
    ///
    /// # Errors
    /// If the file cannot be read, or was damaged since it was opened.
    pub fn hold_out(&self, is_out: impl Fn(u32, u32) -> bool) -> Result<(Self, Self, usize), ReadError> {
        self.hold_out_where(|_, user, item| is_out(user, item))
    }

    /// Splits the subset as [`HeldOut::latest`](crate::ratings::HeldOut::latest) does; `None` if that returns
    /// `None`, or there are no times.
    ///
    /// # Errors
    /// If the file cannot be read, or was damaged since it was opened.
    pub fn hold_out_latest(&self, share: f64) -> Result<Option<(Self, Self, usize)>, ReadError> {
        let count = ((self.len() as f64 * share).ceil() as usize).min(self.len());
        if !self.of.timed {
            return Ok(None);
        }
        if count == 0 {
            return self.hold_out(|_, _| false).map(Some);
        }
        let cut = self.time_of_place(self.len() - count)?;
        let held = self.hold_out_where(|time, _, _| order(time.unwrap_or_default()) >= cut)?;
        Ok(Some(held).filter(|(left, ..)| !left.is_empty()))
    }

    fn hold_out_where(
        &self,
        is_out: impl Fn(Option<f64>, u32, u32) -> bool,
    ) -> Result<(Self, Self, usize), ReadError> {
        let left = self.filter_at(|time, (user, item, _)| !is_out(time, user, item))?;
        let [users, items] = left.rated()?;
        let is_known = |user: u32, item: u32| users[user as usize] && items[item as usize];
        let out = self.filter_at(|time, (user, item, _)| is_out(time, user, item) && is_known(user, item))?;
        let cold = self.len() - left.len() - out.len();
        Ok((left, out, cold))
    }

    /// Returns the time at this position of the sorted times, in the form of [`order`]. Finds it by counting,
    /// digit by digit.
    fn time_of_place(&self, mut place: usize) -> Result<u64, ReadError> {
        const DIGIT: u32 = 16;
        let (mut known, mut shift) = (0_u64, u64::BITS);
        while shift > 0 {
            shift -= DIGIT;
            let above = |key: u64| key.checked_shr(shift + DIGIT).unwrap_or(0);
            let mut counts = vec![0_usize; 1 << DIGIT];
            self.each_at(0..self.len(), |_, time, _| {
                let key = order(time.unwrap_or_default());
                if above(key) == above(known) {
                    counts[(key >> shift) as usize & ((1 << DIGIT) - 1)] += 1;
                }
            })?;
            let mut digit = 0;
            while digit + 1 < counts.len() && place >= counts[digit] {
                place -= counts[digit];
                digit += 1;
            }
            known |= (digit as u64) << shift;
        }
        Ok(known)
    }
}

/// Maps a time to an integer with the order of [`f64::total_cmp`].
fn order(time: f64) -> u64 {
    let bits = time.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}
