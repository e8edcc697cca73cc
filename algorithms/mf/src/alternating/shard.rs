//! [`HalfShard`]: some rows of one side with their ratings, row by row.

use std::ops::Range;

use raddle::schedule::even_parts;
use raddle_datasets::Triples;

use super::values::{List, Values};
use crate::part::Side;

/// A range of rows of one side, with their ratings in compressed rows: 6 bytes a rating where these are listed, else 8.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HalfShard {
    /// 0 for users, 1 for items.
    pub(crate) side: usize,
    /// The first row.
    pub(crate) first: usize,
    /// Where each row's ratings begin; one more than there are rows.
    pub(crate) starts: Vec<usize>,
    /// The rows of the other side.
    pub(crate) others: Vec<u32>,
    /// Ratings less what is taken off all of them; for coordinate descent, what is left of them.
    pub(crate) values: Values,
    /// Ratings of the users here to measure on: (user, item, rating).
    pub(crate) held: Vec<(u32, u32, f32)>,
    /// The rank whose product has not been taken off `values` yet.
    pub(crate) pending: Option<u32>,
}

raddle::state!(HalfShard { side, first, starts, others, values, held, pending });

impl HalfShard {
    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where the ratings of a row, counted from the first, are.
    pub(crate) fn range(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// Takes the products of all columns off the values: what is left is the residual.
    pub(crate) fn take_off(&mut self, columns: &[Vec<Vec<f32>>; 2]) {
        for (mine, others) in columns[self.side].iter().zip(&columns[1 - self.side]) {
            for row in 0..self.len() {
                let (range, own) = (self.range(row), mine[self.first + row]);
                let values = &mut self.values.plain()[range.clone()];
                for (value, &other) in values.iter_mut().zip(&self.others[range]) {
                    *value -= own * others[other as usize];
                }
            }
        }
    }

    /// Cuts one side into `parts` ranges of even numbers of ratings, with `center` taken off each value; values are listed
    /// if there is a list. Every rating goes straight to its place: there is no second copy.
    pub(crate) fn cut(
        triples: &Triples,
        rows: usize,
        side: Side,
        center: f32,
        parts: usize,
        mut list: Option<&mut List>,
    ) -> Vec<Self> {
        let (mine, others) = match side {
            Side::Users => (&triples.users, &triples.items),
            Side::Items => (&triples.items, &triples.users),
        };
        let mut counts = vec![0_usize; rows];
        mine.iter().for_each(|&row| counts[row as usize] += 1);
        // Solving a row costs something even where it has few ratings.
        let costs: Vec<u64> = counts.iter().map(|&count| count as u64 + 16).collect();
        // For each row, its shard and where in it the next rating goes.
        let mut next = Vec::with_capacity(rows);
        let mut shards = Vec::with_capacity(parts);
        for (number, range) in even_parts(&costs, parts).into_iter().enumerate() {
            let mut starts = vec![0];
            for &count in &counts[range.clone()] {
                let start = starts[starts.len() - 1];
                next.push((number, start));
                starts.push(start + count);
            }
            let count = starts[starts.len() - 1];
            shards.push(Self {
                side: usize::from(side == Side::Items),
                first: range.start,
                starts,
                others: vec![0; count],
                values: Values::zeros(count, list.as_deref()),
                held: Vec::new(),
                pending: None,
            });
        }
        for ((&row, &other), &value) in mine.iter().zip(others).zip(&triples.values) {
            let (shard, place) = &mut next[row as usize];
            let shard = &mut shards[*shard];
            shard.others[*place] = other;
            shard.values.set(*place, value - center, list.as_deref_mut());
            *place += 1;
        }
        shards
    }
}
