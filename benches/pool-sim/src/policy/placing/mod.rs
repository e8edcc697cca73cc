//! Placements over several nodes, for policies that make promises: with servers next to workers, or on other
//! nodes.

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

/// Method that spreads a job over several nodes in one slot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Spread {
    /// Workers on the cheapest nodes first, then servers.
    CheapestFirst,
    /// Randomised rounding: the answer of the linear programme times `scale`, where each number is rounded up
    /// with its fraction as the probability, up to `turns` times until the placement is feasible.
    Rounded {
        /// Factor before rounding, G: below 1 favours capacities, above 1 coverage.
        scale: f64,
        /// Maximum number of turns, S.
        turns: u32,
    },
}

/// Creates PD-ORS that also spreads jobs over several nodes.
pub fn pdors(settings: PlanSettings, spread: Spread, seed: u64) -> PdOrs<Beside> {
    PdOrs::with_placer(settings, Beside::new(spread, seed))
}

/// Placer with servers on any nodes, those of workers included (PD-ORS).
#[derive(Debug)]
pub struct Beside {
    spread: Spread,
    rounding: Rounding,
}

impl Beside {
    /// A placer that spreads by a method, with a seed for randomised rounding.
    pub fn new(spread: Spread, seed: u64) -> Self {
        Self { spread, rounding: Rounding::new(Stream::new(&[seed])) }
    }

    /// Numbers of linear programmes and roundings so far.
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

/// Placer with servers on nodes without workers of the job (OASiS).
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

/// Visits of a node: one for placements on a single node, and two more for those over several nodes.
fn looks(nodes: usize) -> u64 {
    if nodes > 1 { 3 } else { 1 }
}
