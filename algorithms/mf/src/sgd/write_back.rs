//! [`write_back`]: rows of parts as those of a model.

use super::partition::{NOWHERE, Partition};
use raddle_kernels::factors::Rows;

/// The factors and biases of all rows as the data has them, in the units of the ratings: row by row, since
/// what is read from all over can be read ahead, and what is written cannot.
pub(super) fn write_back<'a>(
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
