//! Variables with their owners and costs, and their division into blocks of even counted cost.

use std::ops::Range;
use std::sync::Arc;

use super::{Assignment, Candidates, Round};
use crate::base::random::splitmix64;

/// The variables of a program: how many, where they live, and the counted cost of updating each.
///
/// Costs are counted (say, nonzeros of a column), never measured in seconds: they decide what a round holds.
/// Their unit is that of [`Engine::costs`](crate::Engine::costs).
#[derive(Debug, Clone)]
pub struct Variables {
    costs: Arc<[u32]>,
    owners: Owners,
}

#[derive(Debug, Clone)]
enum Owners {
    /// Shard `s` owns `starts[s]..starts[s + 1]`.
    Ranges(Arc<[u32]>),
    /// Any of this many shards can update any variable.
    Anywhere(u32),
}

impl Variables {
    /// Makes variables `0..costs.len()`, of which shard `s` owns the range `starts[s]..starts[s + 1]`.
    ///
    /// `starts` begins with 0, is not decreasing, and ends with the number of variables; a run with other
    /// ranges is refused. [`evenly`](Self::evenly) and [`by_cost`](Self::by_cost) make such ranges.
    pub fn in_ranges(costs: Vec<u32>, starts: Vec<u32>) -> Self {
        Self { costs: costs.into(), owners: Owners::Ranges(starts.into()) }
    }

    /// Makes variables `0..count` of cost 1, owned by `shards` shards in ranges of about equal length.
    ///
    /// ```
    /// use raddle::schedule::Variables;
    /// assert_eq!(Variables::evenly(40, 2).ranges(), [0..20, 20..40]);
    /// ```
    pub fn evenly(count: usize, shards: usize) -> Self {
        Self::by_cost(vec![1; count], shards)
    }

    /// Makes variables `0..costs.len()`, owned by `shards` shards in ranges of about equal counted cost.
    ///
    /// ```
    /// use raddle::schedule::Variables;
    /// assert_eq!(Variables::by_cost(vec![1, 1, 4, 1, 1], 2).ranges(), [0..3, 3..5]);
    /// ```
    pub fn by_cost(costs: Vec<u32>, shards: usize) -> Self {
        let counted: Vec<u64> = costs.iter().map(|&cost| u64::from(cost)).collect();
        let ends = even_parts(&counted, shards).into_iter().map(|range| range.end as u32);
        let starts = std::iter::once(0).chain(ends).collect();
        Self::in_ranges(costs, starts)
    }

    /// Returns the variables that each shard owns, by shard; an empty list if any shard can update any
    /// variable.
    pub fn ranges(&self) -> Vec<Range<usize>> {
        match &self.owners {
            Owners::Ranges(starts) => {
                starts.windows(2).map(|ends| ends[0] as usize..ends[1] as usize).collect()
            }
            Owners::Anywhere(_) => Vec::new(),
        }
    }

    /// Makes variables that any of `shards` shards can update: a round merges them into one block for each
    /// shard, of even counted cost.
    pub fn anywhere(costs: Vec<u32>, shards: u32) -> Self {
        Self { costs: costs.into(), owners: Owners::Anywhere(shards.max(1)) }
    }

    /// Checks that the variables suit a run with this number of shards.
    ///
    /// # Errors
    /// The reason that the variables do not suit it.
    pub fn check(&self, shards: usize) -> Result<(), String> {
        let (count, there) = (self.len(), |owners: usize| {
            Err(format!("the variables belong to {owners} shards, but there are {shards}"))
        });
        match &self.owners {
            Owners::Anywhere(owners) if *owners as usize > shards => there(*owners as usize),
            Owners::Anywhere(_) => Ok(()),
            Owners::Ranges(starts) => {
                let ends = (starts.first(), starts.last().map(|&end| end as usize));
                if ends != (Some(&0), Some(count)) || !starts.is_sorted() {
                    return Err(format!(
                        "the ranges of {count} variables must begin with 0, not fall, and end with {count}: \
                         {starts:?}"
                    ));
                }
                if starts.len() - 1 == shards { Ok(()) } else { there(starts.len() - 1) }
            }
        }
    }

    /// Returns the properties that distinguish these variables from others, in words: their number, and a
    /// digest of their costs and owners.
    pub fn identity(&self) -> String {
        let mut digest = splitmix64(self.costs.len() as u64);
        let mut add = |value: u32| digest = splitmix64(digest ^ u64::from(value));
        self.costs.iter().copied().for_each(&mut add);
        match &self.owners {
            Owners::Ranges(starts) => starts.iter().copied().for_each(&mut add),
            Owners::Anywhere(shards) => add(*shards),
        }
        format!("{} variables {digest:016x}", self.costs.len())
    }

    /// Returns the one shard that may update a variable; `None` if any shard may.
    pub(crate) fn only_owner(&self, variable: u32) -> Option<u32> {
        match self.owners {
            Owners::Ranges(_) => Some(self.owner(variable)),
            Owners::Anywhere(_) => None,
        }
    }

    /// Returns the number of variables.
    pub fn len(&self) -> usize {
        self.costs.len()
    }

    /// `true` if there are no variables.
    pub fn is_empty(&self) -> bool {
        self.costs.is_empty()
    }

    /// Returns the counted cost of updating a variable, at least 1.
    pub fn cost(&self, variable: u32) -> u64 {
        u64::from(self.costs[variable as usize].max(1))
    }

    /// Returns the counted cost of updating all variables once.
    pub fn total_cost(&self) -> u64 {
        self.costs.iter().map(|&cost| u64::from(cost.max(1))).sum()
    }

    /// Returns the shard that owns a variable; the first one if any shard may update it.
    pub fn owner(&self, variable: u32) -> u32 {
        match &self.owners {
            // The last shard that starts at or before the variable: empty shards share their start with the
            // next.
            Owners::Ranges(starts) => {
                (starts.partition_point(|&start| start <= variable) as u32).saturating_sub(1)
            }
            Owners::Anywhere(_) => 0,
        }
    }

    /// Makes the round that updates `chosen`: a task for each shard that owns some of them or, if any shard
    /// can update any variable, one block of even counted cost for each shard.
    pub fn round<F>(&self, phase: F, chosen: &[u32]) -> Round<F> {
        fn task(chosen: &[u32], shard: u32, positions: impl Iterator<Item = usize>) -> Assignment {
            Assignment { shard, block: None, variables: positions.map(|at| chosen[at]).collect() }
        }
        let tasks = match &self.owners {
            Owners::Ranges(_) => {
                let owned = self.by_owner(chosen).into_iter();
                owned.map(|(shard, at)| task(chosen, shard, at.into_iter().map(|at| at as usize))).collect()
            }
            Owners::Anywhere(shards) => {
                let costs: Vec<u64> = chosen.iter().map(|&variable| self.cost(variable)).collect();
                let blocks = merge(&costs, (*shards as usize).min(chosen.len()));
                (0..).zip(blocks).map(|(shard, at)| task(chosen, shard, at.into_iter())).collect()
            }
        };
        Round::new(phase, tasks)
    }

    /// Makes the request that relates `chosen`, with their owners.
    pub fn candidates<F>(&self, phase: F, chosen: Vec<u32>) -> Candidates<F> {
        Candidates { phase, owners: self.by_owner(&chosen), variables: chosen }
    }

    /// Groups the positions in `chosen` by owner, in shard order.
    fn by_owner(&self, chosen: &[u32]) -> Vec<(u32, Vec<u32>)> {
        let mut owned: Vec<(u32, u32)> =
            chosen.iter().enumerate().map(|(at, &variable)| (self.owner(variable), at as u32)).collect();
        owned.sort_unstable();
        let mut groups: Vec<(u32, Vec<u32>)> = Vec::new();
        for (shard, at) in owned {
            match groups.last_mut() {
                Some((last, positions)) if *last == shard => positions.push(at),
                _ => groups.push((shard, vec![at])),
            }
        }
        groups
    }
}

/// Cuts `costs` into `parts` contiguous ranges of about equal total, without regard to workers.
///
/// A range may be empty if one item outweighs its share.
///
/// ```
/// assert_eq!(raddle::schedule::even_parts(&[1, 1, 4, 1, 1], 2), [0..3, 3..5]);
/// ```
pub fn even_parts(costs: &[u64], parts: usize) -> Vec<Range<usize>> {
    let total: u128 = costs.iter().map(|&cost| u128::from(cost)).sum();
    let parts = parts.max(1);
    let (mut start, mut spent, mut ranges) = (0, 0u128, Vec::with_capacity(parts));
    for part in 1..=parts as u128 {
        let goal = total * part / parts as u128;
        let mut end = start;
        // An item goes to the part that holds its middle.
        while end < costs.len()
            && (part == parts as u128 || spent + u128::from(costs[end]).div_ceil(2) <= goal)
        {
            spent += u128::from(costs[end]);
            end += 1;
        }
        ranges.push(start..end);
        start = end;
    }
    ranges
}

/// Merges items into `blocks` blocks of even counted cost: the most expensive item first, each to the
/// cheapest block (longest processing time first; Graham 1969). Ties go to the lower number, so the result
/// depends only on the costs.
///
/// Returns the positions in each block, in rising order.
pub fn merge(costs: &[u64], blocks: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by_key(|&item| (std::cmp::Reverse(costs[item]), item));
    let mut heap: std::collections::BinaryHeap<_> =
        (0..blocks).map(|block| std::cmp::Reverse((0u64, block))).collect();
    let mut merged = vec![Vec::new(); blocks];
    for item in order {
        if let Some(std::cmp::Reverse((cost, block))) = heap.pop() {
            merged[block].push(item);
            heap.push(std::cmp::Reverse((cost + costs[item], block)));
        }
    }
    for block in &mut merged {
        block.sort_unstable();
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn even_parts_cover_everything_in_order(costs in prop::collection::vec(0u64..100, 0..200), parts in 1usize..20) {
            let ranges = even_parts(&costs, parts);
            prop_assert_eq!(ranges.len(), parts);
            prop_assert_eq!(ranges.iter().flat_map(Clone::clone).collect::<Vec<_>>(), (0..costs.len()).collect::<Vec<_>>());
            let share = costs.iter().sum::<u64>() as f64 / parts as f64;
            let dearest = costs.iter().copied().max().unwrap_or(0) as f64;
            for range in ranges {
                prop_assert!((costs[range].iter().sum::<u64>() as f64) <= share + dearest + 1.0);
            }
        }

        #[test]
        fn merged_blocks_are_even_to_one_item(costs in prop::collection::vec(1u64..100, 1..200), blocks in 1usize..20) {
            let merged = merge(&costs, blocks);
            let mut all: Vec<usize> = merged.concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..costs.len()).collect::<Vec<_>>());
            let totals: Vec<u64> = merged.iter().map(|block| block.iter().map(|&item| costs[item]).sum()).collect();
            let spread = totals.iter().max().unwrap() - totals.iter().min().unwrap();
            prop_assert!(spread <= *costs.iter().max().unwrap());
        }
    }

    #[test]
    fn a_round_gives_each_variable_to_its_owner() {
        let variables = Variables::in_ranges(vec![1; 6], vec![0, 2, 2, 6]);
        let round = variables.round((), &[5, 0, 3]);
        assert_eq!(
            round.tasks.iter().map(|task| (task.shard, task.variables.clone())).collect::<Vec<_>>(),
            [(0, vec![0]), (2, vec![5, 3])]
        );
    }
}
