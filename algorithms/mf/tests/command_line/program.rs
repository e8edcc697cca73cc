//! Running the `mf` program in a folder, and reading what it leaves there.

use std::fs;
use std::path::Path;
use std::process::Command;

use raddle_common::testing::{self, Program};
pub(crate) use raddle_common::testing::{Ran, names};
use serde_json::Value;
use tempfile::TempDir;

/// Ratings to generate, small and quick.
pub(crate) const SMALL: &str = "synth:ratings:users=120,items=60,n=2400,rank=2";

/// Ratings of 0 or above, which may be counts, too.
pub(crate) const CLICKS: &str = "synth:ratings:users=120,items=60,n=2400,rank=2,signal=0.2,noise=0.2";

pub(crate) const MF: &str = env!("CARGO_BIN_EXE_mf");

/// `mf LINE` in a folder, not started yet.
pub(crate) fn program(folder: &Path, line: &str) -> Command {
    Program::at(MF).command(folder, line)
}

/// Runs `mf LINE` in a folder.
pub(crate) fn ran(folder: &Path, line: &str) -> Ran {
    Program::at(MF).run(folder, line)
}

/// Runs `mf LINE` in a folder, and expects an exit status.
pub(crate) fn ends(folder: &Path, line: &str, code: i32) -> Ran {
    Program::at(MF).ends(folder, line, code)
}

pub(crate) fn json(folder: &Path, file: &str) -> Value {
    testing::json(&folder.join(file))
}

/// The report that `--json` prints.
pub(crate) fn report(folder: &Path, line: &str) -> Value {
    Program::at(MF).report(folder, line)
}

pub(crate) fn scratch() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// The values of an array that the program wrote, and its shape as text.
pub(crate) fn array(folder: &Path, file: &str) -> (String, Vec<f32>) {
    let bytes = fs::read(folder.join(file)).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let head = std::str::from_utf8(&bytes[10..10 + length]).unwrap();
    let shape = head.split_once("'shape': (").unwrap().1.split_once(')').unwrap().0.to_owned();
    let values =
        bytes[10 + length..].chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap()));
    (shape, values.collect())
}
