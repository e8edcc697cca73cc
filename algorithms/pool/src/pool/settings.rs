//! [`Settings`] of a pool.

use serde::{Deserialize, Serialize};

use crate::policy::names::{self, Unknown};
use crate::policy::{Cluster, Knowledge, PlanSettings, Policy};

/// Clock of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// Real time.
    Wall,
    /// Simulated time: counted cost over speed-up, the same on any machine.
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
    /// Seed of policies that draw random numbers.
    pub seed: u64,
    /// Knowledge of the work left, for `greedy`.
    #[serde(default)]
    pub knowledge: Knowledge,
    /// Length of a slot of `pdors`, in seconds.
    pub slot: f64,
    /// Seconds of a slot that `pdors` reserves for a change of workers, the wait for the epoch boundary
    /// included.
    pub rescale: f64,
    /// Minimum price of `pdors`, as a share of the maximum.
    #[serde(default = "floor")]
    pub floor: f64,
}

/// Minimum price of pools that were begun before it was a setting.
fn floor() -> f64 {
    PlanSettings::default().floor
}

impl PolicySettings {
    /// The policy of a name, with the default settings of a pool on one machine.
    pub fn named(name: &str) -> Self {
        let PlanSettings { slot, rescale, floor, .. } = PlanSettings::default();
        Self { name: name.into(), seed: 1, knowledge: Knowledge::Known, slot, rescale, floor }
    }
}

/// Settings of a pool, fixed when it is created.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Number of workers, shared by all jobs.
    pub workers: u32,
    /// Maximum number of jobs that may have a process, and so take memory, at once.
    pub alive: u32,
    /// The policy.
    pub policy: PolicySettings,
    /// The clock.
    pub clock: Clock,
}

impl Settings {
    /// A pool of `workers` workers under a policy, by real time. As many jobs may have a process.
    pub fn new(workers: u32, policy: &str) -> Self {
        Self { workers, alive: workers, policy: PolicySettings::named(policy), clock: Clock::Wall }
    }

    /// Returns these settings with a clock of counted cost: one second of one worker for each unit.
    pub fn counted(self) -> Self {
        Self { clock: Clock::Counted { seconds_per_cost: 1.0 }, ..self }
    }

    /// Creates the policy, in its initial state.
    ///
    /// # Errors
    /// No policy has this name.
    pub fn policy(&self) -> Result<Box<dyn Policy>, Unknown> {
        let PolicySettings { name, seed, knowledge, slot, rescale, floor } = self.policy.clone();
        let plan = PlanSettings { slot, rescale, floor, ..PlanSettings::default() };
        names::policy(&name, &names::Settings { seed, knowledge, plan })
    }

    /// The machine as policies see it: one node with a slot for each worker.
    pub fn cluster(&self) -> Cluster {
        Cluster::of_slots(1, self.workers)
    }

    /// `true` if the clock is simulated from counted cost.
    pub fn is_counted(&self) -> bool {
        matches!(self.clock, Clock::Counted { .. })
    }
}
