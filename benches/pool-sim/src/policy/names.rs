//! Policies by name.

use raddle_pool::policy::{Drf, Fifo, Greedy, Knowledge, PlanSettings, Policy, Random};

use super::las::Las;
use super::ones::Ones;
use super::optimus::Optimus;
use super::placing::{oasis, pdors};

/// Names of the policies.
pub const NAMES: [&str; 9] = ["greedy", "fifo", "drf", "las", "optimus", "ones", "oasis", "pdors", "random"];

/// Settings of all policies, apart from the name.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Seed of policies that draw random numbers.
    pub seed: u64,
    /// Knowledge of the work left, for `greedy`.
    pub knowledge: Knowledge,
    /// Settings of `oasis` and `pdors`.
    pub plan: PlanSettings,
}

/// Creates the policy of a name; `None` for a name that no policy has.
pub fn policy(name: &str, settings: &Settings) -> Option<Box<dyn Policy>> {
    let Settings { seed, knowledge, plan } = settings.clone();
    Some(match name {
        "greedy" => Box::new(Greedy::new(knowledge)),
        "fifo" => Box::new(Fifo::default()),
        "drf" => Box::new(Drf),
        "las" => Box::new(Las::default()),
        "optimus" => Box::new(Optimus),
        "ones" => Box::new(Ones::new(seed)),
        "oasis" => Box::new(oasis(plan)),
        "pdors" => Box::new(pdors(plan)),
        "random" => Box::new(Random::new(seed)),
        _ => return None,
    })
}
