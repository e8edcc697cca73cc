//! What leaves the first process: changes and plans cross to each process once, however many workers use them there.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::commands::ends;

/// Bytes and messages that the first of two processes with so many workers each sends, and the model's digest.
fn sent(folder: &Path, workers: usize, line: &str) -> (u64, u64, String) {
    let how = format!("raddle launch --processes 2 --workers {workers} --balance off");
    ends(folder, &format!("{how} -- {line} --shards 8 --out run --force"), 0);
    let report: Value = serde_json::from_slice(&fs::read(folder.join("run/report.json")).unwrap()).unwrap();
    let generations = report["generations"].as_array().unwrap();
    assert_eq!(generations.len(), 1);
    let first = &generations[0]["members"][0];
    assert_eq!((&first["process"], &first["workers"]), (&0.into(), &workers.into()));
    let [bytes, messages] = ["bytes_sent", "messages_sent"].map(|field| first[field].as_u64().unwrap());
    (bytes, messages, report["model_digest"].as_str().unwrap().to_owned())
}

/// Checks that four workers a process take no more than a tenth more than one does.
fn once_a_process(line: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (one, few, expected) = sent(folder.path(), 1, line);
    let (four, more, digest) = sent(folder.path(), 4, line);
    assert_eq!(digest, expected);
    assert!(one > 100_000, "{one} bytes are hardly changes");
    assert!(
        10 * four <= 11 * one,
        "{four} bytes in {more} messages, and {one} in {few} with one worker a process"
    );
}

#[test]
fn a_side_of_als_leaves_once_a_process() {
    once_a_process("mf fit synth:ratings:users=3000,items=1000,n=60000 --rank 16 --epochs 3 --solver als");
}

#[test]
fn changes_of_topics_leave_once_a_process() {
    once_a_process("lda fit --topics 40 --epochs 10");
}

#[test]
fn changes_of_a_residual_leave_once_a_process() {
    once_a_process("lasso fit synth:groups:n=3000,p=300,s=20 --schedule cyclic --epochs 20 --tol 1e-14");
}
