//! [`Settings`] of a pool.

use serde::{Deserialize, Serialize};

use crate::policy::names::{self, Unknown};
use crate::policy::{Cluster, PlanSettings, Policy};

/// Time by which a pool goes on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// The time that passes.
    Wall,
    /// Counted cost over workers: the same on any machine.
    Counted {
        /// Seconds of one worker for a unit of counted cost ([`raddle::Engine::costs`]), above 0.
        seconds_per_cost: f64,
    },
}

/// The policy of a pool, and its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PolicySettings {
    /// Name of the policy.
    pub name: String,
    /// Seed of policies that draw.
    pub seed: u64,
    /// Service after which `las` puts a job behind, in workers times seconds.
    pub threshold: f64,
    /// Length of a slot of `pdors`, in seconds.
    pub slot: f64,
    /// Seconds of a slot that `pdors` leaves for a change of workers and the wait for a boundary.
    pub rescale: f64,
}

impl PolicySettings {
    /// A policy by its name, with the settings of a pool on one machine.
    pub fn named(name: &str) -> Self {
        let PlanSettings { slot, rescale, .. } = PlanSettings::default();
        Self { name: name.into(), seed: 1, threshold: THRESHOLD, slot, rescale }
    }
}

/// Service after which `las` puts a job of a pool behind: fits last seconds to hours, not the days of Tiresias's jobs.
const THRESHOLD: f64 = 60.0;

/// Settings of a pool. They never change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Number of workers that all jobs together have at most.
    pub workers: u32,
    /// Number of jobs that may have a process, and so hold memory, at once.
    pub alive: u32,
    /// The policy.
    pub policy: PolicySettings,
    /// The clock.
    pub clock: Clock,
}

impl Settings {
    /// `workers` workers under a policy, by the wall clock; as many jobs may hold memory.
    pub fn new(workers: u32, policy: &str) -> Self {
        Self { workers, alive: workers, policy: PolicySettings::named(policy), clock: Clock::Wall }
    }

    /// The same by counted cost, a second of one worker for each unit.
    pub fn counted(self) -> Self {
        Self { clock: Clock::Counted { seconds_per_cost: 1.0 }, ..self }
    }

    /// A policy that has decided nothing yet.
    ///
    /// # Errors
    /// No policy has the name.
    pub fn policy(&self) -> Result<Box<dyn Policy>, Unknown> {
        let PolicySettings { name, seed, threshold, slot, rescale } = &self.policy;
        let plan = PlanSettings { slot: *slot, rescale: *rescale, ..PlanSettings::default() };
        names::policy(name, &names::Settings { seed: *seed, threshold: *threshold, plan })
    }

    /// The machine as policies see it: one node, whose slots are the workers.
    pub fn cluster(&self) -> Cluster {
        Cluster::of_slots(1, self.workers)
    }

    /// `true` if time passes by counted cost.
    pub fn is_counted(&self) -> bool {
        matches!(self.clock, Clock::Counted { .. })
    }
}
