//! A sparse matrix given entry by entry, in any order.

use sprs::TriMatI;

use super::{Matrix, not_finite};

/// Entries of an n x p matrix; repeated ones add up.
pub(super) struct Triplets(TriMatI<f64, u32>);

impl Triplets {
    pub(super) fn new(rows: usize, cols: usize) -> Result<Self, String> {
        let most = u32::MAX as usize;
        match rows <= most && cols <= most {
            true => Ok(Self(TriMatI::new((rows, cols)))),
            false => Err(format!("{rows} rows and {cols} columns: at most {most} of each fit")),
        }
    }

    /// Adds an entry, counted from 0. Zeros are dropped; an entry outside or not finite is an error.
    pub(super) fn push(&mut self, row: usize, col: usize, value: f64) -> Result<(), String> {
        if row >= self.0.rows() || col >= self.0.cols() {
            let (rows, cols) = self.0.shape();
            return Err(format!(
                "an entry at ({row}, {col}), counted from 0, lies outside of the {rows} x {cols} matrix"
            ));
        }
        if !value.is_finite() {
            return Err(not_finite(row, col, value));
        }
        if value != 0.0 {
            self.0.add_triplet(row, col, value);
        }
        Ok(())
    }

    pub(super) fn into_matrix(self) -> Matrix {
        Matrix::Sparse(self.0.to_csc())
    }
}
