//! The arrays of a file of ratings, the facts stored with them, and [`Filling`], which writes them.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::arrays::pieces::{Array, Pieces, PiecesWriter};
use crate::error::ReadError;
use crate::metadata::metadata;
use crate::ratings::{Ids, Ratings, Triples};
use crate::records::RecordCounts;

pub(super) const USERS: Array<'static, u32> = Array::new("users");
pub(super) const ITEMS: Array<'static, u32> = Array::new("items");
pub(super) const VALUES: Array<'static, f32> = Array::new("values");
pub(super) const TIMES: Array<'static, f64> = Array::new("times");
/// Values of a raw file in double precision, in place of those in single.
pub(super) const WIDE: Array<'static, f64> = Array::new("wide");
/// Arrays for users, then for items.
const COUNTS: [Array<'static, u32>; 2] = [Array::new("ratings of user"), Array::new("ratings of item")];
const IDS: [Array<'static, u32>; 2] = [Array::new("user ids"), Array::new("item ids")];
const NAMES: [Array<'static, u8>; 2] = [Array::new("user names"), Array::new("item names")];

/// How the ids of users or of items are stored.
#[derive(Debug, Serialize, Deserialize)]
enum StoredIds {
    Dense(u32),
    /// As numbers, in the array of ids.
    Integers,
    /// As texts, in the array of names one after another; the array of ids has their lengths.
    Names,
}

/// Facts stored with the arrays of a file of ratings.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RatingsFacts {
    users: StoredIds,
    items: StoredIds,
    pub(super) timed: bool,
    #[serde(flatten)]
    pub(super) described: Described,
}

metadata! {
    /// Metadata of the ratings; see [`Ratings`].
    Described of Ratings {
        offset: f64,
        pairs_only: bool,
        duplicates: usize,
        format: String,
        records: RecordCounts,
        notes: Vec<String>,
    }
}

impl RatingsFacts {
    /// Checks that the arrays of a file fit these facts.
    pub(super) fn fit(pieces: &Pieces, about: &Self) -> Option<bool> {
        let count = pieces.count(VALUES);
        let timed = pieces.count(TIMES) == if about.timed { count } else { 0 };
        Some(pieces.count(USERS) == count && pieces.count(ITEMS) == count && timed)
    }

    /// Reads the ids of users and of items, and how often each occurs.
    pub(super) fn ids(&self, pieces: &Pieces) -> Result<([Ids; 2], [Vec<u32>; 2]), ReadError> {
        let ids = [self.users.read(pieces, 0)?, self.items.read(pieces, 1)?];
        Ok((ids, [pieces.all(COUNTS[0])?, pieces.all(COUNTS[1])?]))
    }
}

impl StoredIds {
    /// Writes the ids of users (0) or items (1).
    fn write(out: &mut PiecesWriter, ids: &Ids, side: usize) -> Result<Self, ReadError> {
        match ids {
            Ids::Dense(count) => return Ok(Self::Dense(*count)),
            Ids::Integers(ids) => out.push(IDS[side], ids)?,
            Ids::Names(names) => {
                for name in names {
                    out.push(IDS[side], &[name.len() as u32])?;
                    out.push(NAMES[side], name.as_bytes())?;
                }
                return Ok(Self::Names);
            }
        }
        Ok(Self::Integers)
    }

    fn read(&self, pieces: &Pieces, side: usize) -> Result<Ids, ReadError> {
        Ok(match self {
            Self::Dense(count) => Ids::Dense(*count),
            Self::Integers => Ids::Integers(pieces.all(IDS[side])?),
            Self::Names => {
                let (lengths, bytes) = (pieces.all(IDS[side])?, pieces.all(NAMES[side])?);
                let mut rest = &*bytes;
                let names = lengths.iter().map(|&length| {
                    let (name, after) = rest.split_at((length as usize).min(rest.len()));
                    rest = after;
                    String::from_utf8_lossy(name).into_owned()
                });
                Ids::Names(names.collect())
            }
        })
    }
}

/// A file that is being filled with observations, and counts them by user and item.
pub(super) struct Filling {
    out: PiecesWriter,
    counts: [Vec<u32>; 2],
}

impl Filling {
    pub(super) fn create(path: &Path) -> Result<Self, ReadError> {
        let own = [USERS.entry(), ITEMS.entry(), VALUES.entry(), TIMES.entry()];
        let sides = [COUNTS, IDS].into_iter().flatten().map(Array::entry);
        let out = PiecesWriter::create(path, own.into_iter().chain(sides).chain(NAMES.map(Array::entry)))?;
        Ok(Self { out, counts: Default::default() })
    }

    pub(super) fn push(&mut self, triples: &Triples, times: Option<&[f64]>) -> Result<(), ReadError> {
        for (counts, rows) in self.counts.iter_mut().zip([&triples.users, &triples.items]) {
            for &row in rows {
                if counts.len() <= row as usize {
                    counts.resize(row as usize + 1, 0);
                }
                counts[row as usize] += 1;
            }
        }
        self.out.push(USERS, &triples.users)?;
        self.out.push(ITEMS, &triples.items)?;
        self.out.push(VALUES, &triples.values)?;
        times.map_or(Ok(()), |times| self.out.push(TIMES, times))
    }

    /// Ends the file, with the facts of `described`.
    pub(super) fn finish(
        mut self,
        described: &Ratings,
        timed: bool,
    ) -> Result<(Pieces, RatingsFacts), ReadError> {
        let mut stored = |side: usize, ids: &Ids| {
            self.counts[side].resize(ids.len(), 0);
            self.out.push(COUNTS[side], &self.counts[side])?;
            StoredIds::write(&mut self.out, ids, side)
        };
        let (users, items) = (stored(0, &described.users)?, stored(1, &described.items)?);
        let about = RatingsFacts { users, items, timed, described: Described::of(described) };
        Ok((self.out.finish(&about)?, about))
    }
}
