//! [`Matrix`]: features of samples, dense or in compressed columns; its rows, and their products with
//! coefficients.

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

/// Makes a dense matrix from values that are stored column by column.
pub(super) fn of_columns(rows: usize, cols: usize, values: Vec<f64>) -> Result<Matrix, String> {
    let x = Array2::from_shape_vec((rows, cols).f(), values);
    x.map(Matrix::Dense).map_err(|why| why.to_string())
}

/// Makes a dense matrix from values that are stored row by row.
pub(super) fn of_rows(rows: usize, cols: usize, values: Vec<f64>) -> Result<Matrix, String> {
    let x = Array2::from_shape_vec((rows, cols), values);
    x.map(|x| Matrix::Dense(in_columns(x.view()))).map_err(|why| why.to_string())
}

/// Message about a binary value, at a row and a column from 0.
pub(super) fn not_finite(row: usize, col: usize, value: f64) -> String {
    let cure = match value.is_nan() {
        true => "fill it with its column's mean by --missing mean, or leave its row out by --missing drop",
        false => "replace it by a finite number, or drop the row",
    };
    format!("row {}, column {}: the value is {value}: {cure}", row + 1, col + 1)
}

impl Matrix {
    /// Returns the rows with these numbers (from 0) as a matrix of the same kind and width, in the given
    /// order.
    ///
    /// # Panics
    /// If the numbers do not ascend strictly, or a row does not exist.
    ///
    /// ```
    /// use raddle_datasets::Matrix;
    /// let x = Matrix::Dense(ndarray::array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    /// assert_eq!(x.select_rows(&[0, 2]).to_dense(), ndarray::array![[1.0, 2.0], [5.0, 6.0]]);
    /// ```
    pub fn select_rows(&self, rows: &[usize]) -> Matrix {
        let ascending = rows.is_sorted_by(|a, b| a < b) && rows.last().is_none_or(|&last| last < self.rows());
        assert!(ascending, "rows to select must ascend and exist");
        match self {
            Self::Dense(x) => {
                let mut part = Array2::zeros((rows.len(), x.ncols()).f());
                for (from, mut to) in x.columns().into_iter().zip(part.columns_mut()) {
                    to.iter_mut().zip(rows).for_each(|(to, &row)| *to = from[row]);
                }
                Self::Dense(part)
            }
            Self::Sparse(x) => Self::Sparse(sparse(x, rows)),
        }
    }
}

fn sparse(x: &Csc, rows: &[usize]) -> Csc {
    // The new number of each row; rows that are left out have none.
    let mut place = vec![u32::MAX; x.rows()];
    rows.iter().zip(0..).for_each(|(&row, new)| place[row] = new);
    // Counted first: growing memory would be held twice meanwhile.
    let kept = x.indices().iter().filter(|&&row| place[row as usize] != u32::MAX).count();
    let (mut starts, mut indices, mut values) =
        (Vec::with_capacity(x.cols() + 1), Vec::with_capacity(kept), Vec::with_capacity(kept));
    starts.push(0);
    for column in x.outer_iterator() {
        for (row, &value) in column.iter().filter(|&(row, _)| place[row] != u32::MAX) {
            indices.push(place[row]);
            values.push(value);
        }
        starts.push(indices.len());
    }
    Csc::new_csc((rows.len(), x.cols()), starts, indices, values)
}

impl Matrix {
    /// Returns `intercept + x'b` for each row x, with b given as (column from 0, value). Columns that the
    /// matrix does not have count as zero.
    ///
    /// ```
    /// let x = raddle_datasets::Matrix::Dense(ndarray::array![[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!(x.scores(&[(1, 10.0)], 0.5), [20.5, 40.5]);
    /// ```
    pub fn scores(&self, coefficients: &[(u32, f64)], intercept: f64) -> Vec<f64> {
        let mut sums = vec![intercept; self.rows()];
        for &(column, value) in coefficients.iter().filter(|(column, _)| (*column as usize) < self.cols()) {
            match self {
                Self::Dense(x) => {
                    x.column(column as usize).iter().zip(&mut sums).for_each(|(x, sum)| *sum += value * x);
                }
                Self::Sparse(x) => {
                    let column = x.outer_view(column as usize);
                    column.iter().flat_map(|view| view.iter()).for_each(|(row, x)| sums[row] += value * x);
                }
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_matrix_have_the_same_rows() {
        let dense = Array2::from_shape_fn((5, 3).f(), |(i, j)| ((i * 7 + j * 3) % 4) as f64);
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for column in dense.columns() {
            for (row, &value) in column.iter().enumerate().filter(|&(_, &value)| value != 0.0) {
                indices.push(row as u32);
                values.push(value);
            }
            starts.push(indices.len());
        }
        let sparse = Matrix::Sparse(Csc::new_csc((5, 3), starts, indices, values));
        for rows in [&[0, 1, 2, 3, 4][..], &[1, 3], &[4], &[]] {
            let expected = Array2::from_shape_fn((rows.len(), 3), |(i, j)| dense[(rows[i], j)]);
            assert_eq!(Matrix::Dense(dense.clone()).select_rows(rows).to_dense(), expected);
            let part = sparse.select_rows(rows);
            assert!(part.is_sparse() && part.to_dense() == expected);
            assert_eq!(part.into_dense(), expected);
        }
    }
}
