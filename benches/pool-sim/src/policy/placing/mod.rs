//! Placements over several nodes, for policies that promise: servers beside workers, or on other nodes.

mod apart;
mod lp;
mod rounding;
mod spread;
#[cfg(test)]
mod tests;

use raddle::random::Stream;
use raddle_pool::policy::{Market, OneNode, PdOrs, Placement, Placer, PlanSettings};

use self::rounding::Rounding;
pub use self::rounding::Roundings;
use self::spread::Order;

/// Way to spread a job over several nodes in one slot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Spread {
    /// Workers on the cheapest nodes first, then servers.
    CheapestFirst,
    /// The linear programme's answer times `scale`, each number rounded up with its fraction as the probability, up to `turns`
    /// times until it is feasible.
    Rounded {
        /// Factor before rounding, G: below 1 it favours capacities, above 1 coverage.
        scale: f64,
        /// Most turns, S.
        turns: u32,
    },
}

/// PD-ORS that also spreads jobs over several nodes.
pub fn pdors(settings: PlanSettings, spread: Spread, seed: u64) -> PdOrs<Beside> {
    PdOrs::with_placer(settings, Beside::new(spread, seed))
}

/// Servers on any node, also on that of all workers (PD-ORS).
#[derive(Debug)]
pub struct Beside {
    spread: Spread,
    rounding: Rounding,
}

impl Beside {
    /// Placements that are spread so, by a seed where they are drawn.
    pub fn new(spread: Spread, seed: u64) -> Self {
        Self { spread, rounding: Rounding::new(Stream::new(&[seed])) }
    }

    /// Counts of linear programmes and roundings.
    pub fn roundings(&self) -> Roundings {
        self.rounding.counts
    }

    fn spread(&mut self, market: &Market<'_>, workers: u32, order: &Order) -> Option<Placement> {
        if let Spread::Rounded { scale, turns } = self.spread
            && let Some(answer) = self.rounding.rounded(market, workers, order, (scale, turns))
        {
            return answer;
        }
        spread::cheapest(market, workers, order)
    }
}

impl Placer for Beside {
    fn placements(&mut self, market: &Market<'_>, workers: &[u32]) -> Vec<Placement> {
        let order = Order::of(market);
        let mut found = Vec::new();
        for &workers in workers {
            found.extend(OneNode::cheapest(market, workers));
            if market.room.nodes() > 1 {
                found.extend(self.spread(market, workers, &order));
            }
        }
        found
    }

    fn looks(&self, nodes: usize) -> u64 {
        looks(nodes)
    }
}

/// Servers on nodes that have no worker of the job (OASiS).
#[derive(Debug, Clone, Copy, Default)]
pub struct Apart;

impl Placer for Apart {
    fn placements(&mut self, market: &Market<'_>, workers: &[u32]) -> Vec<Placement> {
        let order = Order::of(market);
        let mut found = Vec::new();
        for &workers in workers {
            let has_servers = market.job.demand.servers(workers) > 0;
            if !has_servers {
                found.extend(OneNode::cheapest(market, workers));
            }
            found.extend(match market.room.nodes() > 1 {
                true if has_servers => apart::cheapest(market, workers, &order),
                true => spread::cheapest(market, workers, &order),
                false => None,
            });
        }
        found
    }

    fn looks(&self, nodes: usize) -> u64 {
        looks(nodes)
    }
}

/// A node is looked at for all workers together, and where there are others twice more.
fn looks(nodes: usize) -> u64 {
    if nodes > 1 { 3 } else { 1 }
}
