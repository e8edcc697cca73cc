//! Policies by name.

use raddle_pool::policy::names::{self, Unknown};
use raddle_pool::policy::{PlanSettings, Policy};

use super::oasis::Oasis;
use super::ones::{Options, Score, ones};
use super::placing::{Spread, pdors};

/// Names of the policies.
pub const NAMES: [&str; 8] = ["fifo", "drf", "las", "optimus", "ones", "oasis", "pdors", "random"];

/// Settings of all policies, apart from the name.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Seed of policies that draw random numbers.
    pub seed: u64,
    /// Service after which `las` moves a job to the second queue, in workers times seconds.
    pub threshold: f64,
    /// Options of `ones`.
    pub ones: Options,
    /// Settings of `oasis` and `pdors`.
    pub plan: PlanSettings,
}

impl Default for Settings {
    fn default() -> Self {
        let names::Settings { seed, threshold, plan } = names::Settings::default();
        Self { seed, threshold, ones: Options::of(Score::All), plan }
    }
}

/// Creates the policy of a name.
///
/// # Errors
/// No policy has this name. The message suggests the most similar one.
pub fn policy(name: &str, settings: &Settings) -> Result<Box<dyn Policy>, Unknown> {
    let Settings { seed, threshold, ones: options, plan } = settings.clone();
    match name {
        "oasis" => Ok(Box::new(Oasis::new(plan))),
        "pdors" => Ok(Box::new(pdors(plan, Spread::CheapestFirst, seed))),
        "ones" => Ok(Box::new(ones(options, seed))),
        _ => names::policy(name, &names::Settings { seed, threshold, plan })
            .map_err(|unknown| Unknown { known: &NAMES, ..unknown }),
    }
}
