//! Bytes that leave the first process: changes and plans cross to each process once, however many workers use
//! them there.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::commands::run;

/// Bytes that the first of two processes with so many workers each sends, and what the run leaves: its
/// model's digest and its status.
fn sent(folder: &Path, workers: usize, line: &str) -> (u64, (String, Option<i32>)) {
    let how = format!("raddle launch --processes 2 --workers {workers} --balance off");
    let ran = run(folder, &format!("{how} -- {line} --shards 8 --out run --force"));
    let report: Value = serde_json::from_slice(&fs::read(folder.join("run/report.json")).unwrap()).unwrap();
    // A checkpoint of a slow run ends a generation: the bytes of all are those of the epochs.
    let first = |generation: &Value| {
        let first = &generation["members"][0];
        assert_eq!((&first["process"], &first["workers"]), (&0.into(), &workers.into()), "{}", ran.err);
        first["bytes_sent"].as_u64().unwrap()
    };
    let bytes = report["generations"].as_array().unwrap().iter().map(first).sum();
    (bytes, (report["model_digest"].as_str().unwrap().to_owned(), ran.code))
}

/// Checks that four workers a process take no more than a tenth more than one does.
fn once_a_process(line: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (one, expected) = sent(folder.path(), 1, line);
    let (four, left) = sent(folder.path(), 4, line);
    assert_eq!(left, expected);
    assert!(one > 100_000, "{one} bytes are hardly changes");
    assert!(10 * four <= 11 * one, "{four} bytes, and {one} with one worker a process");
}

#[test]
fn a_side_of_als_leaves_once_a_process() {
    once_a_process("mf fit synth:ratings:users=1000,items=400,n=15000 --rank 16 --epochs 2 --solver als");
}

#[test]
fn changes_of_topics_leave_once_a_process() {
    once_a_process("lda fit --topics 20 --epochs 4");
}

#[test]
fn changes_of_a_residual_leave_once_a_process() {
    once_a_process("lasso fit synth:groups:n=1000,p=100,s=20 --schedule cyclic --epochs 3");
}
