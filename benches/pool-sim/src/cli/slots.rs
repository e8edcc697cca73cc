//! Simulation of jobs in slots, by the job model of PD-ORS.

use raddle_cli::{Error, ExitStatus};
use serde_json::{Value, json};

use super::options::{Options, refuse};
use super::tables::{by_policy, outcome};
use crate::Outcome;
use crate::slots::{POLICIES, compare, parse};

/// Simulates instances in slots under each policy, and prints the results.
pub(crate) fn simulate(options: &Options) -> Result<ExitStatus, Error> {
    options.refuse_in_slots()?;
    let names = options.named(&POLICIES)?;
    if let Some(name) = names.iter().find(|name| !POLICIES.contains(name)) {
        let known = POLICIES.join(", ");
        return Err(Error::usage(format!("--policy {name}: choose from {known} for jobs in slots")));
    }
    let instances = parse(&options.spec).and_then(|spec| spec.instances()).map_err(refuse)?;
    let outcomes = compare(&instances, &names, options.floor()?).map_err(refuse)?;
    let value = |(policy, outcomes): (&&str, &Vec<Outcome>)| {
        let outcomes: Vec<Value> = outcomes.iter().map(outcome).collect();
        json!({ "policy": policy, "outcomes": outcomes })
    };
    let policies: Vec<Value> = names.iter().zip(&outcomes).map(value).collect();
    let value = json!({ "instances": instances.len(), "policies": policies });
    options.use_options.say(&by_policy(&outcomes).to_string(), &value)?;
    Ok(ExitStatus::Done)
}
