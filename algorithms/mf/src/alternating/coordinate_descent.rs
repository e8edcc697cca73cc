//! Coordinate descent, one rank after another, on a residual that is kept up to date (CCD++: Yu, Hsieh, Si
//! and Dhillon 2012; the matrix factorization of STRADS).
//!
//! Both families of shards keep a copy of the residual, each in its own order. At each rank, its old product
//! is added back; then users and items are solved in turn; and its new product is subtracted when the next
//! rank starts.

use super::phase::Column;
use super::shard::SideShard;
use super::sides::{FactorMatrices, Half};

/// Settings for solving columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CoordinateDescent {
    pub(crate) rank: usize,
    pub(crate) biases: bool,
    pub(crate) inner: usize,
    pub(crate) reg: f64,
    pub(crate) bias_reg: f64,
    /// The power of a row's count by which its regularisation grows.
    pub(crate) reg_power: f64,
    pub(crate) non_negative: bool,
}

impl CoordinateDescent {
    /// Number of columns of a side: the factors, the side's own bias, and a column of ones for the other
    /// side's bias.
    pub(crate) fn columns(&self) -> usize {
        self.rank + if self.biases { 2 } else { 0 }
    }

    /// Returns the columns in the order of an epoch: biases first.
    pub(crate) fn order(&self) -> impl Iterator<Item = u32> + use<> {
        (self.rank as u32..self.columns() as u32).chain(0..self.rank as u32)
    }

    /// `true` for the column of ones of a side, which is multiplied by the other side's bias.
    pub(crate) fn is_fixed(&self, side: usize, column: u32) -> bool {
        self.biases && column as usize == self.rank + 1 - side
    }

    /// Returns the new column of a shard's rows.
    pub(crate) fn half(&self, shard: &mut SideShard, sides: &FactorMatrices, solved: Column) -> Half {
        let Column { side, rank, pass } = solved;
        let column = |side: usize, rank: u32| &*sides.columns[side][rank as usize];
        if pass == 0 {
            let pending = shard.pending.replace(rank);
            let pending = pending.map(|rank| [column(side, rank), column(1 - side, rank)]);
            // Users were solved before: items must add back the users' old column.
            let others = if side == 1 { &sides.before } else { column(1, rank) };
            self.move_on(shard, pending, [column(side, rank), others]);
        }
        let (mine, others) = (column(side, rank), column(1 - side, rank));
        let old = &mine[shard.first..shard.first + shard.len()];
        if self.is_fixed(side, rank) {
            return Half { column: old.to_vec(), ..Half::default() };
        }
        let is_bias = rank as usize >= self.rank;
        let reg = if is_bias { self.bias_reg } else { self.reg };
        let mut moved = (0.0, 0.0);
        let (mut scratch, mut names) = (Vec::new(), Vec::new());
        let solved = (0..shard.len()).map(|row| {
            let range = shard.range(row);
            raddle::cancellation_point(2 * range.len() as u64);
            if range.is_empty() {
                return 0.0;
            }
            let count = libm::pow(range.len() as f64, self.reg_power);
            let values = shard.values.read(range.clone(), &mut scratch);
            let (top, bottom) = sums(values, shard.named.read(row, &mut names), others);
            let value = f64::from(top) / (f64::from(bottom) + reg * count).max(1e-12);
            let value = if self.non_negative && !is_bias { value.max(0.0) } else { value } as f32;
            moved.0 += f64::from(value - old[row]).powi(2);
            moved.1 += f64::from(value).powi(2);
            value
        });
        let column = solved.collect();
        Half { column, moved, ..Half::default() }
    }

    /// Subtracts the pending product from the residual and adds back the old product of the rank: each of a
    /// column of this side and one of the other.
    fn move_on(&self, shard: &mut SideShard, pending: Option<[&Vec<f32>; 2]>, back: [&Vec<f32>; 2]) {
        let mut names = Vec::new();
        for row in 0..shard.len() {
            let values = &mut shard.values.plain()[shard.named.range(row)];
            let others = shard.named.read(row, &mut names);
            let own = back[0][shard.first + row];
            match pending {
                Some([mine, theirs]) => {
                    let off = mine[shard.first + row];
                    for (value, &other) in values.iter_mut().zip(others) {
                        *value += own * back[1][other as usize] - off * theirs[other as usize];
                    }
                }
                None => {
                    for (value, &other) in values.iter_mut().zip(others) {
                        *value += own * back[1][other as usize];
                    }
                }
            }
        }
    }
}

/// Returns the sums of r v and of v v, in eight lanes that are added in order.
fn sums(values: &[f32], others: &[u32], column: &[f32]) -> (f32, f32) {
    let (mut tops, mut bottoms) = ([0.0_f32; 8], [0.0_f32; 8]);
    for (values, others) in values.chunks(8).zip(others.chunks(8)) {
        for (lane, (value, &other)) in values.iter().zip(others).enumerate() {
            let v = column[other as usize];
            tops[lane] += value * v;
            bottoms[lane] += v * v;
        }
    }
    (tops.iter().sum(), bottoms.iter().sum())
}
