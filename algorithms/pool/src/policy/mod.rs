//! Policies: state machines that share a cluster out among jobs. Each policy is a file of its own.

mod cluster;
mod drf;
mod fifo;
mod job;
pub mod las;
pub mod names;
pub mod ones;
pub mod optimus;
mod pdors;
mod profile;
mod random;
mod room;

pub use self::cluster::{Amounts, Cluster, Demand, Placement, RESOURCES, Share};
pub use self::drf::Drf;
pub use self::fifo::Fifo;
pub use self::job::{Job, JobId, Observed, Speed, Utility};
pub use self::pdors::{Ceiling, Market, OneNode, PdOrs, Placer, PlanSettings, Unfit, promisable};
pub use self::profile::{ByWorkers, Profile, ProfileError, Profiles};
pub use self::random::Random;
pub use self::room::Room;

use std::collections::BTreeMap;

/// A policy: shares a cluster out among jobs.
///
/// A plain state machine with one seed: it knows no thread and no clock, and given equal calls it decides equally. Calls come
/// in order of time: at the arrival of jobs, at their ends, and at ticks or boundaries between.
pub trait Policy {
    /// Name of the policy, as `--policy` takes it.
    fn name(&self) -> &'static str;

    /// The share of each job from `now` on, in seconds since the pool began.
    ///
    /// `jobs` are those that have arrived and have neither ended nor been refused, in order of arrival. A job that the
    /// allocation does not name holds nothing from now on.
    fn decide(&mut self, now: f64, cluster: &Cluster, jobs: &[Job]) -> Allocation;

    /// Learns from a job that has ended, as it was at its end. It is called once a job, before the next decision.
    fn ended(&mut self, _job: &Job) {}

    /// Seconds from one decision to the next that it needs, whatever happens between: the length of its slots, where it plans.
    fn slot(&self) -> Option<f64> {
        None
    }

    /// `true` if the batch of a job grows with its workers, as under ONES; else it stays as submitted. Programs of raddle have
    /// no such batch.
    fn scales_batch(&self) -> bool {
        false
    }
}

/// Shares of a cluster, as a policy decides them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Allocation {
    /// The placement of each job that holds something.
    pub placements: BTreeMap<JobId, Placement>,
    /// Answers to jobs that asked for a promise, each given once.
    pub promises: Vec<(JobId, Promise)>,
    /// Reasons of the decision in words, a line each, for `--explain`.
    pub reasons: Vec<String>,
}

/// Answer to a job that asked for a time by which it ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Promise {
    /// The job ends by this time, in seconds since the pool began.
    By(f64),
    /// The job is refused and never runs; the earliest time that could have been promised, if any.
    Refused(Option<f64>),
}
