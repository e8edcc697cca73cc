//! Converts a `.npy` file to a file of columns, a few columns at a time; the array stays in its file.

use std::path::Path;

use super::layout::{Filling, TableFacts};
use crate::arrays::npy::Array;
use crate::arrays::pieces::Pieces;
use crate::bytes::source::Source;
use crate::error::ReadError;
use crate::table::beside::from_files;
use crate::table::columns::RoleSource;
use crate::table::response::{chosen, vector};
use crate::table::{Format, Missing, Options, Table};

/// Approximate number of values in memory at once.
const TOGETHER: usize = if cfg!(test) { 100 } else { 1 << 20 };

/// Writes to the file what [`read_any`](crate::read_any) would hold in memory. Writes nothing if that would
/// refuse the file, or if the array is compressed or is not a matrix.
pub(super) fn write(
    source: &Source,
    options: &Options,
    place: &Path,
) -> Result<Option<(Pieces, TableFacts)>, ReadError> {
    if source.is_packed() {
        return Ok(None);
    }
    let content = source.content()?;
    let Some(array) = Array::parse(&content).ok().and_then(Numbers::of) else { return Ok(None) };
    if !array.is_finite() {
        return Ok(None);
    }
    let (rows, cols, path) = (array.rows, array.cols, &*source.path);
    let (mut y, mut classes, mut response) = (Vec::new(), None, None);
    match chosen(cols, None, options.y.as_deref(), path)? {
        RoleSource::Column(j) => response = Some(j),
        RoleSource::File(file) => (y, classes) = vector(Path::new(&file), rows, options, Missing::Refuse)?,
    }
    let fits = if response.is_some() { cols > 1 } else { y.len() == rows };
    if !fits {
        return Ok(None);
    }
    let format = Format::Npy;
    let beside = from_files(options, rows, format.name(), path)?;
    let mut out = Filling::create(place, rows, false)?;
    let per = (TOGETHER / rows).max(1);
    for first in (0..cols).step_by(per) {
        let Some(columns) = array.columns(first..cols.min(first + per)) else { return Ok(None) };
        for (j, column) in (first..).zip(columns.chunks_exact(rows)) {
            match response == Some(j) {
                true => y = column.to_vec(),
                false => out.dense(column)?,
            }
        }
    }
    let table = Table { y, classes, beside, format: format.to_string(), ..Table::described_by(source) };
    out.finish(&table).map(Some)
}

/// An array with two axes, neither of them empty.
struct Numbers<'a> {
    array: Array<'a>,
    rows: usize,
    cols: usize,
}

impl<'a> Numbers<'a> {
    fn of(array: Array<'a>) -> Option<Self> {
        let &[rows, cols] = array.shape() else { return None };
        (rows > 0 && cols > 0).then_some(Self { array, rows, cols })
    }

    fn is_finite(&self) -> bool {
        let count = self.rows * self.cols;
        (0..count).step_by(TOGETHER).all(|start| {
            let some = self.array.part(start..count.min(start + TOGETHER));
            some.is_some_and(|some| some.iter().all(|value| value.is_finite()))
        })
    }

    /// Returns the values of a range of columns, column by column.
    fn columns(&self, range: std::ops::Range<usize>) -> Option<Vec<f64>> {
        if self.array.is_by_columns() {
            return self.array.part(range.start * self.rows..range.end * self.rows);
        }
        let mut values = vec![0.0; self.rows * range.len()];
        for row in 0..self.rows {
            let of_row = self.array.part(row * self.cols + range.start..row * self.cols + range.end)?;
            of_row.into_iter().enumerate().for_each(|(j, value)| values[j * self.rows + row] = value);
        }
        Some(values)
    }
}
