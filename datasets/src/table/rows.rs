//! Selects rows of a matrix, as cross-validation and held-out sets need it.

use ndarray::{Array2, ShapeBuilder};

use super::{Csc, Matrix};

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
