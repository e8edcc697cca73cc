//! [`StoredRatings`]: ratings in a file of pieces, which are read by parts.
//!
//! The file's name is the SHA-256 of the data's bytes as stored, and how it was read: another content has another name.
//! It has the arrays users, items and values of the observations, times where they were asked for, how many observations
//! each user and each item has, and their ids.

mod convert;
mod drawn;
mod ids;
mod part;
mod repeated;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use self::part::PartOfRatings;

use self::ids::StoredIds;
use super::generate::Drawn;
use super::read::{self, RatingsOptions};
use super::{Ratings, Triples, known};
use crate::dialect::beginning::is_tabs;
use crate::error::ReadError;
use crate::pieces::{PIECE, Pieces, PiecesWriter, open_or_make};
use crate::records::RecordCounts;
use crate::registry::{self, RegistryError};
use crate::source::{self, Source, names_a_file};
use crate::table::stem;

/// The arrays of a file, and the bytes of a number of each.
const ARRAYS: [(&str, usize); 10] = [
    ("users", 4),
    ("items", 4),
    ("values", 4),
    ("times", 8),
    ("ratings of user", 4),
    ("ratings of item", 4),
    ("user ids", 4),
    ("item ids", 4),
    ("user names", 1),
    ("item names", 1),
];

const USERS: usize = 0;
const ITEMS: usize = 1;
const VALUES: usize = 2;
const TIMES: usize = 3;
/// Of users, then of items.
const COUNTS: [usize; 2] = [4, 5];
const IDS: [usize; 2] = [6, 7];
const NAMES: [usize; 2] = [8, 9];

/// What a file says of its ratings beside its arrays.
#[derive(Debug, Serialize, Deserialize)]
struct About {
    users: StoredIds,
    items: StoredIds,
    pairs_only: bool,
    duplicates: usize,
    format: String,
    records: RecordCounts,
    notes: Vec<String>,
    timed: bool,
}

/// Ratings in a file, of which memory holds what is asked for: sizes, ids and counts are here, observations are read.
///
/// ```
/// use raddle_datasets::{RatingsOptions, StoredRatings, read_any_ratings};
/// let (spec, options) = ("synth:ratings:users=50,items=40,n=600", RatingsOptions::default());
/// let folder = tempfile::tempdir()?;
/// let stored = StoredRatings::open(spec, &options, folder.path())?;
/// let whole = read_any_ratings(spec, &options)?;
/// assert_eq!((stored.len(), stored.described().users.len()), (600, 50));
/// assert_eq!(stored.read(100..103)?.values, whole.triples.values[100..103]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct StoredRatings {
    pieces: Pieces,
    described: Ratings,
    timed: bool,
    counts: [Vec<u32>; 2],
}

impl StoredRatings {
    /// The ratings that users name so, as [`read_any_ratings`](crate::read_any_ratings) has them: from a file of `folder`,
    /// which is made if it is not there, not whole, or of another machine. Several processes that ask at once make it
    /// once. Text and generated ratings are never in memory as a whole while it is made.
    ///
    /// # Errors
    /// Those of [`read_any_ratings`](crate::read_any_ratings); a folder that cannot be written to.
    pub fn open(source: &str, options: &RatingsOptions, folder: &Path) -> Result<Self, ReadError> {
        if source.starts_with("synth:") {
            let drawn = Drawn::of(source)?;
            let path = folder.join(format!("{}.ratings", source::digest(source.as_bytes())));
            let make = |path: &Path| drawn::write(&drawn, path);
            return Self::found(open_or_make(&path, checked, make)?, drawn.described(source));
        }
        let (path, options, name) = match registry::ratings_entry(source) {
            Some(entry) => {
                let options = RatingsOptions { threads: options.threads, ..RatingsOptions::default() };
                (known::path(entry)?, options, Some(entry))
            }
            None if names_a_file(source) => (PathBuf::from(source), options.clone(), None),
            None => return Err(RegistryError::UnknownRatings { name: source.into() }.into()),
        };
        let source = Source::open_text(&path, options.dialect.encoding)?;
        if let Some(entry) = name {
            registry::compare(&path, &source.digest(), entry.sha256)?;
        }
        let place = folder.join(format!("{}-{}.ratings", source.digest(), variant(&options, &path)));
        let described = Ratings {
            name: name.map_or_else(|| stem(&source.path), |entry| entry.name.into()),
            triples: Triples::default(),
            times: None,
            users: super::Ids::Dense(0),
            items: super::Ids::Dense(0),
            pairs_only: false,
            duplicates: 0,
            digest: source.digest(),
            path: Some(source.path.clone()),
            format: String::new(),
            records: RecordCounts::default(),
            notes: Vec::new(),
        };
        let format = read::format_of(&source, &options)?;
        let make = |place: &Path| convert::write(source, format, &options, place);
        Self::found(open_or_make(&place, checked, make)?, described)
    }

    fn found((pieces, about): (Pieces, About), described: Ratings) -> Result<Self, ReadError> {
        let About { users, items, pairs_only, duplicates, format, records, notes, timed } = about;
        let (users, items) = (ids::read(&pieces, &users, 0)?, ids::read(&pieces, &items, 1)?);
        let counts = [pieces.all(ARRAYS[COUNTS[0]].0)?, pieces.all(ARRAYS[COUNTS[1]].0)?];
        let described = Ratings { users, items, pairs_only, duplicates, format, records, notes, ..described };
        Ok(Self { pieces, described, timed, counts })
    }

    /// All that is known of the ratings but for themselves: there are no observations, and no times, in it.
    pub fn described(&self) -> &Ratings {
        &self.described
    }

    /// How many observations there are.
    pub fn len(&self) -> usize {
        self.pieces.count(ARRAYS[VALUES].0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether it has times: where they were asked for.
    pub fn has_times(&self) -> bool {
        self.timed
    }

    /// How many observations each user (0) or item (1) has.
    pub fn counts(&self) -> &[Vec<u32>; 2] {
        &self.counts
    }

    /// The observations of these positions.
    ///
    /// # Errors
    /// If the file cannot be read, or was damaged since it was opened, or has no such positions.
    pub fn read(&self, range: std::ops::Range<usize>) -> Result<Triples, ReadError> {
        Ok(Triples {
            users: self.pieces.read(ARRAYS[USERS].0, range.clone())?,
            items: self.pieces.read(ARRAYS[ITEMS].0, range.clone())?,
            values: self.pieces.read(ARRAYS[VALUES].0, range)?,
        })
    }

    /// How many pieces the observations are in.
    fn pieces(&self) -> usize {
        self.len().div_ceil(PIECE)
    }

    /// The observations of one piece.
    fn piece(&self, piece: usize) -> Result<Triples, ReadError> {
        Ok(Triples {
            users: self.pieces.piece(ARRAYS[USERS].0, piece)?,
            items: self.pieces.piece(ARRAYS[ITEMS].0, piece)?,
            values: self.pieces.piece(ARRAYS[VALUES].0, piece)?,
        })
    }

    /// The times of one piece; `None` where they were not asked for.
    fn times(&self, piece: usize) -> Result<Option<Vec<f64>>, ReadError> {
        self.timed.then(|| self.pieces.piece(ARRAYS[TIMES].0, piece)).transpose()
    }
}

/// How a file is read, as a part of a name.
fn variant(options: &RatingsOptions, path: &Path) -> String {
    let RatingsOptions { format, columns, duplicates, keep_repeated, dialect, times, threads: _ } = options;
    let is_tabs = is_tabs(path);
    let all =
        format!("{format:?} {columns:?} {duplicates} {keep_repeated} {dialect:?} {times} {is_tabs} by time");
    Sha256::digest(all.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// A file that is whole, and is one of ratings.
fn checked(path: &Path) -> Option<(Pieces, About)> {
    let pieces = Pieces::open_checked(path)?;
    let about: About = pieces.about()?;
    let count = |array: usize| pieces.count(ARRAYS[array].0);
    let same = count(USERS) == count(VALUES) && count(ITEMS) == count(VALUES);
    let timed = count(TIMES) == if about.timed { count(VALUES) } else { 0 };
    (same && timed).then_some((pieces, about))
}

/// A file that is being filled with observations, which are counted.
struct Filling {
    out: PiecesWriter,
    counts: [Vec<u32>; 2],
}

impl Filling {
    fn create(path: &Path) -> Result<Self, ReadError> {
        Ok(Self { out: PiecesWriter::create(path, &ARRAYS)?, counts: Default::default() })
    }

    fn push(&mut self, triples: &Triples, times: Option<&[f64]>) -> Result<(), ReadError> {
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

    /// What it is about is as `described` says.
    fn finish(mut self, described: &Ratings, timed: bool) -> Result<(Pieces, About), ReadError> {
        let mut stored = [StoredIds::Dense(0), StoredIds::Dense(0)];
        for (side, ids) in [&described.users, &described.items].into_iter().enumerate() {
            self.counts[side].resize(ids.len(), 0);
            self.out.push(COUNTS[side], &self.counts[side])?;
            stored[side] = ids::write(&mut self.out, ids, side)?;
        }
        let [users, items] = stored;
        let about = About {
            users,
            items,
            pairs_only: described.pairs_only,
            duplicates: described.duplicates,
            format: described.format.clone(),
            records: described.records.clone(),
            notes: described.notes.clone(),
            timed,
        };
        Ok((self.out.finish(&about)?, about))
    }
}
