//! Tables of the jobs of a pool, as text and as JSON.

use raddle_cli::Table;
use serde_json::{Value, json};

use crate::policy::Promise;
use crate::pool::{End, Fit, Phase, Pool};

/// Phase of a job in a word or two.
pub(super) fn word(fit: &Fit) -> String {
    match &fit.phase {
        Phase::Waiting => "waits for its time or others".into(),
        Phase::Queued if fit.began.is_some() => "paused".into(),
        Phase::Queued => "queued".into(),
        Phase::Running { .. } if fit.silent => "silent".into(),
        Phase::Running { .. } => "running".into(),
        Phase::Held => "held".into(),
        Phase::Ending => "ending".into(),
        Phase::Pausing { .. } => "pausing".into(),
        Phase::Cancelling { .. } => "being cancelled".into(),
        Phase::Over(End::Done { status: 0 }) => "done".into(),
        Phase::Over(End::Done { .. }) => "done, at a limit".into(),
        Phase::Over(End::Failed { .. }) => "failed".into(),
        Phase::Over(End::Cancelled) => "cancelled".into(),
        Phase::Over(End::Refused { .. }) => "refused".into(),
    }
}

/// Reasons why jobs failed or were refused, a line each.
pub(super) fn reasons(pool: &Pool) -> String {
    let line = |fit: &Fit| Some(format!("{}: {}\n", fit.name(), reason(fit)?));
    pool.fits().iter().filter_map(line).collect()
}

/// Reason why a job failed or was refused.
pub(super) fn reason(fit: &Fit) -> Option<&str> {
    match &fit.phase {
        Phase::Over(End::Failed { why } | End::Refused { why }) => Some(why),
        _ => None,
    }
}

/// Rounds seconds to one decimal.
pub(super) fn shown(seconds: Option<f64>) -> Value {
    seconds.map_or(Value::Null, |seconds| Value::from((seconds * 10.0).round() / 10.0))
}

/// Promised end of a job, in seconds since the pool began.
pub(super) fn promised(fit: &Fit) -> Option<f64> {
    match fit.promise {
        Some(Promise::By(by)) => Some(by),
        _ => None,
    }
}

/// Table of jobs, a row each, in order of submission. Times are in seconds.
pub(super) fn table(pool: &Pool) -> Table {
    let mut columns =
        vec!["job", "state", "epochs", "workers", "arrived, s", "began, s", "ended, s", "JCT, s"];
    columns.push("workers x s");
    let promises = pool.fits().iter().any(|fit| promised(fit).is_some());
    columns.extend(promises.then_some("promised, s"));
    let mut table = Table::new("jobs", &columns);
    for fit in pool.fits() {
        let mut row = vec![
            Value::from(fit.name()),
            Value::from(word(fit)),
            Value::from(fit.epoch),
            Value::from(fit.workers()),
            shown(fit.arrived),
            shown(fit.began),
            shown(fit.ended),
            shown(fit.completion()),
            shown(Some(fit.service)),
        ];
        row.extend(promises.then(|| shown(promised(fit))));
        table.row(row);
    }
    table
}

/// Jobs of a pool, as JSON.
pub(super) fn jobs(pool: &Pool) -> Vec<Value> {
    let of = |fit: &Fit| {
        json!({
            "name": fit.name(),
            "state": word(fit),
            "why": reason(fit),
            "epochs": fit.epoch,
            "workers": fit.workers(),
            "share": fit.share,
            "arrived": fit.arrived,
            "began": fit.began,
            "ended": fit.ended,
            "completion": fit.completion(),
            "service": fit.service,
            "promised": promised(fit),
        })
    };
    pool.fits().iter().map(of).collect()
}

/// Mean completion time of the jobs that are done, in seconds.
pub(super) fn mean(pool: &Pool) -> Option<f64> {
    let is_done = |fit: &&Fit| matches!(fit.phase, Phase::Over(End::Done { .. }));
    let times: Vec<f64> = pool.fits().iter().filter(is_done).filter_map(Fit::completion).collect();
    (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64)
}
