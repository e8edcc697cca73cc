//! Twelve jobs of three programs, a long one first: greedy ends them sooner in the mean than a queue does,
//! and no later than equal shares.

use std::fs;
use std::path::Path;

use raddle_datasets::registry::real_folder;

use super::json;
use crate::combinations::all_combinations;
use crate::commands::{ends, median, number};

/// Epochs of a topic model.
const EPOCHS: u64 = 15;
/// Times that each program occurs.
const TIMES: usize = 4;

/// A topic model, a factorization and a Lasso in turn, one each second: the Lasso on mice where public sets
/// are.
fn write(folder: &Path, lasso: &str, epochs: u64) {
    let lines = [
        format!("lda fit --topics 50 --epochs {epochs} --validation none"),
        "mf fit synth:ratings:users=800,items=300,n=30000 --rank 16 --epochs 6".into(),
        format!("lasso fit {lasso} --ratio 10"),
    ];
    let job = |at: usize| {
        let line = &lines[at % lines.len()];
        format!("[[job]]\nrun = \"{line} --shards 8 --seed {at} --out job{at}\"\nat = {at}\n")
    };
    fs::write(folder.join("jobs.toml"), (0..TIMES * lines.len()).map(job).collect::<String>()).unwrap();
}

/// Mean time from a job's arrival to its end under a policy, in seconds of the pool's clock, and the whole
/// table.
fn mean(policy: &str, clock: &str, lasso: &str, epochs: u64) -> (f64, String) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, lasso, epochs);
    let line =
        format!("pool run jobs.toml --workers 4 --policy {policy} --clock {clock} --out nightly --quiet");
    let out = ends(folder, &line, 0).out;
    let status = json(folder, "pool status nightly --json");
    let jobs = status["jobs"].as_array().unwrap();
    assert_eq!(jobs.len(), 3 * TIMES);
    let of = |job: &serde_json::Value| job["completion"].as_f64().unwrap();
    (jobs.iter().map(of).sum::<f64>() / jobs.len() as f64, out)
}

/// Asserts that greedy is 1.5 times sooner than a queue, and no later than equal shares within 3 %.
fn assert_ahead(clock: &str, [fifo, drf, greedy]: [f64; 3]) {
    let times = fifo / greedy;
    println!(
        "{clock}: fifo {fifo:.1} s, drf {drf:.1} s, greedy {greedy:.1} s, {times:.2} times sooner than fifo"
    );
    assert!(fifo >= 1.5 * greedy && greedy <= 1.03 * drf, "{clock}: {fifo} {drf} {greedy}");
}

/// The long form, `RADDLE_POOL_LONG=N`, compares by the wall clock, too, with so many epochs of a topic
/// model: medians of three turns.
#[test]
fn the_mean_completion_under_greedy_beats_that_of_a_queue_and_of_equal_shares() {
    // A topic model is one of some seconds on 4 workers.
    let counted = "counted --seconds-per-cost 1.5e-7";
    let (generated, real) = ("synth:groups:n=400,p=800,s=40", real_folder().map(|_| "mice"));
    for lasso in [generated].into_iter().chain(real) {
        let (greedy, table) = mean("greedy", counted, lasso, EPOCHS);
        if all_combinations() {
            assert_eq!(table, mean("greedy", counted, lasso, EPOCHS).1);
        }
        let others = ["fifo", "drf"].map(|policy| mean(policy, counted, lasso, EPOCHS).0);
        assert_ahead("by counted cost", [others[0], others[1], greedy]);
    }
    let lasso = real.unwrap_or(generated);
    let epochs = number("RADDLE_POOL_LONG", 0);
    if epochs > 0 {
        let policies = ["fifo", "drf", "greedy"];
        let turns = (0..3).map(|_| policies.map(|policy| mean(policy, "wall", lasso, epochs).0));
        let turns: Vec<_> = turns.inspect(|turn| println!("{policies:?}: {turn:.1?}")).collect();
        assert_ahead(
            "by the wall clock",
            std::array::from_fn(|at| median(turns.iter().map(|turn| turn[at]))),
        );
    }
}
