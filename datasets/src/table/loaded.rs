//! [`Loaded`]: what a reader of one format hands on.

use super::matrix::Matrix;
use super::occurring::Occurring;

/// All that a file holds, the response still among it.
pub(super) struct Loaded {
    pub(super) x: Matrix,
    /// Which columns of the file `x` has, where not all.
    pub(super) occurring: Option<Occurring>,
    pub(super) names: Option<Vec<String>>,
    /// The response, where the format keeps it apart.
    pub(super) y: Option<Vec<f64>>,
}

impl Loaded {
    /// A matrix of all columns, without names.
    pub(super) fn of(x: Matrix) -> Self {
        Self { x, occurring: None, names: None, y: None }
    }

    /// How many columns the file has.
    pub(super) fn width(&self) -> usize {
        self.occurring.as_ref().map_or(self.x.cols(), Occurring::width)
    }
}
