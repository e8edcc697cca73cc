//! Sparse matrices in a model's folder.

use raddle::files::{FileError, ModelFolder};
use raddle_datasets::{Csc, Matrix, sparse_npz};

/// Reads a sparse matrix of the model.
pub(super) fn sparse(folder: &ModelFolder, name: &str) -> Result<Csc, FileError> {
    let refuse = |why: &str| FileError::refused(&folder.path().join(name), why);
    match sparse_npz(&folder.read(name)?).map_err(|why| refuse(&why))? {
        Matrix::Sparse(columns) => Ok(columns),
        Matrix::Dense(_) => Err(refuse("the counts are not sparse")),
    }
}
