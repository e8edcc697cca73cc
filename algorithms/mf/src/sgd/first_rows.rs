//! The initial rows of a run of gradient steps.

use super::replica::GridPartitioning;
use crate::initial::Start;
use crate::input::baseline::damped;
use crate::model::Side;
use raddle_kernels::factors::{LANES, Rows, Scale, Vector, uniform};

impl Start {
    /// Returns the initial factors of these rows of the data: a function of seed, side and row, whatever part
    /// they are in. Biases start with the damped means of `sums`, or with 0 without sums.
    pub(crate) fn rows(
        &self,
        rows: &[u32],
        side: Side,
        partitioning: &GridPartitioning,
        sums: &[f64],
        scales: Vec<Scale>,
    ) -> Rows {
        let width = self.width();
        let mut factors = Vec::with_capacity(rows.len() * width / LANES);
        let mut biases = vec![0.0; rows.len()];
        let (low, span) = self.range(partitioning);
        let key = self.key(side);
        let partition = partitioning.side(side);
        for ((bias, sum), &row) in biases.iter_mut().zip(sums).zip(rows) {
            *bias = damped(*sum, partition.counts[row as usize]) as f32;
        }
        for (at, &row) in rows.iter().enumerate() {
            // Row by row: zeros written all at once would have left the caches again.
            factors.resize((at + 1) * width / LANES, Vector([0.0; LANES]));
            let to = &mut factors[at * width / LANES..];
            let to = &mut bytemuck::cast_slice_mut::<Vector, f32>(to)[..self.rank];
            let given = self.given(side, row);
            if let Some((_, bias)) = given {
                biases[at] = self.bias(bias, side, partitioning);
            }
            match given.and_then(|(factors, _)| factors) {
                Some(given) => {
                    let shrink = (1.0 / partitioning.scale.sqrt()) as f32;
                    to.iter_mut().zip(given).for_each(|(to, value)| *to = value * shrink);
                }
                None => uniform(key ^ u64::from(row) << 24, low, span, to),
            }
        }
        Rows { width, factors, biases, scales }
    }

    /// Returns the range of initial factors: around 0, or above it if they may not be negative; without a
    /// mean subtracted, so that products add up to it.
    fn range(&self, partitioning: &GridPartitioning) -> (f32, f32) {
        let spread = self.scale / (self.rank as f64).sqrt();
        match self.non_negative {
            false => (-spread as f32, 2.0 * spread as f32),
            true if partitioning.center != 0.0 => (0.0, spread as f32),
            true => {
                let level = (partitioning.mean.max(0.0) / partitioning.scale / self.rank as f64).sqrt();
                (0.5 * level as f32, level as f32)
            }
        }
    }

    /// Returns a bias of the model to start from; users' biases compensate for a mean that has changed.
    fn bias(&self, bias: f32, side: Side, partitioning: &GridPartitioning) -> f32 {
        if !self.biases {
            return 0.0;
        }
        let mean = self.given.as_ref().map_or(partitioning.center, |model| model.mean);
        let moved = if side == Side::Users { mean - partitioning.center } else { 0.0 };
        ((f64::from(bias) + moved) / partitioning.scale) as f32
    }
}
