//! [`Bucket`]: what one chunk of the input has of a cell's ratings, and [`CellRatings`]: all that a cell has.

use std::slice::IterMut;

use super::replica::Partitioning;
use crate::kernels::{Cell, Rating, Ratings};
use raddle::Pool;

/// So many ratings are looked up together, then written together: what is looked up is in the caches, what is written is
/// not, and one need not wait for the other.
const TOGETHER: usize = 512;

/// Ratings of one cell in the order of the input.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bucket {
    chunk: u32,
    ratings: Ratings,
    /// Those that found no room with the others.
    over: Ratings,
}

raddle::state!(Bucket { chunk, ratings, over });

impl Bucket {
    /// Whether there are no ratings in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.ratings.is_empty() && self.over.is_empty()
    }
}

/// Deals the users, items and values of a chunk: a piece for each cell, shard by shard and block by block in each.
pub(crate) fn deal(
    chunk: u32,
    (users, items, values): (&[u32], &[u32], &[f32]),
    setup: &Partitioning,
    pool: &Pool<Rating>,
) -> Vec<Bucket> {
    let (blocks, count) = (setup.items.parts(), values.len());
    let cells = setup.users.parts() * blocks;
    // Cells are nearly even: a little more than the mean, and few have more.
    let room = count / cells + count / cells / 16 + 32;
    let mut parts = Ratings::cut(cells, room, pool);
    let mut places: Vec<IterMut<'_, Rating>> = parts.iter_mut().map(|part| part.iter_mut()).collect();
    let mut over = vec![Vec::new(); cells];
    let (center, scale) = (setup.center as f32, (1.0 / setup.scale) as f32);
    let mut together = [(0, Rating::default()); TOGETHER];
    for first in (0..count).step_by(TOGETHER) {
        let range = first..count.min(first + TOGETHER);
        let together = &mut together[..range.len()];
        let triples = users[range.clone()].iter().zip(&items[range.clone()]).zip(&values[range]);
        for (dealt, ((&user, &item), &value)) in together.iter_mut().zip(triples) {
            let (user, item) = (setup.users.place[user as usize], setup.items.place[item as usize]);
            let cell = (user >> 16) * blocks as u32 + (item >> 16);
            *dealt = (cell, Rating { user: user as u16, item: item as u16, value: (value - center) * scale });
        }
        for &mut (cell, rating) in together {
            match places[cell as usize].next() {
                Some(place) => *place = rating,
                None => over[cell as usize].push(rating),
            }
        }
    }
    let dealt: Vec<usize> = places.into_iter().map(|places| room - places.len()).collect();
    let piece = |((mut ratings, dealt), over): ((Ratings, usize), Vec<Rating>)| {
        ratings.truncate(dealt);
        Bucket { chunk, ratings, over: over.into() }
    };
    parts.into_iter().zip(dealt).zip(over).map(piece).collect()
}

/// All ratings of one cell: piece by piece until they are first needed.
#[derive(Debug, Clone, Default)]
pub(crate) struct CellRatings {
    pieces: Vec<Bucket>,
    cells: Vec<Cell>,
}

raddle::state!(CellRatings { pieces, cells });

impl CellRatings {
    /// Adds a piece, in whatever order chunks arrive.
    pub(crate) fn add(&mut self, piece: Bucket) {
        let at = self.pieces.partition_point(|before| before.chunk < piece.chunk);
        self.pieces.insert(at, piece);
    }

    /// The ratings in a good order for steps of rows of `width` values.
    pub(crate) fn for_steps(&mut self, width: usize) -> &[Cell] {
        self.once(|pieces| Cell::in_order(pieces, width))
    }

    /// The ratings in the order of the input.
    pub(crate) fn for_errors(&mut self) -> &[Cell] {
        self.once(|pieces| pieces.into_iter().map(Cell::as_given).collect())
    }

    fn once(&mut self, cells: impl FnOnce(Vec<Ratings>) -> Vec<Cell>) -> &[Cell] {
        if !self.pieces.is_empty() {
            let pieces = std::mem::take(&mut self.pieces).into_iter();
            let pieces = pieces.flat_map(|piece| [piece.ratings, piece.over]);
            self.cells = cells(pieces.filter(|ratings| !ratings.is_empty()).collect());
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
            let setup = Partitioning { users, items, mean: 0.5, center: 0.5, scale: 2.0, deviation: 2.0 };
            let pool = Pool::default();
            let mut lots = vec![CellRatings::default(); parts.0 * parts.1];
            let length = triples.len().div_ceil(chunks).max(1);
            let mut dealt: Vec<Vec<Bucket>> = (0..).zip(triples.chunks(length)).map(|(chunk, triples)| {
                let users: Vec<u32> = triples.iter().map(|&(user, _, _)| user).collect();
                let items: Vec<u32> = triples.iter().map(|&(_, item, _)| item).collect();
                let values: Vec<f32> = triples.iter().map(|&(_, _, value)| value).collect();
                deal(chunk, (&users, &items, &values), &setup, &pool)
            }).collect();
            if backwards {
                dealt.reverse();
            }
            for pieces in dealt {
                lots.iter_mut().zip(pieces).for_each(|(lot, piece)| lot.add(piece));
            }
            for (number, lot) in (0..).zip(&mut lots) {
                let at = |row: u32, deal: &Partition, part: u32| (deal.place[row as usize] >> 16 == part)
                    .then_some(deal.place[row as usize] as u16);
                let mine = |&(user, item, value): &(u32, u32, f32)| Some(Rating {
                    user: at(user, &setup.users, number / parts.1 as u32)?,
                    item: at(item, &setup.items, number % parts.1 as u32)?,
                    value: (value - 0.5) * 0.5,
                });
                let expected: Vec<Rating> = triples.iter().filter_map(mine).collect();
                let found: Vec<Rating> = lot.for_errors().iter().flat_map(|cell| cell.ratings().to_vec()).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
