//! Jobs that misbehave, and people who want something of a pool that runs.

use std::fs;

use super::{Running, json};
use crate::commands::{ends, run};
use crate::launched::{digest, signal};

/// A fit that does not end by itself in the time of a test.
const ENDLESS: &str = "lda fit --topics 20 --epochs 1000000 --validation none --out endless";

fn write(folder: &std::path::Path, lines: &[&str]) {
    let text: String = lines.iter().map(|line| format!("[[job]]\nrun = \"{line}\"\n")).collect();
    fs::write(folder.join("jobs.toml"), text).unwrap();
}

#[test]
fn a_job_that_dies_at_once_fails_with_its_last_lines_and_others_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, &["mf fit nowhere.csv --out bad", "lasso fit diabetes --out good"]);
    let ran = ends(folder, "pool run jobs.toml --workers 2 --policy fifo --out nightly", 1);
    assert!(ran.out.contains("bad: exit status 2: ") && ran.out.contains("nowhere.csv"), "{}", ran.out);
    ends(folder, "lasso fit diabetes --out alone", 0);
    assert_eq!(digest(&folder.join("good")), digest(&folder.join("alone")));
}

#[test]
fn a_pool_takes_jobs_cancels_them_and_is_alone_in_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, &[ENDLESS]);
    let mut pool = Running::begin(folder, "pool run jobs.toml --workers 2 --policy drf --out nightly");
    pool.until("a run", |pool| pool.processes().len() >= 2);
    let second = run(folder, "pool run --out nightly");
    assert!(second.code == Some(2) && second.err.contains("its run is alive"), "{}", second.err);
    ends(folder, "pool add nightly -- lasso fit diabetes --out added", 0);
    let state = |name: &str| {
        let status = json(folder, "pool status nightly --json");
        let jobs = status["jobs"].as_array().unwrap();
        jobs.iter()
            .find(|job| job["name"] == name)
            .map_or("".into(), |job| job["state"].as_str().unwrap().to_owned())
    };
    pool.until("the end of what was added", |_| state("added") == "done");
    assert!(["running", "held"].contains(&&*state("endless")), "{}", state("endless"));
    for (line, words) in [
        ("pool add nightly -- lasso fit diabetes --out added", "another of this name"),
        ("pool add nightly -- lass fit diabetes --out b", "no program `lass`"),
        ("pool add nightly --most 3 -- lasso fit diabetes --out b", "above the 2 workers"),
        ("pool cancel nightly nobody", "nobody"),
    ] {
        let ran = run(folder, line);
        assert!(ran.code == Some(2) && ran.err.contains(words), "{line}: {}", ran.err);
    }
    ends(folder, "pool cancel nightly endless", 0);
    assert_eq!(pool.end(), Some(0));
    assert_eq!((&*state("endless"), pool.processes()), ("cancelled", vec![]));
}

/// A job that does not answer keeps its workers, which nobody else gets, until it does.
#[test]
fn the_workers_of_a_job_that_does_not_answer_count_as_taken() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, &[ENDLESS]);
    let line = "pool run jobs.toml --workers 1 --policy fifo --patience 1 --out nightly";
    let mut pool = Running::begin(folder, line);
    let epochs = |folder: &std::path::Path| {
        fs::read_to_string(folder.join("endless/trace.jsonl")).unwrap_or_default().lines().count()
    };
    pool.until("an epoch", |_| epochs(folder) > 0);
    let stopped = pool.processes();
    stopped.iter().for_each(|(process, _)| signal(process, "-STOP"));
    let jobs = || json(folder, "pool status nightly --json")["jobs"].clone();
    pool.until("its silence", |_| jobs()[0]["state"] == "silent");
    ends(folder, "pool add nightly -- lasso fit diabetes --out waits", 0);
    pool.until("the other job", |_| jobs().as_array().unwrap().len() == 2);
    assert_eq!((&jobs()[0]["workers"], &jobs()[1]["workers"]), (&1.into(), &0.into()), "{}", jobs());
    stopped.iter().for_each(|(process, _)| signal(process, "-CONT"));
    pool.until("its answer", |_| jobs()[0]["state"] == "running");
    ends(folder, "pool cancel nightly endless", 0);
    assert_eq!(pool.end(), Some(0));
    assert!(folder.join("waits/model.json").exists());
}
