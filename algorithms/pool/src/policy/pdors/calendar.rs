//! [`Calendar`]: the resources that plans take in each slot.

use std::collections::VecDeque;

use crate::policy::Room;
use crate::policy::cluster::{Amounts, Cluster, Demand, Placement, RESOURCES};

/// Amounts taken of each node, by slot, starting with the present one.
#[derive(Debug, Clone, Default)]
pub(super) struct Calendar {
    first: u32,
    taken: VecDeque<Vec<Amounts>>,
}

impl Calendar {
    /// Forgets slots before this one.
    pub(super) fn advance(&mut self, slot: u32) {
        while self.first < slot && self.taken.pop_front().is_some() {
            self.first += 1;
        }
        self.first = self.first.max(slot);
    }

    /// Amounts taken of each node in a slot.
    pub(super) fn taken(&self, slot: u32) -> &[Amounts] {
        let at = slot.checked_sub(self.first).map(|at| at as usize);
        at.and_then(|at| self.taken.get(at)).map_or(&[], Vec::as_slice)
    }

    /// Free capacity in a slot.
    pub(super) fn room(&self, slot: u32, cluster: &Cluster) -> Room {
        Room::without(cluster, self.taken(slot))
    }

    /// Takes a placement in a slot (`sign` 1), or releases it (`sign` -1).
    pub(super) fn change(&mut self, slot: u32, demand: &Demand, placement: &Placement, sign: f64) {
        let Some(at) = slot.checked_sub(self.first).map(|at| at as usize) else { return };
        while self.taken.len() <= at {
            self.taken.push_back(Vec::new());
        }
        for share in &placement.shares {
            let node = share.node as usize;
            let nodes = &mut self.taken[at];
            if nodes.len() <= node {
                nodes.resize(node + 1, [0.0; RESOURCES]);
            }
            let amounts = demand.of(share.workers, share.servers);
            // Rounding must not leave amounts below 0.
            nodes[node]
                .iter_mut()
                .zip(amounts)
                .for_each(|(taken, amount)| *taken = (*taken + sign * amount).max(0.0));
        }
    }
}
