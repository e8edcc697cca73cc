//! All workers and servers on one machine, by enumeration.

use super::market::Market;
use crate::policy::cluster::{Placement, Share};

/// The cheapest machine that takes all.
pub(super) fn cheapest(market: &Market<'_>, workers: u32) -> Option<Placement> {
    let demand = &market.job.demand;
    let servers = demand.servers(workers);
    let cost =
        |node: usize| f64::from(workers) * market.worker[node] + f64::from(servers) * market.server[node];
    let fitting = (0..market.room.nodes()).filter(|&node| market.room.fits(node, demand, workers, servers));
    let node = fitting.min_by(|&a, &b| cost(a).total_cmp(&cost(b)))?;
    Some(Placement { shares: vec![Share { node: node as u32, workers, servers }] })
}
