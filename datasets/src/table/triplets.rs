//! Assembles a sparse matrix from entries in any order.

use sprs::TriMatI;

use super::data::Table;
use super::gaps::Gaps;
use super::matrix::{Matrix, not_finite};
use super::occurring::Occurring;

/// Entries of an n x p matrix; repeated ones add up.
pub(super) struct Triplets(TriMatI<f64, u32>, Gaps);

impl Triplets {
    pub(super) fn new(rows: usize, cols: usize, gaps: Gaps) -> Result<Self, String> {
        let most = u32::MAX as usize;
        match rows <= most && cols <= most {
            true => Ok(Self(TriMatI::new((rows, cols)), gaps)),
            false => Err(format!("{rows} rows and {cols} columns: at most {most} of each fit")),
        }
    }

    /// Adds an entry, with row and column from 0. Zeros are dropped; an entry outside the matrix or not
    /// finite is an error.
    pub(super) fn push(&mut self, row: usize, col: usize, value: f64) -> Result<(), String> {
        if row >= self.0.rows() || col >= self.0.cols() {
            let (rows, cols) = self.0.shape();
            return Err(format!(
                "an entry at ({row}, {col}), counted from 0, lies outside of the {rows} x {cols} matrix"
            ));
        }
        if !self.1.take(value) {
            return Err(not_finite(row, col, value));
        }
        if value != 0.0 {
            self.0.add_triplet(row, col, value);
        }
        Ok(())
    }

    /// Returns the matrix; a wide one has only the columns that occur.
    pub(super) fn loaded(self) -> Table {
        let (rows, width) = self.0.shape();
        let columns = || self.0.col_inds().to_vec();
        let Some(occurring) = Occurring::of(width, self.0.nnz(), columns) else {
            return Table::of(Matrix::Sparse(self.0.to_csc()));
        };
        let places = self.0.col_inds().iter().filter_map(|&column| occurring.place(column)).collect();
        let shape = (rows, occurring.numbers().len());
        let some = TriMatI::from_triplets(shape, self.0.row_inds().to_vec(), places, self.0.data().to_vec());
        Table { occurring: Some(occurring), ..Table::of(Matrix::Sparse(some.to_csc())) }
    }
}
