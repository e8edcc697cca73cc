//! Simulation of jobs in slots, by the job model of PD-ORS.

use raddle_cli::{Error, ExitStatus, Table};
use serde_json::{Value, json};

use super::options::{Options, refuse};
use super::tables::outcome;
use crate::slots::{POLICIES, Report, Row, compare, parse};

/// Simulates instances in slots under each policy, and prints the results.
pub(crate) fn simulate(options: &Options) -> Result<ExitStatus, Error> {
    options.refuse_in_slots()?;
    let names = options.named(&POLICIES)?;
    if let Some(name) = names.iter().find(|name| !POLICIES.contains(name)) {
        let known = POLICIES.join(", ");
        return Err(Error::usage(format!("--policy {name}: choose from {known} for jobs in slots")));
    }
    let instances = parse(&options.spec).and_then(|spec| spec.instances()).map_err(refuse)?;
    let report = compare(&instances, &names, options.floor()?).map_err(refuse)?;
    let rows: Vec<Value> = report.rows.iter().map(value).collect();
    let value = json!({ "instances": instances.len(), "policies": rows });
    options.use_options.say(&table(&report, instances.len()).to_string(), &value)?;
    Ok(ExitStatus::Done)
}

/// Table of means over the instances, a row for each policy.
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
            mean(&|at| row.outcomes[at].admitted() as f64),
            mean(&|at| row.outcomes[at].ended() as f64),
            mean(&|at| row.outcomes[at].late() as f64),
            mean(&|at| row.outcomes[at].mean()),
        ]);
    }
    table
}

/// Results of a policy, as JSON.
fn value(row: &Row) -> Value {
    let outcomes: Vec<Value> = row.outcomes.iter().map(outcome).collect();
    json!({ "policy": row.policy, "utility": row.utility, "best_in": row.best_in, "outcomes": outcomes })
}
