//! Converts libsvm text, which has rows, to a file of columns in bounded memory. Entries are first
//! distributed to tiles (ranges of columns into which the first rows fall evenly) in a temporary file; then
//! tile by tile is read and sorted.

use std::path::{Path, PathBuf};

use super::filling::Filling;
use super::layout::TableFacts;
use crate::arrays::pieces::{Pieces, PiecesWriter, RemovedOnDrop};
use crate::bytes::source::Source;
use crate::error::ReadError;
use crate::table::assemble::{self, ByRows, Tiles};
use crate::table::beside::from_files;
use crate::table::gaps::Gaps;
use crate::table::libsvm::{self, Indices};
use crate::table::occurring::Counts;
use crate::table::{Format, Options, Table};

/// A tile has three arrays: columns, values and rows of its entries.
const EACH: usize = 3;

/// Writes to the file what [`read_any`](crate::read_any) would hold in memory.
pub(super) fn write(
    source: &Source,
    options: &Options,
    place: &Path,
) -> Result<(Pieces, TableFacts), ReadError> {
    let indices = Indices { zero_based: options.zero_based, width: options.width, gaps: Gaps::Refused };
    let tiles = libsvm::tiles(source, &indices)?;
    let raw = RemovedOnDrop(PathBuf::from(format!("{}.{}.raw", place.display(), std::process::id())));
    let names: Vec<String> = (0..tiles.count() * EACH).map(|array| array.to_string()).collect();
    let arrays: Vec<(&str, usize)> =
        names.iter().enumerate().map(|(at, name)| (&**name, if at % EACH == 1 { 8 } else { 4 })).collect();
    let mut entries = ByTile::create(&raw.0, &tiles, &arrays)?;
    libsvm::each(source, &indices, options.threads, |rows| entries.take(source, rows))?;
    let ByTile { out, y, counts, width, .. } = entries;
    libsvm::check_rows(&y, &source.path)?;
    libsvm::check_columns(width, &source.path)?;
    let (counts, occurring) = counts.finish(width);
    let entries = out.finish(&())?;

    let (rows, format) = (y.len(), Format::Libsvm);
    let of_tile = |tile: usize| match &occurring {
        None => tiles.first(tile, width),
        Some(some) => some.numbers().partition_point(|&number| (number as usize) < tiles.first(tile, width)),
    };
    let beside = from_files(options, rows, format.name(), &source.path)?;
    let mut out = Filling::create(place, rows, true)?;
    for tile in 0..tiles.count() {
        let columns = of_tile(tile)..of_tile(tile + 1);
        let place = |number: u32| match &occurring {
            None => number as usize - columns.start,
            Some(some) => some.numbers()[columns.clone()].partition_point(|&other| other < number),
        };
        let sorted = Sorted::read(&entries, &names[tile * EACH..][..EACH], place, &counts[columns.clone()])?;
        for (rows, values) in sorted.columns() {
            out.sparse(rows, values)?;
        }
    }
    let described = Table::described_by(source);
    out.finish(&Table { occurring, y, beside, format: format.to_string(), ..described })
}

/// Distributes entries to tiles as they are read.
struct ByTile<'a> {
    out: PiecesWriter,
    tiles: &'a Tiles,
    y: Vec<f64>,
    /// Number of entries in each column.
    counts: Counts,
    /// Number of columns up to the last one in any row.
    width: usize,
    /// Columns, values and rows of each tile's entries in the current rows.
    dealt: Vec<(Vec<u32>, Vec<f64>, Vec<u32>)>,
}

impl<'a> ByTile<'a> {
    fn create(path: &Path, tiles: &'a Tiles, arrays: &[(&str, usize)]) -> Result<Self, ReadError> {
        let out = PiecesWriter::create(path, arrays)?;
        let dealt = vec![(Vec::new(), Vec::new(), Vec::new()); tiles.count()];
        Ok(Self { out, tiles, y: Vec::new(), counts: Counts::default(), width: 0, dealt })
    }

    fn take(&mut self, source: &Source, rows: ByRows) -> Result<(), ReadError> {
        let first = self.y.len();
        assemble::check_rows(first + rows.y.len()).map_err(|why| ReadError::file(&source.path, why))?;
        let ByRows { mut y, width, lengths, columns, values } = rows;
        self.y.append(&mut y);
        self.width = self.width.max(width as usize);
        let mut entries = columns.into_iter().zip(values);
        for (row, length) in (first as u32..).zip(lengths) {
            for (column, value) in entries.by_ref().take(length as usize) {
                let (columns, values, rows) = &mut self.dealt[self.tiles.of_column(column)];
                self.counts.add(column);
                columns.push(column);
                values.push(value);
                rows.push(row);
            }
        }
        for (tile, (columns, values, rows)) in self.dealt.iter_mut().enumerate() {
            self.out.push(tile * EACH, columns)?;
            self.out.push(tile * EACH + 1, values)?;
            self.out.push(tile * EACH + 2, rows)?;
            columns.clear();
            values.clear();
            rows.clear();
        }
        Ok(())
    }
}

/// The entries of a tile, column by column, with ascending rows in each.
struct Sorted {
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl Sorted {
    /// Reads the entries of columns with these numbers of entries; `place` returns the position of a column
    /// among them.
    fn read(
        entries: &Pieces,
        names: &[String],
        place: impl Fn(u32) -> usize,
        counts: &[u32],
    ) -> Result<Self, ReadError> {
        let columns: Vec<u32> = entries.all(&names[0])?;
        let mut starts = vec![0];
        starts.extend(counts.iter().scan(0, |end, &count| {
            *end += count as usize;
            Some(*end)
        }));
        let mut next = starts.clone();
        // Entries come row by row, so those of a column stay in this order.
        let places: Vec<usize> = columns
            .iter()
            .map(|&column| {
                let place = &mut next[place(column)];
                *place += 1;
                *place - 1
            })
            .collect();
        drop(columns);
        let (mut rows, mut values) = (vec![0; places.len()], vec![0.0; places.len()]);
        let read: Vec<f64> = entries.all(&names[1])?;
        places.iter().zip(read).for_each(|(&place, value)| values[place] = value);
        let read: Vec<u32> = entries.all(&names[2])?;
        places.iter().zip(read).for_each(|(&place, row)| rows[place] = row);
        Ok(Self { starts, rows, values })
    }

    /// Iterates over the columns: their rows and values.
    fn columns(&self) -> impl Iterator<Item = (&[u32], &[f64])> {
        let ranges = self.starts.windows(2).map(|ends| ends[0]..ends[1]);
        ranges.map(|range| (&self.rows[range.clone()], &self.values[range]))
    }
}
