//! [`Placer`]: the search for placements of a job in one slot.

use std::fmt::Debug;

use super::market::Market;
use crate::policy::cluster::{Placement, Share};

/// Search for placements of workers and their servers in one slot.
pub trait Placer: Debug {
    /// Name of the policy that places jobs so.
    const POLICY: &str = "pdors";

    /// Placements that may be optimal, for each of these numbers of workers in turn.
    fn placements(&mut self, market: &Market<'_>, workers: &[u32]) -> Vec<Placement>;

    /// Number of times that the search for one number of workers visits each of `nodes` nodes.
    fn looks(&self, _nodes: usize) -> u64 {
        1
    }
}

/// All workers and servers on the cheapest node on which they fit.
#[derive(Debug, Clone, Copy, Default)]
pub struct OneNode;

impl OneNode {
    /// Placement on the cheapest node that fits `workers` workers and their servers; of equal nodes, the
    /// first.
    pub fn cheapest(market: &Market<'_>, workers: u32) -> Option<Placement> {
        let demand = &market.job.demand;
        let servers = demand.servers(workers);
        let cost =
            |node: usize| f64::from(workers) * market.worker[node] + f64::from(servers) * market.server[node];
        let fitting =
            (0..market.room.nodes()).filter(|&node| market.room.fits(node, demand, workers, servers));
        let node = fitting.min_by(|&a, &b| cost(a).total_cmp(&cost(b)))?;
        Some(Placement { shares: vec![Share { node: node as u32, workers, servers }] })
    }
}

impl Placer for OneNode {
    fn placements(&mut self, market: &Market<'_>, workers: &[u32]) -> Vec<Placement> {
        workers.iter().filter_map(|&workers| Self::cheapest(market, workers)).collect()
    }
}
