//! [`Slots`]: the slots of a cluster, node after node, with their owners.

use std::collections::BTreeMap;

use raddle_pool::policy::{Cluster, Job, JobId, Placement, Share};

use super::operators::Individual;

/// Slots in a row, node after node.
#[derive(Debug, Default)]
pub(super) struct Slots {
    /// Node of each slot.
    nodes: Vec<u32>,
    /// Owner of each slot, by the last decision.
    pub(super) owners: Individual,
}

impl Slots {
    /// Updates the owners: jobs that are gone own no slots, and if a placement differs from the last
    /// decision, all owners are read from the placements.
    pub(super) fn follow(&mut self, cluster: &Cluster, jobs: &[Job]) {
        let of = |(node, amounts): (usize, &[f64; 3])| std::iter::repeat_n(node as u32, amounts[0] as usize);
        self.nodes = cluster.nodes.iter().enumerate().flat_map(of).collect();
        self.owners.resize(self.nodes.len(), None);
        let held: BTreeMap<JobId, &Placement> = jobs.iter().map(|job| (job.id, &job.placement)).collect();
        for owner in &mut self.owners {
            *owner = owner.filter(|id| held.get(id).is_some_and(|placement| !placement.shares.is_empty()));
        }
        let decided = self.placements();
        let is_as_decided = |(id, placement): (&JobId, &&Placement)| {
            decided
                .get(id)
                .map_or(placement.shares.is_empty(), |decided| by_node(decided) == by_node(placement))
        };
        if !held.iter().all(is_as_decided) {
            self.owners.fill(None);
            for (id, share) in held.iter().flat_map(|(id, of)| of.shares.iter().map(|share| (*id, share))) {
                let free = self.nodes.iter().zip(&mut self.owners);
                let free = free.filter(|(node, owner)| **node == share.node && owner.is_none());
                free.take(share.workers as usize).for_each(|(_, owner)| *owner = Some(id));
            }
        }
    }

    /// Slots that none of these jobs owns.
    pub(super) fn open(&self, locked: &[JobId]) -> Vec<usize> {
        let is_open = |slot: &usize| self.owners[*slot].is_none_or(|id| !locked.contains(&id));
        (0..self.owners.len()).filter(is_open).collect()
    }

    /// All owners, with those of the open slots replaced by `individual`.
    pub(super) fn with(&self, open: &[usize], individual: &Individual) -> Individual {
        let mut owners = self.owners.clone();
        open.iter().zip(individual).for_each(|(&slot, owner)| owners[slot] = *owner);
        owners
    }

    /// Placement of each owner.
    pub(super) fn placements(&self) -> BTreeMap<JobId, Placement> {
        let mut placements: BTreeMap<JobId, Placement> = BTreeMap::new();
        for (&node, id) in self.nodes.iter().zip(&self.owners).filter_map(|(node, id)| Some((node, (*id)?))) {
            let shares = &mut placements.entry(id).or_default().shares;
            match shares.last_mut().filter(|share| share.node == node) {
                Some(share) => share.workers += 1,
                None => shares.push(Share { node, workers: 1, servers: 0 }),
            }
        }
        placements
    }
}

/// Number of workers on each node.
fn by_node(placement: &Placement) -> BTreeMap<u32, u32> {
    placement.shares.iter().map(|share| (share.node, share.workers)).collect()
}
