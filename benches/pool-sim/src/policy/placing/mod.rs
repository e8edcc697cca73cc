//! Placements over several nodes, for policies that make promises: with servers next to workers, or on other
//! nodes.

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
        found(market, workers, |_| true, spread::cheapest)
    }
}

/// Placer with servers on nodes without workers of the job (OASiS).
#[derive(Debug, Clone, Copy, Default)]
pub struct Apart;

impl Placer for Apart {
    const POLICY: &str = "oasis";

    fn placements(&mut self, market: &Market<'_>, workers: &[u32]) -> Vec<Placement> {
        let has_servers = |workers| market.job.demand.servers(workers) > 0;
        let spread = |market: &Market<'_>, workers, order: &Order| match has_servers(workers) {
            true => spread::cheapest_apart(market, workers, order),
            false => spread::cheapest(market, workers, order),
        };
        found(market, workers, |workers| !has_servers(workers), spread)
    }
}

/// Placements of each of these numbers of workers: on one node, where the number may be on one, and over
/// several.
fn found(
    market: &Market<'_>,
    workers: &[u32],
    may_be_on_one: impl Fn(u32) -> bool,
    spread: impl Fn(&Market<'_>, u32, &Order) -> Option<Placement>,
) -> Vec<Placement> {
    let order = Order::of(market);
    let of = |&workers: &u32| {
        let one = may_be_on_one(workers).then(|| OneNode::cheapest(market, workers));
        let several = (market.room.nodes() > 1).then(|| spread(market, workers, &order));
        [one.flatten(), several.flatten()].into_iter().flatten()
    };
    workers.iter().flat_map(of).collect()
}
