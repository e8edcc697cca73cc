//! [`Free`]: what is left of a cluster while a policy shares it out.

use super::cluster::{Amounts, Cluster, Demand, Placement, Share};

/// Amounts that are left on each node of a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Free {
    nodes: Vec<Amounts>,
}

impl Free {
    /// All of a cluster.
    pub fn of(cluster: &Cluster) -> Self {
        Self { nodes: cluster.nodes.clone() }
    }

    /// Takes what a job holds there; below nothing where it is not there, as [`Self::is_exceeded`] tells.
    pub fn take(&mut self, demand: &Demand, placement: &Placement) {
        for share in &placement.shares {
            let Some(node) = self.nodes.get_mut(share.node as usize) else { continue };
            for (left, (worker, server)) in node.iter_mut().zip(demand.worker.into_iter().zip(demand.server))
            {
                *left -= worker * f64::from(share.workers) + server * f64::from(share.servers);
            }
        }
    }

    /// `true` if more was taken of a node than it had.
    pub fn is_exceeded(&self) -> bool {
        self.nodes.iter().flatten().any(|left| *left < -1e-9)
    }

    /// Most workers of this demand that a node has room for.
    pub fn workers(&self, node: usize, demand: &Demand) -> u32 {
        let of = |(left, worker): (&f64, f64)| match worker > 0.0 {
            // Sums of fractions may miss a whole number by their last bits.
            true => (left / worker + 1e-9).max(0.0) as u32,
            false => u32::MAX,
        };
        self.nodes.get(node).map_or(0, |left| left.iter().zip(demand.worker).map(of).min().unwrap_or(0))
    }

    /// Takes `workers` workers from the node with most room for them, again and again, and from the first of equal ones; `None`,
    /// and nothing taken, where there is no room for all. Shares are in the order in which they are taken. Servers are not placed.
    pub fn spread(&mut self, demand: &Demand, workers: u32) -> Option<Placement> {
        let mut room: Vec<u32> = (0..self.nodes.len()).map(|node| self.workers(node, demand)).collect();
        let mut missing = workers;
        let mut shares = Vec::new();
        while missing > 0 {
            let node = (0..room.len()).rev().max_by_key(|&node| room[node])?;
            let taken = room[node].min(missing);
            if taken == 0 {
                return None;
            }
            shares.push(Share { node: node as u32, workers: taken, servers: 0 });
            room[node] = 0;
            missing -= taken;
        }
        let placement = Placement { shares };
        self.take(demand, &placement);
        Some(placement)
    }
}
