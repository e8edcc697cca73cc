//! [`HalfShard`]: some rows of one side with their ratings, row by row.

use std::ops::Range;

use raddle::schedule::even_parts;
use raddle_datasets::Triples;

use crate::part::Side;

/// A range of rows of one side, with their ratings in compressed rows: 8 bytes a rating.
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
    pub(crate) values: Vec<f32>,
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
                for (value, &other) in self.values[range.clone()].iter_mut().zip(&self.others[range]) {
                    *value -= own * others[other as usize];
                }
            }
        }
    }

    /// Cuts one side into `parts` ranges of even numbers of ratings, with `center` taken off each value.
    pub(crate) fn cut(triples: &Triples, rows: usize, side: Side, center: f32, parts: usize) -> Vec<Self> {
        let (mine, others) = match side {
            Side::Users => (&triples.users, &triples.items),
            Side::Items => (&triples.items, &triples.users),
        };
        let mut starts = vec![0_usize; rows + 1];
        mine.iter().for_each(|&row| starts[row as usize + 1] += 1);
        (0..rows).for_each(|row| starts[row + 1] += starts[row]);
        let mut next = starts.clone();
        let mut sorted = vec![(0_u32, 0.0_f32); mine.len()];
        for ((&row, &other), &value) in mine.iter().zip(others).zip(&triples.values) {
            sorted[next[row as usize]] = (other, value - center);
            next[row as usize] += 1;
        }
        // Solving a row costs something even where it has few ratings.
        let costs: Vec<u64> = starts.windows(2).map(|ends| (ends[1] - ends[0]) as u64 + 16).collect();
        let ranges = even_parts(&costs, parts).into_iter();
        let shard = |range: Range<usize>| {
            let inside = &sorted[starts[range.start]..starts[range.end]];
            Self {
                side: usize::from(side == Side::Items),
                first: range.start,
                starts: starts[range.clone()]
                    .iter()
                    .chain([&starts[range.end]])
                    .map(|start| start - starts[range.start])
                    .collect(),
                others: inside.iter().map(|&(other, _)| other).collect(),
                values: inside.iter().map(|&(_, value)| value).collect(),
                held: Vec::new(),
                pending: None,
            }
        };
        ranges.map(shard).collect()
    }
}
