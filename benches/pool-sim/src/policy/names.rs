//! Policies by name.

use raddle_pool::policy::names::{self, Unknown};
use raddle_pool::policy::{Knowledge, PlanSettings, Policy};

use super::las::{Las, THRESHOLD};
use super::oasis::Oasis;
use super::ones::Ones;
use super::optimus::Optimus;
use super::placing::pdors;

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
        let names::Settings { seed, knowledge, plan } = names::Settings::default();
        Self { seed, knowledge, threshold: THRESHOLD, plan }
    }
}

/// Creates the policy of a name.
///
/// # Errors
/// No policy has this name. The message suggests the most similar one.
pub fn policy(name: &str, settings: &Settings) -> Result<Box<dyn Policy>, Unknown> {
    let Settings { seed, knowledge, threshold, plan } = settings.clone();
    match name {
        "las" => Ok(Box::new(Las::new(threshold))),
        "optimus" => Ok(Box::new(Optimus)),
        "oasis" => Ok(Box::new(Oasis::new(plan))),
        "pdors" => Ok(Box::new(pdors(plan))),
        "ones" => Ok(Box::new(Ones::new(seed))),
        _ => names::policy(name, &names::Settings { seed, knowledge, plan })
            .map_err(|unknown| Unknown { known: &NAMES, ..unknown }),
    }
}
