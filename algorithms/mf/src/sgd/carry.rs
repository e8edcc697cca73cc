//! [`TrainedRows`]: the rows that a fit by gradient steps leaves for a fit that continues from it on other
//! data.
//!
//! Rows keep their numbers, their parts, and their values bit for bit; center and scale of the ratings stay
//! those of the first fit, too. Rows that had no ratings come from a model into which they were folded; rows
//! that have no ratings any more are dropped.

use raddle::{Outcome, Parts};

use super::partition::{NOWHERE, Partition};
use super::program::SgdProgram;
use super::replica::GridPartitioning;
use crate::error::MfError;
use crate::initial::Start;
use crate::input::chunk::Chunk;
use crate::input::problem::Problem;
use crate::input::source::Counts;
use crate::model::{Model, Side};
use crate::params::Mf;
use raddle_kernels::factors::{LANES, Rows, Vector};

/// The rows of a fit in its own units.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct TrainedRows {
    pub(super) partitioning: GridPartitioning,
    pub(super) users: Vec<Rows>,
    pub(super) items: Vec<Rows>,
    /// Number of epochs of their stage.
    pub(super) length: u32,
    /// The regularisation of that stage, in units of ratings.
    pub(crate) reg: f64,
}

raddle::state!(TrainedRows { partitioning, users, items, length, reg });

/// Rows that were folded in: a model in the units of the ratings, and the users and items of it that are
/// used, in order.
#[derive(Debug)]
pub(crate) struct Folded {
    pub(crate) model: Model,
    pub(crate) rows: [Vec<u32>; 2],
}

impl TrainedRows {
    /// Takes the rows of a run; `None` if it ended before its first epoch.
    pub(crate) fn of(outcome: Outcome<SgdProgram>, length: u32, reg: f64) -> Option<Self> {
        let partitioning = (*outcome.parts.replica.partitioning?).clone();
        let use_best = outcome.parts.pinned.best_epoch != outcome.report.epochs;
        let Parts { shards, blocks, .. } = outcome.parts;
        let users: Vec<Rows> = shards.into_iter().map(|shard| shard.part.into_result(use_best)).collect();
        let items: Vec<Rows> = blocks.into_iter().map(|block| block.part.into_result(use_best)).collect();
        let has_begun = users.iter().chain(&items).all(|rows| rows.width > 0);
        has_begun.then_some(Self { partitioning, users, items, length, reg })
    }

    /// Returns the number of values in a row.
    pub(crate) fn width(&self) -> usize {
        self.users.iter().chain(&self.items).map(|rows| rows.width).max().unwrap_or(0)
    }

    /// Checks that rows and parts are consistent.
    pub(crate) fn is_whole(&self) -> bool {
        let width = self.width();
        let fits = |partition: &Partition, parts: &[Rows]| {
            let lengths = |part: usize, rows: &Rows| {
                let count = partition.part(part as u32).len();
                rows.width == width
                    && rows.biases.len() == count
                    && rows.factors.len() * LANES == count * width
            };
            partition.is_whole()
                && partition.parts() == parts.len()
                && parts.iter().enumerate().all(|(part, rows)| lengths(part, rows))
        };
        width > 0
            && fits(&self.partitioning.users, &self.users)
            && fits(&self.partitioning.items, &self.items)
    }

    /// `true` for a row that was trained.
    pub(crate) fn has(&self, side: Side, row: u32) -> bool {
        self.partitioning.side(side).place.get(row as usize).is_some_and(|&place| place != NOWHERE)
    }

    /// Converts the rows to the units of the ratings, for this many users and items.
    pub(crate) fn model(&self, rank: usize, users: usize, items: usize) -> Model {
        self.partitioning
            .model([&self.users, &self.items].map(|rows| rows.iter()), rank)
            .widened(users, items)
    }

    /// Arranges the data of `problem` with these rows. Rows that were folded in are taken from `folded`;
    /// other new rows start as in a first fit.
    pub(crate) fn rows(&self, mf: &Mf, problem: &Problem, folded: &Folded) -> Result<Self, MfError> {
        let Counts { rows: [users, items], sum, squares } =
            Chunk::of(problem, 0, 1)?.count(problem.users, problem.items);
        let (number, GridPartitioning { center, scale, .. }) =
            (problem.train.len() as f64, &self.partitioning);
        let mean = sum / number;
        let deviation = (squares / number - 2.0 * center * mean + center * center).max(0.0).sqrt();
        let partitioning = GridPartitioning {
            users: self.partitioning.users.carried(users),
            items: self.partitioning.items.carried(items),
            mean,
            center: *center,
            scale: *scale,
            deviation,
        };
        let start = Start { given: None, ..mf.start() };
        let of = |side: Side| -> Vec<Rows> {
            let partition = partitioning.side(side);
            (0..partition.parts() as u32)
                .map(|part| self.part(partition.part(part), side, &start, &partitioning, folded))
                .collect()
        };
        let (users, items) = (of(Side::Users), of(Side::Items));
        Ok(Self { users, items, partitioning, length: self.length, reg: self.reg })
    }

    fn part(
        &self,
        rows: &[u32],
        side: Side,
        start: &Start,
        partitioning: &GridPartitioning,
        folded: &Folded,
    ) -> Rows {
        let width = start.width();
        let (old, partition) = ([&self.users, &self.items][side as usize], self.partitioning.side(side));
        let (factors, biases) = folded.model.side(side);
        let shrink = (1.0 / partitioning.scale.sqrt()) as f32;
        let mut out = Rows { width, factors: Vec::new(), biases: Vec::new(), scales: Vec::new() };
        for &row in rows {
            if folded.rows[side as usize].binary_search(&row).is_ok() {
                let given = &factors[row as usize * start.rank..][..start.rank];
                let mut new = vec![Vector([0.0; LANES]); width / LANES];
                let to: &mut [f32] = bytemuck::cast_slice_mut(&mut new);
                to.iter_mut().zip(given).for_each(|(to, value)| *to = value * shrink);
                out.factors.extend(new);
                out.biases.push((f64::from(biases[row as usize]) / partitioning.scale) as f32);
            } else if let Some((rows, at)) = place(old, partition, row) {
                out.factors.extend_from_slice(&rows.factors[at * width / LANES..(at + 1) * width / LANES]);
                out.biases.push(rows.biases[at]);
            } else {
                let new = start.rows(&[row], side, partitioning, &[], Vec::new());
                out.factors.extend(new.factors);
                out.biases.extend(new.biases);
            }
        }
        out
    }
}

/// Returns the part and the place of a row of the data.
fn place<'a>(parts: &'a [Rows], partition: &Partition, row: u32) -> Option<(&'a Rows, usize)> {
    let place = partition.place.get(row as usize).copied().filter(|&place| place != NOWHERE)?;
    Some((&parts[(place >> 16) as usize], (place & 0xffff) as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two parts of users and one of items, in which one row has no ratings.
    fn whole() -> TrainedRows {
        let (users, items) = (Partition::new(vec![2, 1, 1, 2, 3], 2), Partition::new(vec![4, 0, 5], 1));
        let rows = |partition: &Partition| -> Vec<Rows> {
            let counts = (0..partition.parts() as u32).map(|part| partition.part(part).len());
            let rows = |count| Rows {
                width: 2 * LANES,
                factors: vec![Vector([0.0; LANES]); 2 * count],
                biases: vec![0.0; count],
                scales: Vec::new(),
            };
            counts.map(rows).collect()
        };
        let (users_rows, items_rows) = (rows(&users), rows(&items));
        let partitioning = GridPartitioning { users, items, scale: 1.0, ..GridPartitioning::default() };
        TrainedRows { partitioning, users: users_rows, items: items_rows, length: 3, reg: 0.1 }
    }

    #[test]
    fn rows_that_are_not_those_of_their_parts_are_not_whole() {
        assert!(whole().is_whole());
        assert!(!TrainedRows::default().is_whole(), "no rows");
        type Damage = fn(&mut TrainedRows);
        let damages: [(&str, Damage); 11] = [
            ("a part of rows of another width", |carried| carried.users[1].width = LANES),
            ("rows without values", |carried| {
                carried.users.iter_mut().chain(&mut carried.items).for_each(|rows| {
                    rows.width = 0;
                    rows.factors.clear();
                });
            }),
            ("a bias too few", |carried| {
                carried.users[0].biases.pop();
            }),
            ("a bias too many", |carried| carried.items[0].biases.push(0.0)),
            ("a vector too few", |carried| {
                carried.users[0].factors.pop();
            }),
            ("a vector too many", |carried| carried.items[0].factors.push(Vector([0.0; LANES]))),
            ("a part too few", |carried| {
                carried.users.pop();
            }),
            ("a part too many", |carried| carried.items.push(carried.items[0].clone())),
            ("parts in another order", |carried| carried.users.reverse()),
            ("a user elsewhere", |carried| carried.partitioning.users.place[0] ^= 1),
            ("an item in a part that is not there", |carried| carried.partitioning.items.place[2] = 7 << 16),
        ];
        for (what, damage) in damages {
            let mut carried = whole();
            damage(&mut carried);
            assert!(!carried.is_whole(), "{what}");
        }
    }
}
