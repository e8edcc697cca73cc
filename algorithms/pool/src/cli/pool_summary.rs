//! Files from which `raddle status` and `raddle report` show a pool: `run.json`, `report.json` and
//! `summary.json`.

use std::io::Write as _;
use std::path::Path;

use raddle_cli::{Axis, Error, Picture, PictureKind, Series, Summary, write_atomic};
use serde_json::{Value, json};

use super::pool_tables::{count, jobs, mean, table};
use crate::pool::speedup::program;
use crate::pool::{Change, Clock, Pool, Settings};

/// Maximum number of jobs that are drawn one by one; of more, those of a program together.
const MOST_BANDS: usize = 12;

/// Results of a pool so far: its jobs, and workers over time.
pub(super) fn summary(pool: &Pool) -> Summary {
    let Settings { workers, policy, clock, .. } = pool.settings();
    let by = if matches!(clock, Clock::Wall) { "" } else { ", by counted cost" };
    let summary = Summary::new(format!("pool of {workers} workers under {}{by}", policy.name));
    summary.table(table(pool)).picture(held(pool).level(f64::from(*workers), "all workers"))
}

/// Workers over time: a bar for each job, or for each program, on top of those before.
fn held(pool: &Pool) -> Picture {
    let mut names: Vec<&str> = Vec::new();
    let mut bands: Vec<usize> = Vec::new();
    for fit in pool.fits() {
        let name = if pool.fits().len() <= MOST_BANDS { fit.name() } else { program(&fit.request) };
        let band = names.iter().position(|other| *other == name).unwrap_or(names.len());
        names.extend((band == names.len()).then_some(name));
        bands.push(band);
    }
    let mut held = vec![0; bands.len()];
    // Workers of each band from a time on; simultaneous changes are merged.
    let mut stages = vec![(0.0, vec![0.0; names.len()])];
    for &Change { at, job, workers } in pool.changes() {
        let (before, mut now) = stages[stages.len() - 1].clone();
        now[bands[job]] += f64::from(workers) - f64::from(std::mem::replace(&mut held[job], workers));
        if before == at {
            stages.pop();
        }
        stages.push((at, now));
    }
    let mut picture = Picture::new("Workers", PictureKind::Lines)
        .axes(Axis::linear("seconds since the pool began"), Axis::linear("workers"));
    let mut low = vec![0.0; 2 * stages.len()];
    let ends = stages.iter().skip(1).map(|(at, _)| *at).chain([pool.now()]);
    let x: Vec<f64> = stages.iter().zip(ends).flat_map(|((from, _), to)| [*from, to]).collect();
    for (band, name) in names.into_iter().enumerate() {
        let own = stages.iter().flat_map(|(_, now)| [now[band]; 2]);
        let high: Vec<f64> = low.iter().zip(own).map(|(low, own)| low + own).collect();
        let bounds = (std::mem::replace(&mut low, high.clone()), high.clone());
        picture = picture.series(Series::new(name, x.clone(), high).bounds(bounds.0, bounds.1));
    }
    picture
}

/// End of a pool, as the files have it: a word, the exit status, and the text on stdout.
pub(super) struct Ended<'a> {
    pub(super) ending: &'a str,
    pub(super) status: u8,
    pub(super) said: &'a str,
}

/// Writes `run.json`, with the end of the pool if it has ended.
pub(super) fn write_run(folder: &Path, pool: &Pool, ended: Option<&Ended<'_>>) -> Result<(), Error> {
    let Settings { workers, alive, policy, clock } = pool.settings();
    let mut options = json!({
        "out": [folder.display().to_string()],
        "workers": [workers.to_string()],
        "alive": [alive.to_string()],
        "policy": [policy.name],
    });
    if let Clock::Counted { seconds_per_cost } = clock {
        options["clock"] = json!(["counted"]);
        options["seconds-per-cost"] = json!([seconds_per_cost.to_string()]);
    }
    let ended =
        ended.map(|ended| json!({ "ending": ended.ending, "status": ended.status, "said": ended.said }));
    write(
        folder,
        "run.json",
        &json!({
            "program": "pool",
            "version": env!("CARGO_PKG_VERSION"),
            "verb": "run",
            "options": options,
            "ended": ended,
        }),
    )
}

/// Writes the report and the summary of a pool.
pub(super) fn write_results(folder: &Path, pool: &Pool, ending: &str) -> Result<(), Error> {
    write(folder, "report.json", &report(pool, ending))?;
    write_atomic(&folder.join("summary.json"), |out| summary(pool).write(out)).map_err(Error::failed)
}

/// Report of a pool, as JSON.
pub(super) fn report(pool: &Pool, ending: &str) -> Value {
    json!({
        "program": "pool",
        "version": env!("CARGO_PKG_VERSION"),
        "parameters": pool.settings(),
        "workers": pool.settings().workers,
        "seed": pool.settings().policy.seed,
        "ending": ending,
        "results": {
            "done": count(pool, "done"),
            "failed": count(pool, "failed"),
            "cancelled": count(pool, "cancelled"),
            "refused": count(pool, "refused"),
            "seconds": pool.now(),
            "mean_completion": mean(pool),
            "jobs": jobs(pool),
        },
    })
}

fn write(folder: &Path, name: &str, value: &Value) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(value).map_err(Error::failed)?;
    write_atomic(&folder.join(name), |out| out.write_all(text.as_bytes())).map_err(Error::failed)
}
