//! Running the `lasso` program in a folder, and reading what it leaves there.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use raddle_datasets::embedded;
use serde_json::Value;
use tempfile::TempDir;

/// What a run said, and its exit status.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) fn ran(output: Output) -> Ran {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

pub(crate) fn program(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lasso"));
    command.args(line.split_whitespace()).current_dir(folder);
    command
}

/// Runs `lasso LINE` in a folder.
pub(crate) fn lasso(folder: &Path, line: &str) -> Ran {
    ran(program(folder, line).output().unwrap())
}

/// Runs it, and expects an exit status.
pub(crate) fn ends(folder: &Path, line: &str, code: i32) -> Ran {
    let ran = lasso(folder, line);
    assert_eq!(ran.code, code, "lasso {line}\n{}\n{}", ran.out, ran.err);
    ran
}

pub(crate) fn json(folder: &Path, file: &str) -> Value {
    serde_json::from_slice(&fs::read(folder.join(file)).unwrap()).unwrap()
}

/// The report that `--json` prints.
pub(crate) fn report(folder: &Path, line: &str) -> Value {
    let ran = ends(folder, &format!("{line} --json --quiet"), 0);
    serde_json::from_str(&ran.out).unwrap()
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

pub(crate) fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// (column from 0, coefficient) of a model, and its intercept.
pub(crate) fn model(folder: &Path) -> (Vec<(u32, f64)>, f64) {
    let text = fs::read_to_string(folder.join("coef.tsv")).unwrap();
    let parse = |line: &str| {
        let [column, _, value] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        (column.parse::<u32>().unwrap() - 1, value.parse().unwrap())
    };
    (text.lines().skip(1).map(parse).collect(), json(folder, "model.json")["intercept"].as_f64().unwrap())
}

pub(crate) fn epochs(folder: &Path) -> Vec<u64> {
    let trace = fs::read_to_string(folder.join("trace.jsonl")).unwrap();
    trace
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["epoch"].as_u64().unwrap())
        .collect()
}

pub(crate) fn scratch() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// The embedded data as a file, response last.
pub(crate) fn diabetes_csv(folder: &Path, name: &str) {
    let table = embedded::diabetes();
    let x = table.x.to_dense();
    let mut text = format!("{},progression\n", table.feature_names.unwrap().join(","));
    for (row, y) in x.rows().into_iter().zip(&table.y) {
        row.iter().for_each(|value| text += &format!("{value},"));
        text += &format!("{y}\n");
    }
    fs::write(folder.join(name), text).unwrap();
}
