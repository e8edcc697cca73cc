//! From rows as they were read to compressed columns.

use std::ops::Range;

use crate::parallel::on_threads;
use crate::table::Csc;

/// Entries placed in one go: 3 MiB, what a core's own cache holds.
const TILE: usize = 1 << 18;

/// Consecutive rows of a sparse matrix, in reading order.
#[derive(Default)]
pub(crate) struct Rows {
    /// One response a row.
    pub(crate) y: Vec<f64>,
    /// Where each row ends in `columns` and `values`.
    ends: Vec<usize>,
    /// Column numbers from 0, ascending within a row.
    columns: Vec<u32>,
    values: Vec<f64>,
    /// How many columns the rows reach, those with zeros included.
    width: u32,
}

impl Rows {
    /// Room for all that `bytes` of text can hold, at four an entry; what stays unused is never touched.
    pub(crate) fn with_room_for(bytes: usize) -> Self {
        let entries = bytes / 4;
        Self { columns: Vec::with_capacity(entries), values: Vec::with_capacity(entries), ..Self::default() }
    }

    /// Adds a value to the row at hand; zeros are dropped.
    #[inline]
    pub(crate) fn push(&mut self, column: u32, value: f64) {
        if value != 0.0 {
            self.columns.push(column);
            self.values.push(value);
        }
    }

    /// Ends the row at hand, whose last column, counted from 1, is `width`.
    #[inline]
    pub(crate) fn finish(&mut self, y: f64, width: u32) {
        self.width = self.width.max(width);
        self.y.push(y);
        self.ends.push(self.columns.len());
    }

    /// What every row holds from column `first` on.
    fn rests(&self, first: usize) -> impl Iterator<Item = Rest<'_>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(move |(start, &end)| {
            let from = start + self.columns[start..end].partition_point(|&column| (column as usize) < first);
            Rest { columns: &self.columns[from..end], values: &self.values[from..end] }
        })
    }
}

/// The rows of all blocks as one matrix in compressed columns; the same for any number of threads.
///
/// Every thread owns a range of columns and walks all rows in order, so that within a column the rows ascend
/// and no two threads write to the same place. Fails, with the message, where the matrix is too large.
pub(crate) fn compress(blocks: &[Rows], threads: usize) -> Result<Csc, String> {
    let rows: usize = blocks.iter().map(|block| block.ends.len()).sum();
    let cols = blocks.iter().map(|block| block.width).max().unwrap_or(0) as usize;
    if u32::try_from(rows).is_err() {
        return Err(format!("{rows} rows: at most {} fit, split the file", u32::MAX));
    }
    let starts = column_starts(blocks, cols, threads)
        .ok_or_else(|| format!("no memory for {cols} columns: is the largest index a mistake?"))?;
    let entries = starts[cols];
    let (mut indices, mut values) = (vec![0; entries], vec![0.0; entries]);

    let (mut indices_left, mut values_left) = (&mut indices[..], &mut values[..]);
    let mut tasks = Vec::new();
    for columns in even_ranges(&starts, threads.max(1)) {
        let starts = &starts[columns.start..=columns.end];
        let length = starts[columns.len()] - starts[0];
        let (indices, values);
        (indices, indices_left) = indices_left.split_at_mut(length);
        (values, values_left) = values_left.split_at_mut(length);
        tasks.push(move || scatter(blocks, columns, starts, indices, values));
    }
    on_threads(tasks);
    Csc::try_new_csc((rows, cols), starts, indices, values).map_err(|(.., error)| error.to_string())
}

/// Where each column begins among the entries, and behind the last one their number; `None` without memory.
fn column_starts(blocks: &[Rows], cols: usize, threads: usize) -> Option<Vec<usize>> {
    let count = |blocks: &[Rows]| {
        let mut counts = Vec::new();
        counts.try_reserve_exact(cols + 1).ok()?;
        counts.resize(cols + 1, 0_usize);
        for &column in blocks.iter().flat_map(|block| &block.columns) {
            counts[column as usize + 1] += 1;
        }
        Some(counts)
    };
    let share = blocks.len().div_ceil(threads.max(1)).max(1);
    let mut parts = on_threads(blocks.chunks(share).map(|blocks| || count(blocks)).collect()).into_iter();
    let mut starts = parts.next().unwrap_or_else(|| count(&[]))?;
    for part in parts {
        starts.iter_mut().zip(part?).for_each(|(sum, count)| *sum += count);
    }
    for column in 0..cols {
        starts[column + 1] += starts[column];
    }
    Some(starts)
}

/// At most `parts` ranges that cover all columns, of about equally many entries.
fn even_ranges(starts: &[usize], parts: usize) -> Vec<Range<usize>> {
    let cols = starts.len() - 1;
    let cut = |part: usize| match part {
        _ if part == parts => cols,
        _ => starts.partition_point(|&start| start < starts[cols] / parts * part).min(cols),
    };
    (0..parts).map(|part| cut(part)..cut(part + 1)).collect()
}

/// Writes the entries of a range of columns to their places.
///
/// Goes through all rows once for every tile of columns, each row continuing where the tile before stopped:
/// within a tile the places written to stay in the cache.
fn scatter(
    blocks: &[Rows],
    columns: Range<usize>,
    starts: &[usize],
    indices: &mut [u32],
    values: &mut [f64],
) {
    let mut next: Vec<usize> = starts.iter().map(|start| start - starts[0]).collect();
    let mut rows: Vec<Rest<'_>> = blocks.iter().flat_map(|block| block.rests(columns.start)).collect();
    for tile in even_ranges(&next.clone(), values.len().div_ceil(TILE).max(1)) {
        let limit = columns.start + tile.end;
        for (row, rest) in rows.iter_mut().enumerate() {
            while let Some((column, value)) = rest.next_before(limit) {
                let place = &mut next[column - columns.start];
                indices[*place] = row as u32;
                values[*place] = value;
                *place += 1;
            }
        }
    }
}

/// What of a row is still to be placed.
struct Rest<'a> {
    columns: &'a [u32],
    values: &'a [f64],
}

impl Rest<'_> {
    /// The next entry, if its column lies before `limit`.
    #[inline]
    fn next_before(&mut self, limit: usize) -> Option<(usize, f64)> {
        let (&column, columns) =
            self.columns.split_first().filter(|&(&column, _)| (column as usize) < limit)?;
        let (&value, values) = self.values.split_first()?;
        (self.columns, self.values) = (columns, values);
        Some((column as usize, value))
    }
}
