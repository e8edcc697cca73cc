//! [`Start`]: the initial factors of a run.

use std::sync::Arc;

use raddle::random::splitmix64;

use crate::model::{Model, Side};
use raddle_kernels::factors::{LANES, uniform};

/// Settings for the initial rows.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    pub(crate) rank: usize,
    /// Initial factors are uniform in +- this / sqrt(rank).
    pub(crate) scale: f64,
    pub(crate) non_negative: bool,
    pub(crate) biases: bool,
    pub(crate) seed: u64,
    /// A model to start from.
    pub(crate) given: Option<Arc<Model>>,
    /// `true` if the model to start from has any factor other than 0.
    pub(crate) has_factors: bool,
}

/// Numbers of the random streams of the two sides.
const USERS: u64 = 0x7573_6572;
const ITEMS: u64 = 0x6974_656d;

impl Start {
    /// Returns the number of values in a row: the rank, rounded up to whole vectors.
    pub(crate) fn width(&self) -> usize {
        self.rank.next_multiple_of(LANES)
    }

    /// Writes the initial factors of one side without a model to start from: one row after another, `rank`
    /// values each.
    pub(crate) fn plain_rows(&self, rows: std::ops::Range<u32>, side: Side, to: &mut [f32]) {
        let spread = (self.scale / (self.rank as f64).sqrt()) as f32;
        for (row, to) in rows.zip(to.chunks_mut(self.rank)) {
            uniform(self.key(side) ^ u64::from(row) << 24, -spread, 2.0 * spread, to);
        }
    }

    pub(crate) fn key(&self, side: Side) -> u64 {
        splitmix64(self.seed ^ if side == Side::Users { USERS } else { ITEMS })
    }

    /// Returns a row of the model to start from, if that has learned one: its factors, unless the model has
    /// none at all, and its bias. Factors that are all 0 would never change.
    pub(crate) fn given(&self, side: Side, row: u32) -> Option<(Option<&[f32]>, f32)> {
        let model = self.given.as_ref()?;
        let (factors, biases) = model.side(side);
        let bias = *biases.get(row as usize)?;
        let factors = &factors[row as usize * model.rank..][..model.rank];
        let factors = self.has_factors.then_some(factors);
        let is_learned = bias != 0.0 || factors.is_some_and(|row| row.iter().any(|&value| value != 0.0));
        is_learned.then_some((factors, bias))
    }
}
