//! [`Matrix`]: features of samples, dense or in compressed columns.

use ndarray::{Array2, ArrayView2, ShapeBuilder};
use sprs::CsMatI;

/// A sparse matrix in compressed columns: `f64` values, `u32` row numbers, `usize` column starts.
pub type Csc = CsMatI<f64, u32, usize>;

/// A matrix of features, n rows (samples) by p columns (features).
#[derive(Clone, Debug, PartialEq)]
pub enum Matrix {
    /// Every value stored, column by column in memory (Fortran order).
    Dense(Array2<f64>),
    /// Compressed sparse columns, with ascending rows in each column. Explicit zeros of a file are dropped.
    Sparse(Csc),
}

/// The matrix without rows and columns.
impl Default for Matrix {
    fn default() -> Self {
        Self::Dense(Array2::default((0, 0)))
    }
}

impl Matrix {
    /// Returns the number of rows, n.
    pub fn rows(&self) -> usize {
        match self {
            Self::Dense(x) => x.nrows(),
            Self::Sparse(x) => x.rows(),
        }
    }

    /// Returns the number of columns, p.
    pub fn cols(&self) -> usize {
        match self {
            Self::Dense(x) => x.ncols(),
            Self::Sparse(x) => x.cols(),
        }
    }

    /// Returns the number of nonzero values; for a sparse matrix, of stored values.
    pub fn nonzeros(&self) -> usize {
        match self {
            Self::Dense(x) => x.iter().filter(|&&value| value != 0.0).count(),
            Self::Sparse(x) => x.nnz(),
        }
    }

    /// Calls `tell` with row, column and value of each nonzero value, column by column; for a sparse matrix,
    /// of each stored value.
    ///
    /// ```
    /// let x = raddle_datasets::Matrix::Dense(ndarray::array![[1.0, 0.0], [3.0, 4.0]]);
    /// let mut told = Vec::new();
    /// x.each_nonzero(|row, column, value| told.push((row, column, value)));
    /// assert_eq!(told, [(0, 0, 1.0), (1, 0, 3.0), (1, 1, 4.0)]);
    /// ```
    pub fn each_nonzero(&self, mut tell: impl FnMut(usize, usize, f64)) {
        match self {
            Self::Dense(x) => {
                for (column, values) in x.columns().into_iter().enumerate() {
                    let stored = values.iter().enumerate().filter(|(_, value)| **value != 0.0);
                    stored.for_each(|(row, &value)| tell(row, column, value));
                }
            }
            Self::Sparse(x) => {
                for (column, values) in x.outer_iterator().enumerate() {
                    values.iter().for_each(|(row, &value)| tell(row, column, value));
                }
            }
        }
    }

    /// Returns `true` if the matrix is stored in compressed columns.
    pub fn is_sparse(&self) -> bool {
        matches!(self, Self::Sparse(_))
    }

    /// Returns the matrix with every value stored, n x p, column by column in memory: 8 n p bytes.
    pub fn to_dense(&self) -> Array2<f64> {
        match self {
            Self::Dense(x) => in_columns(x.view()),
            Self::Sparse(x) => {
                let mut dense = Array2::zeros(x.shape().f());
                for (j, column) in x.outer_iterator().enumerate() {
                    for (i, &value) in column.iter() {
                        dense[(i, j)] = value;
                    }
                }
                dense
            }
        }
    }

    /// Converts the matrix as [`Matrix::to_dense`] does, and frees its memory while the dense matrix fills,
    /// so that not much more than the larger of the two is used at once.
    pub fn into_dense(self) -> Array2<f64> {
        let x = match self {
            // The transpose of a standard layout is stored column by column already.
            Self::Dense(x) if x.t().is_standard_layout() => return x,
            Self::Dense(x) => return in_columns(x.view()),
            Self::Sparse(x) => x,
        };
        let shape = x.shape();
        let (starts, mut indices, mut values) = x.into_raw_storage();
        let mut dense = Array2::zeros(shape.f());
        let portion = values.len() / 16;
        // From the last column, as a vector can be cut only at its end.
        for (mut to, column) in dense.columns_mut().into_iter().zip(starts.windows(2)).rev() {
            let stored = column[0]..column[1];
            for (&row, &value) in indices[stored.clone()].iter().zip(&values[stored]) {
                to[row as usize] = value;
            }
            if values.len() - column[0] > portion {
                values.truncate(column[0]);
                indices.truncate(column[0]);
                values.shrink_to_fit();
                indices.shrink_to_fit();
            }
        }
        dense
    }
}

/// Returns a copy of `x` that is stored column by column.
fn in_columns(x: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut columns = Array2::zeros(x.dim().f());
    columns.assign(&x);
    columns
}

/// Makes a dense matrix from values that are stored row by row, or column by column.
pub(super) fn dense(shape: (usize, usize), by_columns: bool, values: Vec<f64>) -> Result<Matrix, String> {
    let error = |error: ndarray::ShapeError| error.to_string();
    match by_columns {
        true => Array2::from_shape_vec(shape.f(), values).map(Matrix::Dense).map_err(error),
        false => {
            Array2::from_shape_vec(shape, values).map(|x| Matrix::Dense(in_columns(x.view()))).map_err(error)
        }
    }
}

/// Message about a binary value, at a row and a column from 0.
pub(super) fn not_finite(row: usize, col: usize, value: f64) -> String {
    let cure = match value.is_nan() {
        true => "fill it with its column's mean by --missing mean, or leave its row out by --missing drop",
        false => "replace it by a finite number, or drop the row",
    };
    format!("row {}, column {}: the value is {value}: {cure}", row + 1, col + 1)
}
