//! [`GridPartitioning::model`]: copies the rows of parts into a model.

use super::partition::{NOWHERE, Partition};
use super::replica::GridPartitioning;
use crate::model::Model;
use raddle_kernels::factors::Rows;

impl GridPartitioning {
    /// Makes a model of the rows of all parts, of users and of items.
    pub(super) fn model<'a>(
        &self,
        [users, items]: [impl Iterator<Item = &'a Rows>; 2],
        rank: usize,
    ) -> Model {
        let (user_factors, user_biases) = write_back(users, &self.users, self.scale, rank);
        let (item_factors, item_biases) = write_back(items, &self.items, self.scale, rank);
        Model { rank, mean: self.center, user_factors, item_factors, user_biases, item_biases }
    }
}

/// Returns the factors and biases of all rows in the order of the data, in the units of the ratings. The
/// order is that of the data, since scattered reads can be prefetched and scattered writes cannot.
fn write_back<'a>(
    parts: impl Iterator<Item = &'a Rows>,
    partition: &Partition,
    scale: f64,
    rank: usize,
) -> (Vec<f32>, Vec<f32>) {
    let (grow, scale) = (scale.sqrt() as f32, scale as f32);
    let parts: Vec<(&[f32], &Rows)> = parts.map(|rows| (bytemuck::cast_slice(&rows.factors), rows)).collect();
    let rows = partition.place.len();
    let (mut factors, mut biases) = (Vec::with_capacity(rows * rank), Vec::with_capacity(rows));
    for &place in &partition.place {
        let part = parts.get((place >> 16) as usize).filter(|_| place != NOWHERE);
        // A run that ended before its first epoch has no rows yet.
        let Some((all, rows)) = part.filter(|(_, rows)| rows.width > 0) else {
            factors.resize(factors.len() + rank, 0.0);
            biases.push(0.0);
            continue;
        };
        let at = (place & 0xffff) as usize;
        factors.extend(all[at * rows.width..][..rank].iter().map(|value| value * grow));
        biases.push(rows.biases[at] * scale);
    }
    (factors, biases)
}
