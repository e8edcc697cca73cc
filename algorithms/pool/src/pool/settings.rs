//! [`Settings`] of a pool.

use serde::{Deserialize, Serialize};

use crate::policy::Cluster;
use crate::policy::names::PolicySettings;

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

    /// The machine as policies see it: one node with a slot for each worker.
    pub fn cluster(&self) -> Cluster {
        Cluster::of_slots(1, self.workers)
    }

    /// `true` if the clock is simulated from counted cost.
    pub fn is_counted(&self) -> bool {
        matches!(self.clock, Clock::Counted { .. })
    }
}
