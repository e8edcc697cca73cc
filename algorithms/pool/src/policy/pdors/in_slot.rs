//! Placements of one job in one slot, each with its price.

use std::fmt::Debug;

use super::programme::Choice;
use crate::policy::Room;
use crate::policy::cluster::{Amounts, Placement, RESOURCES, Share};
use crate::policy::job::Job;

/// One slot as a job sees it: free capacity, and the price of a worker and of a server of the job on each
/// node.
#[derive(Debug)]
pub struct Market<'a> {
    /// The job.
    pub job: &'a Job,
    /// Free capacity of each node.
    pub room: Room,
    /// Price of a worker on each node.
    pub worker: Vec<f64>,
    /// Price of a server on each node.
    pub server: Vec<f64>,
}

impl<'a> Market<'a> {
    /// A slot in which the resources of each node have these prices.
    pub fn new(job: &'a Job, room: Room, prices: &[Amounts]) -> Self {
        let of = |demand: &Amounts| {
            prices.iter().map(|price| (0..RESOURCES).map(|r| price[r] * demand[r]).sum()).collect()
        };
        Self { job, worker: of(&job.demand.worker), server: of(&job.demand.server), room }
    }

    /// Price of a placement.
    pub fn cost(&self, placement: &Placement) -> f64 {
        let of = |share: &Share| {
            let node = share.node as usize;
            f64::from(share.workers) * self.worker[node] + f64::from(share.servers) * self.server[node]
        };
        placement.shares.iter().map(of).sum()
    }

    /// Returns the placements in which the job works for `seconds` seconds, without any that costs more than
    /// another that does as much work.
    pub(super) fn choices(&self, seconds: f64, placer: &mut impl Placer) -> Vec<Choice> {
        let counts: Vec<u32> = counts(self.job).collect();
        let choice = |placement: Placement| {
            let work = self.job.speed.rate(placement.workers(), placement.nodes()) * seconds;
            Choice { work, cost: self.cost(&placement), placement }
        };
        let found = placer.placements(self, &counts).into_iter().map(choice);
        undominated(found.filter(|choice| choice.work > 0.0).collect())
    }
}

/// Numbers of workers that are tried: the minimum, then about a quarter more each time, up to the maximum.
fn counts(job: &Job) -> impl Iterator<Item = u32> {
    let (least, most) = (job.least.max(1), job.most);
    std::iter::successors((least <= most).then_some(least), move |&workers| {
        (workers < most).then(|| (workers + 1).max(workers + workers / 4).min(most))
    })
}

/// Choices without those for which another does as much work at a lower cost.
fn undominated(mut choices: Vec<Choice>) -> Vec<Choice> {
    choices.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(b.work.total_cmp(&a.work)));
    let mut most = 0.0;
    choices.retain(|choice| {
        let more = choice.work > most;
        most = choice.work.max(most);
        more
    });
    choices
}

/// Search for placements of workers and their servers in one slot.
pub trait Placer: Debug {
    /// Name of the policy that places jobs so.
    const POLICY: &str = "pdors";

    /// Placements that may be optimal, for each of these numbers of workers in turn.
    fn placements(&mut self, market: &Market<'_>, workers: &[u32]) -> Vec<Placement>;
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
        let on = |node: usize| Placement { shares: vec![Share { node: node as u32, workers, servers }] };
        (0..market.room.nodes())
            .filter(|&node| market.room.fits(node, demand, workers, servers))
            .map(on)
            .min_by(|a, b| market.cost(a).total_cmp(&market.cost(b)))
    }
}

impl Placer for OneNode {
    fn placements(&mut self, market: &Market<'_>, workers: &[u32]) -> Vec<Placement> {
        workers.iter().filter_map(|&workers| Self::cheapest(market, workers)).collect()
    }
}
