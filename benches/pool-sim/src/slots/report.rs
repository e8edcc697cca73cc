//! Comparison of policies on instances in slots.

use raddle_pool::policy::{PlanSettings, Policy};

use super::instance::Instance;
use super::run::{World, run};
use crate::error::SimulateError;
use crate::outcome::Outcome;
use crate::policy::names::{self, Settings};

/// Outcomes of several policies on the same instances.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Rows, one for each policy.
    pub rows: Vec<Row>,
}

/// Results of a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Name of the policy.
    pub policy: &'static str,
    /// Mean over the instances of the sum of utilities.
    pub utility: f64,
    /// Number of instances on which no other policy reached a higher utility.
    pub best_in: usize,
    /// Outcomes of the instances.
    pub outcomes: Vec<Outcome>,
}

/// Names of the policies that place parameter servers.
pub const POLICIES: [&str; 4] = ["fifo", "drf", "oasis", "pdors"];

/// Creates a policy for an instance, by name; `None` for policies that do not place parameter servers. Prices
/// know the jobs that will arrive, as those of the paper know them from earlier ones. `floor` is their
/// minimum, if it is not the default.
pub fn policy(name: &str, instance: &Instance, floor: Option<f64>) -> Option<Box<dyn Policy>> {
    let plan = PlanSettings::of_slots(instance.slots);
    let plan = PlanSettings { floor: floor.unwrap_or(plan.floor), ..plan };
    let name = POLICIES.iter().find(|known| **known == name)?;
    let mut policy = names::policy(name, &Settings { plan, ..Settings::default() })?;
    instance.jobs.iter().for_each(|job| policy.expect(&instance.cluster, job));
    Some(policy)
}

/// Runs each [`policy`] of these names on all instances, in its initial state each time; other names have no
/// row.
///
/// # Errors
/// An allocation that exceeds the cluster.
pub fn compare(instances: &[Instance], names: &[&str], floor: Option<f64>) -> Result<Report, SimulateError> {
    let mut rows = Vec::new();
    for name in names {
        let mut outcomes = Vec::new();
        for instance in instances {
            let Some(mut policy) = policy(name, instance, floor) else { continue };
            outcomes.push(run(instance, &World::default(), policy.as_mut())?);
        }
        let Some(first) = outcomes.first() else { continue };
        let utility = outcomes.iter().map(Outcome::value).sum::<f64>() / outcomes.len() as f64;
        rows.push(Row { policy: first.policy, utility, best_in: 0, outcomes });
    }
    for at in 0..instances.len() {
        let reached = |row: &Row| row.outcomes.get(at).map_or(0.0, Outcome::value);
        let most = rows.iter().map(reached).fold(0.0, f64::max);
        rows.iter_mut().filter(|row| reached(row) >= most).for_each(|row| row.best_in += 1);
    }
    Ok(Report { rows })
}
