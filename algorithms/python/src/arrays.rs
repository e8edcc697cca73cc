//! Converts arrays and sparse matrices of Python to those of the libraries: each is copied once, without the
//! interpreter's lock.

use ndarray::{Array2, ArrayView1, ArrayView2, ShapeBuilder};
use numpy::{Element, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use raddle_datasets::{Csc, Matrix, Occurring, room};

use crate::error::{bad_value, no_memory};

/// Columns that are copied at a time from a row-major matrix: about a cache line of each row.
const TILE: usize = 8;

/// A matrix from Python.
#[derive(FromPyObject)]
pub(crate) enum GivenMatrix<'py> {
    /// A dense array in any memory order.
    Wide(PyReadonlyArray2<'py, f64>),
    /// A dense array in single precision.
    Narrow(PyReadonlyArray2<'py, f32>),
    /// A sparse matrix.
    Sparse(Compressed<'py>),
}

/// A matrix or array of scipy in compressed columns (`csc`) or rows (`csr`); indices may be unsorted and
/// repeated.
#[derive(FromPyObject)]
pub(crate) struct Compressed<'py> {
    shape: (usize, usize),
    format: String,
    indptr: Indices<'py>,
    indices: Indices<'py>,
    data: Values<'py>,
}

/// Indices with 32 or 64 bits.
#[derive(FromPyObject)]
pub(crate) enum Indices<'py> {
    Narrow(PyReadonlyArray1<'py, i32>),
    Wide(PyReadonlyArray1<'py, i64>),
}

/// Values in single or double precision.
#[derive(FromPyObject)]
enum Values<'py> {
    Wide(PyReadonlyArray1<'py, f64>),
    Narrow(PyReadonlyArray1<'py, f32>),
}

impl GivenMatrix<'_> {
    /// Copies the matrix to the libraries' form.
    ///
    /// # Errors
    /// If there is too little memory, or a sparse matrix is not valid.
    pub(crate) fn copied(&self, py: Python<'_>) -> PyResult<Matrix> {
        match self {
            Self::Wide(x) => dense(py, x),
            Self::Narrow(x) => dense(py, x),
            Self::Sparse(x) => Ok(Matrix::Sparse(x.columns(py, Kept::All)?.0)),
        }
    }

    /// Like [`copied`](Self::copied), but of a sparse matrix that is far wider than its content only the
    /// columns that occur, as the programs read it.
    ///
    /// # Errors
    /// The errors of [`copied`](Self::copied).
    pub(crate) fn occurring(&self, py: Python<'_>) -> PyResult<(Matrix, Option<Occurring>)> {
        let Self::Sparse(x) = self else { return Ok((self.copied(py)?, None)) };
        let (x, occurring) = x.columns(py, Kept::Occurring)?;
        Ok((Matrix::Sparse(x), occurring))
    }
}

/// The columns of a sparse matrix that are copied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    All,
    /// Columns with values, if the matrix is far wider than its content.
    Occurring,
}

fn dense<T: Element + Copy + Into<f64> + Sync>(
    py: Python<'_>,
    x: &PyReadonlyArray2<'_, T>,
) -> PyResult<Matrix> {
    let x = x.as_array();
    room::<f64>(x.len(), "a copy of X").map_err(no_memory)?;
    Ok(Matrix::Dense(py.detach(|| in_columns(x))))
}

/// Copies a matrix to column-major order.
fn in_columns<T: Copy + Into<f64>>(x: ArrayView2<'_, T>) -> Array2<f64> {
    let (rows, columns) = x.dim();
    let values = match x.t().to_slice() {
        Some(values) => values.iter().map(|&value| value.into()).collect(),
        None => {
            let mut values = vec![0.0; rows * columns];
            for (first, tile) in values.chunks_mut((TILE * rows).max(1)).enumerate() {
                let width = tile.len() / rows.max(1);
                for (at, row) in x.rows().into_iter().enumerate() {
                    for column in 0..width {
                        tile[column * rows + at] = row[first * TILE + column].into();
                    }
                }
            }
            values
        }
    };
    // Never fails, as the lengths agree; an empty matrix would be refused by the fit.
    Array2::from_shape_vec((rows, columns).f(), values).unwrap_or_default()
}

/// Converts the first `count` indices, each of which must be below `most`.
fn below<I: Copy + Into<i64> + Sync>(
    py: Python<'_>,
    indices: ArrayView1<'_, I>,
    count: usize,
    most: usize,
) -> Option<Vec<u32>> {
    let checked = |&index: &I| u32::try_from(index.into()).ok().filter(|&index| (index as usize) < most);
    py.detach(|| indices.iter().take(count).map(checked).collect())
}

/// A sparse matrix that is being converted to compressed columns.
struct Parts {
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl Compressed<'_> {
    /// Returns the numbers of rows and columns.
    pub(crate) fn shape(&self) -> (usize, usize) {
        self.shape
    }

    /// Returns the entries of compressed rows in their order: row starts, columns and values.
    ///
    /// # Errors
    /// If the matrix is not in compressed rows, or an index is out of range.
    pub(crate) fn entries(&self, py: Python<'_>) -> PyResult<(Vec<usize>, Vec<u32>, Vec<f32>)> {
        if self.format != "csr" {
            return Err(bad_value(format!("the matrix must be csr, and this is {}", self.format)));
        }
        let stored = |array: &Indices<'_>| match array {
            Indices::Narrow(array) => array.as_array().len(),
            Indices::Wide(array) => array.as_array().len(),
        };
        let starts = self.indptr.starts(self.shape.0, stored(&self.indices))?;
        let count = starts.last().copied().unwrap_or(0);
        let columns = self.shape.1;
        let columns = match &self.indices {
            Indices::Narrow(array) => below(py, array.as_array(), count, columns),
            Indices::Wide(array) => below(py, array.as_array(), count, columns),
        };
        let values: Vec<f32> = match &self.data {
            Values::Narrow(array) => array.as_array().iter().take(count).copied().collect(),
            Values::Wide(array) => array.as_array().iter().take(count).map(|&value| value as f32).collect(),
        };
        match columns.filter(|_| values.len() == count) {
            Some(columns) => Ok((starts, columns, values)),
            None => Err(bad_value("an index of the sparse matrix is out of its range")),
        }
    }

    /// Copies the matrix to compressed columns with ascending rows; repeated entries are summed and zeros
    /// dropped. Returns the columns that are kept, if not all are.
    ///
    /// # Errors
    /// If indices are out of range, or there is too little memory.
    fn columns(&self, py: Python<'_>, kept: Kept) -> PyResult<(Csc, Option<Occurring>)> {
        if !["csc", "csr"].contains(&self.format.as_str()) {
            return Err(bad_value(format!("a sparse X must be csc or csr, and this is {}", self.format)));
        }
        match (&self.indices, &self.data) {
            (Indices::Narrow(indices), Values::Wide(data)) => self.filled(py, indices, data, kept),
            (Indices::Narrow(indices), Values::Narrow(data)) => self.filled(py, indices, data, kept),
            (Indices::Wide(indices), Values::Wide(data)) => self.filled(py, indices, data, kept),
            (Indices::Wide(indices), Values::Narrow(data)) => self.filled(py, indices, data, kept),
        }
    }

    fn filled<I: Element + Copy + Into<i64>, T: Element + Copy + Into<f64>>(
        &self,
        py: Python<'_>,
        indices: &PyReadonlyArray1<'_, I>,
        data: &PyReadonlyArray1<'_, T>,
        kept: Kept,
    ) -> PyResult<(Csc, Option<Occurring>)> {
        let ((rows, columns), by_columns) = (self.shape, self.format == "csc");
        let (indices, data) = (indices.as_array(), data.as_array());
        let (outer, inner) = if by_columns { (columns, rows) } else { (rows, columns) };
        let starts = self.indptr.starts(outer, indices.len().min(data.len()))?;
        let count = starts.last().copied().unwrap_or(0);
        room::<(f64, u32)>(count, "a copy of X").map_err(no_memory)?;
        py.detach(|| {
            let checked = |&index: &I| usize::try_from(index.into()).is_ok_and(|index| index < inner);
            if !indices.iter().take(count).all(checked) || u32::try_from(rows.max(columns)).is_err() {
                return Err(bad_value("an index of the sparse X is out of its range"));
            }
            let (indices, data) = (indices.iter().take(count), data.iter().take(count));
            let indices = indices.map(|&index| Into::<i64>::into(index) as u32);
            let values = data.map(|&value| Into::<f64>::into(value));
            let mut parts = None;
            let occurring = match kept {
                Kept::All => None,
                Kept::Occurring => Occurring::of(columns, count, || {
                    let (made, numbers) = match by_columns {
                        true => {
                            Parts::of_filled(&starts, indices.clone().collect(), values.clone().collect())
                        }
                        false => Parts::sorted(&starts, indices.clone(), values.clone().collect()),
                    };
                    parts = Some(made);
                    numbers
                }),
            };
            let parts = parts.unwrap_or_else(|| match by_columns {
                true => Parts { starts, rows: indices.collect(), values: values.collect() },
                false => Parts::of_rows(&starts, columns, || {
                    indices.clone().map(|at| at as usize).zip(values.clone())
                }),
            });
            let Parts { mut starts, rows: indices, values } = parts.tidied();
            // Without any value one column is kept.
            let columns = occurring.as_ref().map_or(columns, |some| some.numbers().len());
            starts.resize(columns + 1, values.len());
            let made = Csc::try_new_csc((rows, columns), starts, indices, values);
            let made = made.map_err(|(_, _, _, why)| bad_value(format!("X is no sparse matrix: {why}")))?;
            Ok((made, occurring))
        })
    }
}

impl Indices<'_> {
    /// Returns the starts of the rows or columns, and the end of the last.
    ///
    /// # Errors
    /// If they do not fit the number of rows or columns, or of entries.
    pub(crate) fn starts(&self, outer: usize, stored: usize) -> PyResult<Vec<usize>> {
        let given: Vec<i64> = match self {
            Self::Narrow(starts) => starts.as_array().iter().map(|&start| start.into()).collect(),
            Self::Wide(starts) => starts.as_array().to_vec(),
        };
        let last = given.last().copied().and_then(|last| usize::try_from(last).ok());
        let fits = given.len() == outer + 1
            && given.is_sorted()
            && given.first() == Some(&0)
            && last.is_some_and(|last| last <= stored);
        match fits {
            true => Ok(given.into_iter().map(|start| start as usize).collect()),
            false => Err(bad_value("indptr of the sparse X does not fit its shape and its values")),
        }
    }
}

impl Parts {
    /// Makes compressed columns from rows: `entries` returns (column, value) of a row's entries.
    fn of_rows<E: Iterator<Item = (usize, f64)>>(
        row_starts: &[usize],
        columns: usize,
        entries: impl Fn() -> E,
    ) -> Self {
        let mut starts = vec![0; columns + 1];
        entries().for_each(|(column, _)| starts[column + 1] += 1);
        (0..columns).for_each(|column| starts[column + 1] += starts[column]);
        let count = starts[columns];
        let (mut rows, mut values, mut next) = (vec![0; count], vec![0.0; count], starts.clone());
        let mut row = 0;
        for (at, (column, value)) in entries().enumerate() {
            while row_starts[row + 1] <= at {
                row += 1;
            }
            (rows[next[column]], values[next[column]]) = (row as u32, value);
            next[column] += 1;
        }
        Self { starts, rows, values }
    }

    /// Makes the columns with entries from rows, by sorting, in time and memory of the entries; returns their
    /// numbers, too.
    fn sorted(
        row_starts: &[usize],
        columns: impl Iterator<Item = u32>,
        of_rows: Vec<f64>,
    ) -> (Self, Vec<u32>) {
        let of_row = |(row, range): (u32, &[usize])| std::iter::repeat_n(row, range[1] - range[0]);
        let rows: Vec<u32> = (0..).zip(row_starts.windows(2)).flat_map(of_row).collect();
        // As a wide matrix has fewer than 2^30 entries, column and position are one number.
        let mut order: Vec<u64> =
            (0..).zip(columns).map(|(at, column)| u64::from(column) << 32 | at).collect();
        order.sort_unstable();
        let (mut starts, mut numbers) = (Vec::new(), Vec::new());
        for (at, column) in order.iter().map(|key| (key >> 32) as u32).enumerate() {
            if numbers.last() != Some(&column) {
                starts.push(at);
                numbers.push(column);
            }
        }
        starts.push(order.len());
        let at = |key: &u64| *key as u32 as usize;
        let values = order.iter().map(|key| of_rows[at(key)]).collect();
        (Self { starts, rows: order.iter().map(|key| rows[at(key)]).collect(), values }, numbers)
    }

    /// Makes the columns with entries of all columns; returns their numbers, too.
    fn of_filled(all: &[usize], rows: Vec<u32>, values: Vec<f64>) -> (Self, Vec<u32>) {
        let filled = (0..).zip(all.windows(2)).filter(|(_, range)| range[0] < range[1]);
        let (numbers, mut starts): (Vec<u32>, Vec<usize>) =
            filled.map(|(column, range)| (column, range[0])).unzip();
        starts.push(values.len());
        (Self { starts, rows, values }, numbers)
    }

    /// Sorts the rows of each column, sums repeated entries, and drops zeros.
    fn tidied(mut self) -> Self {
        let is_tidy = |range: &[usize]| {
            self.rows[range[0]..range[1]].is_sorted_by(|a, b| a < b)
                && self.values[range[0]..range[1]].iter().all(|&value| value != 0.0)
        };
        if self.starts.windows(2).all(is_tidy) {
            return self;
        }
        let (mut kept, mut ended) = (0, 0);
        let mut column = Vec::new();
        for at in 1..self.starts.len() {
            let range = ended..self.starts[at];
            ended = range.end;
            column.clear();
            column.extend(self.rows[range.clone()].iter().copied().zip(self.values[range].iter().copied()));
            column.sort_by_key(|&(row, _)| row);
            for entries in column.chunk_by(|a, b| a.0 == b.0) {
                let sum: f64 = entries.iter().map(|&(_, value)| value).sum();
                if sum != 0.0 {
                    (self.rows[kept], self.values[kept]) = (entries[0].0, sum);
                    kept += 1;
                }
            }
            self.starts[at] = kept;
        }
        self.rows.truncate(kept);
        self.values.truncate(kept);
        self
    }
}
