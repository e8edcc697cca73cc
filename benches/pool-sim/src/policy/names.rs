//! Policies by name.

use raddle_pool::policy::{Drf, Fifo, Greedy, Knowledge, PlanSettings, Policy, Random};

use super::las::{Las, THRESHOLD};
use super::ones::Ones;
use super::optimus::Optimus;
use super::placing::{oasis, pdors};

/// Names of the policies.
pub const NAMES: [&str; 9] = ["greedy", "fifo", "drf", "las", "optimus", "ones", "oasis", "pdors", "random"];

/// Settings of all policies, apart from the name.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Seed of policies that draw random numbers.
    pub seed: u64,
    /// Knowledge of the work left, for `greedy`.
    pub knowledge: Knowledge,
    /// Service after which `las` moves a job to the second queue, in workers times seconds.
    pub threshold: f64,
    /// Settings of `oasis` and `pdors`.
    pub plan: PlanSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self { seed: 1, knowledge: Knowledge::Known, threshold: THRESHOLD, plan: PlanSettings::default() }
    }
}

/// Creates the policy of a name; `None` for a name that no policy has.
pub fn policy(name: &str, settings: &Settings) -> Option<Box<dyn Policy>> {
    let Settings { seed, knowledge, threshold, plan } = settings.clone();
    Some(match name {
        "greedy" => Box::new(Greedy::new(knowledge)),
        "fifo" => Box::new(Fifo::default()),
        "drf" => Box::new(Drf),
        "las" => Box::new(Las::new(threshold)),
        "optimus" => Box::new(Optimus),
        "ones" => Box::new(Ones::new(seed)),
        "oasis" => Box::new(oasis(plan)),
        "pdors" => Box::new(pdors(plan)),
        "random" => Box::new(Random::new(seed)),
        _ => return None,
    })
}
