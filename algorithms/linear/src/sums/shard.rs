//! [`SumShard`]: rows with the signed weights of their losses.

use raddle::exact::recut;

use crate::data::slice::RowSlice;

/// Rows of a shard. Equal rows share their values, but each has a weight of its own: a number of a row is
/// rounded by itself.
#[derive(Debug, Clone, Default)]
pub struct SumShard {
    pub(crate) rows: RowSlice,
    /// Position of each row's values.
    pub(crate) at: Vec<u32>,
    /// Weight of each row's loss, with the sign of its class; none is 0.
    pub(crate) signed: Vec<f64>,
}

raddle::state!(SumShard { rows, at, signed });

/// Cuts the rows of all shards otherwise.
pub(crate) fn cut(shards: &[SumShard], ends: &[f64]) -> Vec<SumShard> {
    let width = shards.iter().map(|shard| shard.rows.width()).max().unwrap_or(0);
    let all = shards.iter().flat_map(|shard| {
        let rows = shard.at.iter().zip(&shard.signed);
        rows.map(|(&at, &signed)| (shard.rows.row(at as usize), signed))
    });
    let of = |rows: Vec<(_, f64)>| {
        let at = (0..rows.len() as u32).collect();
        let (values, signed): (Vec<_>, _) = rows.into_iter().unzip();
        SumShard { rows: RowSlice::copied(&values, width), at, signed }
    };
    recut(all.collect(), ends).into_iter().map(of).collect()
}
