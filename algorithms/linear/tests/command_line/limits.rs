//! Limits and signals: they end a fit within its epoch, whatever the data.

#![expect(clippy::disallowed_types, reason = "how long a run goes on behind its limit is what is looked at")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use raddle::random::Stream;
use raddle_common::testing::{Program, Ran, json};

use super::LINEAR;

const LOSSES: [&str; 3] = ["squared-hinge", "hinge", "logistic"];
/// Seconds from a limit or a signal to the end: the promise is 1 s, of an optimised build on a machine that
/// does nothing else, which `RADDLE_LIMITS_WITHIN` asks for.
const WITHIN: f64 = 60.0;

/// Seconds of a limit, rising: on a machine that does other things the first may come before any boundary.
const LIMITS: [f64; 4] = [0.2, 1.0, 5.0, 25.0];

fn from_environment(name: &str, usual: f64) -> f64 {
    std::env::var(name).map_or(usual, |value| value.parse().unwrap())
}

/// A table whose columns differ in size by up to 30 orders of magnitude, or some of whose cells do.
fn table(number: u64) -> String {
    let mut draw = Stream::new(&[number, 11]);
    let (rows, columns) = (10 + draw.below(50), 2 + draw.below(5));
    let size = |draw: &mut Stream| 10_f64.powf(30.0 * draw.unit());
    let sizes: Vec<f64> =
        (0..columns).map(|_| if draw.unit() < 0.5 { size(&mut draw) } else { 1.0 }).collect();
    let mut text = String::new();
    for _ in 0..rows {
        for of in &sizes {
            let cell = if draw.unit() < 0.05 { size(&mut draw) } else { *of };
            write!(text, "{:e},", cell * (draw.unit() - 0.5)).unwrap();
        }
        writeln!(text, "{}", if draw.unit() < 0.5 { "a" } else { "b" }).unwrap();
    }
    text
}

/// 1,000 rows of which the first column is 1e8 times the others.
fn uneven(folder: &Path) {
    let mut draw = Stream::new(&[8]);
    let mut text = "wide,x1,x2,x3,y\n".to_owned();
    for _ in 0..1000 {
        let x: Vec<f64> = (0..4).map(|_| draw.unit() - 0.5).collect();
        let y = if x[1] + 0.3 * (draw.unit() - 0.5) > 0.0 { "up" } else { "down" };
        writeln!(text, "{},{},{},{},{y}", 1e8 * x[0], x[1], x[2], x[3]).unwrap();
    }
    fs::write(folder.join("uneven.csv"), text).unwrap();
}

#[test]
fn a_time_limit_ends_every_fit_soon() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    let tables = from_environment("RADDLE_LIMITS_TABLES", 12.0) as u64;
    let within = from_environment("RADDLE_LIMITS_WITHIN", WITHIN);
    for number in 0..tables {
        let loss = LOSSES[number as usize % LOSSES.len()];
        fs::write(folder.join("table.csv"), table(number)).unwrap();
        let began = Instant::now();
        let ran = linear
            .run(folder, &format!("fit table.csv --y -1 --loss {loss} --time-limit 1 --json --workers 1"));
        let took = began.elapsed().as_secs_f64();
        assert!(took < 1.0 + within, "table {number}, {loss}: {took} s");
        assert!([Some(0), Some(2), Some(3)].contains(&ran.code), "table {number}, {loss}: {}", ran.err);
    }
}

#[test]
fn an_epoch_that_a_limit_gives_up_leaves_the_boundary_before_and_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    uneven(folder);
    let fit = "fit uneven.csv --y y --loss hinge";
    let limited =
        |limit: f64| linear.ends(folder, &format!("{fit} --time-limit {limit} --out cut --force --quiet"), 3);
    let is_cut = |ran: &Ran| {
        let is_cut = ran.out.contains("stopped at the time limit");
        let is_before = ran.err.contains("the time limit came before the first boundary");
        assert!(is_cut != is_before, "{} {}", ran.out, ran.err);
        is_cut
    };
    let ran = LIMITS.into_iter().map(limited).find(is_cut).expect("no limit leaves a boundary");
    let hint = "the largest column, wide, is";
    assert!(ran.out.contains(hint), "{}", ran.out);
    assert!(ran.out.contains("--scale divides columns"), "{}", ran.out);
    let cut = json(&folder.join("cut/report.json"));
    assert!(
        cut["notes"].as_array().unwrap().iter().any(|note| note.as_str().unwrap().contains(hint)),
        "{cut}"
    );
    let epochs = &cut["epochs"];
    linear.ends(folder, &format!("{fit} --epochs {epochs} --out short --quiet"), 3);
    let short = json(&folder.join("short/report.json"));
    assert_eq!((&cut["model_digest"], &cut["ending"]), (&short["model_digest"], &short["ending"]));
    // The trace ends with that boundary, too.
    let trace = fs::read_to_string(folder.join("cut/trace.jsonl")).unwrap();
    let last: serde_json::Value = serde_json::from_str(trace.lines().last().unwrap()).unwrap();
    assert_eq!((&last["epoch"], &last["ending"]), (epochs, &"limit".into()), "{trace}");
    // Scaled columns are solved.
    let scaled = linear.ends(folder, &format!("{fit} --scale --quiet"), 0);
    assert!(!scaled.out.contains(hint), "{}", scaled.out);
}

#[test]
fn a_signal_ends_a_fit_while_it_reads_and_within_an_epoch() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    uneven(folder);
    linear.ends_while_it_reads(folder, "fit - --y y --out none", "none");
    let within = Duration::from_secs_f64(from_environment("RADDLE_LIMITS_WITHIN", WITHIN));
    for (signal, line) in [("-TERM", ""), ("-INT", "--workers 2"), ("-INT", "--loss logistic --tol 1e-15")] {
        let line = format!("fit uneven.csv --y y --loss hinge --out run --force {line}");
        let line = if line.contains("logistic") { line.replace("--loss hinge ", "") } else { line };
        let mut fit = linear.start(folder, &line);
        fit.until("epoch ").signal(signal);
        let began = Instant::now();
        let ran = fit.end();
        assert!(began.elapsed() < within, "{line}: {:?}", began.elapsed());
        // It may have come to its end before the signal did.
        if ran.code == Some(130) {
            assert_eq!(json(&folder.join("run/model.json"))["ending"], "interrupted", "{line}");
            let digest = &json(&folder.join("run/report.json"))["model_digest"];
            assert_eq!(digest.as_str().unwrap().len(), 64);
        } else {
            assert!(line.contains("logistic"), "{line}: {:?} {}", ran.code, ran.err);
        }
    }
}
