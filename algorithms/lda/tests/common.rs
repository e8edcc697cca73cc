//! Helpers of tests of the command line.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

pub(crate) use raddle_common::testing::json;
use raddle_common::testing::{Program, Ran};

pub(crate) const LDA: &str = env!("CARGO_BIN_EXE_lda");

/// `lda` with the words of a line, in a folder.
pub(crate) fn command(folder: &Path, line: &str) -> Command {
    Program::at(LDA).command(folder, line)
}

/// Runs a line: its exit status, stdout and stderr.
pub(crate) fn ran(folder: &Path, line: &str) -> (Option<i32>, String, String) {
    let Ran { code, out, err } = Program::at(LDA).run(folder, line);
    (code, out, err)
}

/// Runs a line that must end with this status; its stdout and stderr.
pub(crate) fn ends(folder: &Path, line: &str, code: i32) -> (String, String) {
    let Ran { out, err, .. } = Program::at(LDA).ends(folder, line, code);
    (out, err)
}

/// Writes a file.
pub(crate) fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).unwrap();
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
