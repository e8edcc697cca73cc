//! What tests of the command line share.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test takes what it needs, and fails where a test would"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// `lda` with the words of a line, in a folder.
pub(crate) fn command(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lda"));
    command.args(line.split_whitespace()).current_dir(folder);
    command
}

/// Runs a line: its exit status, stdout and stderr.
pub(crate) fn ran(folder: &Path, line: &str) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command(folder, line).output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// Runs a line that must end with this status; its stdout and stderr.
pub(crate) fn ends(folder: &Path, line: &str, code: i32) -> (String, String) {
    let (status, out, err) = ran(folder, line);
    assert_eq!(status, Some(code), "{line}: {out}{err}");
    (out, err)
}

/// Writes a file.
pub(crate) fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).unwrap();
}

/// The object in a file.
pub(crate) fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The files of a model and the summary, by name: what no run may write differently.
pub(crate) fn model(run: &Path) -> BTreeMap<String, Vec<u8>> {
    let about = json(&run.join("model.json"));
    let mut names: Vec<&str> = about["files"].as_object().unwrap().keys().map(String::as_str).collect();
    names.push("model.json");
    let is_measured = |name: &&&str| ["report.json", "trace.jsonl"].contains(*name);
    let names = names.iter().filter(|name| !is_measured(name));
    names.map(|&name| (name.to_owned(), fs::read(run.join(name)).unwrap())).collect()
}
