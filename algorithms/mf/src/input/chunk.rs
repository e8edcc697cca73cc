//! [`Chunk`]: a part of the input, in memory shared with the caller or of its own.

use std::ops::Range;
use std::sync::Arc;

use raddle::State;
use raddle::state::{Reader, StateError, Writer};
use raddle_datasets::Triples;

use super::mmap_arrays::MmapArrays;
use raddle_kernels::factors as kernels;

/// Largest number of chunks of the input that are counted and taken in parallel: more would only mean more
/// counts to add up.
pub(crate) const CHUNKS: usize = 8;

/// Returns the shard that splits a chunk. Neighbouring shards often live on one worker, so chunks are spread
/// over all shards.
pub(crate) fn chunk_owner(chunk: u32, chunks: u32, shards: u32) -> u32 {
    (u64::from(chunk) * u64::from(shards) / u64::from(chunks)) as u32
}

/// Number of times that the ratings of a chunk name each row, and sums of their values.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    pub(crate) users: Vec<u32>,
    pub(crate) items: Vec<u32>,
    pub(crate) sum: f64,
    pub(crate) squares: f64,
}

raddle::state!(Counts { users, items, sum, squares });

impl Counts {
    /// Adds the row counts of another chunk.
    pub(crate) fn add_rows(&mut self, other: &Self) {
        for (counts, others) in [(&mut self.users, &other.users), (&mut self.items, &other.items)] {
            counts.iter_mut().zip(others).for_each(|(sum, &count)| *sum = sum.saturating_add(count));
        }
    }
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
    let (users, items, values) = columns(triples, &(first..triples.len()));
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
pub(super) fn range(count: usize, part: usize, parts: usize) -> Range<usize> {
    count * part / parts..count * (part + 1) / parts
}

impl Chunk {
    /// Cuts the input into `parts` chunks that share it.
    pub(crate) fn cut(train: &Arc<Triples>, measured: Option<&Arc<Triples>>, parts: usize) -> Vec<Self> {
        let train = |part| Train::Range(Arc::clone(train), range(train.len(), part, parts));
        (0..parts).map(|part| Self::with(train(part), measured, part, parts)).collect()
    }

    /// A chunk of these ratings for training and for measuring.
    pub(crate) fn of(train: Triples, held: Triples) -> Self {
        let (all, held_all) = (0..train.len(), 0..held.len());
        Self { train: Train::Range(Arc::new(train), all), measured: Some(Arc::new(held)), held: held_all }
    }

    /// Cuts the input into `parts` chunks that own their ratings, and leaves `train` empty. If the input is
    /// shared with others, it stays as it is and there are no chunks.
    pub(crate) fn use_up(
        train: &mut Arc<Triples>,
        measured: Option<&Arc<Triples>>,
        parts: usize,
    ) -> Vec<Self> {
        let mut triples = match Arc::try_unwrap(std::mem::take(train)) {
            Ok(triples) => triples,
            Err(shared) => {
                *train = shared;
                return Vec::new();
            }
        };
        let count = triples.len();
        // Starting at the end, so that the other ratings need not move.
        let chunk = |part| {
            let pages = take_off(&mut triples, range(count, part, parts).start);
            Self::with(Train::Owned(Arc::new(pages)), measured, part, parts)
        };
        let mut chunks: Vec<Self> = (0..parts).rev().map(chunk).collect();
        chunks.reverse();
        chunks
    }

    fn with(train: Train, measured: Option<&Arc<Triples>>, part: usize, parts: usize) -> Self {
        let held = range(measured.map_or(0, |measured| measured.len()), part, parts);
        Self { train, measured: measured.map(Arc::clone), held }
    }

    /// Returns users, items and values of the training ratings.
    pub(crate) fn ratings(&self) -> (&[u32], &[u32], &[f32]) {
        match &self.train {
            Train::Range(triples, range) => columns(triples, range),
            Train::Owned(pages) => (pages.array(0), pages.array(1), pages.array(2)),
        }
    }

    /// Returns users, items and values of the chunk's held-out ratings.
    pub(crate) fn held(&self) -> (&[u32], &[u32], &[f32]) {
        self.measured.as_ref().map_or((&[], &[], &[]), |measured| columns(measured, &self.held))
    }

    /// Counts how often the ratings name each row, and sums values and squares.
    ///
    /// Four counters per row are used in turn: ratings of a user are adjacent, and repeated additions to one
    /// counter would wait for each other.
    pub(crate) fn count(&self, users: usize, items: usize) -> Counts {
        const PLACES: usize = 4;
        let mut counts = Counts { users: vec![0; users], items: vec![0; items], ..Counts::default() };
        let (u, i, values) = self.ratings();
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
        (counts.sum, counts.squares) = kernels::moments(values);
        counts
    }
}

fn columns<'a>(triples: &'a Triples, range: &Range<usize>) -> (&'a [u32], &'a [u32], &'a [f32]) {
    let Triples { users, items, values } = triples;
    (&users[range.clone()], &items[range.clone()], &values[range.clone()])
}

/// Only the chunk itself is sent, not the input that it is a part of.
impl State for Chunk {
    fn save(&self, out: &mut Writer) {
        for (users, items, values) in [self.ratings(), self.held()] {
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
