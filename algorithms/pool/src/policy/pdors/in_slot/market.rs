//! One slot as a job sees it: what is free, and at what price.

use crate::policy::Room;
use crate::policy::cluster::{Amounts, Placement, RESOURCES, Share};
use crate::policy::job::Job;

/// What is free in a slot, and the price of a worker and of a server of the job on each node.
#[derive(Debug)]
pub(crate) struct Market<'a> {
    pub(super) job: &'a Job,
    pub(super) room: Room,
    pub(super) worker: Vec<f64>,
    pub(super) server: Vec<f64>,
}

impl<'a> Market<'a> {
    /// A slot in which resources of each node have these prices.
    pub(crate) fn new(job: &'a Job, room: Room, prices: &[Amounts]) -> Self {
        let of = |demand: &Amounts| {
            prices.iter().map(|price| (0..RESOURCES).map(|r| price[r] * demand[r]).sum()).collect()
        };
        Self { job, worker: of(&job.demand.worker), server: of(&job.demand.server), room }
    }

    /// Price of a placement.
    pub(super) fn cost(&self, placement: &Placement) -> f64 {
        let of = |share: &Share| {
            let node = share.node as usize;
            f64::from(share.workers) * self.worker[node] + f64::from(share.servers) * self.server[node]
        };
        placement.shares.iter().map(of).sum()
    }

    /// Nodes, the cheapest by these prices first; of equal ones the first.
    pub(super) fn cheapest(prices: &[f64]) -> Vec<usize> {
        let mut nodes: Vec<usize> = (0..prices.len()).collect();
        nodes.sort_by(|&a, &b| prices[a].total_cmp(&prices[b]));
        nodes
    }
}
