//! Converts rows to compressed columns, in little more memory than the matrix takes.
//!
//! Threads that read put their entries into *tiles*: ranges of columns, the same for all threads, chosen so
//! that the first rows fall evenly into them. Then the tiles are placed one after another, and the memory of
//! each is freed before the next is started: the entries as read and the entries in place are never all in
//! memory at once. While one tile is placed, writes stay close together.

use std::mem;

use crate::bytes::memory::room;
use crate::bytes::parallel::on_threads;
use crate::table::occurring::is_wide;
use crate::table::{Csc, Occurring};

/// Limit on the number of tiles.
const TILES: usize = 16;

/// The boundaries of the tiles.
pub(crate) struct Tiles {
    /// For each tile but the last, the first column after it; ascending.
    ends: Vec<u32>,
}

impl Tiles {
    /// Returns the number of tiles.
    pub(crate) fn count(&self) -> usize {
        self.ends.len() + 1
    }

    /// Returns the tile of a column.
    pub(crate) fn of_column(&self, column: u32) -> usize {
        self.ends.partition_point(|&end| end <= column)
    }

    /// Returns the first column of a tile; for the number of tiles, the end of the last one.
    pub(crate) fn first(&self, tile: usize, columns: usize) -> usize {
        match tile {
            0 => 0,
            _ => self.ends.get(tile - 1).map_or(columns, |&end| (end as usize).min(columns)),
        }
    }

    /// Makes tiles into which entries in these columns fall evenly.
    pub(crate) fn of(mut columns: Vec<u32>) -> Self {
        columns.sort_unstable();
        let cut = |tile: usize| columns.get(columns.len() * tile / TILES).copied();
        let mut ends: Vec<u32> = (1..TILES).filter_map(cut).collect();
        ends.dedup();
        Self { ends }
    }
}

/// Nonzero values in the order in which they were read: block by block, row by row.
///
/// A column and a value take 12 bytes; the row is stored once for all its entries in a tile.
#[derive(Default)]
struct HeldTile {
    columns: Vec<u32>,
    values: Vec<f64>,
    /// Pairs (row, from 0 in its block; number of its entries).
    rows: Vec<(u32, u32)>,
}

/// The entries that one thread has read, by tile.
pub(crate) struct Entries<'a> {
    tiles: &'a Tiles,
    thread: usize,
    held: Vec<HeldTile>,
}

impl<'a> Entries<'a> {
    /// Reserves memory for about this number of entries at once: memory that is not touched costs nothing,
    /// and a large allocation is returned to the system as soon as it is freed.
    pub(crate) fn new(tiles: &'a Tiles, thread: usize, about: usize) -> Self {
        let count = tiles.ends.len() + 1;
        let tile = |_| {
            let mut tile = HeldTile::default();
            // Where the system does not promise the memory, the tile grows as it fills.
            let _ = tile.columns.try_reserve_exact(about / count);
            let _ = tile.values.try_reserve_exact(about / count);
            tile
        };
        Self { tiles, thread, held: (0..count).map(tile).collect() }
    }

    /// Starts a block of rows.
    pub(crate) fn block(&mut self) -> Block<'_, 'a> {
        let rows = RowBlock { y: Vec::new(), width: 0, thread: self.thread, ends: Vec::new() };
        let told = vec![u32::MAX; self.held.len()];
        Block { entries: self, rows, tile: 0, told }
    }

    /// Returns one block of rows with its entries, which must be the only ones.
    pub(crate) fn by_rows(self, block: RowBlock) -> ByRows {
        let RowBlock { y, width, .. } = block;
        let (mut lengths, mut columns, mut values) = (vec![0; y.len()], Vec::new(), Vec::new());
        for mut held in self.held {
            held.rows.iter().for_each(|&(row, entries)| lengths[row as usize] += entries);
            columns.append(&mut held.columns);
            values.append(&mut held.values);
        }
        ByRows { y, width, lengths, columns, values }
    }

    /// Returns the columns of all entries, unordered.
    pub(crate) fn columns(&self) -> Vec<u32> {
        self.held.iter().flat_map(|held| &held.columns).copied().collect()
    }
}

/// A block of rows that is being read.
pub(crate) struct Block<'e, 'a> {
    entries: &'e mut Entries<'a>,
    rows: RowBlock,
    /// The tile of the current row's last entry.
    tile: usize,
    /// For each tile, the row to which its last entry belongs.
    told: Vec<u32>,
}

impl Block<'_, '_> {
    /// Adds a value to the current row, whose columns ascend from 0; zeros are dropped.
    // Inlined, as it runs for each value of a file: a call would cost 2 % of reading and solving farmads.
    #[inline(always)]
    pub(crate) fn push(&mut self, column: u32, value: f64) {
        if value == 0.0 {
            return;
        }
        let ends = &self.entries.tiles.ends;
        while ends.get(self.tile).is_some_and(|&end| end <= column) {
            self.tile += 1;
        }
        let row = self.rows.y.len() as u32;
        let (held, told) = (&mut self.entries.held[self.tile], &mut self.told[self.tile]);
        if *told != row {
            *told = row;
            held.rows.push((row, 0));
        }
        if let Some((_, entries)) = held.rows.last_mut() {
            *entries += 1;
        }
        held.columns.push(column);
        held.values.push(value);
    }

    /// Removes the entries of the current row.
    pub(crate) fn take_back(&mut self) {
        let row = self.rows.y.len() as u32;
        for (held, told) in self.entries.held.iter_mut().zip(&mut self.told) {
            if *told != row {
                continue;
            }
            let entries = held.rows.pop().map_or(0, |(_, entries)| entries as usize);
            held.columns.truncate(held.columns.len() - entries);
            held.values.truncate(held.values.len() - entries);
            *told = u32::MAX;
        }
        self.tile = 0;
    }

    /// Ends the current row, whose last column, from 1, is `width`.
    #[inline]
    pub(crate) fn finish(&mut self, y: f64, width: u32) {
        self.rows.width = self.rows.width.max(width);
        self.rows.y.push(y);
        self.tile = 0;
    }

    pub(crate) fn end(self) -> RowBlock {
        let ends = self.entries.held.iter().map(|held| held.rows.len()).collect();
        RowBlock { ends, ..self.rows }
    }
}

/// Consecutive rows whose entries a thread holds.
pub(crate) struct RowBlock {
    /// One response per row.
    pub(crate) y: Vec<f64>,
    /// Number of columns up to the last one in any row, zeros included.
    width: u32,
    thread: usize,
    /// For each tile of the thread, the end of these rows; they start at the end of its previous block.
    ends: Vec<usize>,
}

/// Consecutive rows with their entries, row by row.
pub(crate) struct ByRows {
    /// One response per row.
    pub(crate) y: Vec<f64>,
    /// Number of columns up to the last one in any row, zeros included.
    pub(crate) width: u32,
    /// Number of entries in each row.
    pub(crate) lengths: Vec<u32>,
    /// Column of each entry.
    pub(crate) columns: Vec<u32>,
    pub(crate) values: Vec<f64>,
}

/// Returns the rows of all blocks as one matrix in compressed columns; a wide matrix has only the columns
/// that occur. The result is the same for any number of threads.
///
/// # Errors
/// If the matrix is too large.
pub(crate) fn compress(
    blocks: &[RowBlock],
    entries: Vec<Entries<'_>>,
    threads: usize,
) -> Result<(Csc, Option<Occurring>), String> {
    let rows: usize = blocks.iter().map(|block| block.y.len()).sum();
    let width = blocks.iter().map(|block| block.width).max().unwrap_or(0) as usize;
    check_rows(rows)?;
    let mut tiles = by_tile(entries);
    let total: usize = tiles.iter().map(Tile::len).sum();
    let occurring = is_wide(width, total).then(|| keep_occurring(&mut tiles, width));
    let cols = occurring.as_ref().map_or(width, |some| some.numbers().len());
    room::<usize>(cols + 1, "its columns")?;
    room::<(u32, f64)>(total, "its values")?;
    let (mut starts, mut indices, mut values) = (vec![0_usize; cols + 1], vec![0; total], vec![0.0; total]);
    let (mut starts_left, mut indices_left, mut values_left) =
        (&mut starts[1..], &mut indices[..], &mut values[..]);
    let (mut first, mut start) = (0, 0);
    let threads = threads.max(1);
    let mut shares: Vec<Vec<Place<'_>>> = (0..threads).map(|_| Vec::new()).collect();
    for tile in tiles {
        let (end, length) = (tile.end.map_or(cols, |end| (end as usize).min(cols)), tile.len());
        let place = Place {
            first,
            start,
            ends: starts_left.split_off_mut(..end - first).unwrap_or_default(),
            indices: indices_left.split_off_mut(..length).unwrap_or_default(),
            values: values_left.split_off_mut(..length).unwrap_or_default(),
            tile,
        };
        // Each thread gets consecutive tiles, with about as many entries as any other thread.
        let share = (start * threads).checked_div(total).unwrap_or(0);
        shares[share.min(threads - 1)].push(place);
        (first, start) = (end, start + length);
    }
    on_threads(
        shares.into_iter().map(|share| || share.into_iter().for_each(|place| place.fill(blocks))).collect(),
    );
    let x = Csc::try_new_csc((rows, cols), starts, indices, values);
    Ok((x.map_err(|(.., error)| error.to_string())?, occurring))
}

/// Renumbers the columns of entries so that only those that occur count.
fn keep_occurring(tiles: &mut [Tile], width: usize) -> Occurring {
    let mut numbers: Vec<u32> = Vec::new();
    for tile in &mut *tiles {
        let columns = || tile.held.iter().flat_map(|held| &held.columns);
        let mut own: Vec<u32> = columns().copied().collect();
        own.sort_unstable();
        own.dedup();
        let first = numbers.len();
        for column in tile.held.iter_mut().flat_map(|held| &mut held.columns) {
            *column = (first + own.partition_point(|number| number < column)) as u32;
        }
        numbers.append(&mut own);
        tile.end = tile.end.map(|_| numbers.len() as u32);
    }
    Occurring::among(width, numbers)
}

/// Refuses more rows than 32 bits can count.
pub(crate) fn check_rows(rows: usize) -> Result<(), String> {
    match u32::try_from(rows) {
        Ok(_) => Ok(()),
        Err(_) => Err(format!("{rows} rows: at most {} fit, split the file", u32::MAX)),
    }
}

/// The entries of a tile.
struct Tile {
    number: usize,
    /// The first column after the tile; `None` for the last tile.
    end: Option<u32>,
    /// The entries of each thread.
    held: Vec<HeldTile>,
}

impl Tile {
    fn len(&self) -> usize {
        self.held.iter().map(|held| held.columns.len()).sum()
    }
}

fn by_tile(mut entries: Vec<Entries<'_>>) -> Vec<Tile> {
    let ends = entries.first().map_or(&[][..], |entries| &entries.tiles.ends);
    let ends = ends.iter().copied().map(Some).chain([None]).enumerate();
    let mut held =
        |number: usize| entries.iter_mut().map(|entries| mem::take(&mut entries.held[number])).collect();
    ends.map(|(number, end)| Tile { number, end, held: held(number) }).collect()
}

/// The target of a tile's entries in the matrix.
struct Place<'a> {
    tile: Tile,
    /// First column of the tile.
    first: usize,
    /// Number of entries before the tile.
    start: usize,
    /// Ends of the tile's columns.
    ends: &'a mut [usize],
    indices: &'a mut [u32],
    values: &'a mut [f64],
}

impl Place<'_> {
    /// Writes the tile's entries to their positions, with ascending rows in each column, and frees them.
    fn fill(self, blocks: &[RowBlock]) {
        let Self { tile, first, start, ends, indices, values } = self;
        for &column in tile.held.iter().flat_map(|held| &held.columns) {
            ends[column as usize - first] += 1;
        }
        let from_count = |sum: &mut usize, &count: &usize| Some(mem::replace(sum, *sum + count));
        let mut next: Vec<usize> = ends.iter().scan(0, from_count).collect();
        // For each thread: its rows that are placed, and its entries that are not.
        let mut rests: Vec<_> =
            tile.held.iter().map(|held| (0, held.columns.iter().zip(&held.values))).collect();
        let mut before = 0;
        for block in blocks {
            let (placed, rest) = &mut rests[block.thread];
            let end = block.ends[tile.number];
            for &(row, entries) in &tile.held[block.thread].rows[*placed..end] {
                for (&column, &value) in rest.by_ref().take(entries as usize) {
                    let place = &mut next[column as usize - first];
                    indices[*place] = before + row;
                    values[*place] = value;
                    *place += 1;
                }
            }
            *placed = end;
            before += block.y.len() as u32;
        }
        ends.iter_mut().zip(next).for_each(|(end, next)| *end = start + next);
    }
}

#[cfg(test)]
mod tests;
