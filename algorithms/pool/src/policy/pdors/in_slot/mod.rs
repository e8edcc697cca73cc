//! Placements of one job in one slot, each with its price.

mod apart;
mod lp;
mod one;
mod rounding;
mod spread;

pub use self::rounding::Roundings;

use raddle::random::Stream;

use super::programme::Choice;
use super::settings::Spread;
use crate::policy::cluster::{Amounts, Placement, RESOURCES, Share};
use crate::policy::job::Job;
use crate::policy::room::Room;

/// Where the parameter servers of a job are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Servers {
    /// On any node, also on that of all workers (PD-ORS).
    Beside,
    /// On nodes that have no worker of the job (OASiS).
    Apart,
}

/// What is free in a slot, and the price of a worker and of a server of the job on each node.
#[derive(Debug)]
pub(super) struct Market<'a> {
    job: &'a Job,
    room: Room,
    worker: Vec<f64>,
    server: Vec<f64>,
}

/// Drawing, counts of it, and counts of steps.
#[derive(Debug)]
pub(super) struct Drawn {
    pub(super) stream: Stream,
    pub(super) roundings: Roundings,
    pub(super) steps: u64,
}

impl<'a> Market<'a> {
    /// A slot in which resources of each node have these prices.
    pub(super) fn new(job: &'a Job, room: Room, prices: &[Amounts]) -> Self {
        let of = |demand: &Amounts| {
            prices.iter().map(|price| (0..RESOURCES).map(|r| price[r] * demand[r]).sum()).collect()
        };
        Self { job, worker: of(&job.demand.worker), server: of(&job.demand.server), room }
    }

    /// Price of a placement.
    fn cost(&self, placement: &Placement) -> f64 {
        let of = |share: &Share| {
            let node = share.node as usize;
            f64::from(share.workers) * self.worker[node] + f64::from(share.servers) * self.server[node]
        };
        placement.shares.iter().map(of).sum()
    }

    /// Nodes, the cheapest by these prices first; of equal ones the first.
    fn cheapest(prices: &[f64]) -> Vec<usize> {
        let mut nodes: Vec<usize> = (0..prices.len()).collect();
        nodes.sort_by(|&a, &b| prices[a].total_cmp(&prices[b]));
        nodes
    }

    /// Placements in which the job works for so many seconds: of those with as many workers the cheapest, and none that
    /// costs more than another which does as much.
    pub(super) fn choices(
        &self,
        seconds: f64,
        servers: Servers,
        spread: Spread,
        drawn: &mut Drawn,
    ) -> Vec<Choice> {
        let mut found: Vec<Choice> = Vec::new();
        let mut offer = |placement: Option<Placement>| {
            let Some(placement) = placement else { return };
            let work = self.job.speed.rate(placement.workers(), placement.nodes()) * seconds;
            if work > 0.0 {
                found.push(Choice { work, cost: self.cost(&placement), placement });
            }
        };
        let several = self.room.nodes() > 1;
        let by_price = spread::Order::of(self);
        for workers in counts(self.job) {
            drawn.steps += self.room.nodes() as u64;
            let has_servers = self.job.demand.servers(workers) > 0;
            if servers == Servers::Beside || !has_servers {
                offer(one::cheapest(self, workers));
            }
            if !several {
                continue;
            }
            drawn.steps += 2 * self.room.nodes() as u64;
            if servers == Servers::Apart && has_servers {
                offer(apart::cheapest(self, workers, &by_price));
                continue;
            }
            offer(match spread {
                Spread::CheapestFirst => spread::cheapest(self, workers, &by_price),
                Spread::Rounded { scale, turns } => rounding::rounded(self, workers, (scale, turns), drawn)
                    .unwrap_or_else(|| spread::cheapest(self, workers, &by_price)),
            });
        }
        undominated(found)
    }
}

/// Numbers of workers that are tried: the least, then a quarter more each, up to the most.
fn counts(job: &Job) -> impl Iterator<Item = u32> {
    let (least, most) = (job.least.max(1), job.most);
    std::iter::successors((least <= most).then_some(least), move |&workers| {
        (workers < most).then(|| (workers + 1).max(workers + workers / 4).min(most))
    })
}

/// Choices than which none does as much work for less.
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
