//! [`Matrix`]: features of samples, dense or in compressed columns.

use ndarray::{Array2, ArrayView2, ShapeBuilder};
use sprs::CsMatI;

/// A sparse matrix in compressed columns: `f64` values, `u32` row numbers, `usize` column starts.
pub type Csc = CsMatI<f64, u32, usize>;

/// A matrix of features, n rows (samples) by p columns (features).
#[derive(Clone, Debug, PartialEq)]
pub enum Matrix {
    /// Every value stored, column after column in memory (Fortran order).
    Dense(Array2<f64>),
    /// Compressed sparse columns; within a column the rows ascend. Zeros written out in a file are
    /// dropped.
    Sparse(Csc),
}

impl Matrix {
    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        match self {
            Self::Dense(x) => x.nrows(),
            Self::Sparse(x) => x.rows(),
        }
    }

    /// Number of columns, p.
    pub fn cols(&self) -> usize {
        match self {
            Self::Dense(x) => x.ncols(),
            Self::Sparse(x) => x.cols(),
        }
    }

    /// Number of values that are not zero; of a sparse matrix, of stored ones.
    pub fn nonzeros(&self) -> usize {
        match self {
            Self::Dense(x) => x.iter().filter(|&&value| value != 0.0).count(),
            Self::Sparse(x) => x.nnz(),
        }
    }

    /// Calls `tell` with row, column and value of all that is not zero, column after column; of a sparse
    /// matrix, of all that is stored.
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

    /// `true` if the matrix is stored in compressed columns.
    pub fn is_sparse(&self) -> bool {
        matches!(self, Self::Sparse(_))
    }

    /// The matrix with every value stored, n x p, column after column in memory: 8 n p bytes.
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

    /// [`Matrix::to_dense`] where the matrix itself is no longer needed: its memory is given back as the
    /// dense one fills, so that not much more than the larger of the two is taken at once.
    pub fn into_dense(self) -> Array2<f64> {
        let x = match self {
            // A transposed standard layout is column after column already.
            Self::Dense(x) if x.t().is_standard_layout() => return x,
            Self::Dense(x) => return in_columns(x.view()),
            Self::Sparse(x) => x,
        };
        let shape = x.shape();
        let (starts, mut indices, mut values) = x.into_raw_storage();
        let mut dense = Array2::zeros(shape.f());
        let portion = values.len() / 16;
        // From the back, where a vector can be cut.
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

/// A copy of `x` that lies column after column in memory.
fn in_columns(x: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut columns = Array2::zeros(x.dim().f());
    columns.assign(&x);
    columns
}

/// A dense matrix from values that lie row after row, or column after column.
pub(super) fn dense(shape: (usize, usize), by_columns: bool, values: Vec<f64>) -> Result<Matrix, String> {
    let error = |error: ndarray::ShapeError| error.to_string();
    match by_columns {
        true => Array2::from_shape_vec(shape.f(), values).map(Matrix::Dense).map_err(error),
        false => {
            Array2::from_shape_vec(shape, values).map(|x| Matrix::Dense(in_columns(x.view()))).map_err(error)
        }
    }
}

/// Flaw of a binary value, at a row and a column counted from 0.
pub(super) fn not_finite(row: usize, col: usize, value: f64) -> String {
    let cure = match value.is_nan() {
        true => "fill it with its column's mean by --missing mean, or leave its row out by --missing drop",
        false => "replace it by a finite number, or drop the row",
    };
    format!("row {}, column {}: the value is {value}: {cure}", row + 1, col + 1)
}
