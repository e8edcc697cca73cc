//! Policies: state machines that distribute a cluster among jobs, each in a module of its own.

mod cluster;
mod drf;
mod fifo;
mod greedy;
mod job;
pub mod names;
mod pdors;
mod profile;
mod random;
mod room;

pub use self::cluster::{Amounts, Cluster, Demand, Placement, RESOURCES, Share};
pub use self::drf::Drf;
pub use self::fifo::Fifo;
pub use self::greedy::{Greedy, Knowledge, place};
pub use self::job::{Job, JobId, Speed, Utility};
pub use self::pdors::{Ceiling, Market, OneNode, PdOrs, Placer, PlanSettings, Unfit, promisable};
pub use self::profile::{ByWorkers, Profile, ProfileError, Profiles};
pub use self::random::Random;
pub use self::room::Room;

use std::collections::BTreeMap;

use serde::Serialize;

/// A policy, which distributes a cluster among jobs.
///
/// A policy is a state machine with a seed. It uses no thread and no clock, and equal calls give equal
/// decisions. Calls come in order of time: when jobs arrive, when they end, and at ticks or epoch boundaries
/// in between.
pub trait Policy {
    /// Name of the policy, as `--policy` takes it.
    fn name(&self) -> &'static str;

    /// Decides on the placement of each job from time `now` on, in seconds since the pool began.
    ///
    /// `jobs` have arrived and have neither ended nor been refused, in order of arrival. A job without a
    /// placement in the allocation holds nothing from now on.
    fn decide(&mut self, now: f64, cluster: &Cluster, jobs: &[Job]) -> Allocation;

    /// Learns of a job that may arrive, such as one of an earlier day or of a known instance.
    fn expect(&mut self, _cluster: &Cluster, _job: &Job) {}

    /// Learns from a job that has ended, in its final state. Called once for each job, before the next
    /// decision.
    fn ended(&mut self, _job: &Job) {}

    /// Seconds between two decisions, if the policy plans by slots of time: it has to be asked at the start
    /// of each slot.
    fn slot(&self) -> Option<f64> {
        None
    }

    /// `true` if the batch size of a job grows with its workers, as under ONES; else it stays as submitted.
    /// Programs of raddle have no batch size of this kind.
    fn scales_batch(&self) -> bool {
        false
    }
}

/// Distribution of a cluster, as a policy decides it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Allocation {
    /// Placements of the jobs that hold something.
    pub placements: BTreeMap<JobId, Placement>,
    /// Answers to jobs that a policy makes promises to, each given once.
    pub promises: Vec<(JobId, Promise)>,
}

/// Answer to a job that is to be promised an end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Promise {
    /// The job ends by this time, in seconds since the pool began.
    By(f64),
    /// The job is refused and never runs. The time is the earliest end that could have been promised, if any.
    Refused(Option<f64>),
}
