//! [`Bucket`]: ratings of one cell from one chunk of the input, and [`CellRatings`]: all ratings of a cell.

use std::slice::IterMut;

use super::replica::GridPartitioning;
use crate::input::chunk::Columns;
use raddle::Pool;
use raddle_kernels::factors::{Cell, Rating, Ratings};

/// Number of ratings that are looked up together and then written together: lookups hit the caches, writes do
/// not, and so one need not wait for the other.
const TOGETHER: usize = 512;

/// Ratings of one cell in the order of the input.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bucket {
    chunk: u32,
    ratings: Ratings,
    /// Ratings beyond the capacity of the first list.
    over: Ratings,
}

raddle::state!(Bucket { chunk, ratings, over });

impl Bucket {
    /// `true` if there are no ratings.
    pub(crate) fn is_empty(&self) -> bool {
        self.ratings.is_empty() && self.over.is_empty()
    }
}

/// Splits the users, items and values of a chunk into a bucket for each cell, ordered by shard and then by
/// block.
pub(crate) fn split_into_cells(
    chunk: u32,
    Columns { users, items, values }: Columns<'_>,
    partitioning: &GridPartitioning,
    pool: &Pool<Rating>,
) -> Vec<Bucket> {
    let (blocks, count) = (partitioning.items.parts(), values.len());
    let cells = partitioning.users.parts() * blocks;
    // Cells are nearly equal: the capacity is slightly above the mean, and few cells need more.
    let room = count / cells + count / cells / 16 + 32;
    let mut parts = Ratings::cut(cells, room, pool);
    let mut places: Vec<IterMut<'_, Rating>> = parts.iter_mut().map(|part| part.iter_mut()).collect();
    let mut over = vec![Vec::new(); cells];
    let (center, scale) = (partitioning.center as f32, (1.0 / partitioning.scale) as f32);
    let mut together = [(0, Rating::default()); TOGETHER];
    for first in (0..count).step_by(TOGETHER) {
        let range = first..count.min(first + TOGETHER);
        let together = &mut together[..range.len()];
        let triples = users[range.clone()].iter().zip(&items[range.clone()]).zip(&values[range]);
        for (sorted, ((&user, &item), &value)) in together.iter_mut().zip(triples) {
            let (user, item) =
                (partitioning.users.place[user as usize], partitioning.items.place[item as usize]);
            let cell = (user >> 16) * blocks as u32 + (item >> 16);
            *sorted =
                (cell, Rating { user: user as u16, item: item as u16, value: (value - center) * scale });
        }
        for &mut (cell, rating) in together {
            match places[cell as usize].next() {
                Some(place) => *place = rating,
                None => over[cell as usize].push(rating),
            }
        }
    }
    let counts: Vec<usize> = places.into_iter().map(|places| room - places.len()).collect();
    let bucket = |((mut ratings, counts), over): ((Ratings, usize), Vec<Rating>)| {
        ratings.truncate(counts);
        Bucket { chunk, ratings, over: over.into() }
    };
    parts.into_iter().zip(counts).zip(over).map(bucket).collect()
}

/// All ratings of one cell: in buckets until they are first needed.
#[derive(Debug, Clone, Default)]
pub(crate) struct CellRatings {
    buckets: Vec<Bucket>,
    cells: Vec<Cell>,
}

raddle::state!(CellRatings { buckets, cells });

impl CellRatings {
    /// Adds a bucket; chunks may arrive in any order.
    pub(crate) fn add(&mut self, bucket: Bucket) {
        let at = self.buckets.partition_point(|before| before.chunk < bucket.chunk);
        self.buckets.insert(at, bucket);
    }

    /// Returns the ratings in a good order for steps of rows of `width` values.
    pub(crate) fn for_steps(&mut self, width: usize) -> &[Cell] {
        self.once(|buckets| Cell::in_order(buckets, width))
    }

    /// Returns the ratings in the order of the input.
    pub(crate) fn for_errors(&mut self) -> &[Cell] {
        self.once(|buckets| buckets.into_iter().map(Cell::as_given).collect())
    }

    fn once(&mut self, cells: impl FnOnce(Vec<Ratings>) -> Vec<Cell>) -> &[Cell] {
        if !self.buckets.is_empty() {
            let buckets = std::mem::take(&mut self.buckets).into_iter();
            let buckets = buckets.flat_map(|bucket| [bucket.ratings, bucket.over]);
            self.cells = cells(buckets.filter(|ratings| !ratings.is_empty()).collect());
        }
        &self.cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sgd::partition::Partition;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_rating_comes_to_its_cell_in_the_order_of_the_input(
            triples in proptest::collection::vec((0u32..20, 0u32..9, -2.0f32..2.0), 0..2000),
            parts in (1usize..5, 1usize..4), chunks in 1usize..5, backwards: bool,
        ) {
            let mut counts = [vec![0; 20], vec![0; 9]];
            for &(user, item, _) in &triples {
                counts[0][user as usize] += 1;
                counts[1][item as usize] += 1;
            }
            let [users, items] = counts;
            let (users, items) = (Partition::new(users, parts.0), Partition::new(items, parts.1));
            let partitioning = GridPartitioning { users, items, mean: 0.5, center: 0.5, scale: 2.0, deviation: 2.0 };
            let pool = Pool::default();
            let mut cells_ratings = vec![CellRatings::default(); parts.0 * parts.1];
            let length = triples.len().div_ceil(chunks).max(1);
            let mut counts: Vec<Vec<Bucket>> = (0..).zip(triples.chunks(length)).map(|(chunk, triples)| {
                let users: Vec<u32> = triples.iter().map(|&(user, _, _)| user).collect();
                let items: Vec<u32> = triples.iter().map(|&(_, item, _)| item).collect();
                let values: Vec<f32> = triples.iter().map(|&(_, _, value)| value).collect();
                split_into_cells(chunk, Columns { users: &users, items: &items, values: &values }, &partitioning, &pool)
            }).collect();
            if backwards {
                counts.reverse();
            }
            for buckets in counts {
                cells_ratings.iter_mut().zip(buckets).for_each(|(cell_ratings, bucket)| cell_ratings.add(bucket));
            }
            for (number, cell_ratings) in (0..).zip(&mut cells_ratings) {
                let at = |row: u32, partition: &Partition, part: u32| (partition.place[row as usize] >> 16 == part)
                    .then_some(partition.place[row as usize] as u16);
                let mine = |&(user, item, value): &(u32, u32, f32)| Some(Rating {
                    user: at(user, &partitioning.users, number / parts.1 as u32)?,
                    item: at(item, &partitioning.items, number % parts.1 as u32)?,
                    value: (value - 0.5) * 0.5,
                });
                let expected: Vec<Rating> = triples.iter().filter_map(mine).collect();
                let found: Vec<Rating> = cell_ratings.for_errors().iter().flat_map(|cell| cell.ratings().to_vec()).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
