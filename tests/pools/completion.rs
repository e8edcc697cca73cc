//! Three programs, a long job first: policies that give and take end them sooner in the mean than a queue
//! does.

use std::fs;
use std::path::Path;

use raddle_datasets::registry::real_folder;

use super::json;
use crate::combinations::all_combinations;
use crate::commands::{ends, number};

const POLICIES: [&str; 3] = ["las", "optimus", "ones"];

/// Epochs of the topic model.
const EPOCHS: u64 = 60;

/// A topic model, then a factorization, then a Lasso: on mice where public sets are.
fn write(folder: &Path, lasso: &str, epochs: u64) {
    let lines = [
        format!("lda fit --topics 50 --epochs {epochs} --validation none --shards 8 --out lda"),
        "mf fit synth:ratings:users=800,items=300,n=30000 --rank 16 --epochs 6 --shards 8 --out mf".into(),
        format!("lasso fit {lasso} --ratio 10 --shards 8 --out lasso"),
    ];
    let job = |(at, line): (usize, &String)| format!("[[job]]\nrun = \"{line}\"\nat = {at}\n");
    fs::write(folder.join("jobs.toml"), lines.iter().enumerate().map(job).collect::<String>()).unwrap();
}

/// Mean time from a job's arrival to its end under a policy, in seconds of the pool's clock, and the whole
/// table.
fn mean(policy: &str, clock: &str, lasso: &str, epochs: u64) -> (f64, String) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, lasso, epochs);
    // Above what the others take.
    let las = if policy == "las" { " --threshold 25" } else { "" };
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

/// The long form, `RADDLE_POOL_LONG=N`, compares by the wall clock, too, with so many epochs of the topic
/// model.
#[test]
fn the_mean_completion_under_policies_beats_that_of_a_queue() {
    let lasso = match real_folder() {
        Some(_) => "mice",
        None => "synth:groups:n=400,p=800,s=40",
    };
    // The topic model is one of half a minute on 4 workers.
    let counted = "counted --seconds-per-cost 1.5e-7";
    let (fifo, _) = mean("fifo", counted, lasso, EPOCHS);
    for policy in POLICIES {
        let (first, table) = mean(policy, counted, lasso, EPOCHS);
        if all_combinations() || policy == POLICIES[0] {
            let (_, again) = mean(policy, counted, lasso, EPOCHS);
            assert_eq!(table, again, "{policy}");
        }
        println!(
            "by counted cost: fifo {fifo:.1} s, {policy} {first:.1} s, {:.2} times sooner",
            fifo / first
        );
        assert!(fifo >= 1.5 * first, "{policy}: {first} beside {fifo}");
    }
    let epochs = number("RADDLE_POOL_LONG", 0);
    if epochs == 0 {
        return;
    }
    let of = |policy| mean(policy, "wall", lasso, epochs).0;
    let turn = |_| {
        let fifo = of("fifo");
        POLICIES.map(|policy| fifo / of(policy))
    };
    let turns = [0, 1, 2].map(turn);
    for (at, policy) in POLICIES.iter().enumerate() {
        let mut ratios = turns.map(|ratios| ratios[at]);
        ratios.sort_by(f64::total_cmp);
        println!("by the wall clock: {policy} {ratios:.2?} times sooner than fifo");
        assert!(ratios[1] >= 1.2, "{policy}: {ratios:?}");
    }
}
