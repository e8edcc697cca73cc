//! [`Loaded`]: the result of the reader of one format.

use super::matrix::Matrix;
use super::occurring::Occurring;

/// The content of a file, before the response is separated.
pub(super) struct Loaded {
    pub(super) x: Matrix,
    /// The columns of the file that `x` has, if not all.
    pub(super) occurring: Option<Occurring>,
    pub(super) names: Option<Vec<String>>,
    /// The response, if the format separates it.
    pub(super) y: Option<Vec<f64>>,
}

impl Loaded {
    /// Makes the content of a matrix with all columns and without names.
    pub(super) fn of(x: Matrix) -> Self {
        Self { x, occurring: None, names: None, y: None }
    }

    /// Returns the number of columns in the file.
    pub(super) fn width(&self) -> usize {
        self.occurring.as_ref().map_or(self.x.cols(), Occurring::width)
    }
}
