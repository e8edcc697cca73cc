//! Machines, slots and jobs of an instance.

use raddle_pool::policy::{Cluster, Job, Speed};

/// Work a second of a worker: if all workers and servers of the job are on one machine, or across machines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// Rate on one machine.
    pub inside: f64,
    /// Rate across machines.
    pub across: f64,
}

impl Speed for Rates {
    fn rate(&self, workers: u32, nodes: u32) -> f64 {
        f64::from(workers) * if nodes <= 1 { self.inside } else { self.across }
    }
}

/// Jobs that arrive at a cluster within a number of slots.
#[derive(Debug, Clone)]
pub struct Instance {
    /// Machines of the cluster.
    pub cluster: Cluster,
    /// Length of a slot, in seconds.
    pub slot: f64,
    /// Number of slots. A job that has not ended after them is worth nothing.
    pub slots: u32,
    /// Jobs in order of arrival, at the start of a slot, with all their work in `left`.
    pub jobs: Vec<Job>,
}
