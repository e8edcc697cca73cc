//! Limits and signals: they end a fit within its epoch, whatever the data.

#![expect(clippy::disallowed_types, reason = "how long a run goes on behind its limit is what is looked at")]

use std::fmt::Write as _;
use std::fs;
use std::time::Instant;

use raddle::random::Stream;
use raddle_common::testing::{Program, Ran};

use super::program::{ends, json, scratch};

const LASSO: &str = env!("CARGO_BIN_EXE_lasso");
const LOSSES: [&str; 4] = ["squared", "logistic", "multinomial", "poisson"];
/// Seconds from a limit to the end: the promise is 1 s, for an optimised build on an idle machine, which
/// `RADDLE_LIMITS_WITHIN` checks.
const WITHIN: f64 = 60.0;

/// Limits in seconds, rising: on a busy machine the first may come before any boundary.
const LIMITS: [f64; 4] = [0.3, 1.0, 5.0, 25.0];

fn from_environment(name: &str, usual: f64) -> f64 {
    std::env::var(name).map_or(usual, |value| value.parse().unwrap())
}

/// A table whose columns, or some of whose cells, differ in size by up to 30 orders of magnitude, with a
/// response of the loss in the last column.
fn table(number: u64, loss: &str) -> String {
    let mut draw = Stream::new(&[number, 12]);
    let (rows, columns) = (10 + draw.below(50), 2 + draw.below(5));
    let size = |draw: &mut Stream| 10_f64.powf(30.0 * draw.unit());
    let sizes: Vec<f64> =
        (0..columns).map(|_| if draw.unit() < 0.5 { size(&mut draw) } else { 1.0 }).collect();
    let mut text = String::new();
    for row in 0..rows {
        for of in &sizes {
            let cell = if draw.unit() < 0.05 { size(&mut draw) } else { *of };
            write!(text, "{:e},", cell * (draw.unit() - 0.5)).unwrap();
        }
        match loss {
            "squared" => writeln!(text, "{:e}", draw.unit()).unwrap(),
            "logistic" => writeln!(text, "{}", row % 2).unwrap(),
            "multinomial" => writeln!(text, "{}", row % 3).unwrap(),
            _ => writeln!(text, "{}", draw.below(9)).unwrap(),
        }
    }
    text
}

#[test]
fn a_time_limit_ends_every_fit_soon() {
    let folder = scratch();
    let (folder, lasso) = (folder.path(), Program::at(LASSO));
    let tables = from_environment("RADDLE_LIMITS_TABLES", 12.0) as u64;
    let within = from_environment("RADDLE_LIMITS_WITHIN", WITHIN);
    let schedules = ["", "--schedule priority", "--schedule cyclic"];
    for number in 0..tables {
        let (loss, raw) = (LOSSES[number as usize % LOSSES.len()], number % 3 == 0);
        fs::write(folder.join("table.csv"), table(number, loss)).unwrap();
        let schedule = schedules[number as usize / LOSSES.len() % schedules.len()];
        let raw = if raw { "--no-standardize" } else { "" };
        let line =
            format!("fit table.csv --y -1 --loss {loss} {schedule} {raw} --time-limit 1 --json --ratio 1000");
        let began = Instant::now();
        let ran = lasso.run(folder, &line);
        let took = began.elapsed().as_secs_f64();
        assert!(took < 1.0 + within, "table {number}, {line}: {took} s");
        assert!([Some(0), Some(2), Some(3)].contains(&ran.code), "table {number}, {line}: {}", ran.err);
    }
}

#[test]
fn a_signal_ends_a_fit_while_it_reads() {
    let folder = scratch();
    for verb in ["fit", "path", "cv"] {
        let line = format!("{verb} - --y y --out none");
        Program::at(LASSO).ends_while_it_reads(folder.path(), &line, "none");
    }
}

/// A fit that needs so many columns that an epoch of an unoptimised build takes long.
const LONG: &str = "fit synth:groups:n=400,p=2000,s=200,r=0.9 --ratio 3000 --tol 1e-9";

#[test]
fn an_epoch_that_is_given_up_leaves_the_boundary_before() {
    let folder = scratch();
    let folder = folder.path();
    let limited = |limit: f64| {
        Program::at(LASSO).run(folder, &format!("{LONG} --time-limit {limit} --out cut --force --quiet"))
    };
    let has_boundary = |ran: &Ran| {
        assert!([Some(0), Some(3)].contains(&ran.code), "{}", ran.err);
        !ran.err.contains("the time limit came before the first boundary")
    };
    let ran = LIMITS.into_iter().map(limited).find(has_boundary).expect("no limit leaves a boundary");
    let cut = json(&folder.join("cut"), "report.json");
    let epochs = &cut["epochs"];
    ends(folder, &format!("{LONG} --epochs {epochs} --out short --quiet"), ran.code.unwrap());
    let short = json(&folder.join("short"), "report.json");
    assert_eq!((&cut["model_digest"], &cut["ending"]), (&short["model_digest"], &short["ending"]));
    assert_eq!(cut["metric"]["value"], short["metric"]["value"]);
}
