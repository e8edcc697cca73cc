//! Comparison of policies on instances in slots.

use raddle_pool::policy::{PlanSettings, Policy};

use super::instance::Instance;
use super::run::{World, run};
use crate::error::SimulateError;
use crate::outcome::Outcome;
use crate::policy::names::{self, Settings};

/// Creates a policy for an instance, by name: `fifo`, `drf`, `pdors` or `oasis`, as others place no parameter
/// servers; `None` for a name that no policy has. Prices know the jobs that will arrive, as those of the
/// paper know them from earlier ones. `floor` is their minimum, if it is not the default.
pub fn policy(name: &str, instance: &Instance, floor: Option<f64>) -> Option<Box<dyn Policy>> {
    let plan = PlanSettings::of_slots(instance.slots);
    let plan = PlanSettings { floor: floor.unwrap_or(plan.floor), ..plan };
    let mut policy = names::policy(name, &Settings { plan, ..Settings::default() })?;
    instance.jobs.iter().for_each(|job| policy.expect(&instance.cluster, job));
    Some(policy)
}

/// Runs each [`policy`] of these names on all instances, in its initial state each time; other names have no
/// outcomes.
///
/// # Errors
/// An allocation that exceeds the cluster.
pub fn compare(
    instances: &[Instance],
    names: &[&str],
    floor: Option<f64>,
) -> Result<Vec<Vec<Outcome>>, SimulateError> {
    let of = |name: &&str| {
        let policies = instances.iter().filter_map(|of| Some((of, policy(name, of, floor)?)));
        policies.map(|(of, mut policy)| run(of, &World::default(), policy.as_mut())).collect()
    };
    names.iter().map(of).collect()
}
