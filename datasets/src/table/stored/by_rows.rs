//! [`StoredRows`]: the rows of a table in a file, in an order that the caller chooses; ranges are read on
//! demand.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::cast_slice;
use serde::{Deserialize, Serialize};

use super::dealt::{Dealing, Sorted};
use super::file::StoredTable;
use crate::arrays::pieces::{Array, Pieces, PiecesWriter, open_or_make, starts_of};
use crate::bytes::source::short_digest;
use crate::error::ReadError;

const VALUES: Array<'static, f64> = Array::new("values");
const COLUMNS: Array<'static, u32> = Array::new("columns");
const COUNTS: Array<'static, u32> = Array::new("values of row");

/// Approximate number of values in memory at once; then the limit on the parts into which the rows are split
/// meanwhile.
const TOGETHER: usize = if cfg!(test) { 50 } else { 1 << 20 };
const MOST_PARTS: usize = 64;

/// Place of a row that is not written, as an equal one before it is.
const NOWHERE: u32 = u32::MAX;

/// The rows of a table in a file, which are read on demand.
#[derive(Debug)]
pub struct StoredRows {
    pieces: Pieces,
    starts: Vec<usize>,
    read: AtomicU64,
}

/// Consecutive rows in compressed form, with ascending columns in each row.
#[derive(Debug, Clone, PartialEq)]
pub struct RowRange {
    /// Offset of each row's first value, then the number of values: rows + 1 numbers.
    pub starts: Vec<usize>,
    /// The column of each value.
    pub columns: Vec<u32>,
    /// The values.
    pub values: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
struct Facts {
    rows: usize,
}

impl StoredTable {
    /// Returns the rows of this table, each at the position in `places`, from a file next to the table's; of
    /// rows with one place the first. Zeros of a dense table are left out. If the file does not exist or is
    /// damaged, it is made in bounded memory; of several processes that ask at once one makes it.
    ///
    /// ```
    /// use raddle_datasets::{Options, StoredTable};
    /// let folder = tempfile::tempdir()?;
    /// let table = StoredTable::open("diabetes", &Options::default(), folder.path())?;
    /// let backwards: Vec<u32> = (0..442).rev().collect();
    /// let rows = table.rows_at_places(&backwards)?.rows(0..2)?;
    /// assert_eq!((rows.starts.len(), rows.columns[..3].to_vec()), (3, vec![0, 1, 2]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is not one place per row, the places are not the numbers from 0 to the largest, or a file
    /// cannot be read or written.
    pub fn rows_at_places(&self, places: &[u32]) -> Result<StoredRows, ReadError> {
        let number = places.iter().max().map_or(0, |&most| most as usize + 1);
        // The first row at each place is written; `NOWHERE` for the others.
        let mut seen = vec![false; number.min(self.rows())];
        let mut first_at = |&place: &u32| {
            Some(if std::mem::replace(seen.get_mut(place as usize)?, true) { NOWHERE } else { place })
        };
        let firsts: Option<Vec<u32>> = places.iter().map(&mut first_at).collect();
        let firsts = firsts.filter(|firsts| firsts.len() == self.rows() && seen.iter().all(|&seen| seen));
        let Some(firsts) = firsts else {
            return Err(ReadError::file(
                self.path(),
                "the places are not the numbers from 0 to the largest: give each row one, and leave no gap",
            ));
        };
        let order = short_digest(cast_slice(places));
        let path = self.path().with_extension(format!("{order}.rows"));
        let fits = |pieces: &Pieces, facts: &Facts| {
            let is_whole = pieces.count(VALUES) == pieces.count(COLUMNS);
            Some(facts.rows == number && pieces.count(COUNTS) == number && is_whole)
        };
        let (pieces, _) = open_or_make(&path, fits, |path| self.write_rows(&firsts, number, path))?;
        let starts = starts_of(&pieces.all(COUNTS)?);
        if starts.last() != Some(&pieces.count(VALUES)) {
            return Err(pieces.damage());
        }
        Ok(StoredRows { pieces, starts, read: AtomicU64::new(0) })
    }

    /// Distributes the values of the columns to ranges of `rows` places, each with its own arrays, then sorts
    /// range by range.
    fn write_rows(&self, places: &[u32], rows: usize, path: &Path) -> Result<(Pieces, Facts), ReadError> {
        let parts = (self.nonzeros() / TOGETHER + 1).min(MOST_PARTS).min(rows.max(1));
        let part_of = |place: u32| place as usize * parts / rows;
        let mut dealing = Dealing::create(path, parts)?;
        for range in self.column_ranges(TOGETHER) {
            self.columns(range.clone())?.each_nonzero(|row, column, value| {
                let place = places[row];
                if place != NOWHERE {
                    dealing.push(part_of(place), place, (range.start + column) as u32, value);
                }
            });
            dealing.write()?;
        }
        let dealt = dealing.finish()?;
        let mut out = PiecesWriter::create(path, [VALUES.entry(), COLUMNS.entry(), COUNTS.entry()])?;
        for part in 0..parts {
            let first = (part * rows).div_ceil(parts);
            let count = ((part + 1) * rows).div_ceil(parts) - first;
            let count = |places: &[u32]| {
                let mut counts = vec![0_u32; count];
                places.iter().for_each(|&place| counts[place as usize - first] += 1);
                counts
            };
            let Sorted { counts, others: columns, values, .. } =
                dealt.sorted(part, count, |place| place as usize - first)?;
            out.push(COUNTS, &counts)?;
            out.push(COLUMNS, &columns)?;
            out.push(VALUES, &values)?;
        }
        Ok((out.finish(&Facts { rows })?, Facts { rows }))
    }
}

impl StoredRows {
    /// Returns the number of rows.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the offset of each row's first value, in the order of places, then the number of values.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Reads the rows at a range of places.
    ///
    /// # Errors
    /// If the file cannot be read, was damaged since it was opened, or has no such rows.
    pub fn rows(&self, range: Range<usize>) -> Result<RowRange, ReadError> {
        if range.start > range.end || range.end > self.count() {
            return Err(self.pieces.damage());
        }
        let starts = &self.starts[range.start..=range.end];
        let stored = starts[0]..starts[range.len()];
        let columns = self.pieces.read(COLUMNS, stored.clone())?;
        let values = self.pieces.read(VALUES, stored.clone())?;
        self.read.fetch_add(range.len() as u64, Ordering::Relaxed);
        Ok(RowRange { starts: starts.iter().map(|start| start - stored.start).collect(), columns, values })
    }

    /// Returns the number of rows that [`rows`](Self::rows) has read so far.
    pub fn rows_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Matrix, Options};

    /// The rows of the whole table, found by a simple method.
    fn naive(x: &Matrix, places: &[u32]) -> Vec<Vec<(u32, f64)>> {
        let mut rows = vec![Vec::new(); x.rows()];
        x.each_nonzero(|row, column, value| rows[places[row] as usize].push((column as u32, value)));
        rows
    }

    #[test]
    fn rows_are_those_of_the_columns_in_the_order_that_is_asked_for() {
        for spec in ["diabetes", "synth:groups:n=60,p=40,g=4,s=5", "synth:strads:n=70,p=90,k=9,s=5"] {
            let folder = tempfile::tempdir().unwrap();
            let Ok(table) = StoredTable::open(spec, &Options::default(), folder.path()) else {
                panic!("{spec} is not read")
            };
            let rows = table.rows();
            let places: Vec<u32> = (0..rows).map(|row| ((row * 31 + 7) % rows) as u32).collect();
            let expected = naive(&table.columns(0..table.cols()).unwrap(), &places);
            for attempt in 0..2 {
                let stored = table.rows_at_places(&places).unwrap();
                let mut read = 0;
                for range in [0..rows, 0..1, 3..rows / 2, rows..rows] {
                    let RowRange { starts, columns, values } = stored.rows(range.clone()).unwrap();
                    let of = |row: usize| -> Vec<(u32, f64)> {
                        let own = starts[row]..starts[row + 1];
                        columns[own.clone()].iter().copied().zip(values[own].iter().copied()).collect()
                    };
                    let found: Vec<_> = (0..range.len()).map(of).collect();
                    assert_eq!(found, expected[range.clone()], "{spec} {range:?}, attempt {attempt}");
                    read += range.len() as u64;
                }
                assert_eq!(stored.rows_read(), read);
                assert!(stored.rows(0..rows + 1).is_err());
            }
            // Each third row has the place of the row before it, which stays.
            let shared: Vec<u32> =
                (0..rows as u32).map(|row| row - row / 3 - u32::from(row % 3 == 2)).collect();
            let firsts: Vec<usize> = (0..rows).filter(|row| row % 3 < 2).collect();
            let all: Vec<u32> = (0..rows as u32).collect();
            let expected = naive(&table.columns(0..table.cols()).unwrap(), &all);
            let stored = table.rows_at_places(&shared).unwrap();
            assert_eq!(stored.count(), firsts.len());
            let RowRange { starts, columns, values } = stored.rows(0..stored.count()).unwrap();
            for (place, &row) in firsts.iter().enumerate() {
                let own = starts[place]..starts[place + 1];
                let found = columns[own.clone()].iter().copied().zip(values[own].iter().copied());
                assert!(found.eq(expected[row].iter().copied()), "{spec} {row}");
            }
            for wrong in [vec![1; rows], places[1..].to_vec(), vec![rows as u32; rows], Vec::new()] {
                assert!(table.rows_at_places(&wrong).unwrap_err().to_string().contains("leave no gap"));
            }
            let names: Vec<_> =
                std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()).collect();
            assert!(names.iter().all(|path| path.extension().unwrap() != "raw"), "{names:?}");
        }
    }
}
