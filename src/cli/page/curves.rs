//! Pictures of a run's trace: what it is judged by, its objective, the load of its workers, its rounds.

use std::collections::BTreeSet;

use raddle::EpochRecord;
use serde_json::Value;

use super::run::Run;
use crate::number::count;
use crate::report::picture::{Axis, Picture, PictureKind, Scale, Series};

/// More workers than this are shown by their mean and extremes.
const MOST_WORKERS: usize = 8;
/// Most values that a program shows beside the metric for which there is a picture.
const MOST_SHOWN: usize = 6;

/// Horizontal axis of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    Seconds,
    Updates,
}

impl Over {
    fn label(self) -> &'static str {
        match self {
            Self::Seconds => "seconds",
            Self::Updates => "updates",
        }
    }

    fn of(self, run: &Run) -> &[f64] {
        match self {
            Self::Seconds => &run.seconds,
            Self::Updates => &run.updates,
        }
    }
}

/// The metric of runs that are judged by the same one, with the target that they share.
pub(super) fn metric(runs: &[&Run], name: &str, over: Over) -> Option<Picture> {
    let measured = |epoch: &EpochRecord| {
        let metric = epoch.metric.as_ref().filter(|metric| metric.name == name)?;
        Some(metric.value).filter(|value| value.is_finite())
    };
    let mut picture = curve(runs, name, over, measured)?;
    let last = |run: &&Run| -> Option<f64> {
        let metrics = run.snapshot.trace.iter().rev().filter_map(|epoch| epoch.metric.as_ref());
        metrics.into_iter().find(|metric| metric.name == name)?.target
    };
    let targets: BTreeSet<u64> = runs.iter().filter_map(last).map(f64::to_bits).collect();
    let has_place = |target: f64| picture.y.scale == Scale::Linear || target > 0.0;
    if let &[target] = targets.into_iter().map(f64::from_bits).collect::<Vec<_>>().as_slice()
        && has_place(target)
    {
        picture = picture.level(target, "target");
    }
    Some(picture)
}

/// The objective of runs.
pub(super) fn objective(runs: &[&Run], over: Over) -> Option<Picture> {
    curve(runs, "objective", over, |epoch| epoch.objective.filter(|value| value.is_finite()))
}

/// A curve for each run that has values. Of a single run, what happened on the way is marked.
fn curve(
    runs: &[&Run],
    name: &str,
    over: Over,
    value: impl Fn(&EpochRecord) -> Option<f64>,
) -> Option<Picture> {
    let series = runs.iter().map(|run| {
        let points =
            run.snapshot.trace.iter().zip(over.of(run)).filter_map(|(epoch, at)| Some((*at, value(epoch)?)));
        let (x, y) = points.unzip();
        Series::new(if runs.len() == 1 { name } else { &run.name }, x, y)
    });
    // Runs without values keep their places: a colour means the same run in every picture.
    let series: Vec<Series> = series.collect();
    if series.iter().all(|series| series.x.is_empty()) {
        return None;
    }
    let scale = scale_of(series.iter().flat_map(|series| &series.y));
    let mut picture = Picture::new(format!("{name} over {}", over.label()), PictureKind::Lines)
        .axes(Axis::linear(over.label()), Axis { scale, ..Axis::linear(name) });
    let zeros = series.iter().flat_map(|series| &series.y).filter(|value| **value == 0.0).count();
    if scale == Scale::Log && zeros > 0 {
        picture = picture.note(format!("{} of 0 without a place on this axis", count(zeros as u64, "value")));
    }
    picture.series = series;
    if let [run] = runs {
        picture = marked(picture, run, over);
    }
    Some(picture)
}

/// Logarithmic where no value is negative and the largest is ten times the smallest that is not 0.
fn scale_of<'a>(values: impl Iterator<Item = &'a f64>) -> Scale {
    let (mut low, mut high, mut least) = (f64::INFINITY, 0.0f64, 0.0f64);
    for &value in values {
        (high, least) = (high.max(value), least.min(value));
        low = if value > 0.0 { low.min(value) } else { low };
    }
    if least >= 0.0 && high >= 10.0 * low { Scale::Log } else { Scale::Linear }
}

/// Marks new versions of the data and other numbers of workers or processes.
fn marked(mut picture: Picture, run: &Run, over: Over) -> Picture {
    let places = over.of(run);
    for (at, pair) in run.snapshot.trace.windows(2).enumerate() {
        let [before, after] = pair else { continue };
        if before.data_version != after.data_version {
            picture = picture.mark(places[at + 1], format!("data {}", after.data_version));
        }
    }
    let generations = run.field(&["generations"]).as_array().map_or(&[][..], Vec::as_slice);
    let said = |generation: &Value| {
        let workers = count(generation["workers"].as_u64().unwrap_or(0), "worker");
        match generation["processes"].as_u64().unwrap_or(1) {
            1 => workers,
            processes => format!("{workers}, {processes} processes"),
        }
    };
    for pair in generations.windows(2) {
        let [before, after] = pair else { continue };
        // A generation begins at the boundary that ends the epoch of its number.
        let began = after["epoch"].as_u64();
        let place = run.snapshot.trace.iter().position(|epoch| Some(epoch.epoch) == began);
        if let Some(place) = place.filter(|_| said(before) != said(after)) {
            picture = picture.mark(places[place], said(after));
        }
    }
    let undone = run.snapshot.trace.iter().filter(|epoch| epoch.rolled_back).count();
    if undone > 0 {
        let note = format!("{} {} rolled back by the guard", picture.note, count(undone as u64, "epoch"));
        picture = picture.note(note.trim());
    }
    picture
}

/// Seconds that each worker computed in each epoch.
pub(super) fn load(run: &Run) -> Option<Picture> {
    let trace: Vec<&EpochRecord> = run.snapshot.trace.iter().filter(|epoch| !epoch.load.is_empty()).collect();
    let workers = trace.iter().map(|epoch| epoch.load.len()).max()?;
    let epochs: Vec<f64> = trace.iter().map(|epoch| epoch.epoch as f64).collect();
    let mut picture = Picture::new("Load by worker", PictureKind::Lines)
        .axes(Axis::linear("epoch"), Axis::linear("seconds computed"));
    if workers <= MOST_WORKERS {
        for worker in 0..workers {
            let load =
                trace.iter().map(|epoch| epoch.load.get(worker).copied().unwrap_or(f64::NAN)).collect();
            picture = picture.series(Series::new(format!("worker {worker}"), epochs.clone(), load));
        }
        return Some(picture);
    }
    let of = |fold: fn(f64, f64) -> f64| {
        trace.iter().map(|epoch| epoch.load.iter().copied().fold(f64::NAN, fold)).collect()
    };
    let mean = trace.iter().map(|epoch| epoch.load.iter().sum::<f64>() / epoch.load.len() as f64).collect();
    let mean = Series::new("mean", epochs, mean).bounds(of(f64::min), of(f64::max));
    Some(
        picture
            .series(mean)
            .note(format!("Mean of {workers} workers; the band is from the minimum to the maximum.")),
    )
}

/// Candidates of each epoch, and those that were rejected, as they depend on others of their round.
pub(super) fn candidates(run: &Run) -> Option<Picture> {
    let trace: Vec<&EpochRecord> = run.snapshot.trace.iter().filter(|epoch| epoch.rounds > 0).collect();
    if trace.iter().all(|epoch| epoch.candidates == 0) {
        return None;
    }
    let series = |name: &str, of: fn(&EpochRecord) -> u64| {
        let points = trace.iter().map(|epoch| (epoch.epoch as f64, of(epoch) as f64));
        let (x, y) = points.unzip();
        Series::new(name, x, y)
    };
    let picture = Picture::new("Candidates and rejections", PictureKind::Lines)
        .axes(Axis::linear("epoch"), Axis::linear("variables"))
        .series(series("candidates", |epoch| epoch.candidates))
        .series(series("rejected", |epoch| epoch.rejected));
    Some(picture)
}

/// Further values that the program shows at its boundaries, a picture each.
pub(super) fn shown(run: &Run) -> Vec<Picture> {
    let names: BTreeSet<&String> = run.snapshot.trace.iter().flat_map(|epoch| epoch.shown.keys()).collect();
    let curve_of = |name: &&String| {
        curve(&[run], name, Over::Seconds, |epoch| {
            epoch.shown.get(*name).copied().filter(|value| value.is_finite())
        })
    };
    names.iter().filter_map(curve_of).take(MOST_SHOWN).collect()
}

/// Seconds of the parts of the run.
pub(super) fn parts(run: &Run) -> Option<Picture> {
    let seconds = run.field(&["seconds"]);
    let names = ["read", "prepare", "fit", "certify", "write"];
    let of = |name: &&str| seconds[*name].as_f64();
    let values: Vec<f64> = names.iter().map(of).collect::<Option<_>>()?;
    let picture = Picture::new("Where the seconds went", PictureKind::Bars)
        .axes(Axis::names("part", names), Axis::linear("seconds"))
        .series(Series::of_names("seconds", values));
    Some(picture)
}
