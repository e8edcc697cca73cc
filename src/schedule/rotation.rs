//! [`Rotation`]: disjoint blocks rotate through the shards, by a plan for a whole epoch.

use super::{Assignment, EpochStart, Plan, Round, Schedule};
use crate::base::state::{Reader, StateError, Writer};
use crate::program::Phase;
use crate::program::verbs::Verb;

/// Every block meets every shard once an epoch, and no two tasks of a round share a shard or a block.
///
/// With `S` shards and `B` blocks a round holds `min(S, B)` tasks and an epoch `max(S, B)` rounds: the strata
/// of Gemulla et al. (2011), the word rotation of STRADS's LDA. The plan is known in advance, so the engine
/// sends it out an epoch at a time.
#[derive(Debug, Clone)]
pub struct Rotation<F = ()> {
    shards: u32,
    blocks: u32,
    phases: Vec<F>,
}

impl Rotation {
    /// Rotates `blocks` blocks round the shards `0..shards`.
    pub fn new(shards: u32, blocks: u32) -> Self {
        Self { shards, blocks, phases: vec![()] }
    }
}

impl<F> Rotation<F> {
    /// Makes the rotation one of this phase.
    pub fn phase<G>(self, phase: G) -> Rotation<G> {
        Rotation { shards: self.shards, blocks: self.blocks, phases: vec![phase] }
    }

    /// Adds another rotation, of this phase, to the end of each epoch: say, to measure the effect of the
    /// first.
    pub fn then(mut self, phase: F) -> Self {
        self.phases.push(phase);
        self
    }

    /// Returns the rounds of one rotation.
    pub fn rounds<G: Clone>(&self, phase: G) -> Vec<Round<G>> {
        let (shards, blocks) = (u64::from(self.shards), u64::from(self.blocks));
        if shards == 0 || blocks == 0 {
            return Vec::new();
        }
        let length = shards.max(blocks);
        let round = |r: u64| {
            let mut tasks: Vec<Assignment> = (0..shards.min(blocks))
                .map(|i| {
                    // The smaller side is spread out over the larger one and moves along it.
                    let along = ((i * length / shards.min(blocks) + r) % length) as u32;
                    let (shard, block) = if shards <= blocks { (i as u32, along) } else { (along, i as u32) };
                    Assignment { shard, block: Some(block), variables: Vec::new() }
                })
                .collect();
            tasks.sort_unstable_by_key(|task| task.shard);
            Round::new(phase.clone(), tasks)
        };
        (0..length).map(round).collect()
    }
}

impl<F: Phase> Schedule<F> for Rotation<F> {
    fn identity(&self) -> String {
        let Self { shards, blocks, phases } = self;
        format!("rotation of {blocks} blocks round {shards} shards, phases {phases:?}")
    }

    fn requires(&self) -> Vec<Verb> {
        let fold = (self.blocks > 1 || self.phases.len() > 1).then_some(Verb::Fold);
        std::iter::once(Verb::UpdateBlock).chain(fold).collect()
    }

    fn check(&self, shards: usize, blocks: usize) -> Result<(), String> {
        super::check_count("shards", self.shards, shards)?;
        super::check_count("blocks", self.blocks, blocks)
    }

    fn wanted(&self, _: &EpochStart) -> Option<u32> {
        Some(self.shards.min(self.blocks))
    }

    fn begin_epoch(&mut self, _: &EpochStart) -> Plan<F> {
        Plan::Known(self.phases.iter().flat_map(|phase| self.rounds(phase.clone())).collect())
    }

    fn save(&self, _: &mut Writer) {}

    fn load(&mut self, _: &mut Reader<'_>) -> Result<(), StateError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #[test]
        fn every_pair_meets_once_and_rounds_are_disjoint(shards in 1u32..40, blocks in 1u32..40) {
            let mut met = HashSet::new();
            for round in Rotation::new(shards, blocks).rounds(()) {
                let seen: HashSet<_> = round.tasks.iter().map(|task| task.shard).collect();
                let held: HashSet<_> = round.tasks.iter().map(|task| task.block).collect();
                prop_assert_eq!((seen.len(), held.len()), (round.tasks.len(), round.tasks.len()));
                met.extend(round.tasks.iter().map(|task| (task.shard, task.block)));
            }
            prop_assert_eq!(met.len() as u32, shards * blocks);
        }
    }
}
