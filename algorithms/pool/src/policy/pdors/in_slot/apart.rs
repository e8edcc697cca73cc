//! Servers on other machines than workers, as OASiS places them.

use super::market::Market;
use super::spread::{Order, fill, joined};
use crate::policy::cluster::{Placement, Share};

/// The cheaper of two placements: workers on the cheapest machines and servers on the cheapest of the others, or servers first.
pub(super) fn cheapest(market: &Market<'_>, workers: u32, order: &Order) -> Option<Placement> {
    let found = [first(market, workers, order, true), first(market, workers, order, false)];
    found.into_iter().flatten().min_by(|a, b| market.cost(a).total_cmp(&market.cost(b)))
}

fn first(market: &Market<'_>, workers: u32, order: &Order, workers_first: bool) -> Option<Placement> {
    let demand = &market.job.demand;
    let mut room = market.room.clone();
    let mut shares: Vec<Share> = Vec::new();
    for of_workers in [workers_first, !workers_first] {
        let (order, count) =
            if of_workers { (&order.worker, workers) } else { (&order.server, demand.servers(workers)) };
        let others: Vec<usize> = order
            .iter()
            .copied()
            .filter(|&node| shares.iter().all(|share| share.node as usize != node))
            .collect();
        let more = fill(
            &mut room,
            count,
            &others,
            |room, node, left| {
                if of_workers {
                    Share { node: node as u32, workers: room.workers(node, demand, left), servers: 0 }
                } else {
                    Share { node: node as u32, workers: 0, servers: room.servers(node, demand, left) }
                }
            },
            market,
        )?;
        shares.extend(more);
    }
    Some(joined(shares))
}
