//! Three programs, a long job first: policies that give and take end them sooner in the mean than a queue does.

use std::fs;
use std::path::Path;

use super::json;
use crate::commands::{ends, number};

/// A topic model, then a factorization, then a Lasso. Units of counted cost are those of each program (tokens, shards, values), so
/// that of the Lasso is small.
fn write(folder: &Path, is_long: bool) {
    let epochs = if is_long { 2000 } else { 60 };
    let lines = [
        format!("lda fit --topics 50 --epochs {epochs} --validation none --shards 8 --out lda"),
        "mf fit synth:ratings:users=800,items=300,n=30000 --rank 16 --epochs 6 --shards 8 --out mf".into(),
        "lasso fit synth:groups:n=400,p=800,s=40 --ratio 10 --shards 8 --out lasso".into(),
    ];
    let job = |(at, line): (usize, &String)| format!("[[job]]\nrun = \"{line}\"\nat = {at}\n");
    fs::write(folder.join("jobs.toml"), lines.iter().enumerate().map(job).collect::<String>()).unwrap();
}

/// Mean time from a job's arrival to its end under a policy, in seconds of the pool's clock, and the whole table.
fn mean(policy: &str, clock: &str, is_long: bool) -> (f64, String) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, is_long);
    let las = if policy == "las" { " --threshold 20" } else { "" };
    let line = format!(
        "pool run jobs.toml --workers 4 --policy {policy}{las} --clock {clock} --out nightly --quiet"
    );
    let out = ends(folder, &line, 0).out;
    let status = json(folder, "pool status nightly --json");
    let jobs = status["jobs"].as_array().unwrap();
    assert_eq!(jobs.len(), 3);
    let of = |job: &serde_json::Value| job["completion"].as_f64().unwrap();
    (jobs.iter().map(of).sum::<f64>() / 3.0, out)
}

/// The long form, `RADDLE_POOL_LONG=1`, compares by the wall clock, too.
#[test]
fn the_mean_completion_under_policies_beats_that_of_a_queue() {
    let counted = "counted --seconds-per-cost 5e-6";
    let (fifo, _) = mean("fifo", counted, false);
    for policy in ["las", "optimus", "ones"] {
        let (first, table) = mean(policy, counted, false);
        let (_, again) = mean(policy, counted, false);
        assert_eq!(table, again, "{policy}");
        println!(
            "by counted cost: fifo {fifo:.1} s, {policy} {first:.1} s, {:.2} times sooner",
            fifo / first
        );
        assert!(fifo >= 1.5 * first, "{policy}: {first} beside {fifo}");
    }
    if number("RADDLE_POOL_LONG", 0) == 0 {
        return;
    }
    for policy in ["las", "optimus", "ones"] {
        let mut ratios: Vec<f64> =
            (0..3).map(|_| mean("fifo", "wall", true).0 / mean(policy, "wall", true).0).collect();
        ratios.sort_by(f64::total_cmp);
        println!("by the wall clock: {policy} {ratios:.2?} times sooner than fifo");
        assert!(ratios[1] >= 1.2, "{policy}: {ratios:?}");
    }
}
