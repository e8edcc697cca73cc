//! Placements over several nodes, for policies that make promises: with servers next to workers, or on other
//! nodes.

mod apart;
mod spread;
#[cfg(test)]
mod tests;

use raddle_pool::policy::{Market, OneNode, PdOrs, Placement, Placer, PlanSettings};

use self::spread::Order;

/// Creates PD-ORS that also spreads jobs over several nodes.
pub fn pdors(settings: PlanSettings) -> PdOrs<Beside> {
    PdOrs::with_placer(settings, Beside)
}

/// Creates OASiS (Bao et al., "Online job scheduling in distributed machine learning clusters", 2018): prices
/// and admission of [`PdOrs`], but with servers on other nodes than workers, so that all traffic is between
/// nodes.
pub fn oasis(settings: PlanSettings) -> PdOrs<Apart> {
    PdOrs::with_placer(settings, Apart)
}

/// Placer with servers on any nodes, those of workers included (PD-ORS): workers on the cheapest nodes first,
/// then servers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Beside;

impl Placer for Beside {
    fn placements(&mut self, market: &Market<'_>, workers: &[u32]) -> Vec<Placement> {
        let order = Order::of(market);
        let mut found = Vec::new();
        for &workers in workers {
            found.extend(OneNode::cheapest(market, workers));
            if market.room.nodes() > 1 {
                found.extend(spread::cheapest(market, workers, &order));
            }
        }
        found
    }
}

/// Placer with servers on nodes without workers of the job (OASiS).
#[derive(Debug, Clone, Copy, Default)]
pub struct Apart;

impl Placer for Apart {
    const POLICY: &str = "oasis";

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
}
