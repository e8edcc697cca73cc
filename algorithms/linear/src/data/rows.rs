//! [`Rows`]: the matrix row by row, with the constant column of the bias behind the others.

use raddle_datasets::Matrix;

/// Rows of values that are not zero, columns ascending.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    width: usize,
}

/// A row: its columns and values.
type Row<'a> = (&'a [u32], &'a [f64]);

impl Rows {
    /// The rows of a matrix; a bias that is not zero is a column behind the others.
    pub(crate) fn of(x: &Matrix, bias: f64) -> Self {
        let (count, features) = (x.rows(), x.cols());
        let mut starts = vec![0; count + 1];
        each(x, |row, _, _| starts[row + 1] += 1);
        let own = usize::from(bias != 0.0);
        (0..count).for_each(|row| starts[row + 1] += starts[row] + own);
        let all = starts[count];
        let (mut columns, mut values, mut next) = (vec![0; all], vec![0.0; all], starts.clone());
        let mut put = |row: usize, column: usize, value: f64| {
            columns[next[row]] = column as u32;
            values[next[row]] = value;
            next[row] += 1;
        };
        each(x, &mut put);
        if own > 0 {
            (0..count).for_each(|row| put(row, features, bias));
        }
        Self { starts, columns, values, width: features + own }
    }

    /// Number of rows.
    pub(crate) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of columns, that of the bias included.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Number of values.
    pub(crate) fn stored(&self) -> usize {
        self.values.len()
    }

    /// A row.
    pub(crate) fn row(&self, row: usize) -> Row<'_> {
        let stored = self.starts[row]..self.starts[row + 1];
        (&self.columns[stored.clone()], &self.values[stored])
    }

    /// Product of a row with a vector.
    pub(crate) fn dot(&self, row: usize, with: &[f64]) -> f64 {
        let (columns, values) = self.row(row);
        columns.iter().zip(values).map(|(&column, value)| value * with[column as usize]).sum()
    }

    /// Adds a multiple of a row to a vector.
    pub(crate) fn add(&self, row: usize, factor: f64, to: &mut [f64]) {
        let (columns, values) = self.row(row);
        for (&column, value) in columns.iter().zip(values) {
            to[column as usize] += factor * value;
        }
    }

    /// Square of a row's norm.
    pub(crate) fn square(&self, row: usize) -> f64 {
        self.row(row).1.iter().map(|value| value * value).sum()
    }
}

/// Tells row, column and value of all that is not zero, column after column.
fn each(x: &Matrix, mut tell: impl FnMut(usize, usize, f64)) {
    match x {
        Matrix::Dense(x) => {
            for (column, values) in x.columns().into_iter().enumerate() {
                let stored = values.iter().enumerate().filter(|(_, value)| **value != 0.0);
                stored.for_each(|(row, &value)| tell(row, column, value));
            }
        }
        Matrix::Sparse(x) => {
            for (column, values) in x.outer_iterator().enumerate() {
                values.iter().for_each(|(row, &value)| tell(row as usize, column, value));
            }
        }
    }
}
