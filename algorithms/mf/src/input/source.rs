//! [`RatingsSource`]: ratings in memory, as a table of one piece, or in a file that is read by parts.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use raddle_datasets::ratings::{HeldOut, hashed};
use raddle_datasets::{PartOfRatings, ReadError, Triples};

use crate::error::MfError;
use raddle_kernels::factors::{Moments, largest};

/// Ratings in memory, or in a file from which each process reads only its own.
#[derive(Debug, Clone)]
pub enum RatingsSource {
    /// Ratings in memory, and the time of each if they have times.
    Memory(Arc<Triples>, Option<Vec<f64>>),
    /// Ratings in a file.
    Stored(PartOfRatings),
}

/// Ratings to train on, and those held out of them.
#[derive(Debug, Clone)]
pub struct RatingsSplit {
    /// Training ratings, in their order.
    pub train: RatingsSource,
    /// Held-out ratings.
    pub out: RatingsSource,
    /// Number of held-out ratings that were dropped, as their user or item has no training rating.
    pub cold: usize,
}

impl From<Triples> for RatingsSource {
    fn from(triples: Triples) -> Self {
        Self::Memory(Arc::new(triples), None)
    }
}

impl From<Arc<Triples>> for RatingsSource {
    fn from(triples: Arc<Triples>) -> Self {
        Self::Memory(triples, None)
    }
}

impl From<PartOfRatings> for RatingsSource {
    fn from(part: PartOfRatings) -> Self {
        Self::Stored(part)
    }
}

impl From<HeldOut> for RatingsSplit {
    fn from(HeldOut { mut train, out, cold }: HeldOut) -> Self {
        train.shrink_to_fit();
        Self { train: train.into(), out: out.into(), cold }
    }
}

impl From<(PartOfRatings, PartOfRatings, usize)> for RatingsSplit {
    fn from((train, out, cold): (PartOfRatings, PartOfRatings, usize)) -> Self {
        Self { train: train.into(), out: out.into(), cold }
    }
}

impl RatingsSource {
    /// Returns the number of ratings.
    pub fn len(&self) -> usize {
        match self {
            Self::Memory(triples, _) => triples.len(),
            Self::Stored(part) => part.len(),
        }
    }

    /// Returns `true` if there are no ratings.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns `true` if each rating has a time.
    pub fn has_times(&self) -> bool {
        match self {
            Self::Memory(_, times) => times.is_some(),
            Self::Stored(part) => part.stored().has_times(),
        }
    }

    /// Returns the same ratings without times in memory.
    pub fn without_times(&self) -> Self {
        match self {
            Self::Memory(triples, _) => Self::Memory(Arc::clone(triples), None),
            Self::Stored(part) => Self::Stored(part.clone()),
        }
    }

    /// Returns the ratings that are in memory: all of them, or none.
    pub(crate) fn in_memory(&self) -> &Triples {
        static NONE: Triples = Triples { users: Vec::new(), items: Vec::new(), values: Vec::new() };
        if let Self::Memory(triples, _) = self { triples } else { &NONE }
    }

    /// Returns the ratings themselves, read into memory if they are in a file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(&self) -> Result<Cow<'_, Triples>, ReadError> {
        match self {
            Self::Memory(triples, _) => Ok(Cow::Borrowed(triples)),
            Self::Stored(part) => part.read(0..part.len()).map(Cow::Owned),
        }
    }

    /// Returns the ratings in a range of positions as a range of ratings in memory.
    pub(crate) fn range(&self, range: Range<usize>) -> Result<(Arc<Triples>, Range<usize>), ReadError> {
        match self {
            Self::Memory(triples, _) => Ok((Arc::clone(triples), range)),
            Self::Stored(part) => part.read(range.clone()).map(|some| (Arc::new(some), 0..range.len())),
        }
    }

    /// Calls `see` with (user, item, value) of each rating, in order.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn each(&self, see: impl FnMut(u32, u32, f32)) -> Result<(), ReadError> {
        self.each_in(0..self.len(), see)
    }

    /// Calls `see` with each rating in a range of positions, in order.
    pub(crate) fn each_in(
        &self,
        range: Range<usize>,
        mut see: impl FnMut(u32, u32, f32),
    ) -> Result<(), ReadError> {
        match self {
            Self::Memory(triples, _) => {
                let pairs = triples.users[range.clone()].iter().zip(&triples.items[range.clone()]);
                let all = pairs.zip(&triples.values[range]);
                all.for_each(|((&user, &item), &value)| see(user, item, value));
                Ok(())
            }
            Self::Stored(part) => part.each(range, see),
        }
    }

    /// Returns the ratings for which `keep` returns `true`.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn filter(&self, keep: impl Fn(u32, u32, f32) -> bool) -> Result<Self, ReadError> {
        match self {
            Self::Memory(triples, times) => {
                let kept = |&(user, item, value): &(u32, u32, f32)| keep(user, item, value);
                // Ratings that are all kept stay where they are.
                if triples.iter().all(|rating| kept(&rating)) {
                    return Ok(self.clone());
                }
                let times = times.as_ref().map(|times| {
                    let left = triples.iter().zip(times).filter(|(rating, _)| kept(rating));
                    left.map(|(_, &time)| time).collect()
                });
                Ok(Self::Memory(Arc::new(triples.iter().filter(kept).collect()), times))
            }
            Self::Stored(part) => part.filter(keep).map(Self::Stored),
        }
    }

    /// Holds out the pairs for which `is_out` returns `true`.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn hold_out(self, is_out: impl Fn(u32, u32) -> bool) -> Result<RatingsSplit, ReadError> {
        match self {
            Self::Memory(triples, times) => {
                let left = times.map(|times| {
                    let pairs = times.into_iter().zip(triples.users.iter().zip(&triples.items));
                    let left = pairs.filter(|(_, (user, item))| !is_out(**user, **item));
                    left.map(|(time, _)| time).collect()
                });
                let [users, items] = rows(&triples);
                let held = HeldOut::out(Arc::unwrap_or_clone(triples), users, items, is_out);
                Ok(RatingsSplit::from(held).with_times(left))
            }
            Self::Stored(part) => part.hold_out(is_out).map(RatingsSplit::from),
        }
    }

    /// Holds out a fraction of the pairs, by the hash of the pair and this seed.
    ///
    /// # Errors
    /// If the fraction is not between 0 and 1, or the file cannot be read.
    pub fn hold_out_share(self, fraction: f64, seed: u64) -> Result<RatingsSplit, MfError> {
        if !(fraction > 0.0 && fraction < 1.0) {
            let range = "a share must lie between 0 and 1, such as 0.05";
            return Err(MfError::Parameter { name: "validation", value: fraction.to_string(), range });
        }
        Ok(self.hold_out(|user, item| hashed(user, item, seed, 0.0, fraction))?)
    }

    /// Holds out the latest `share` of the ratings; `None` if nothing would be left to train on, or there are
    /// no times.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn hold_out_latest(self, share: f64) -> Result<Option<RatingsSplit>, ReadError> {
        match self {
            Self::Memory(triples, times) => Ok(times.and_then(|times| {
                let [users, items] = rows(&triples);
                let held = HeldOut::latest(Arc::unwrap_or_clone(triples), times, users, items, share);
                held.map(|(held, left)| RatingsSplit::from(held).with_times(Some(left)))
            })),
            Self::Stored(part) => Ok(part.hold_out_latest(share)?.map(RatingsSplit::from)),
        }
    }

    /// Drops ratings until every user and every item has at least this number of them.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn at_least(mut self, least: u64) -> Result<Self, ReadError> {
        loop {
            let mut counts = [Vec::new(), Vec::new()];
            self.each(|user, item, _| {
                for (counts, row) in counts.iter_mut().zip([user as usize, item as usize]) {
                    if counts.len() <= row {
                        counts.resize(row + 1, 0_u64);
                    }
                    counts[row] += 1;
                }
            })?;
            let [users, items] = counts;
            let left =
                self.filter(|user, item, _| users[user as usize] >= least && items[item as usize] >= least)?;
            if left.len() == self.len() {
                return Ok(left);
            }
            self = left;
        }
    }
}

/// Returns the numbers of users and of items that ratings name, up to the last.
fn rows(triples: &Triples) -> [usize; 2] {
    [&triples.users, &triples.items].map(|rows| largest(rows) as usize + 1)
}

impl RatingsSplit {
    fn with_times(mut self, left: Option<Vec<f64>>) -> Self {
        if let RatingsSource::Memory(_, times) = &mut self.train {
            *times = left;
        }
        self
    }
}

/// Number of times that ratings name each row, and sums of their values.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Number of ratings of each user, and of each item.
    pub(crate) rows: [Vec<u32>; 2],
    pub(crate) sum: f64,
    pub(crate) squares: f64,
}

raddle::state!(Counts { rows, sum, squares });

impl Counts {
    /// Counts ratings, of which each row is one of these numbers of users and items.
    pub(super) fn of(users: usize, items: usize, ratings: &RatingsSource) -> Result<Self, ReadError> {
        let (mut rows, mut moments) = ([vec![0; users], vec![0; items]], Moments::default());
        ratings.each(|user, item, value| {
            rows[0][user as usize] += 1;
            rows[1][item as usize] += 1;
            moments.add(value);
        })?;
        let (sum, squares) = moments.sums();
        Ok(Self { rows, sum, squares })
    }

    /// Adds the row counts of another chunk.
    pub(crate) fn add_rows(&mut self, other: &Self) {
        for (counts, others) in self.rows.iter_mut().zip(&other.rows) {
            counts.iter_mut().zip(others).for_each(|(sum, &count)| *sum = sum.saturating_add(count));
        }
    }
}
