//! [`Filling`]: writes a file of ratings.

use std::path::Path;

use super::ids;
use super::layout::{ARRAYS, COUNTS, Described, ITEMS, RatingsFacts, StoredIds, TIMES, USERS, VALUES};
use crate::arrays::pieces::{Pieces, PiecesWriter};
use crate::error::ReadError;
use crate::ratings::{Ratings, Triples};

/// A file that is being filled with observations, and counts them by user and item.
pub(super) struct Filling {
    out: PiecesWriter,
    counts: [Vec<u32>; 2],
}

impl Filling {
    pub(super) fn create(path: &Path) -> Result<Self, ReadError> {
        Ok(Self { out: PiecesWriter::create(path, &ARRAYS)?, counts: Default::default() })
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
        let mut stored = [StoredIds::Dense(0), StoredIds::Dense(0)];
        for (side, ids) in [&described.users, &described.items].into_iter().enumerate() {
            self.counts[side].resize(ids.len(), 0);
            self.out.push(COUNTS[side], &self.counts[side])?;
            stored[side] = ids::write(&mut self.out, ids, side)?;
        }
        let [users, items] = stored;
        let about = RatingsFacts { users, items, timed, described: Described::of(described) };
        Ok((self.out.finish(&about)?, about))
    }
}
