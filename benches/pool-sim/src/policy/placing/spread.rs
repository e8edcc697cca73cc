//! Workers and servers on several machines, the cheapest first.

use raddle_pool::policy::{Market, Placement, Room, Share};

/// Machines, in order of price.
#[derive(Debug)]
pub(super) struct Order {
    worker: Vec<usize>,
    server: Vec<usize>,
    /// Order by the price of a worker with its part of a server.
    both: Vec<usize>,
}

impl Order {
    /// Sorts the machines of a market.
    pub(super) fn of(market: &Market<'_>) -> Self {
        let per = f64::from(market.job.demand.workers_per_server.max(1));
        let both: Vec<f64> =
            market.worker.iter().zip(&market.server).map(|(worker, server)| worker + server / per).collect();
        Self {
            worker: cheapest_first(&market.worker),
            server: cheapest_first(&market.server),
            both: cheapest_first(&both),
        }
    }
}

/// Nodes by these prices, the cheapest first; of equal nodes, the first.
fn cheapest_first(prices: &[f64]) -> Vec<usize> {
    let mut nodes: Vec<usize> = (0..prices.len()).collect();
    nodes.sort_by(|&a, &b| prices[a].total_cmp(&prices[b]));
    nodes
}

/// Part of a job that is placed at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Workers,
    Servers,
    /// Workers, with the servers that they need on the same machine.
    Both,
}

/// Places all these parts for `workers` workers, each on the cheapest machines for it; `None` if they do not
/// fit. Unless `may_share`, no part is on a machine of another part.
fn placed(
    parts: &[Part],
    market: &Market<'_>,
    order: &Order,
    workers: u32,
    may_share: bool,
) -> Option<Placement> {
    let mut room = market.room.clone();
    let mut shares: Vec<Share> = Vec::new();
    for part in parts {
        let is_free = |node: &&usize| may_share || shares.iter().all(|share| share.node as usize != **node);
        let nodes = match part {
            Part::Workers => &order.worker,
            Part::Servers => &order.server,
            Part::Both => &order.both,
        };
        let nodes: Vec<usize> = nodes.iter().filter(is_free).copied().collect();
        let more = part.fill(market, &mut room, workers, &nodes)?;
        shares.extend(more);
    }
    Some(joined(shares))
}

impl Part {
    /// Fills machines in turn until the whole part is placed.
    fn fill(self, market: &Market<'_>, room: &mut Room, workers: u32, nodes: &[usize]) -> Option<Vec<Share>> {
        let demand = &market.job.demand;
        let mut left = if self == Self::Servers { demand.servers(workers) } else { workers };
        let mut shares = Vec::new();
        for &node in nodes {
            if left == 0 {
                break;
            }
            let (workers, servers) = match self {
                Self::Workers => (room.workers(node, demand, left), 0),
                Self::Servers => (0, room.servers(node, demand, left)),
                Self::Both => {
                    let here = room.with_servers(node, demand, left);
                    (here, demand.servers(here))
                }
            };
            let here = if workers > 0 { workers } else { servers };
            if here > 0 {
                let share = Share { node: node as u32, workers, servers };
                room.take(demand, share);
                shares.push(share);
                left -= here;
            }
        }
        (left == 0).then_some(shares)
    }
}

/// The cheaper of two placements: all workers first, then servers where they fit; or machine by machine, with
/// the servers that the workers there need.
pub(super) fn cheapest(market: &Market<'_>, workers: u32, order: &Order) -> Option<Placement> {
    let placed = |parts: &[Part]| placed(parts, market, order, workers, true);
    cheaper(market, [placed(&[Part::Workers, Part::Servers]), placed(&[Part::Both])])
}

/// The cheaper of two placements with servers on other machines than workers, as in OASiS: first workers on
/// the cheapest machines, then servers on the cheapest of the others; or the reverse.
pub(super) fn cheapest_apart(market: &Market<'_>, workers: u32, order: &Order) -> Option<Placement> {
    let placed = |parts: &[Part]| placed(parts, market, order, workers, false);
    cheaper(market, [placed(&[Part::Workers, Part::Servers]), placed(&[Part::Servers, Part::Workers])])
}

/// The cheaper of two placements; of equal ones, the first.
fn cheaper(market: &Market<'_>, found: [Option<Placement>; 2]) -> Option<Placement> {
    found.into_iter().flatten().min_by(|a, b| market.cost(a).total_cmp(&market.cost(b)))
}

/// Merges shares on the same machine, in ascending order of machines.
fn joined(mut shares: Vec<Share>) -> Placement {
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
