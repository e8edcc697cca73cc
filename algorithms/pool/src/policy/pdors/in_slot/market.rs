//! [`Market`]: one slot as a job sees it, with free capacity and prices.

use crate::policy::Room;
use crate::policy::cluster::{Amounts, Placement, RESOURCES, Share};
use crate::policy::job::Job;

/// Free capacity in a slot, and the price of a worker and of a server of the job on each node.
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
}
