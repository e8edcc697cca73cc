//! [`UserShard`]: users with their ratings, block by block, and [`ItemBlock`]: items, which travel.
//!
//! Ratings reach their cells in three steps, each on the workers where the shards live: a shard counts its chunk of the
//! input at the first boundary; once the layout is known it scatters the chunk into cells, which a block takes along;
//! and when the block meets each shard, the shard takes what is its own. No rating is copied twice.

use crate::chunk::Chunk;
use crate::kernels::{Cell, Rating};
use crate::part::Part;
use crate::replica::Setup;
use crate::start::damped;

/// A range of users: their rows, and their ratings of each block.
#[derive(Debug, Clone, Default)]
pub struct UserShard {
    pub(crate) part: Part,
    /// For each block, the ratings of its items, chunk by chunk of the input.
    pub(crate) cells: Vec<Vec<Cell>>,
    /// The same for ratings to measure on.
    pub(crate) held: Vec<Vec<Cell>>,
    /// The chunk that this shard deals out, until it has.
    pub(crate) chunk: Option<Chunk>,
}

/// A range of items: their rows, and ratings on their way to their shards.
#[derive(Debug, Clone, Default)]
pub struct ItemBlock {
    pub(crate) part: Part,
    /// For each shard, its ratings of each block.
    cargo: Vec<Vec<Cell>>,
    held: Vec<Vec<Cell>>,
}

raddle::state!(UserShard { part, cells, held, chunk });
raddle::state!(ItemBlock { part, cargo, held });

/// Ratings of a chunk, shard by shard and block by block in each, in the order of the input.
fn deal((users, items, values): (&[u32], &[u32], &[f32]), setup: &Setup) -> Vec<Vec<Rating>> {
    let (blocks, count) = (setup.items.parts(), values.len());
    let cells = setup.users.parts() * blocks;
    // Cells are nearly even: a little more than the mean, and few grow.
    let expected = count / cells + count / cells / 16 + 32;
    let mut dealt: Vec<Vec<Rating>> = (0..cells).map(|_| Vec::with_capacity(expected)).collect();
    let (center, scale) = (setup.center as f32, (1.0 / setup.scale) as f32);
    for ((&user, &item), &value) in users.iter().zip(items).zip(values) {
        let (user, item) = (setup.users.place[user as usize], setup.items.place[item as usize]);
        let cell = (user >> 16) as usize * blocks + (item >> 16) as usize;
        dealt[cell].push(Rating { user: user as u16, item: item as u16, value: (value - center) * scale });
    }
    dealt
}

impl UserShard {
    /// Deals the shard's chunk out, if it has one, for rows of `width` values; the block takes the cells along.
    pub(crate) fn scatter(&mut self, block: &mut ItemBlock, setup: &Setup, width: usize) {
        let Some(chunk) = self.chunk.take() else { return };
        let blocks = setup.items.parts();
        let by_shard = |cells: Vec<Vec<Rating>>, cell: &dyn Fn(Vec<Rating>) -> Cell| {
            let mut cells = cells.into_iter().map(cell);
            (0..setup.users.parts()).map(|_| cells.by_ref().take(blocks).collect()).collect()
        };
        block.held = by_shard(deal(chunk.held(), setup), &Cell::as_given);
        block.cargo = by_shard(deal(chunk.ratings(), setup), &|ratings| Cell::new(&ratings, width));
    }

    /// Takes over what the block brings for this shard.
    pub(crate) fn take(&mut self, number: u32, block: &mut ItemBlock, setup: &Setup) {
        for (cargo, mine) in [(&mut block.cargo, &mut self.cells), (&mut block.held, &mut self.held)] {
            mine.resize(setup.items.parts(), Vec::new());
            let Some(brought) = cargo.get_mut(number as usize) else { continue };
            for (mine, cell) in mine.iter_mut().zip(std::mem::take(brought)) {
                if !cell.ratings().is_empty() {
                    mine.push(cell);
                }
            }
        }
    }
}

/// Where biases begin with means: of items those of their ratings, of users those of what items leave of theirs.
impl UserShard {
    /// Adds the ratings of a block to the sums of its items.
    pub(crate) fn add_to_items(&self, (number, block): (u32, &mut ItemBlock), setup: &Setup) {
        let sums = &mut block.part.sums;
        sums.resize(setup.items.part(number).len(), 0.0);
        for rating in self.cells[number as usize].iter().flat_map(Cell::ratings) {
            sums[usize::from(rating.item)] += f64::from(rating.value);
        }
    }

    /// Adds what the items of a block leave of their ratings to the sums of the users.
    pub(crate) fn add_to_users(&mut self, shard: u32, (number, block): (u32, &ItemBlock), setup: &Setup) {
        let counted = block.part.sums.iter().zip(setup.items.part(number));
        let means: Vec<f64> =
            counted.map(|(&sum, &item)| damped(sum, setup.items.counts[item as usize])).collect();
        let sums = &mut self.part.sums;
        sums.resize(setup.users.part(shard).len(), 0.0);
        for rating in self.cells[number as usize].iter().flat_map(Cell::ratings) {
            sums[usize::from(rating.user)] += f64::from(rating.value) - means[usize::from(rating.item)];
        }
    }
}
