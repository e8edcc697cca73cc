//! [`Classes`]: a matrix whose columns have a coefficient for each class.

use std::ops::Range;
use std::sync::Arc;

use raddle::state::{Reader, State, StateError, Writer};

use super::design::{Design, View};

/// K times the columns of a matrix: column j K + k has the values of column j in the rows of class k. Rows
/// are counted class by class, row i of class k as k n + i. Nothing is copied.
///
/// Centring a sparse matrix is left to the intercepts: residuals sum to zero in each class.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Classes {
    pub(super) of: Arc<Design>,
    /// K, the number of classes.
    pub(super) count: usize,
    /// The first of the columns here, numbered over all classes.
    pub(super) first: usize,
    /// Number of columns here.
    pub(super) columns: usize,
}

impl Classes {
    pub(crate) fn new(of: Arc<Design>, count: usize) -> Self {
        let columns = of.columns() * count;
        Self { of, count, first: 0, columns }
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    pub(super) fn of(&self) -> &Design {
        &self.of
    }

    fn place(&self, at: usize) -> (usize, usize) {
        ((self.first + at) / self.count, (self.first + at) % self.count)
    }

    /// The counted cost of a dot product with the column at a place.
    pub(super) fn cost(&self, at: usize) -> usize {
        self.of.cost(self.place(at).0)
    }

    pub(super) fn view(&self, at: usize) -> View<'_> {
        let (column, class) = self.place(at);
        let first = class * self.of.rows();
        View { first, shift: 0.0, ..self.of.view(column) }
    }

    /// Writes the columns of a range, with the columns of the matrix that they repeat.
    pub(super) fn save_range(&self, range: Range<usize>, out: &mut Writer) {
        let (start, end) = (self.first + range.start, self.first + range.end);
        let from = start / self.count;
        self.of.save_range(from..end.div_ceil(self.count).max(from), out);
        out.write(&(self.count, start - from * self.count, range.len()));
    }

    /// Checks that the underlying columns give this many columns.
    pub(super) fn is_sound(&self) -> bool {
        let last = self.first.checked_add(self.columns).map(|end| end.div_ceil(self.count.max(1)));
        self.count > 0
            && self.first < self.count
            && last.is_some_and(|last| last <= self.of.columns())
            && !matches!(*self.of, Design::Classes(_))
    }
}

impl State for Classes {
    fn save(&self, out: &mut Writer) {
        self.save_range(0..self.columns, out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let of = from.read()?;
        let (count, first, columns) = from.read()?;
        Ok(Self { of, count, first, columns })
    }
}
