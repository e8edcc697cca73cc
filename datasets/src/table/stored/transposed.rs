//! Converts libsvm text, which has rows, to a file of columns in bounded memory. Entries are first
//! distributed to tiles (ranges of columns into which the first rows fall evenly) in a temporary file; then
//! tile by tile is read and sorted.

use std::path::Path;

use super::dealt::{Dealing, Sorted};
use super::layout::{Filling, TableFacts};
use crate::arrays::pieces::Pieces;
use crate::bytes::source::Source;
use crate::error::ReadError;
use crate::table::assemble::{self, ByRows, Tiles};
use crate::table::beside::from_files;
use crate::table::gaps::Gaps;
use crate::table::libsvm::{self, Indices};
use crate::table::occurring::Counts;
use crate::table::{Format, Options, Table};

/// Writes to the file what [`read_any`](crate::read_any) would hold in memory.
pub(super) fn write(
    source: &Source,
    options: &Options,
    place: &Path,
) -> Result<(Pieces, TableFacts), ReadError> {
    let indices = Indices { zero_based: options.zero_based, width: options.width, gaps: Gaps::Refused };
    let tiles = libsvm::tiles(source, &indices)?;
    let mut entries = ByTile {
        dealing: Dealing::create(place, tiles.count())?,
        tiles: &tiles,
        y: Vec::new(),
        counts: Counts::default(),
        width: 0,
    };
    libsvm::each(source, &indices, options.threads, |rows| entries.take(source, rows))?;
    let ByTile { dealing, y, counts, width, .. } = entries;
    libsvm::check_rows(&y, &source.path)?;
    libsvm::check_columns(width, &source.path)?;
    let (counts, occurring) = counts.finish(width);
    let entries = dealing.finish()?;

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
        let Sorted { starts, others: rows, values, .. } =
            entries.sorted(tile, |_| counts[columns.clone()].to_vec(), place)?;
        for ends in starts.windows(2) {
            out.sparse(&rows[ends[0]..ends[1]], &values[ends[0]..ends[1]])?;
        }
    }
    let described = Table::described_by(source);
    out.finish(&Table { occurring, y, beside, format: format.to_string(), ..described })
}

/// Distributes entries to tiles as they are read.
struct ByTile<'a> {
    dealing: Dealing,
    tiles: &'a Tiles,
    y: Vec<f64>,
    /// Number of entries in each column.
    counts: Counts,
    /// Number of columns up to the last one in any row.
    width: usize,
}

impl ByTile<'_> {
    fn take(&mut self, source: &Source, rows: ByRows) -> Result<(), ReadError> {
        let first = self.y.len();
        assemble::check_rows(first + rows.y.len()).map_err(|why| ReadError::file(&source.path, why))?;
        let ByRows { mut y, width, lengths, columns, values } = rows;
        self.y.append(&mut y);
        self.width = self.width.max(width as usize);
        let mut entries = columns.into_iter().zip(values);
        for (row, length) in (first as u32..).zip(lengths) {
            for (column, value) in entries.by_ref().take(length as usize) {
                self.counts.add(column);
                self.dealing.push(self.tiles.of_column(column), column, row, value);
            }
        }
        self.dealing.write()
    }
}
