//! [`Merger`]: merges partials of neighbouring shards along the fixed binary tree over the numbers of shards
//! that [`Merge`](crate::Merge) describes.

use std::iter;
use std::ops::Range;
use std::sync::Arc;

use crate::base::panic_context::PanicContext;
use crate::program::Program;
use crate::program::merge::{MaskedOf, MergeOf};

/// Place at which partials are merged. No result depends on it, except for sums that are rounded in another
/// grouping.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Merging {
    /// The worker of the shards, as far as it holds whole subtrees of partials, and the hub for the rest.
    #[default]
    AtShards,
    /// The hub alone.
    AtHub,
    /// The hub alone, from left to right: a grouping that differs from the tree's.
    InARow,
    /// The process of the shards, all of which become one partial under masks, and the hub for the rest: in
    /// the sum of all processes the masks cancel.
    Masked,
}

/// Merging of the partials that a worker, a process or the hub has, within each subtree whose shards are all
/// there.
pub(crate) struct Merger<P: Program> {
    program: Arc<P>,
    verb: MergeOf<P>,
    /// The largest subtrees whose shards are all here, by their shards.
    subtrees: Vec<Range<u32>>,
    in_a_row: bool,
    /// Addition of masked partials, if they are masked here.
    masked: Option<MaskedOf<P>>,
}

impl<P: Program> Merger<P> {
    /// Makes the merging of partials of `shards` shards for those that are here; `None` if the program merges
    /// none.
    pub(crate) fn new(program: &Arc<P>, shards: u32, is_here: impl Fn(u32) -> bool) -> Option<Self> {
        let verb = P::verbs().merge?;
        let here: Vec<u32> = (0..shards).filter(|&shard| is_here(shard)).collect();
        let mut subtrees = Vec::new();
        find_whole(0, shards.next_power_of_two(), shards, &here, &mut subtrees);
        Some(Self { program: Arc::clone(program), verb, subtrees, in_a_row: false, masked: None })
    }

    /// Makes the merging of all partials of `shards` shards, at the hub.
    pub(crate) fn of_all(program: &Arc<P>, shards: u32, merging: Merging) -> Option<Self> {
        let merger = Self::new(program, shards, |_| true)?;
        let masked = merger.verb.masked.filter(|_| merging == Merging::Masked);
        Some(Self { in_a_row: merging == Merging::InARow, masked, ..merger })
    }

    /// Returns the words of a partial that is an exact sum.
    pub(crate) fn words<'a>(&self, partial: &'a mut P::Partial) -> Option<&'a mut [i64]> {
        Some((self.verb.masked?.words)(&self.program, partial))
    }

    /// `true` if partials of rounds of this phase, or of a boundary, are merged.
    pub(crate) fn merges(&self, phase: Option<&P::Phase>) -> bool {
        (self.verb.merges)(&self.program, phase)
    }

    /// Merges partials of a phase as far as their subtrees are here. A merged value has the number of its
    /// first shard.
    pub(crate) fn merge(
        &self,
        phase: Option<&P::Phase>,
        mut partials: Vec<(u32, P::Partial)>,
        at: PanicContext,
    ) -> Vec<(u32, P::Partial)> {
        if partials.len() < 2 || !self.merges(phase) {
            return partials;
        }
        partials.sort_by_key(|&(shard, _)| shard);
        let mut partials = partials.into_iter().peekable();
        let mut merged = Vec::with_capacity(self.subtrees.len());
        for subtree in &self.subtrees {
            let inside = iter::from_fn(|| partials.next_if(|(shard, _)| subtree.contains(shard)));
            let join = |shard: u32, left: &mut P::Partial, right| {
                at.of("shard", shard).enter();
                match self.masked {
                    Some(masked) => (masked.add)(&self.program, left, right),
                    None => (self.verb.merge)(&self.program, phase, left, right),
                }
            };
            merged.extend(root(inside, self.in_a_row, join));
        }
        merged.extend(partials);
        merged
    }
}

/// Finds the largest nodes within the node of `size` shards from `first` on whose shards are all here, in a
/// run of `shards` shards.
fn find_whole(first: u32, size: u32, shards: u32, here: &[u32], found: &mut Vec<Range<u32>>) {
    let node = first..shards.min(first + size);
    if here.len() == node.len() {
        found.extend(Some(node).filter(|node| !node.is_empty()));
    } else if !here.is_empty() {
        let half = size / 2;
        let (left, right) = here.split_at(here.partition_point(|&shard| shard < first + half));
        find_whole(first, half, shards, left, found);
        find_whole(first + half, half, shards, right, found);
    }
}

/// Returns the value at the root of the tree over these values, which are in shard order: `join` merges the
/// right value into the left one, which is given with its shard. Merges from left to right if `in_a_row`.
fn root<T>(
    values: impl Iterator<Item = (u32, T)>,
    in_a_row: bool,
    mut join: impl FnMut(u32, &mut T, T),
) -> Option<(u32, T)> {
    // Level of the lowest node that has both.
    let level = |left: u32, right: u32| u32::BITS - (left ^ right).leading_zeros();
    // Nodes that wait for values on their right. The node that each shares with the one before it is on a
    // higher level than the node that it shares with the one after it.
    let mut nodes: Vec<(u32, T)> = Vec::new();
    let mut join_last = |nodes: &mut Vec<(u32, T)>| {
        let Some((_, right)) = nodes.pop() else { return };
        if let Some((shard, left)) = nodes.last_mut() {
            join(*shard, left, right);
        }
    };
    for (shard, value) in values {
        while let [.., (before, _), (last, _)] = nodes[..]
            && (in_a_row || level(before, last) < level(last, shard))
        {
            join_last(&mut nodes);
        }
        nodes.push((shard, value));
    }
    while nodes.len() > 1 {
        join_last(&mut nodes);
    }
    nodes.pop()
}

#[cfg(test)]
mod tests {
    use raddle_common::testing::not_empty;

    use super::*;
    use crate::base::random::Stream;

    /// Returns the value of a node by its definition, written out: the merge of the values of its halves.
    fn naive(first: u32, size: u32, answers: &[u32]) -> Option<String> {
        if size == 1 {
            return answers.contains(&first).then(|| first.to_string());
        }
        let half = size / 2;
        match (naive(first, half, answers), naive(first + half, half, answers)) {
            (Some(left), Some(right)) => Some(format!("({left} {right})")),
            (left, right) => left.or(right),
        }
    }

    fn join(_: u32, left: &mut String, right: String) {
        *left = format!("({left} {right})");
    }

    /// Returns the values of the subtrees whose shards are all in `here`.
    fn merged(shards: u32, here: Range<u32>, answers: &[(u32, String)]) -> Vec<(u32, String)> {
        let here: Vec<u32> = here.collect();
        let mut found = Vec::new();
        find_whole(0, shards.next_power_of_two(), shards, &here, &mut found);
        let inside = |node: &Range<u32>| {
            let node = node.clone();
            root(answers.iter().filter(move |(shard, _)| node.contains(shard)).cloned(), false, join)
        };
        found.iter().filter_map(inside).collect()
    }

    #[test]
    fn the_root_is_that_of_the_definition_for_any_shards_and_any_placement() {
        let mut draw = Stream::new(&[3]);
        let mut below = |most: u32| (draw.bits() % u64::from(most)) as u32;
        for shards in not_empty(&(1..40).collect::<Vec<u32>>()) {
            for _ in 0..20 {
                let answers: Vec<u32> = (0..*shards).filter(|_| below(4) > 0).collect();
                let values: Vec<_> = answers.iter().map(|&shard| (shard, shard.to_string())).collect();
                let expected = naive(0, shards.next_power_of_two(), &answers);
                // A process, and in it workers, have contiguous ranges.
                let mut ends: Vec<u32> = (0..3).map(|_| below(shards + 1)).chain([0, *shards]).collect();
                ends.sort_unstable();
                let by_worker: Vec<_> =
                    ends.windows(2).flat_map(|ends| merged(*shards, ends[0]..ends[1], &values)).collect();
                let by_process: Vec<_> = [0..ends[2], ends[2]..*shards]
                    .into_iter()
                    .flat_map(|here| merged(*shards, here, &by_worker))
                    .collect();
                assert!(by_process.len() <= by_worker.len());
                for values in [values, by_worker, by_process] {
                    let found = root(values.into_iter(), false, join);
                    assert_eq!(found.map(|(_, value)| value), expected, "{shards} shards, {ends:?}");
                }
            }
        }
    }

    #[test]
    fn the_shards_of_a_subtree_have_one_value() {
        let values: Vec<_> = (0..64).map(|shard| (shard, shard.to_string())).collect();
        let count = |shards, here| merged(shards, here, &values[..shards as usize]).len();
        assert_eq!([count(64, 16..32), count(64, 0..64), count(5, 4..5), count(5, 0..5)], [1, 1, 1, 1]);
        // 21, 22 and 23, 24 to 31, 32 to 39, 40 and 41.
        assert_eq!([count(64, 21..42), count(64, 1..64)], [5, 6]);
    }

    #[test]
    fn in_a_row_each_value_is_merged_into_those_before_it() {
        let values = [3, 4, 5, 9].map(|shard: u32| (shard, shard.to_string()));
        let found = root(values.into_iter(), true, join);
        assert_eq!(found, Some((3, "(((3 4) 5) 9)".into())));
        assert_eq!(root(std::iter::empty(), true, join), None);
    }
}
