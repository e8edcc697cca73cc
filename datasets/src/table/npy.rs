//! Numpy's `.npy`: one array of numbers, with 1 or 2 axes and any byte order.

use super::data::Table;
use super::gaps::Gaps;
use super::matrix::{Matrix, not_finite, of_columns, of_rows};
use crate::arrays::npy::Array;
use crate::bytes::source::Source;
use crate::error::ReadError;

pub(super) fn load(source: &Source, gaps: Gaps) -> Result<Table, ReadError> {
    let content = source.content()?;
    let x = Array::parse(&content).and_then(|array| array.matrix(gaps));
    let x = x.map_err(|message| ReadError::file(&source.path, message))?;
    Ok(Table::of(x))
}

impl Array<'_> {
    /// Returns an array with 1 axis (a column) or 2 as a matrix of finite values, with NaN where numbers may
    /// be missing.
    pub(super) fn matrix(&self, gaps: Gaps) -> Result<Matrix, String> {
        let (rows, cols) = match self.shape()[..] {
            [rows] => (rows, 1),
            [rows, cols] => (rows, cols),
            _ => {
                return Err(format!("an array of {} axes: a table has rows and columns", self.shape().len()));
            }
        };
        let values = self.numbers()?;
        if values.is_empty() {
            return Err("the array is empty".into());
        }
        if let Some(at) = values.iter().position(|&value| !gaps.take(value)) {
            let (row, col) =
                if self.is_by_columns() { (at % rows, at / rows) } else { (at / cols, at % cols) };
            return Err(not_finite(row, col, values[at]));
        }
        if self.is_by_columns() { of_columns(rows, cols, values) } else { of_rows(rows, cols, values) }
    }

    /// Returns the values of an array with one column.
    pub(super) fn column(&self, gaps: Gaps) -> Result<Vec<f64>, String> {
        match self.matrix(gaps)? {
            Matrix::Dense(x) if x.ncols() == 1 => Ok(x.into_iter().collect()),
            x => Err(format!("{} columns where one was expected", x.cols())),
        }
    }
}
