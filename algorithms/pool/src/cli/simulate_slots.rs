//! `pool simulate synth:slots`: the job model of PD-ORS.

use raddle::cli::{Error, ExitStatus, Table};
use serde_json::{Value, json};

use super::simulate_options::Options;
use crate::policy::PlanSettings;
use crate::simulate::slots::{Report, compare, parse, policy};

/// Policies that are at home in slots; the others know no parameter servers.
const POLICIES: [&str; 4] = ["fifo", "drf", "oasis", "pdors"];

/// Simulates instances in slots under each policy, and tells what came of it.
pub(crate) fn simulate(options: &Options) -> Result<ExitStatus, Error> {
    options.refuse_in_slots()?;
    let names = options.named(&POLICIES)?;
    if let Some(name) = names.iter().find(|name| !POLICIES.contains(name)) {
        let known = POLICIES.join(", ");
        return Err(Error::usage(format!("--policy {name}: choose from {known} for jobs in slots")));
    }
    let instances = parse(options.text()).and_then(|spec| spec.instances()).map_err(Error::input)?;
    let settings = |slots: u32| PlanSettings { seed: options.seed(), ..PlanSettings::of_slots(slots) };
    let report =
        compare(&instances, &names, |name, instance| policy(name, instance, &settings(instance.slots)));
    let report = report.map_err(Error::failed)?;
    let value = json!({ "instances": instances.len(), "policies": report.rows });
    options.use_options.say(&table(&report, instances.len()).to_string(), &value)?;
    Ok(ExitStatus::Done)
}

/// Means over the instances, a row a policy.
fn table(report: &Report, instances: usize) -> Table {
    let columns = ["policy", "utility", "best in", "admitted", "ended", "late", "mean JCT, slots"];
    let mut table = Table::new(format!("means of {instances} instances"), &columns);
    for row in &report.rows {
        let mean = |of: &dyn Fn(usize) -> f64| {
            let sum = (0..row.outcomes.len()).map(of).sum::<f64>() / row.outcomes.len().max(1) as f64;
            Value::from((sum * 100.0).round() / 100.0)
        };
        table.row(vec![
            Value::from(row.policy),
            mean(&|_| row.utility),
            Value::from(row.best_in),
            mean(&|at| row.outcomes[at].admitted as f64),
            mean(&|at| row.outcomes[at].ended as f64),
            mean(&|at| row.outcomes[at].late as f64),
            mean(&|at| row.outcomes[at].mean_completion),
        ]);
    }
    table
}
