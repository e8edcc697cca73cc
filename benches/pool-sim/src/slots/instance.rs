//! Machines, slots and jobs of an instance.

use raddle_pool::policy::{Cluster, Job, Speed};

/// Work a second of a worker: on one machine with all others and with their servers, or across machines.
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

/// Jobs that arrive at a cluster within so many slots.
#[derive(Debug, Clone)]
pub struct Instance {
    /// Machines.
    pub cluster: Cluster,
    /// Length of a slot, in seconds.
    pub slot: f64,
    /// Number of slots; what has not ended after them is worth nothing.
    pub slots: u32,
    /// Jobs in order of arrival, which is the begin of a slot; with all their work in `left`.
    pub jobs: Vec<Job>,
}
