//! Running the `lasso` program in a folder, and reading what it leaves there.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use raddle_common::testing::{self, Program};
pub(crate) use raddle_common::testing::{Ran, keys, names};
use raddle_datasets::embedded;
use serde_json::Value;
use tempfile::TempDir;

const LASSO: &str = env!("CARGO_BIN_EXE_lasso");

pub(crate) fn ran(output: Output) -> Ran {
    Ran::new(output)
}

pub(crate) fn program(folder: &Path, line: &str) -> Command {
    Program::at(LASSO).command(folder, line)
}

/// Runs `lasso LINE` in a folder, and expects an exit status.
pub(crate) fn ends(folder: &Path, line: &str, code: i32) -> Ran {
    Program::at(LASSO).ends(folder, line, code)
}

pub(crate) fn json(folder: &Path, file: &str) -> Value {
    testing::json(&folder.join(file))
}

/// The report that `--json` prints.
pub(crate) fn report(folder: &Path, line: &str) -> Value {
    Program::at(LASSO).report(folder, line)
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
