//! [`Chunk`]: a part of the input, in memory shared with the caller or of its own.

use std::ops::Range;
use std::sync::Arc;

use raddle::State;
use raddle::state::{Reader, StateError, Writer};
use raddle_datasets::Triples;

use super::mmap_arrays::MmapArrays;
use super::problem::Problem;
use super::source::{Counts, RatingsSource};
use crate::error::MfError;
use raddle_kernels::factors as kernels;

/// Largest number of chunks of the input that are counted and taken in parallel: more would only mean more
/// counts to add up.
pub(crate) const CHUNKS: usize = 8;

/// Returns the shard that splits a chunk. Neighbouring shards often live on one worker, so chunks are spread
/// over all shards.
pub(crate) fn chunk_owner(chunk: u32, chunks: u32, shards: u32) -> u32 {
    (u64::from(chunk) * u64::from(shards) / u64::from(chunks)) as u32
}

/// A part of the input in its original order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chunk {
    train: Train,
    pub(crate) measured: Option<Arc<Triples>>,
    pub(crate) held: Range<usize>,
}

/// Storage of the training ratings of a chunk.
#[derive(Debug, Clone)]
enum Train {
    /// A range of ratings that are shared with others.
    Range(Arc<Triples>, Range<usize>),
    /// Ratings that are freed with the last chunk that holds them.
    Owned(Arc<MmapArrays>),
}

impl Default for Train {
    fn default() -> Self {
        Self::Range(Arc::default(), 0..0)
    }
}

/// Removes the ratings from `first` on, and returns users, items and values.
fn take_off(triples: &mut Triples, first: usize) -> MmapArrays {
    let Columns { users, items, values } = Columns::of(triples, &(first..triples.len()));
    let pages = MmapArrays::of(&[
        bytemuck::cast_slice(users),
        bytemuck::cast_slice(items),
        bytemuck::cast_slice(values),
    ]);
    triples.users.truncate(first);
    triples.items.truncate(first);
    triples.values.truncate(first);
    triples.users.shrink_to_fit();
    triples.items.shrink_to_fit();
    triples.values.shrink_to_fit();
    pages
}

/// Returns the range of the ratings of a chunk among all.
pub(crate) fn range(count: usize, part: usize, parts: usize) -> Range<usize> {
    count * part / parts..count * (part + 1) / parts
}

impl Chunk {
    /// Returns chunk `part` of `parts` of a problem, which shares ratings in memory with it.
    pub(crate) fn of(problem: &Problem, part: usize, parts: usize) -> Result<Self, MfError> {
        let (train, rows) = problem.train.range(range(problem.ratings(), part, parts))?;
        Ok(Self { train: Train::Range(train, rows), ..Self::held_of(problem, part, parts)? })
    }

    /// Cuts a problem into `parts` chunks.
    pub(crate) fn cut(problem: &Problem, parts: usize) -> Result<Vec<Self>, MfError> {
        (0..parts).map(|part| Self::of(problem, part, parts)).collect()
    }

    /// A chunk of these ratings for training and for measuring.
    pub(crate) fn of_triples(train: Triples, held: Triples) -> Self {
        let (all, held_all) = (0..train.len(), 0..held.len());
        Self { train: Train::Range(Arc::new(train), all), measured: Some(Arc::new(held)), held: held_all }
    }

    /// Cuts a problem into `parts` chunks that own their ratings, and leaves it none to train on. If its
    /// ratings are in a file, or shared with others, they stay as they are and there are no chunks.
    pub(crate) fn use_up(problem: &mut Problem, parts: usize) -> Result<Vec<Self>, MfError> {
        let RatingsSource::Memory(train, _) = &mut problem.train else { return Ok(Vec::new()) };
        let mut triples = match Arc::try_unwrap(std::mem::take(train)) {
            Ok(triples) => triples,
            Err(shared) => {
                *train = shared;
                return Ok(Vec::new());
            }
        };
        let count = triples.len();
        // Starting at the end, so that the other ratings need not move.
        let chunk = |part| {
            let pages = take_off(&mut triples, range(count, part, parts).start);
            Ok(Self { train: Train::Owned(Arc::new(pages)), ..Self::held_of(problem, part, parts)? })
        };
        let mut chunks: Vec<Self> = (0..parts).rev().map(chunk).collect::<Result<_, MfError>>()?;
        chunks.reverse();
        Ok(chunks)
    }

    /// Returns the held-out ratings of chunk `part` of `parts`.
    fn held_of(problem: &Problem, part: usize, parts: usize) -> Result<Self, MfError> {
        let Some(held) = problem.held_out() else { return Ok(Self::default()) };
        let (measured, held) = held.range(range(held.len(), part, parts))?;
        Ok(Self { measured: Some(measured), held, ..Self::default() })
    }

    /// Returns the training ratings.
    pub(crate) fn ratings(&self) -> Columns<'_> {
        match &self.train {
            Train::Range(triples, range) => Columns::of(triples, range),
            Train::Owned(pages) => {
                Columns { users: pages.array(0), items: pages.array(1), values: pages.array(2) }
            }
        }
    }

    /// Returns the chunk's held-out ratings.
    pub(crate) fn held(&self) -> Columns<'_> {
        self.measured.as_ref().map_or_else(Columns::default, |measured| Columns::of(measured, &self.held))
    }

    /// Counts how often the ratings name each row, and sums values and squares.
    ///
    /// Four counters per row are used in turn: ratings of a user are adjacent, and repeated additions to one
    /// counter would wait for each other.
    pub(crate) fn count(&self, users: usize, items: usize) -> Counts {
        const PLACES: usize = 4;
        let (mut by_user, mut by_item) = (vec![0; users], vec![0; items]);
        let Columns { users, items, values } = self.ratings();
        let quarter = users.len() / PLACES;
        for at in 0..quarter {
            for place in 0..PLACES {
                by_user[users[place * quarter + at] as usize] += 1;
                by_item[items[place * quarter + at] as usize] += 1;
            }
        }
        for at in PLACES * quarter..users.len() {
            by_user[users[at] as usize] += 1;
            by_item[items[at] as usize] += 1;
        }
        let (sum, squares) = kernels::moments(values);
        Counts { rows: [by_user, by_item], sum, squares }
    }
}

/// Ratings by column.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Columns<'a> {
    pub(crate) users: &'a [u32],
    pub(crate) items: &'a [u32],
    pub(crate) values: &'a [f32],
}

impl<'a> Columns<'a> {
    /// Returns the ratings in a range.
    pub(crate) fn of(triples: &'a Triples, range: &Range<usize>) -> Self {
        let Triples { users, items, values } = triples;
        let (users, items) = (&users[range.clone()], &items[range.clone()]);
        Self { users, items, values: &values[range.clone()] }
    }
}

/// Only the chunk itself is sent, not the input that it is a part of.
impl State for Chunk {
    fn save(&self, out: &mut Writer) {
        for Columns { users, items, values } in [self.ratings(), self.held()] {
            out.write(&users.to_vec());
            out.write(&items.to_vec());
            out.write(&values.to_vec());
        }
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let mut triples = || {
            let triples = Triples { users: from.read()?, items: from.read()?, values: from.read()? };
            let same =
                triples.users.len() == triples.values.len() && triples.items.len() == triples.values.len();
            if same { Ok(Arc::new(triples)) } else { Err(StateError::new("ratings of one length")) }
        };
        let (train, measured) = (triples()?, triples()?);
        let (range, held) = (0..train.len(), 0..measured.len());
        Ok(Self { train: Train::Range(train, range), measured: Some(measured), held })
    }
}
