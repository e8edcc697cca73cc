//! Policies by name, with their settings.

use serde::{Deserialize, Serialize};

use super::{Drf, Fifo, Greedy, Knowledge, PdOrs, PlanSettings, Policy, Random};

/// Names of the policies that users can choose. `random` is not among them: it exists for tests.
pub const NAMES: [&str; 4] = ["greedy", "drf", "fifo", "pdors"];

/// Policies that were in the pool, and ended the same jobs later than `greedy` everywhere.
const FORMER: [&str; 4] = ["las", "tiresias", "optimus", "ones"];

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

/// Error of a name that no policy has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("policy `{name}` does not exist here: {}", instead(name))]
pub struct Unknown {
    /// The unknown name.
    pub name: String,
}

/// Advice for the name of a policy that does not exist here.
fn instead(name: &str) -> String {
    if FORMER.contains(&name) {
        "use `greedy`, which ends the same jobs sooner; the simulator, raddle-pool-sim, compares them".into()
    } else {
        format!("choose from {}", NAMES.join(", "))
    }
}

impl PolicySettings {
    /// The policy of a name, with the default settings of a pool on one machine.
    pub fn named(name: &str) -> Self {
        let PlanSettings { slot, rescale, floor, .. } = PlanSettings::default();
        Self { name: name.into(), seed: 1, knowledge: Knowledge::Known, slot, rescale, floor }
    }

    /// Creates the policy, in its initial state.
    ///
    /// # Errors
    /// No policy has this name. The message says what to use instead.
    pub fn policy(&self) -> Result<Box<dyn Policy>, Unknown> {
        let Self { name, seed, knowledge, slot, rescale, floor } = self.clone();
        Ok(match name.as_str() {
            "greedy" => Box::new(Greedy::new(knowledge)),
            "fifo" => Box::new(Fifo::default()),
            "drf" => Box::new(Drf),
            "pdors" => Box::new(PdOrs::new(PlanSettings { slot, rescale, floor, ..PlanSettings::default() })),
            "random" => Box::new(Random::new(seed)),
            _ => return Err(Unknown { name }),
        })
    }
}
