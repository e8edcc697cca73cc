//! The pictures in `summary.json`, compared with the trace and the tables of the run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use raddle_cli::{Picture, PictureKind, Scale, Series, Summary};
use raddle_common::testing::{not_empty, pairs};
use serde_json::Value;

use super::program::{CLICKS, SMALL, ends, json, scratch};

/// The pictures of a run.
fn pictures(run: &Path) -> Vec<Picture> {
    let summary: Summary = serde_json::from_slice(&fs::read(run.join("summary.json")).unwrap()).unwrap();
    summary.pictures
}

/// Epochs and values of a line, by its metric and the set on which it was measured.
type Lines = BTreeMap<(String, String), (Vec<f64>, Vec<f64>)>;

/// Returns the values in `trace.jsonl` of each metric that was measured twice, and the epochs of the
/// restarts.
fn traced(run: &Path) -> (Lines, Vec<f64>) {
    let (mut found, mut restarts) = (Lines::new(), Vec::new());
    for line in fs::read_to_string(run.join("trace.jsonl")).unwrap().lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let epoch = record["epoch"].as_f64().unwrap();
        if record["note"].as_str().is_some_and(|note| note.starts_with("restart")) {
            restarts.push(epoch);
        }
        let metric = &record["metric"];
        if let Some(value) = metric["value"].as_f64() {
            let text = |key: &str| metric[key].as_str().unwrap().to_owned();
            let (epochs, values) = found.entry((text("name"), text("on"))).or_default();
            epochs.push(epoch);
            values.push(value);
        }
    }
    found.retain(|_, (epochs, _)| epochs.len() > 1);
    (found, restarts)
}

/// Returns the values in pictures of each metric.
fn drawn(pictures: &[Picture]) -> Lines {
    let lines = pictures.iter().flat_map(|picture| {
        assert_eq!((&picture.kind, &*picture.x.label), (&PictureKind::Lines, "epoch"));
        let name = |series: &Series| (picture.y.label.clone(), series.name.clone());
        picture.series.iter().map(move |series| (name(series), (series.x.clone(), series.y.clone())))
    });
    lines.collect()
}

fn assert_equal(drawn: &Lines, traced: &Lines) {
    for ((name, (x, y)), (metric, (epochs, values))) in pairs(drawn, traced) {
        assert_eq!((name, x), (metric, epochs));
        // A reader may lose the last digit.
        assert!(pairs(y, values).all(|(y, value)| (y - value).abs() <= 1e-15 * value.abs()), "{name:?}");
    }
}

#[test]
fn the_error_by_epoch_is_that_of_the_trace() {
    let folder = scratch();
    let run = folder.path().join("run");
    for (line, names) in [
        (format!("fit {SMALL} --validation 0.1"), &["rmse by epoch"][..]),
        (format!("fit {SMALL} --validation none --epochs 7"), &["rmse by epoch"]),
        (format!("fit {SMALL} --validation 0.1 --epochs 5 --refit"), &["rmse by epoch"]),
        (
            format!("fit {SMALL} --solver als --validation 0.2 --refit"),
            &["rmse by epoch", "relative-change by epoch"],
        ),
        (format!("fit {CLICKS} --solver als --implicit --rank 4 --validation 0.2"), &["ndcg@10 by epoch"]),
    ] {
        ends(folder.path(), &format!("{line} --out run --force"), 0);
        let ((traced, restarts), pictures) = (traced(&run), pictures(&run));
        let titles: Vec<&str> = pictures.iter().map(|picture| &*picture.title).collect();
        assert_eq!(titles, names, "{line}");
        assert_equal(&drawn(&pictures), &traced);
        let at = |label: &str| -> Vec<f64> {
            pictures[0].marks.iter().filter(|mark| mark.label == label).map(|mark| mark.at).collect()
        };
        assert_eq!(at("restart"), restarts, "{line}");
        let results = json(&run, "report.json")["results"].clone();
        let is_chosen = ["best_rmse", "best_ndcg@10"].iter().any(|name| results.get(name).is_some());
        let best: Vec<f64> = is_chosen.then(|| results["best_epoch"].as_f64().unwrap()).into_iter().collect();
        assert_eq!(at("best"), best, "{line}");
    }
}

#[test]
fn a_resumed_run_has_all_its_epochs_and_a_later_version_those_of_its_fit() {
    let folder = scratch();
    let of = |run: &str| pictures(&folder.path().join(run));
    let line = format!("fit {SMALL} --rank 2 --epochs 8");
    ends(folder.path(), &format!("{line} --target 0.6 --out whole"), 3);
    ends(folder.path(), &format!("{line} --target 1 --checkpoint-every 1 --out run"), 0);
    let before = of("run");
    ends(folder.path(), "--resume run --target 0.6", 3);
    assert_eq!((of("run"), of("whole").len()), (of("whole"), 1));
    assert_ne!(before, of("whole"));
    fs::write(folder.path().join("changes"), "+ 1 2 3.5\n=\n+ 3 4 2.5\n=\n").unwrap();
    ends(folder.path(), &format!("fit {SMALL} --epochs 6 --changes changes --out versions"), 0);
    let (traced, _) = traced(&folder.path().join("versions"));
    let drawn = drawn(&of("versions"));
    for (name, (x, y)) in not_empty(&drawn) {
        let (epochs, values) = &traced[name];
        let (first, all) = (epochs.len() - x.len(), epochs.len());
        assert!(first > 0, "{name:?}: {epochs:?}");
        let line = |x: &[f64], y: &[f64]| Lines::from([(name.clone(), (x.to_vec(), y.to_vec()))]);
        assert_equal(&line(x, y), &line(&epochs[first..all], &values[first..all]));
    }
}

#[test]
fn the_grid_of_a_cross_validation_is_that_of_its_table() {
    let folder = scratch();
    let run = folder.path().join("run");
    for (grid, label, scale, names) in [
        ("--ranks 4,2 --regs 0.02,5", "rank", Scale::Log, vec!["reg 0.02", "reg 5"]),
        ("--ranks 2,3", "rank", Scale::Log, vec!["reg default"]),
        ("--rank 2 --regs 0.05,0.01,1", "reg", Scale::Log, vec!["rank 2"]),
        ("--rank 2 --regs 0,1", "reg", Scale::Linear, vec!["rank 2"]),
    ] {
        ends(folder.path(), &format!("cv {SMALL} {grid} --folds 3 --epochs 4 --out run --force"), 0);
        let [picture] = &pictures(&run)[..] else { panic!("one picture") };
        let found: Vec<&str> = picture.series.iter().map(|series| &*series.name).collect();
        assert_eq!((&*picture.x.label, picture.x.scale, found), (label, scale, names));
        let text = fs::read_to_string(run.join("cv.tsv")).unwrap();
        let mut best = (0.0, f64::INFINITY);
        let mut compared = 0;
        for line in text.lines().skip(1) {
            let [rank, reg, mean, error] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let (name, place) = match label {
                "rank" => (format!("reg {reg}"), rank),
                _ => (format!("rank {rank}"), reg),
            };
            let number = |text: &str| text.parse::<f64>().unwrap();
            let (place, mean, error) = (number(place), number(mean), number(error));
            let series = picture.series.iter().find(|series| series.name == name).unwrap();
            let at = series.x.iter().position(|&x| x == place).unwrap();
            for (found, expected) in
                pairs([series.y[at], series.low[at], series.high[at]], [mean, mean - error, mean + error])
            {
                assert!((found - expected).abs() < 1e-12 * expected.abs(), "{line}: {found} {expected}");
            }
            if mean < best.1 {
                best = (place, mean);
            }
            compared += 1;
        }
        assert_eq!(compared, picture.series.iter().map(|series| series.x.len()).sum::<usize>());
        assert!(not_empty(&picture.series).all(|series| series.x.is_sorted()));
        assert_eq!(picture.x.ticks.len(), picture.series[0].x.len());
        assert_eq!(picture.marks.iter().map(|mark| mark.at).collect::<Vec<_>>(), [best.0]);
    }
    // A single setting is no grid.
    ends(folder.path(), &format!("cv {SMALL} --folds 2 --epochs 3 --out run --force"), 0);
    assert!(pictures(&run).is_empty());
}
