//! [`UserShard`]: users with their ratings, block by block, and [`ItemBlock`]: items, which travel.
//!
//! Ratings reach their cells in four steps, each on the workers where the shards live: a shard counts its chunk of the
//! input at the first boundary; once the layout is known it deals the chunk out in pieces, which a block takes along; when
//! the block meets each shard, the shard takes what is its own; and the first task of a cell puts its pieces in order.

use super::bucket::{Bucket, CellRatings, deal};
use super::factor_block::FactorBlock;
use super::replica::Partitioning;
use crate::input::baseline::damped;
use crate::input::chunk::Chunk;
use crate::kernels::{Cell, Rating};
use raddle::Pool;

/// A range of users: their rows, and their ratings of each block.
#[derive(Debug, Clone, Default)]
pub struct UserShard {
    pub(crate) part: FactorBlock,
    /// For each block, the ratings of its items.
    pub(crate) cells: Vec<CellRatings>,
    /// The same for ratings to measure on.
    pub(crate) held: Vec<CellRatings>,
    /// The chunk that this shard deals out, until it has.
    pub(crate) chunk: Option<Chunk>,
}

/// A range of items: their rows, and ratings on their way to their shards.
#[derive(Debug, Clone, Default)]
pub struct ItemBlock {
    pub(crate) part: FactorBlock,
    /// Pieces of all cells, shard by shard and block by block in each.
    cargo: Vec<Bucket>,
    held: Vec<Bucket>,
}

raddle::state!(UserShard { part, cells, held, chunk });
raddle::state!(ItemBlock { part, cargo, held });

impl ItemBlock {
    /// Items whose rows were trained before.
    pub(crate) fn of(part: FactorBlock) -> Self {
        Self { part, ..Self::default() }
    }

    /// Whether no ratings are on their way: so it is at every boundary.
    pub(crate) fn is_unladen(&self) -> bool {
        self.cargo.iter().chain(&self.held).all(Bucket::is_empty)
    }
}

impl UserShard {
    /// Deals the shard's chunk out, if it has one; the block takes the pieces along.
    pub(crate) fn scatter(
        &mut self,
        (number, block): (u32, &mut ItemBlock),
        setup: &Partitioning,
        pool: &Pool<Rating>,
    ) {
        let Some(chunk) = self.chunk.take() else { return };
        block.cargo = deal(number, chunk.ratings(), setup, pool);
        block.held = deal(number, chunk.held(), setup, pool);
    }

    /// Takes over what the block brings for this shard.
    pub(crate) fn take(&mut self, number: u32, block: &mut ItemBlock, setup: &Partitioning) {
        let blocks = setup.items.parts();
        let cells = number as usize * blocks..(number as usize + 1) * blocks;
        for (cargo, mine) in [(&mut block.cargo, &mut self.cells), (&mut block.held, &mut self.held)] {
            mine.resize(blocks, CellRatings::default());
            let Some(brought) = cargo.get_mut(cells.clone()) else { continue };
            mine.iter_mut().zip(brought).for_each(|(mine, piece)| mine.add(std::mem::take(piece)));
        }
    }
}

/// Where biases begin with means: of items those of their ratings, of users those of what items leave of theirs.
impl UserShard {
    /// Adds the ratings of a block to the sums of its items.
    pub(crate) fn add_to_items(
        &mut self,
        (number, block): (u32, &mut ItemBlock),
        setup: &Partitioning,
        width: usize,
    ) {
        let sums = &mut block.part.sums;
        sums.resize(setup.items.part(number).len(), 0.0);
        for rating in self.cells[number as usize].for_steps(width).iter().flat_map(Cell::ratings) {
            sums[usize::from(rating.item)] += f64::from(rating.value);
        }
    }

    /// Adds what the items of a block leave of their ratings to the sums of the users.
    pub(crate) fn add_to_users(
        &mut self,
        shard: u32,
        (number, block): (u32, &ItemBlock),
        setup: &Partitioning,
        width: usize,
    ) {
        let counted = block.part.sums.iter().zip(setup.items.part(number));
        let means: Vec<f64> =
            counted.map(|(&sum, &item)| damped(sum, setup.items.counts[item as usize])).collect();
        let sums = &mut self.part.sums;
        sums.resize(setup.users.part(shard).len(), 0.0);
        for rating in self.cells[number as usize].for_steps(width).iter().flat_map(Cell::ratings) {
            sums[usize::from(rating.user)] += f64::from(rating.value) - means[usize::from(rating.item)];
        }
    }
}
