//! Simulation of jobs on the slots of a cluster, by ticks.

use raddle_cli::{Error, ExitStatus};
use serde_json::json;

use super::options::{Options, refuse};
use super::tables::{by_policy, outcome as told};
use crate::{Settings, Workload, simulate as run};

/// Simulates every workload under every policy, and prints the results.
pub(crate) fn simulate(options: &Options) -> Result<ExitStatus, Error> {
    let cluster = options.cluster()?;
    let names = options.checked_names()?;
    let workloads = options.spec()?.workloads(options.load()).map_err(refuse)?;
    let (mut outcomes, mut policies) = (Vec::new(), Vec::new());
    for name in names {
        let (mut of_policy, mut values) = (Vec::new(), Vec::new());
        for workload in &workloads {
            let settings = settings(options, workload);
            let mut policy = options.make(name)?;
            let outcome = run(&cluster, &workload.jobs, &settings, &mut *policy).map_err(refuse)?;
            let mut value = told(&outcome);
            value["name"] = json!(workload.name);
            (value["tick"], value["rescale"]) = (json!(settings.tick), json!(settings.rescale));
            values.push(value);
            of_policy.push(outcome);
        }
        let name = of_policy.first().map(|outcome| outcome.policy);
        policies.push(json!({ "policy": name, "workloads": values }));
        outcomes.push(of_policy);
    }
    let ((nodes, slots), load) = (options.size(), options.load());
    let value = json!({ "nodes": nodes, "slots": slots, "load": load, "policies": policies });
    options.use_options.say(&by_policy(&outcomes).to_string(), &value)?;
    Ok(ExitStatus::Done)
}

/// Settings of the options, with the defaults of the workload.
fn settings(options: &Options, workload: &Workload) -> Settings {
    Settings {
        tick: options.tick.unwrap_or(workload.settings.tick),
        rescale: options.rescale.unwrap_or(workload.settings.rescale),
    }
}
