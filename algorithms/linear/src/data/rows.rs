//! [`Rows`]: the matrix row by row, with the constant column of the bias after the others.

use std::ops::Range;
use std::sync::OnceLock;

use raddle::fork_join;
use raddle::state::{Reader, StateError, Writer};
use raddle_datasets::{Matrix, RowRange};
use raddle_kernels::algebra::{
    SparseColumns, block_add, block_pass, sparse_add_scaled, sparse_dot, sparse_pass,
};

use super::places::Places;

/// Parts of a pass per thread, as some rows have more values than others.
const PARTS: usize = 4;

/// Sparse rows of nonzero values, with ascending columns.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    starts: Vec<usize>,
    columns: Vec<u32>,
    /// The values of all rows; those of the longest row, which all share, if all are 1.
    values: Vec<f64>,
    width: usize,
    /// Squared norm of each row.
    squares: Vec<f64>,
    /// Sum of the columns' squared numbers of values, once it was asked for.
    squared_counts: OnceLock<f64>,
}

/// Columns and values of a row.
pub(crate) type Row<'a> = (&'a [u32], &'a [f64]);

impl Rows {
    /// Makes the rows of a matrix, each at its place, the first of equal rows; a nonzero bias is a column
    /// after the others.
    pub(crate) fn of(x: &Matrix, bias: f64, places: &Places) -> Self {
        let (count, features, firsts) = (places.count(), x.cols(), places.firsts());
        let places = places.of_rows();
        let mut starts = vec![0; count + 1];
        x.each_nonzero(|row, _, _| starts[places[row] as usize + 1] += usize::from(firsts[row]));
        let own = usize::from(bias != 0.0);
        (0..count).for_each(|row| starts[row + 1] += starts[row] + own);
        let all = starts[count];
        let (mut columns, mut values, mut next) = (vec![0; all], vec![0.0; all], starts.clone());
        let mut put = |row: usize, column: usize, value: f64| {
            columns[next[row]] = column as u32;
            values[next[row]] = value;
            next[row] += 1;
        };
        x.each_nonzero(|row, column, value| {
            if firsts[row] {
                put(places[row] as usize, column, value);
            }
        });
        if own > 0 {
            (0..count).for_each(|row| put(row, features, bias));
        }
        Self { starts, columns, values, width: features + own, ..Self::default() }.measured()
    }

    /// Copies rows with this number of columns.
    pub(crate) fn copied(rows: &[Row<'_>], width: usize) -> Self {
        let mut copied = Self { width, ..Self::default() };
        for (columns, values) in rows {
            copied.columns.extend_from_slice(columns);
            copied.values.extend_from_slice(values);
            copied.starts.push(copied.values.len());
        }
        copied.measured()
    }

    /// Computes the norms, and keeps no values if all are 1.
    fn measured(mut self) -> Self {
        if self.values.iter().all(|value| *value == 1.0) {
            self.values.truncate(self.starts.windows(2).map(|of| of[1] - of[0]).max().unwrap_or(0));
            self.values.shrink_to_fit();
        }
        // An empty sum would be -0, and its inverse minus infinity.
        let square = |row: usize| self.row(row).1.iter().fold(0.0, |sum, value| sum + value * value);
        self.squares = (0..self.count()).map(square).collect();
        self
    }

    /// Makes rows of those in a file, with a nonzero bias after the columns, and each column before it
    /// divided by its entry in `scales`.
    pub(crate) fn read(read: &RowRange, (columns_here, bias): (usize, f64), scales: &[f64]) -> Self {
        let own = usize::from(bias != 0.0);
        let (count, stored) = (read.starts.len() - 1, read.values.len());
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        columns.reserve_exact(stored + own * count);
        values.reserve_exact(stored + own * count);
        for range in read.starts.windows(2).map(|of| of[0]..of[1]) {
            columns.extend_from_slice(&read.columns[range.clone()]);
            values.extend_from_slice(&read.values[range]);
            if own > 0 {
                columns.push(columns_here as u32);
                values.push(bias);
            }
            starts.push(values.len());
        }
        Self { starts, columns, values, width: columns_here + own, ..Self::default() }.divided(scales)
    }

    /// Divides each of the first columns, and computes the norms again.
    pub(super) fn divided(mut self, by: &[f64]) -> Self {
        self.values.resize(self.columns.len(), 1.0);
        for (&column, value) in self.columns.iter().zip(&mut self.values) {
            *value /= by.get(column as usize).copied().unwrap_or(1.0);
        }
        self.measured()
    }

    /// Writes a range of rows.
    pub(crate) fn save(&self, range: Range<usize>, out: &mut Writer) {
        let starts = &self.starts[range.start..=range.end];
        let stored = starts[0]..starts[range.len()];
        let counted: Vec<u64> = starts.iter().map(|start| (start - stored.start) as u64).collect();
        out.write(&counted);
        out.write_slice(&self.columns[stored.clone()]);
        match self.values.len() < self.columns.len() {
            true => out.write(&vec![1.0; stored.len()]),
            false => out.write_slice(&self.values[stored]),
        }
        out.write(&(self.width as u64));
    }

    /// Reads rows that [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// If the bytes are not valid rows.
    pub(crate) fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let starts: Vec<u64> = from.read()?;
        let (columns, values): (Vec<u32>, Vec<f64>) = (from.read()?, from.read()?);
        let width = from.read::<u64>()? as usize;
        let fits = starts.first() == Some(&0)
            && starts.is_sorted()
            && starts.last() == Some(&(values.len() as u64))
            && columns.len() == values.len()
            && columns.iter().all(|&column| (column as usize) < width);
        if !fits {
            return Err(StateError::new("rows of a matrix"));
        }
        let starts = starts.into_iter().map(|start| start as usize).collect();
        Ok(Self { starts, columns, values, width, ..Self::default() }.measured())
    }

    /// Raises `so_far` to the largest absolute value of each column.
    pub(super) fn largest(&self, so_far: &mut [f64]) {
        for (columns, values) in (0..self.count()).map(|row| self.row(row)) {
            for (&column, value) in columns.iter().zip(values) {
                let most = &mut so_far[column as usize];
                *most = most.max(value.abs());
            }
        }
    }

    /// Adds the squares of each column's values, in units of the column's entry in `units`. Each row counts
    /// as often as `copies` says.
    pub(super) fn add_squares(&self, units: &[f64], copies: &[u32], to: &mut [f64]) {
        for (row, &copies) in copies.iter().enumerate() {
            let (columns, values) = self.row(row);
            for (&column, value) in columns.iter().zip(values).filter(|(_, value)| **value != 0.0) {
                to[column as usize] += f64::from(copies) * (value / units[column as usize]).powi(2);
            }
        }
    }

    /// Returns the number of rows.
    pub(crate) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the number of columns, including that of the bias.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of values.
    pub(crate) fn stored(&self) -> usize {
        self.columns.len()
    }

    /// Returns the sum of the rows' squared numbers of values.
    pub(crate) fn squared_lengths(&self) -> f64 {
        self.starts.windows(2).map(|of| ((of[1] - of[0]) as f64).powi(2)).sum()
    }

    /// Returns the sum of the columns' squared numbers of values.
    pub(crate) fn squared_counts(&self) -> f64 {
        *self.squared_counts.get_or_init(|| {
            let mut counts = vec![0_u32; self.width];
            self.columns.iter().for_each(|&column| counts[column as usize] += 1);
            counts.into_iter().map(|count| f64::from(count).powi(2)).sum()
        })
    }

    /// Returns the rows in the form that kernels take, which treat them as columns.
    pub(crate) fn view(&self) -> SparseColumns<'_> {
        SparseColumns { starts: &self.starts, rows: &self.columns, values: &self.values }
    }

    /// Returns a row.
    pub(crate) fn row(&self, row: usize) -> Row<'_> {
        self.view().column(row)
    }

    /// Returns the product of a row with a vector.
    pub(crate) fn dot(&self, row: usize, with: &[f64]) -> f64 {
        let (columns, values) = self.row(row);
        sparse_dot(columns, values, with)
    }

    /// Computes the products of all rows with a vector, with the help of [`fork_join`]; the result does not
    /// depend on which thread computes what.
    pub(crate) fn products(&self, with: &[f64], out: &mut [f64]) {
        let per = part(self.count(), fork_join::count());
        fork_join::each(self.stored() as u64, out.chunks_mut(per).enumerate(), |(number, out)| {
            let first = number * per;
            let starts = &self.starts[first..=first + out.len()];
            sparse_pass(SparseColumns { starts, rows: &self.columns, values: &self.values }, with, out);
        });
    }

    /// Computes the products of all rows with blocks of this many numbers, one for each column, as
    /// [`products`](Self::products) does.
    pub(crate) fn block_products(&self, with: &[f64], block: usize, out: &mut [f64]) {
        let per = part(self.count(), fork_join::count());
        let parts = out.chunks_mut(per * block).enumerate();
        fork_join::each((self.stored() * block) as u64, parts, |(number, out)| {
            let first = number * per;
            let starts = &self.starts[first..=first + out.len() / block];
            block_pass(SparseColumns { starts, rows: &self.columns, values: &self.values }, with, block, out);
        });
    }

    /// Adds to the blocks of the columns those of all rows, times their values.
    pub(crate) fn add_blocks(&self, of_rows: &[f64], block: usize, out: &mut [f64]) {
        block_add(self.view(), of_rows, block, out);
    }

    /// Like [`add_blocks`](Self::add_blocks), times the squares of the values.
    pub(crate) fn add_squared_blocks(&self, of_rows: &[f64], block: usize, out: &mut [f64]) {
        let squares: Vec<f64> = self.values.iter().map(|value| value * value).collect();
        block_add(SparseColumns { values: &squares, ..self.view() }, of_rows, block, out);
    }

    /// Adds a multiple of a row to a vector.
    pub(crate) fn add(&self, row: usize, factor: f64, to: &mut [f64]) {
        let (columns, values) = self.row(row);
        sparse_add_scaled(to, factor, columns, values);
    }

    /// Returns the squared norm of a row.
    pub(crate) fn square(&self, row: usize) -> f64 {
        self.squares[row]
    }
}

/// Returns the number of rows in a part of a pass over all rows by these threads.
fn part(rows: usize, threads: usize) -> usize {
    let parts = if threads > 1 { PARTS * threads } else { 1 };
    rows.div_ceil(parts).max(1)
}

impl Default for Rows {
    fn default() -> Self {
        Self {
            starts: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
            width: 0,
            squares: Vec::new(),
            squared_counts: OnceLock::new(),
        }
    }
}

#[cfg(test)]
mod tests;
