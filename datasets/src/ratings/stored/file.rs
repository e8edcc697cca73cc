//! [`StoredRatings`]: ratings in a file, whose observations are read on demand.

use std::path::Path;

use super::layout::{ITEMS, RatingsFacts, TIMES, USERS, VALUES};
use crate::arrays::pieces::{PIECE, Pieces, open_or_make};
use crate::error::ReadError;
use crate::ratings::{Ratings, Triples};

/// Ratings in a file. Memory holds sizes, ids and counts; observations are read on demand.
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
    pub(super) timed: bool,
    counts: [Vec<u32>; 2],
}

impl StoredRatings {
    /// Opens the ratings in this file, with the name, digest and path of `described`; if the file does not
    /// exist or is damaged, `make` writes it.
    pub(crate) fn at(
        place: &Path,
        described: Ratings,
        make: impl FnOnce(&Path) -> Result<(Pieces, RatingsFacts), ReadError>,
    ) -> Result<Self, ReadError> {
        let (pieces, about) = open_or_make(place, RatingsFacts::fit, make)?;
        let ([users, items], counts) = about.ids(&pieces)?;
        let described = about.described.into_whole(Ratings { users, items, ..described });
        Ok(Self { pieces, described, timed: about.timed, counts })
    }

    /// Drops the notes on columns, for a set whose columns are known.
    pub(crate) fn into_known(mut self) -> Self {
        self.described = self.described.into_known();
        self
    }

    /// Returns everything known about the ratings except the observations and times, which this one lacks.
    pub fn described(&self) -> &Ratings {
        &self.described
    }

    /// Returns the number of observations.
    pub fn len(&self) -> usize {
        self.pieces.count(VALUES)
    }

    /// Returns `true` if there are no observations.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns `true` if there are times, which an option requests.
    pub fn has_times(&self) -> bool {
        self.timed
    }

    /// Returns the number of observations of each user (0) and of each item (1).
    pub fn counts(&self) -> &[Vec<u32>; 2] {
        &self.counts
    }

    /// Reads the observations in a range of positions.
    ///
    /// # Errors
    /// If the file cannot be read, was damaged since it was opened, or has no such positions.
    pub fn read(&self, range: std::ops::Range<usize>) -> Result<Triples, ReadError> {
        Ok(Triples {
            users: self.pieces.read(USERS, range.clone())?,
            items: self.pieces.read(ITEMS, range.clone())?,
            values: self.pieces.read(VALUES, range)?,
        })
    }

    /// Returns the number of pieces with observations.
    pub(super) fn pieces(&self) -> usize {
        self.len().div_ceil(PIECE)
    }

    /// Reads the observations of one piece.
    pub(super) fn piece(&self, piece: usize) -> Result<Triples, ReadError> {
        Ok(Triples {
            users: self.pieces.piece(USERS, piece)?,
            items: self.pieces.piece(ITEMS, piece)?,
            values: self.pieces.piece(VALUES, piece)?,
        })
    }

    /// Reads the times of one piece; `None` if times were not requested.
    pub(super) fn times(&self, piece: usize) -> Result<Option<Vec<f64>>, ReadError> {
        self.timed.then(|| self.pieces.piece(TIMES, piece)).transpose()
    }
}
