//! Workers and servers on several machines, the cheapest machines first.

use super::market::Market;
use crate::policy::Room;
use crate::policy::cluster::{Placement, Share};

/// Machines in order of price.
#[derive(Debug)]
pub(super) struct Order {
    /// By the price of a worker,
    pub(super) worker: Vec<usize>,
    /// of a server,
    pub(super) server: Vec<usize>,
    /// and of a worker with its part of a server.
    both: Vec<usize>,
}

impl Order {
    /// The machines of a market.
    pub(super) fn of(market: &Market<'_>) -> Self {
        let per = f64::from(market.job.demand.workers_per_server.max(1));
        let both: Vec<f64> =
            market.worker.iter().zip(&market.server).map(|(worker, server)| worker + server / per).collect();
        Self {
            worker: Market::cheapest(&market.worker),
            server: Market::cheapest(&market.server),
            both: Market::cheapest(&both),
        }
    }
}

/// The cheaper of two placements: all workers first and servers into what is left, or machine by machine with the servers that
/// the workers there need.
pub(super) fn cheapest(market: &Market<'_>, workers: u32, order: &Order) -> Option<Placement> {
    let found = [workers_first(market, workers, order), together(market, workers, order)];
    found.into_iter().flatten().min_by(|a, b| market.cost(a).total_cmp(&market.cost(b)))
}

fn workers_first(market: &Market<'_>, workers: u32, order: &Order) -> Option<Placement> {
    let demand = &market.job.demand;
    let mut room = market.room.clone();
    let mut shares = fill(
        &mut room,
        workers,
        &order.worker,
        |room, node, left| {
            let here = room.workers(node, demand, left);
            Share { node: node as u32, workers: here, servers: 0 }
        },
        market,
    )?;
    let servers = fill(
        &mut room,
        demand.servers(workers),
        &order.server,
        |room, node, left| {
            let here = room.servers(node, demand, left);
            Share { node: node as u32, workers: 0, servers: here }
        },
        market,
    )?;
    shares.extend(servers);
    Some(joined(shares))
}

fn together(market: &Market<'_>, workers: u32, order: &Order) -> Option<Placement> {
    let demand = &market.job.demand;
    let mut room = market.room.clone();
    let shares = fill(
        &mut room,
        workers,
        &order.both,
        |room, node, left| {
            let here = room.with_servers(node, demand, left);
            Share { node: node as u32, workers: here, servers: demand.servers(here) }
        },
        market,
    )?;
    Some(joined(shares))
}

/// Fills machines in turn until `left` workers, or servers where there are no workers, have a place.
pub(super) fn fill(
    room: &mut Room,
    mut left: u32,
    order: &[usize],
    share: impl Fn(&Room, usize, u32) -> Share,
    market: &Market<'_>,
) -> Option<Vec<Share>> {
    let mut shares = Vec::new();
    for &node in order {
        if left == 0 {
            break;
        }
        let share = share(room, node, left);
        let here = if share.workers > 0 { share.workers } else { share.servers };
        if here > 0 {
            room.take(&market.job.demand, share);
            shares.push(share);
            left -= here;
        }
    }
    (left == 0).then_some(shares)
}

/// Shares by machine, in rising order.
pub(super) fn joined(mut shares: Vec<Share>) -> Placement {
    shares.sort_by_key(|share| share.node);
    shares.dedup_by(|next, kept| {
        let same = next.node == kept.node;
        if same {
            kept.workers += next.workers;
            kept.servers += next.servers;
        }
        same
    });
    Placement { shares }
}
