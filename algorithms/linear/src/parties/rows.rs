//! [`PartyRows`]: the rows of a party.

use std::sync::Arc;

use raddle_datasets::Matrix;

use crate::data::places::Places;
use crate::data::rows::Rows;
use crate::data::slice::RowSlice;
use crate::sums::SumShard;

/// The rows of a party, with their classes; clones share them. There is no way to write them as bytes.
#[derive(Debug, Clone)]
pub struct PartyRows {
    pub(super) rows: Arc<Rows>,
    /// `true` for each row of the second class.
    pub(super) is_second: Arc<Vec<bool>>,
}

impl PartyRows {
    /// Copies the rows of a matrix, with a column of the bias.
    pub(super) fn of(x: &Matrix, is_second: Vec<bool>, bias: f64) -> Self {
        let places = Places::each((0..is_second.len() as u32).collect());
        Self { rows: Arc::new(Rows::of(x, bias, &places)), is_second: Arc::new(is_second) }
    }

    /// Returns the number of rows.
    pub fn count(&self) -> usize {
        self.is_second.len()
    }

    /// Returns one of so many equal shards.
    pub(super) fn shard(&self, number: usize, count: usize) -> SumShard {
        let range = self.count() * number / count..self.count() * (number + 1) / count;
        let signed = self.is_second[range.clone()].iter().map(|&second| if second { 1.0 } else { -1.0 });
        let (at, signed) = ((0..range.len() as u32).collect(), signed.collect());
        SumShard { rows: RowSlice::new(Arc::clone(&self.rows), range), at, signed }
    }
}
