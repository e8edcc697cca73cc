//! [`UserShard`]: users with their ratings, block by block; and [`ItemBlock`]: items, which travel.
//!
//! Ratings reach their cells in four steps, each on the workers where the shards live: a shard counts its
//! chunk of the input at the first boundary; once the layout is known it splits the chunk into buckets, which
//! a block carries along; when the block meets a shard, the shard takes its own buckets; and the first task
//! of a cell puts its ratings in order.

use super::bucket::{Bucket, CellRatings, split_into_cells};
use super::factor_block::FactorBlock;
use super::replica::GridPartitioning;
use crate::input::baseline::damped;
use crate::input::chunk::Chunk;
use raddle::Pool;
use raddle_kernels::factors::{Cell, Rating};

/// A range of users: their rows, and their ratings of each block.
#[derive(Debug, Clone, Default)]
pub struct UserShard {
    pub(crate) part: FactorBlock,
    /// For each block, the ratings of its items.
    pub(crate) cells: Vec<CellRatings>,
    /// For each block, its held-out ratings.
    pub(crate) held: Vec<CellRatings>,
    /// The chunk that this shard is to split.
    pub(crate) chunk: Option<Chunk>,
}

/// A range of items: their rows, and ratings that are being sent to their shards.
#[derive(Debug, Clone, Default)]
pub struct ItemBlock {
    pub(crate) part: FactorBlock,
    /// Buckets of all cells, ordered by shard and then by block.
    buckets: Vec<Bucket>,
    held: Vec<Bucket>,
}

raddle::state!(UserShard { part, cells, held, chunk });
raddle::state!(ItemBlock { part, buckets, held });

impl ItemBlock {
    /// A block of items whose rows were trained before.
    pub(crate) fn of(part: FactorBlock) -> Self {
        Self { part, ..Self::default() }
    }

    /// `true` if no buckets are being sent, as at every boundary.
    pub(crate) fn is_delivered(&self) -> bool {
        self.buckets.iter().chain(&self.held).all(Bucket::is_empty)
    }
}

impl UserShard {
    /// Splits the shard's chunk into buckets, if it has one; the block carries them along.
    pub(crate) fn scatter(
        &mut self,
        number: u32,
        block: &mut ItemBlock,
        partitioning: &GridPartitioning,
        pool: &Pool<Rating>,
    ) {
        let Some(chunk) = self.chunk.take() else { return };
        block.buckets = split_into_cells(number, chunk.ratings(), partitioning, pool);
        block.held = split_into_cells(number, chunk.held(), partitioning, pool);
    }

    /// Takes the block's buckets for this shard.
    pub(crate) fn take(&mut self, number: u32, block: &mut ItemBlock, partitioning: &GridPartitioning) {
        let blocks = partitioning.items.parts();
        let cells = number as usize * blocks..(number as usize + 1) * blocks;
        for (buckets, mine) in [(&mut block.buckets, &mut self.cells), (&mut block.held, &mut self.held)] {
            mine.resize(blocks, CellRatings::default());
            let Some(brought) = buckets.get_mut(cells.clone()) else { continue };
            mine.iter_mut().zip(brought).for_each(|(mine, bucket)| mine.add(std::mem::take(bucket)));
        }
    }
}

/// Sums for biases that start from means: an item's mean is of its ratings, a user's is of its ratings less
/// the items' biases.
impl UserShard {
    /// Adds the ratings of a block to the sums of its items.
    pub(crate) fn add_to_items(
        &mut self,
        number: u32,
        block: &mut ItemBlock,
        partitioning: &GridPartitioning,
        width: usize,
    ) {
        let sums = &mut block.part.sums;
        sums.resize(partitioning.items.part(number).len(), 0.0);
        for rating in self.cells[number as usize].for_steps(width).iter().flat_map(Cell::ratings) {
            sums[usize::from(rating.item)] += f64::from(rating.value);
        }
    }

    /// Adds the ratings of a block, less the items' biases, to the sums of the users.
    pub(crate) fn add_to_users(
        &mut self,
        shard: u32,
        number: u32,
        block: &ItemBlock,
        partitioning: &GridPartitioning,
        width: usize,
    ) {
        let counted = block.part.sums.iter().zip(partitioning.items.part(number));
        let means: Vec<f64> =
            counted.map(|(&sum, &item)| damped(sum, partitioning.items.counts[item as usize])).collect();
        let sums = &mut self.part.sums;
        sums.resize(partitioning.users.part(shard).len(), 0.0);
        for rating in self.cells[number as usize].for_steps(width).iter().flat_map(Cell::ratings) {
            sums[usize::from(rating.user)] += f64::from(rating.value) - means[usize::from(rating.item)];
        }
    }
}
