//! [`RowSlice`]: the rows of a shard, as a view of the rows in memory or as its own copy.

use std::ops::Range;
use std::sync::Arc;

use raddle::State;
use raddle::state::{Reader, StateError, Writer};

use super::rows::{Row, Rows};

/// Consecutive rows by place. A slice that has travelled to another process owns its rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowSlice {
    rows: Arc<Rows>,
    range: Range<usize>,
}

impl RowSlice {
    /// Makes a view.
    pub(crate) fn new(rows: Arc<Rows>, range: Range<usize>) -> Self {
        Self { rows, range }
    }

    /// Copies rows with this number of columns.
    pub(crate) fn copied(rows: &[Row<'_>], width: usize) -> Self {
        Self { range: 0..rows.len(), rows: Arc::new(Rows::copied(rows, width)) }
    }

    /// Returns the columns and values of a row, by its position in the slice.
    pub(crate) fn row(&self, row: usize) -> Row<'_> {
        self.rows.row(self.range.start + row)
    }

    /// Returns the number of columns; 0 without rows.
    pub(crate) fn width(&self) -> usize {
        self.rows.width()
    }

    /// Returns the number of rows.
    pub(crate) fn count(&self) -> usize {
        self.range.len()
    }

    /// Returns the product of a row, by its position in the slice, with a vector.
    pub(crate) fn dot(&self, row: usize, with: &[f64]) -> f64 {
        self.rows.dot(self.range.start + row, with)
    }

    /// Adds a multiple of a row to a vector.
    pub(crate) fn add(&self, row: usize, factor: f64, to: &mut [f64]) {
        self.rows.add(self.range.start + row, factor, to);
    }

    /// Returns the squared norm of a row.
    pub(crate) fn square(&self, row: usize) -> f64 {
        self.rows.square(self.range.start + row)
    }

    /// Returns `true` if the columns of all rows are below `width`.
    pub(crate) fn is_of(&self, width: usize) -> bool {
        self.range.is_empty() || self.rows.width() == width
    }
}

impl State for RowSlice {
    fn save(&self, out: &mut Writer) {
        self.rows.save(self.range.clone(), out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let rows = Rows::load(from)?;
        let range = 0..rows.count();
        Ok(Self { rows: Arc::new(rows), range })
    }
}

#[cfg(test)]
mod tests {
    use raddle::state::{from_bytes, to_bytes};
    use raddle_common::testing::pairs;
    use raddle_datasets::embedded;

    use super::*;
    use crate::data::places::Places;

    #[test]
    fn rows_that_travel_are_the_same() {
        let x = embedded::diabetes().x;
        let places = Places::each((0..442).collect());
        let slice = RowSlice::new(Arc::new(Rows::of(&x, 1.0, &places)), 40..47);
        let bytes = to_bytes(&slice);
        let travelled: RowSlice = from_bytes(&bytes).unwrap();
        assert_eq!((travelled.count(), to_bytes(&travelled)), (7, bytes.clone()));
        let with: Vec<f64> = (0..11).map(|at| f64::from(at) * 0.3 - 1.0).collect();
        for row in 0..7 {
            assert_eq!(travelled.square(row), slice.square(row));
            assert_eq!(travelled.dot(row, &with), slice.dot(row, &with));
            let [mut one, mut two] = [with.clone(), with.clone()];
            slice.add(row, 0.7, &mut one);
            travelled.add(row, 0.7, &mut two);
            assert!(pairs(&one, &two).all(|(a, b)| a == b));
        }
        assert!(travelled.is_of(11) && !travelled.is_of(10));
        for end in 0..bytes.len() {
            assert!(from_bytes::<RowSlice>(&bytes[..end]).is_err(), "{end}");
        }
        // A column beyond the width, and a row that ends before it starts.
        for (at, with) in [(8 + 8 * 8 + 8, 200), (8 + 8 * 3, 0)] {
            let mut bytes = bytes.clone();
            bytes[at] = with;
            let damaged = from_bytes::<RowSlice>(&bytes);
            assert!(damaged.is_err(), "{at}");
        }
    }
}
