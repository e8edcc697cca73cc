//! [`Cut`]: assigns rows to parts and shards.

use std::ops::Range;

use raddle::random::Stream;
use raddle::schedule::{Assignment, Round};

use super::phase::PartsPhase;

/// Rows that are split into the finest parts, and each of these into one shard per position.
///
/// Shards are numbered by position, then by part: a worker with a range of shards has a range of positions of
/// every part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    finest: u32,
    positions: u32,
    /// Rows of each shard, by place.
    pub(crate) rows: Vec<Range<usize>>,
    costs: Vec<u64>,
}

impl Cut {
    /// Splits rows with these costs by the shares of the finest parts, into at least about this many shards.
    pub(super) fn new(costs: &[u64], shares: &[f64], shards: usize) -> Self {
        let parts = by_shares(costs, shares);
        let wanted = shards.div_ceil(shares.len().max(1)).max(1);
        // No shard may be empty.
        let positions = parts.iter().map(Range::len).min().unwrap_or(1).clamp(1, wanted);
        let of_part = |part: &Range<usize>| -> Vec<Range<usize>> {
            let pieces = by_shares(&costs[part.clone()], &vec![1.0; positions]);
            pieces.into_iter().map(|piece| part.start + piece.start..part.start + piece.end).collect()
        };
        let parts: Vec<Vec<Range<usize>>> = parts.iter().map(of_part).collect();
        let rows: Vec<Range<usize>> = (0..positions)
            .flat_map(|position| parts.iter().map(move |part| part[position].clone()))
            .collect();
        let costs = rows.iter().map(|rows| costs[rows.clone()].iter().sum()).collect();
        Self { finest: shares.len() as u32, positions: positions as u32, rows, costs }
    }

    /// Returns the number of shards.
    pub fn shards(&self) -> usize {
        self.rows.len()
    }

    /// Returns the number of the finest parts, each of which is a block.
    pub fn finest(&self) -> u32 {
        self.finest
    }

    /// Returns the counted cost of each shard: its values plus its rows.
    pub fn costs(&self) -> &[u64] {
        &self.costs
    }

    /// Returns the part of a shard if there are `parts` parts, a divisor of the number of finest parts.
    pub fn part_of(&self, shard: u32, parts: u32) -> u32 {
        shard % self.finest * parts / self.finest
    }

    /// Returns the rounds of an epoch with `parts` parts: each part visits its shards once, by position.
    /// Parts start at evenly spaced positions, so that they do not meet.
    pub fn rounds(&self, parts: u32, draw: &mut Stream) -> Vec<Round<PartsPhase>> {
        let order = self.order(parts, draw);
        let together = self.finest / parts.max(1);
        let length = together * self.positions;
        let round = |round: u32| {
            let task = |part: u32| {
                let at = (round + (u64::from(part) * u64::from(length) / u64::from(parts)) as u32) % length;
                let shard = order[(at / together) as usize] * self.finest + part * together + at % together;
                Assignment { shard, block: Some(part), variables: Vec::new() }
            };
            let mut tasks: Vec<Assignment> = (0..parts).map(task).collect();
            tasks.sort_unstable_by_key(|task| task.shard);
            Round::new(PartsPhase { parts, sigma: 0.0 }, tasks)
        };
        (0..length).map(round).collect()
    }

    /// Returns the positions in the order in which parts visit them. A single part needs another order in
    /// each epoch, as a fixed order takes up to five times as many passes. Several parts gain nothing from
    /// that, and with a fixed order none of them waits for another.
    fn order(&self, parts: u32, draw: &mut Stream) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.positions).collect();
        if parts == 1 {
            draw.shuffle(&mut order);
        }
        order
    }
}

/// Splits items into contiguous ranges with about these shares of their total cost; none is empty if there
/// are enough items.
fn by_shares(costs: &[u64], shares: &[f64]) -> Vec<Range<usize>> {
    let total = costs.iter().sum::<u64>() as f64;
    let all: f64 = shares.iter().sum();
    let (mut start, mut spent, mut share) = (0, 0.0, 0.0);
    let mut ranges = Vec::with_capacity(shares.len());
    for (number, own) in shares.iter().enumerate() {
        share += own;
        let goal = total * share / all;
        let behind = shares.len() - number - 1;
        let most = costs.len().saturating_sub(behind);
        let mut end = start;
        // An item belongs to the range that contains its middle.
        while end < most && (behind == 0 || end == start || spent + 0.5 * costs[end] as f64 <= goal) {
            spent += costs[end] as f64;
            end += 1;
        }
        ranges.push(start..end);
        start = end;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_row_is_in_one_shard_and_shares_are_kept() {
        let costs: Vec<u64> = (0..1000).map(|row| 5 + row * 7 % 13).collect();
        for shares in
            [vec![1.0], vec![1.0; 4], vec![1.0, 1.0, 1.0, 0.5], vec![1.0; 16], vec![1e-9, 1.0, 1e-9]]
        {
            for shards in [1, 64, 256, 5000] {
                let cut = Cut::new(&costs, &shares, shards);
                let mut rows: Vec<usize> = cut.rows.iter().flat_map(Clone::clone).collect();
                rows.sort_unstable();
                assert_eq!(rows, (0..1000).collect::<Vec<_>>());
                assert!(cut.rows.iter().all(|rows| !rows.is_empty()));
                assert_eq!(cut.shards() % shares.len(), 0);
                let all: u64 = costs.iter().sum();
                for (part, share) in (0..).zip(&shares) {
                    let of =
                        (0..).zip(cut.costs()).filter(|(shard, _)| cut.part_of(*shard, cut.finest) == part);
                    let of = of.map(|(_, cost)| cost).sum::<u64>() as f64;
                    let goal = all as f64 * share / shares.iter().sum::<f64>();
                    assert!((of - goal).abs() <= 36.0, "{part}: {of} instead of {goal}");
                }
            }
        }
    }

    #[test]
    fn each_part_visits_its_shards_once_in_a_cycle() {
        let cut = Cut::new(&[1; 640], &[1.0; 16], 64);
        for parts in [1, 2, 4, 8, 16] {
            let rounds = cut.rounds(parts, &mut Stream::new(&[1]));
            assert_eq!(rounds.len() * parts as usize, 64);
            let mut met = BTreeSet::new();
            for task in rounds.iter().flat_map(|round| &round.tasks) {
                assert_eq!(task.block, Some(cut.part_of(task.shard, parts)));
                assert!(met.insert(task.shard));
            }
            for part in 0..parts {
                let first = rounds[0].tasks.iter().find(|task| task.block == Some(part)).unwrap();
                assert_eq!(first.shard / 16, part * 4 / parts, "{part} of {parts}");
            }
            assert!(rounds.iter().all(|round| round.tasks.is_sorted_by_key(|task| task.shard)));
        }
    }
}
