//! Tables of results.

use raddle_cli::Table;
use serde_json::{Value, json};

use crate::Outcome;

/// Unit of time: its length in seconds, and its symbol.
type Unit = (f64, &'static str);

/// Unit for the largest mean completion time: hours from half an hour on, minutes from two minutes on, else
/// seconds.
fn unit(outcomes: &[Vec<Outcome>]) -> Unit {
    let most = outcomes.iter().flatten().map(Outcome::mean).fold(0.0, f64::max);
    match most {
        most if most >= 1800.0 => (3600.0, "h"),
        most if most >= 120.0 => (60.0, "min"),
        _ => (1.0, "s"),
    }
}

/// Rounds to three decimals.
fn shown(value: f64) -> Value {
    Value::from((value * 1000.0).round() / 1000.0)
}

/// Table of means over the workloads, a row for each policy.
pub(super) fn by_policy(outcomes: &[Vec<Outcome>]) -> Table {
    let (seconds, letters) = unit(outcomes);
    let timed = |name: &str| format!("{name}, {letters}");
    let names = [timed("mean JCT"), timed("median"), timed("95 %"), timed("makespan")];
    let mut columns = vec!["policy"];
    columns.extend(names.iter().map(String::as_str));
    columns.extend(["utilisation", "rescales"]);
    let promises =
        outcomes.iter().flatten().any(|outcome| outcome.jobs.iter().any(|job| job.promise.is_some()));
    if promises {
        columns.extend(["value", "refused", "late"]);
    }
    let mut table = Table::new("job completion times (JCT)", &columns);
    for outcomes in outcomes {
        let mean = |of: &dyn Fn(&Outcome) -> f64| {
            outcomes.iter().map(of).sum::<f64>() / outcomes.len().max(1) as f64
        };
        let mut row = vec![Value::from(outcomes.first().map_or("", |outcome| outcome.policy))];
        row.push(shown(mean(&Outcome::mean) / seconds));
        row.push(shown(mean(&|outcome| outcome.quantile(0.5)) / seconds));
        row.push(shown(mean(&|outcome| outcome.quantile(0.95)) / seconds));
        row.push(shown(mean(&Outcome::makespan) / seconds));
        row.push(shown(mean(&Outcome::utilisation)));
        row.push(shown(mean(&|outcome| outcome.rescales() as f64)));
        if promises {
            row.push(shown(mean(&Outcome::value)));
            row.push(shown(mean(&|outcome| outcome.refused() as f64)));
            row.push(shown(mean(&|outcome| outcome.late() as f64)));
        }
        table.row(row);
    }
    table
}

/// Results of jobs under a policy, as JSON.
pub(super) fn outcome(outcome: &Outcome) -> Value {
    json!({
        "mean": outcome.mean(),
        "median": outcome.quantile(0.5),
        "tail": outcome.quantile(0.95),
        "makespan": outcome.makespan(),
        "utilisation": outcome.utilisation(),
        "rescales": outcome.rescales(),
        "value": outcome.value(),
        "admitted": outcome.admitted(),
        "ended": outcome.ended(),
        "refused": outcome.refused(),
        "late": outcome.late(),
        "decisions": outcome.decisions,
        "jobs": outcome.jobs,
    })
}
