//! The program `pool-sim`, as a user runs it.

use std::fs;
use std::path::Path;

use raddle_common::testing::{Program, Ran};
use serde_json::Value;

use crate::simulate::tables;

const POOL_SIM: &str = env!("CARGO_BIN_EXE_pool-sim");

const JOBS: &str = "[[job]]\nname = \"long\"\nepochs = 100\nspeeds = [[1, 1.0], [2, 2.0]]\n\
                    [[job]]\nname = \"short\"\nat = 10\nepochs = 5\nspeeds = [[1, 1.0]]\n";

/// Runs a command line with a folder of public data sets.
fn run(folder: &Path, data: &Path, line: &str) -> Ran {
    Ran::new(Program::at(POOL_SIM).command(folder, line).env("RADDLE_DATA", data).output().unwrap())
}

fn refused(data: &Path, line: &str) -> String {
    let ran = run(data, data, line);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}\n{}", ran.err);
    ran.err
}

#[test]
fn simulations_are_told_as_a_table_and_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("jobs.toml"), JOBS).unwrap();
    let line = "jobs.toml --nodes 1 --slots 2 --policy las,optimus --rescale 0";
    let ran = run(folder, folder, line);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let rows: Vec<&str> = ran.out.lines().collect();
    assert!(
        rows[1].contains("mean JCT, s") && rows[2].contains("las") && rows[3].contains("optimus"),
        "{}",
        ran.out
    );
    let ran = run(folder, folder, &format!("{line} --json"));
    let value: Value = serde_json::from_str(&ran.out).unwrap();
    let of = |policy: usize, job: usize| {
        value["policies"][policy]["workloads"][0]["jobs"][job]["end"].as_f64().unwrap()
    };
    // Two workers from 1 s on: the short job waits, and runs from the first tick after 51 s. Under Optimus it
    // runs at once, and takes one worker from the long job for five seconds.
    assert_eq!([of(0, 0), of(0, 1), of(1, 0), of(1, 1)], [51.0, 56.0, 53.5, 15.0], "{value}");
}

#[test]
fn published_workloads_are_found_in_the_folder_of_data() {
    let folder = tables::folder(&["1,1,a,0,bert,1,8", "1,2,b,0,ncf,1,8", "2,1,c,0,ncf,1,8"]);
    let ran = run(folder.path(), folder.path(), "pollux --policy las --json");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let value: Value = serde_json::from_str(&ran.out).unwrap();
    let workloads = value["policies"][0]["workloads"].as_array().unwrap();
    let names: Vec<&str> = workloads.iter().map(|of| of["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["pollux:1", "pollux:2"]);
    let ran = run(folder.path(), folder.path(), "pollux:1 --load 2 --policy las,ones");
    assert!(ran.code == Some(0) && ran.out.contains("ones"), "{}", ran.err);
    let error = refused(folder.path(), "pollux:3");
    assert!(error.contains("pollux:3: there is no such workload: choose one of 1, 2"), "{error}");
}

#[test]
fn tables_that_are_missing_or_at_fault_are_bad_input() {
    let empty = tempfile::tempdir().unwrap();
    let error = refused(empty.path(), "pollux:6");
    assert!(
        error.contains("workloads.csv.gz: no such file: set RADDLE_DATA to the folder that holds cluster/"),
        "{error}"
    );
    for (row, words) in [
        ("1,1,b,5,gpt,1,8", "workloads.csv.gz:3: unknown application `gpt`"),
        ("1,1,b,5,ncf,1,4096", "workloads.csv.gz:3: batch size 4096 of ncf: choose 8 to 64"),
    ] {
        let folder = tables::folder(&["1,1,a,0,bert,1,8", row]);
        let error = refused(folder.path(), "pollux:1");
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn options_that_make_no_sense_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    for (line, words) in [
        ("", "<SPEC>"),
        ("synth:jobs:n=4 --nodes 0", "--nodes 0: choose 1 to 10000"),
        ("synth:jobs:n=4 --slots 0", "--slots 0: choose 1 to 1024"),
        ("synth:jobs:n=4 --policy lsa", "--policy `lsa` does not exist: choose greedy, fifo, drf, las"),
        ("synth:jobs:n=4 --policy optimum,las", "--policy `optimum` does not exist"),
        ("synth:jobs:n=4 --policy las,las", "`las` is given twice: keep one"),
        ("synth:jobs:k=4", "`k` is no parameter here: known are n, seed, hours"),
        ("pollox:4", "expected pollux, pollux:1 to pollux:8, synth:jobs:n=160,seed=1, or a file"),
        ("synth:jobs:n=4 --rescale -1", "--rescale -1: choose seconds, 0 or more"),
        ("synth:jobs:n=4 --tick 0", "--tick 0: choose seconds above 0"),
        ("synth:jobs:n=4 --load 0", "--load 0: choose a number above 0"),
        ("pollux:1 --load 3", "--load 3: choose 0.5, 1, 1.5 or 2"),
        ("synth:jobs:n=4 --policy las --knowledge none", "--knowledge has no effect without --policy greedy"),
        ("synth:jobs:n=4 --policy las --floor 0", "--floor has no effect without --policy pdors or oasis"),
        ("synth:jobs:n=4 --policy pdors --floor -1", "--floor -1: choose a share from 0 to 1"),
        ("synth:jobs:n=4 --knowledge x", "--knowledge `x` does not exist: choose known, learnt or none"),
    ] {
        let error = refused(folder.path(), line);
        assert!(error.contains(words), "{line}\n{error}");
    }
}
