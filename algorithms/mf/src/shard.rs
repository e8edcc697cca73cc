//! [`UserShard`]: users with their ratings, block by block, and [`ItemBlock`]: items, which travel.
//!
//! Ratings reach their cells in three steps, each on the workers where the shards live: a shard counts its chunk of the
//! input at the first boundary; once the layout is known it scatters the chunk into cells, which a block takes along;
//! and when the block meets each shard, the shard takes what is its own. No rating is copied twice.

use std::ops::Range;
use std::sync::Arc;

use raddle::State;
use raddle::state::{Reader, StateError, Writer};
use raddle_datasets::Triples;

use crate::kernels::{Cell, Rating};
use crate::part::Part;
use crate::replica::{Counts, Setup};
use crate::start::damped;

/// Ratings for every cell of the grid, shard by shard and block by block in each.
type Cells = Vec<Vec<Rating>>;

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

/// A part of the input as it was given.
#[derive(Debug, Clone)]
pub(crate) struct Chunk {
    pub(crate) train: Arc<Triples>,
    pub(crate) rows: Range<usize>,
    pub(crate) measured: Option<Arc<Triples>>,
    pub(crate) held: Range<usize>,
}

impl Chunk {
    /// Cuts the input into `parts` chunks.
    pub(crate) fn cut(train: &Arc<Triples>, measured: Option<&Arc<Triples>>, parts: usize) -> Vec<Self> {
        let range = |count: usize, part: usize| count * part / parts..count * (part + 1) / parts;
        let chunk = |part| Self {
            train: Arc::clone(train),
            rows: range(train.len(), part),
            measured: measured.map(Arc::clone),
            held: range(measured.map_or(0, |measured| measured.len()), part),
        };
        (0..parts).map(chunk).collect()
    }

    /// How often the ratings name each row, and the sums of values and squares.
    ///
    /// Four places are counted in turn: ratings of one user stand together, and adding to one number again and again
    /// would wait for it.
    pub(crate) fn count(&self, users: usize, items: usize) -> Counts {
        const PLACES: usize = 4;
        let mut counts = Counts { users: vec![0; users], items: vec![0; items], ..Counts::default() };
        let (u, i) = (&self.train.users[self.rows.clone()], &self.train.items[self.rows.clone()]);
        let quarter = u.len() / PLACES;
        for at in 0..quarter {
            for place in 0..PLACES {
                counts.users[u[place * quarter + at] as usize] += 1;
                counts.items[i[place * quarter + at] as usize] += 1;
            }
        }
        for at in PLACES * quarter..u.len() {
            counts.users[u[at] as usize] += 1;
            counts.items[i[at] as usize] += 1;
        }
        (counts.sum, counts.squares) = moments(&self.train.values[self.rows.clone()]);
        counts
    }

    /// The ratings of the chunk, cell by cell, in the order of the input.
    fn scatter(&self, setup: &Setup) -> Cells {
        deal(&self.train, self.rows.clone(), setup)
    }

    fn scatter_held(&self, setup: &Setup) -> Cells {
        match &self.measured {
            Some(measured) => deal(measured, self.held.clone(), setup),
            None => vec![Vec::new(); setup.users.parts() * setup.items.parts()],
        }
    }
}

/// The sum of the values and of their squares, in eight lanes that are added in order.
pub(crate) fn moments(values: &[f32]) -> (f64, f64) {
    let (mut sums, mut squares) = ([0.0_f64; 8], [0.0_f64; 8]);
    let (groups, rest) = values.as_chunks::<8>();
    for group in groups {
        for lane in 0..8 {
            let value = f64::from(group[lane]);
            sums[lane] += value;
            squares[lane] += value * value;
        }
    }
    for (lane, &value) in rest.iter().enumerate() {
        sums[lane] += f64::from(value);
        squares[lane] += f64::from(value) * f64::from(value);
    }
    (sums.iter().sum(), squares.iter().sum())
}

fn deal(triples: &Triples, range: Range<usize>, setup: &Setup) -> Cells {
    let (blocks, count) = (setup.items.parts(), range.len());
    let cells = setup.users.parts() * blocks;
    // Cells are nearly even: a little more than the mean, and few grow.
    let expected = count / cells + count / cells / 16 + 32;
    let mut dealt: Cells = (0..cells).map(|_| Vec::with_capacity(expected)).collect();
    let (users, items) = (&triples.users[range.clone()], &triples.items[range.clone()]);
    let (center, scale) = (setup.center as f32, (1.0 / setup.scale) as f32);
    for ((&user, &item), &value) in users.iter().zip(items).zip(&triples.values[range]) {
        let (user, item) = (setup.users.place[user as usize], setup.items.place[item as usize]);
        let cell = (user >> 16) as usize * blocks + (item >> 16) as usize;
        dealt[cell].push(Rating { user: user as u16, item: item as u16, value: (value - center) * scale });
    }
    dealt
}

impl UserShard {
    /// Deals the shard's chunk out, if it has one; the block takes the cells along.
    pub(crate) fn scatter(&mut self, block: &mut ItemBlock, setup: &Setup) {
        let Some(chunk) = self.chunk.take() else { return };
        let blocks = setup.items.parts();
        let by_shard = |cells: Cells| {
            let mut cells = cells.into_iter().map(Cell::new);
            (0..setup.users.parts()).map(|_| cells.by_ref().take(blocks).collect()).collect()
        };
        block.held = by_shard(chunk.scatter_held(setup));
        block.cargo = by_shard(chunk.scatter(setup));
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

/// Only the chunk itself travels, not the input that it is a part of.
impl State for Chunk {
    fn save(&self, out: &mut Writer) {
        for (triples, range) in [(Some(&self.train), &self.rows), (self.measured.as_ref(), &self.held)] {
            let empty = Arc::default();
            let triples: &Arc<Triples> = triples.unwrap_or(&empty);
            out.write(&triples.users[range.clone()].to_vec());
            out.write(&triples.items[range.clone()].to_vec());
            out.write(&triples.values[range.clone()].to_vec());
        }
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let mut triples = || {
            let triples = Triples { users: from.read()?, items: from.read()?, values: from.read()? };
            let same =
                triples.users.len() == triples.values.len() && triples.items.len() == triples.values.len();
            if same { Ok(triples) } else { Err(StateError::new("ratings of one length")) }
        };
        let (train, measured) = (triples()?, triples()?);
        let (rows, held) = (0..train.len(), 0..measured.len());
        Ok(Self { train: Arc::new(train), rows, measured: Some(Arc::new(measured)), held })
    }
}
