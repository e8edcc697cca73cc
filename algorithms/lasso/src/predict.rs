//! Predictions of a fitted model.

use raddle_datasets::Matrix;

use crate::loss::multinomial::softmax;
use crate::model::{Fit, Point};

/// Returns `intercept + X b`: a value for each of the n rows of `x`, which has p columns on the scale of the
/// coefficients. `coefficients` are (column from 0, value). Columns that `x` lacks count as zeros.
///
/// ```
/// use raddle_lasso::predict;
/// let x = raddle_datasets::Matrix::Dense(ndarray::array![[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(predict(&x, &[(1, 10.0)], 0.5), [20.5, 40.5]);
/// ```
pub fn predict(x: &Matrix, coefficients: &[(u32, f64)], intercept: f64) -> Vec<f64> {
    x.scores(coefficients, intercept)
}

/// Returns the probabilities of classes with these scores, one each: they sum to 1.
pub fn probabilities(scores: &[f64]) -> Vec<f64> {
    softmax(scores.iter().copied()).parts
}

impl Fit {
    /// Returns the score `intercept + x'b`, without offset, of each row of `x`, whose columns are those that
    /// were fitted, on their original scale; [`Loss::mean`](crate::Loss::mean) returns the expected response
    /// for a score.
    pub fn predict(&self, x: &Matrix) -> Vec<f64> {
        predict(x, &self.coefficients, self.intercept)
    }
}

impl Point {
    /// Returns the score `intercept + x'b`, without offset, of each row of `x`, whose columns are those that
    /// were fitted, on their original scale; [`Loss::mean`](crate::Loss::mean) returns the expected response
    /// for a score.
    pub fn predict(&self, x: &Matrix) -> Vec<f64> {
        predict(x, &self.coefficients, self.intercept)
    }
}
