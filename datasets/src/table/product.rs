//! Products of a matrix's rows with coefficients: the scores of linear models.

use super::Matrix;

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
