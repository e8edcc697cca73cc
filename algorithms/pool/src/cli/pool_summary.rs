//! Files from which `raddle status` and `raddle report` show a pool: `run.json`, `report.json` and
//! `summary.json`.

use std::cmp::Ordering;
use std::io::Write as _;
use std::path::Path;

use raddle_cli::{Axis, Error, Picture, PictureKind, Series, Summary, Tick, write_atomic};
use serde_json::{Value, json};

use super::pool_tables::{jobs, mean, table};
use crate::pool::speedup::program;
use crate::pool::{Change, Clock, End, Fit, Phase, Pool, Settings};

/// Maximum number of jobs that are drawn one by one; of more, those of a program together.
const MOST_BANDS: usize = 12;

/// Results of a pool so far: its jobs, with workers over time, the queue over time, and completion times.
pub(super) fn summary(pool: &Pool) -> Summary {
    let Settings { workers, policy, clock, .. } = pool.settings();
    let by = if matches!(clock, Clock::Wall) { "" } else { ", by counted cost" };
    let summary = Summary::new(format!("pool of {workers} workers under {}{by}", policy.name));
    let waiting = Picture::new("Jobs that have arrived and no worker", PictureKind::Lines);
    summary
        .table(table(pool))
        .picture(held(pool).level(f64::from(*workers), "all workers"))
        .picture(waiting.axes(time(), Axis::linear("jobs")).series(queue(pool)))
        .picture(completion(pool))
}

fn time() -> Axis {
    Axis::linear("seconds since the pool began")
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
    let mut picture = Picture::new("Workers", PictureKind::Lines).axes(time(), Axis::linear("workers"));
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

/// Step function through points, from time 0 to `end`.
fn stairs(name: &str, points: impl Iterator<Item = (f64, f64)>, end: f64) -> Series {
    let (mut x, mut y, mut last) = (vec![0.0], vec![0.0], 0.0);
    for (at, value) in points {
        x.extend([at, at]);
        y.extend([last, value]);
        last = value;
    }
    x.push(end);
    y.push(last);
    Series::new(name, x, y)
}

/// Series of the number of jobs that have arrived and hold no worker.
fn queue(pool: &Pool) -> Series {
    let mut moments: Vec<(f64, usize, i32)> = Vec::new();
    for (job, fit) in pool.fits().iter().enumerate() {
        let Some(arrived) = fit.arrived else { continue };
        let mut held = 0;
        moments.push((arrived, job, 1));
        for change in pool.changes().iter().filter(|change| change.job == job) {
            let step = i32::from(change.workers == 0) - i32::from(held == 0);
            held = change.workers;
            moments.push((change.at, job, step));
        }
        if let Some(ended) = fit.ended.filter(|_| held == 0) {
            moments.push((ended, job, -1));
        }
    }
    moments.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut length = 0;
    for (at, _, step) in moments {
        length += step;
        match points.last_mut().filter(|(before, _)| *before == at) {
            Some(last) => last.1 = f64::from(length),
            None => points.push((at, f64::from(length))),
        }
    }
    stairs("jobs", points.into_iter(), pool.now())
}

/// Chart of job completion times.
fn completion(pool: &Pool) -> Picture {
    let mut fits: Vec<(&Fit, f64)> =
        pool.fits().iter().filter_map(|fit| Some((fit, fit.completion()?))).collect();
    fits.sort_by(|(a, _), (b, _)| a.arrived.partial_cmp(&b.arrived).unwrap_or(Ordering::Equal));
    let places: Vec<f64> = (0..fits.len()).map(|at| at as f64).collect();
    let mut names = Axis::linear("job");
    names.ticks = fits.iter().zip(&places).map(|((fit, _), at)| Tick::new(*at, fit.name())).collect();
    let series = Series::new("JCT", places, fits.iter().map(|(_, time)| *time).collect());
    Picture::new("Job completion times: from arrival to end", PictureKind::Bars)
        .axes(names, Axis::linear("seconds"))
        .series(series)
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
        "seed": [policy.seed.to_string()],
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
    let count = |is: &dyn Fn(&Phase) -> bool| pool.fits().iter().filter(|fit| is(&fit.phase)).count();
    let over =
        |end: fn(&End) -> bool| count(&|phase| if let Phase::Over(of) = phase { end(of) } else { false });
    json!({
        "program": "pool",
        "version": env!("CARGO_PKG_VERSION"),
        "parameters": pool.settings(),
        "workers": pool.settings().workers,
        "seed": pool.settings().policy.seed,
        "ending": ending,
        "results": {
            "done": over(|end| matches!(end, End::Done { .. })),
            "failed": over(|end| matches!(end, End::Failed { .. })),
            "cancelled": over(|end| matches!(end, End::Cancelled)),
            "refused": over(|end| matches!(end, End::Refused { .. })),
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
