//! `pool simulate`.

use raddle::cli::{Error, ExitStatus, say};
use serde_json::{Map, Value, json};

use super::simulate_options::{Options, refuse};
use super::tables::{by_policy, by_workload};
use crate::simulate::{Change, Decision, Outcome, Settings, Workload, simulate as run};

/// Simulates every workload under every policy, and tells what came of it.
pub(crate) fn simulate(options: &Options) -> Result<ExitStatus, Error> {
    let cluster = options.cluster()?;
    let names = options.names()?;
    let workloads = options.spec()?.workloads(options.load()).map_err(refuse)?;
    let mut results = Vec::new();
    for name in names {
        let mut outcomes = Vec::new();
        for workload in &workloads {
            let mut decisions = Vec::new();
            let mut failed = None;
            let mut policy = options.make(name)?;
            let outcome =
                run(&cluster, &workload.jobs, &settings(options, workload), &mut *policy, &mut |decision| {
                    if options.explain && !decision.changes.is_empty() {
                        match options.use_options.json {
                            true => decisions.push(told(decision)),
                            false => {
                                failed = failed.take().or(say(&line(name, &workload.name, decision)).err())
                            }
                        }
                    }
                });
            let outcome = outcome.map_err(refuse)?;
            if let Some(error) = failed {
                return Err(error);
            }
            outcomes.push((outcome, decisions));
        }
        results.push(outcomes);
    }
    let (outcomes, decisions): (Vec<Vec<Outcome>>, Vec<Vec<_>>) =
        results.into_iter().map(|of| of.into_iter().unzip()).unzip();
    let mut text = by_policy(&outcomes).to_string();
    if workloads.len() > 1 {
        text += &format!("\n{}", by_workload(&workloads, &outcomes));
    }
    let (nodes, slots) = options.shape();
    let of_policy = |(outcomes, decisions): (&Vec<Outcome>, &Vec<Vec<Value>>)| {
        let each = workloads.iter().zip(outcomes).zip(decisions);
        let workloads =
            each.map(|((workload, outcome), decisions)| value(workload, outcome, decisions, options));
        json!({
            "policy": outcomes.first().map(|outcome| outcome.policy),
            "workloads": workloads.collect::<Vec<Value>>(),
        })
    };
    let policies: Vec<Value> = outcomes.iter().zip(&decisions).map(of_policy).collect();
    let value = json!({ "nodes": nodes, "slots": slots, "load": options.load(), "policies": policies });
    options.use_options.say(&text, &value)?;
    Ok(ExitStatus::Done)
}

/// Settings of a workload, where none are given its own.
fn settings(options: &Options, workload: &Workload) -> Settings {
    Settings {
        tick: options.tick.unwrap_or(workload.settings.tick),
        rescale: options.rescale.unwrap_or(workload.settings.rescale),
    }
}

/// The results of a workload, and its jobs, as JSON.
fn value(workload: &Workload, outcome: &Outcome, decisions: &[Value], options: &Options) -> Value {
    let jobs = outcome.jobs.iter().map(|job| {
        json!({ "name": job.name, "arrival": job.arrival, "end": job.end, "service": job.service, "rescales": job.rescales })
    });
    let Settings { tick, rescale } = settings(options, workload);
    let about = [
        ("name", json!(workload.name)),
        ("tick", json!(tick)),
        ("rescale", json!(rescale)),
        ("mean", json!(outcome.mean())),
        ("median", json!(outcome.quantile(0.5))),
        ("tail", json!(outcome.quantile(0.95))),
        ("makespan", json!(outcome.makespan())),
        ("utilisation", json!(outcome.utilisation())),
        ("rescales", json!(outcome.rescales())),
        ("value", json!(outcome.value())),
        ("refused", json!(outcome.refused())),
        ("late", json!(outcome.late())),
        ("decisions", json!(outcome.decisions)),
        ("jobs", json!(jobs.collect::<Vec<Value>>())),
    ];
    let mut value: Map<String, Value> = about.into_iter().map(|(name, of)| (name.to_owned(), of)).collect();
    if options.explain {
        value.insert("changes".into(), json!(decisions));
    }
    Value::Object(value)
}

/// A decision as JSON.
fn told(decision: &Decision) -> Value {
    let change = |Change { name, from, to, nodes }: &Change| json!({ "job": name, "from": from, "to": to, "nodes": nodes });
    json!({
        "at": decision.now,
        "jobs": decision.jobs,
        "changes": decision.changes.iter().map(change).collect::<Vec<Value>>(),
        "reasons": decision.reasons,
    })
}

/// A decision as a line.
fn line(policy: &str, workload: &str, decision: &Decision) -> String {
    let change = |Change { name, from, to, nodes }: &Change| match (to, nodes) {
        (0, _) => format!("{name} {from} -> 0"),
        (_, 1) => format!("{name} {from} -> {to}"),
        _ => format!("{name} {from} -> {to} on {nodes} nodes"),
    };
    let changes: Vec<String> = decision.changes.iter().map(change).collect();
    let reasons: String = decision.reasons.iter().map(|reason| format!("; {reason}")).collect();
    let (now, jobs) = (decision.now, decision.jobs);
    format!(
        "{policy} {workload} {now} s, {}: {}{reasons}",
        raddle::cli::count(jobs as u64, "job"),
        changes.join(", ")
    )
}
