//! Jobs of a pool, as text and as JSON.

use raddle_cli::{Table, number};
use serde::Serialize;
use serde_json::{Value, json};

use crate::policy::Promise;
use crate::pool::{End, Fit, Phase, Pool};

/// Columns of the table of jobs.
const COLUMNS: &str = "job state workers epochs certificate target arrived began ends by late JCT";

/// Phase of a job in a word or two.
pub(super) fn word(fit: &Fit) -> &'static str {
    match &fit.phase {
        Phase::Waiting => "waits for its time or others",
        Phase::Queued if fit.began.is_some() => "paused",
        Phase::Queued => "queued",
        Phase::Running { .. } if fit.silent => "silent",
        Phase::Running { .. } => "running",
        Phase::Held => "held",
        Phase::Ending => "ending",
        Phase::Pausing { .. } => "pausing",
        Phase::Cancelling { .. } => "being cancelled",
        Phase::Over(End::Done { status: 0 }) => "done",
        Phase::Over(End::Done { .. }) => "done, at a limit",
        Phase::Over(End::Failed { .. }) => "failed",
        Phase::Over(End::Cancelled) => "cancelled",
        Phase::Over(End::Refused { .. }) => "refused",
    }
}

/// Number of jobs whose phase begins with this word.
pub(super) fn count(pool: &Pool, state: &str) -> usize {
    pool.fits().iter().filter(|fit| word(fit).starts_with(state)).count()
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

/// Promised end of a job, in seconds since the pool began.
pub(super) fn promised(fit: &Fit) -> Option<f64> {
    match fit.promise {
        Some(Promise::By(by)) => Some(by),
        _ => None,
    }
}

/// Table of jobs, a row each, in order of submission. Times are in seconds since the pool began.
pub(super) fn table(pool: &Pool) -> Table {
    let columns: Vec<&str> = COLUMNS.split(' ').collect();
    let mut table = Table::new("jobs", &columns);
    let seconds = |of: Option<f64>| of.map(|seconds| (seconds * 10.0).round() / 10.0);
    for fit in pool.fits() {
        let certificate = fit.certificate();
        table.row(vec![
            fit.name().into(),
            word(fit).into(),
            fit.workers().into(),
            fit.epoch.into(),
            certificate.map(|(value, _)| number(value)).into(),
            certificate.and_then(|(_, target)| target).map(number).into(),
            seconds(fit.arrived).into(),
            seconds(fit.began).into(),
            seconds(fit.ended.or_else(|| pool.expected(fit))).into(),
            seconds(fit.by()).into(),
            if pool.is_late(fit) { "late" } else { "" }.into(),
            seconds(fit.completion()).into(),
        ]);
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
            "certificate": fit.certificate().map(|(value, _)| value),
            "target": fit.certificate().and_then(|(_, target)| target),
            "expected": pool.expected(fit),
            "by": fit.by(),
            "late": pool.is_late(fit),
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

/// Numbers of jobs.
#[derive(Serialize)]
pub(super) struct Numbers {
    waiting: usize,
    running: usize,
    done: usize,
    late: usize,
}

impl Numbers {
    pub(super) fn new(pool: &Pool) -> Self {
        let of = |is: &dyn Fn(&&Fit) -> bool| pool.fits().iter().filter(is).count();
        let is_running = |fit: &&Fit| matches!(fit.phase, Phase::Running { .. } | Phase::Ending);
        Self {
            waiting: of(&|fit| !fit.is_over() && !is_running(fit)),
            running: of(&is_running),
            done: count(pool, "done"),
            late: of(&|fit| pool.is_late(fit)),
        }
    }

    pub(super) fn text(&self) -> String {
        let Self { waiting, running, done, late } = self;
        format!("{waiting} waiting, {running} running, {done} done, {late} late")
    }
}
