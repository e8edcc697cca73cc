//! Promises to jobs that run: profiles of a pool's jobs, and a pool that promises by them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{LINES, json};
use crate::commands::{ends, run};

/// Seconds of a unit of counted cost: the topic model takes about a minute.
const CLOCK: &str = "--clock counted --seconds-per-cost 1e-6";

/// A job of each line, one every three seconds. All have much time but the last one, which has so many
/// seconds.
fn write(folder: &Path, deadline: f64) {
    let job = |(at, line): (usize, &&str)| {
        let deadline = if at + 1 == LINES.len() { deadline } else { 400.0 };
        let at_3 = 3 * at;
        format!(
            "[[job]]\nrun = \"{line} --out job{at}\"\nat = {at_3}\nvalue = {}\ndeadline = {deadline:.1}\n",
            5 + at
        )
    };
    fs::create_dir(folder).unwrap();
    fs::write(folder.join("jobs.toml"), LINES.iter().enumerate().map(job).collect::<String>()).unwrap();
}

/// Jobs under `pdors`, with the profiles of the folder above.
fn promised(folder: &Path, status: i32) -> Vec<Value> {
    let line = format!(
        "pool run jobs.toml --workers 2 --policy pdors --slot 20 --rescale 7 {CLOCK} --profiles \
         ../profiles.toml --out nightly --quiet"
    );
    ends(folder, &line, status);
    json(folder, "pool status nightly --json")["jobs"].as_array().unwrap().clone()
}

/// Asserts that a job was admitted and ended in time.
fn assert_kept(job: &Value) {
    let (ended, promised) = (job["ended"].as_f64().unwrap(), job["promised"].as_f64().unwrap());
    assert!(ended <= promised && job["state"].as_str().unwrap().starts_with("done"), "{job}");
}

#[test]
fn who_is_promised_an_end_ends_by_it_and_who_is_refused_is_told_one_that_holds() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let [measured, tight, loose] = ["measured", "tight", "loose"].map(|name| folder.join(name));
    write(&measured, 400.0);
    let unknown = "pool run jobs.toml --workers 2 --policy pdors --out nightly";
    let refused = run(&measured, unknown);
    assert!(refused.code == Some(2) && refused.err.contains("pool profile RUN"), "{}", refused.err);
    ends(
        &measured,
        &format!("pool run jobs.toml --workers 2 --policy fifo {CLOCK} --out nightly --quiet"),
        0,
    );
    fs::write(folder.join("profiles.toml"), ends(&measured, "pool profile nightly", 0).out).unwrap();

    write(&tight, 20.0);
    let jobs = promised(&tight, 1);
    let (last, admitted) = jobs.split_last().unwrap();
    assert_eq!(admitted.len(), 5);
    admitted.iter().for_each(assert_kept);
    assert_eq!(last["state"], "refused");
    let why = last["why"].as_str().unwrap();
    let rest = why.strip_prefix("the earliest end that could be promised is ").expect(why);
    let earliest: f64 = rest.split_once(" s").expect(why).0.parse().unwrap();
    println!("refused with 20 s; promised at the earliest: {earliest} s");
    assert!(earliest > 20.0, "{why}");

    write(&loose, earliest + 0.1);
    let jobs = promised(&loose, 0);
    assert_eq!(jobs.len(), LINES.len());
    jobs.iter().for_each(assert_kept);
}
