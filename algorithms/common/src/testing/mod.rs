//! Running a program in a folder, and reading what it leaves there: for tests, which fail where something is
//! missing.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails where a test would")]
#![allow(clippy::missing_panics_doc, reason = "it says so above")]

mod checkpoint;
mod compare;
mod fed;
mod numbers;
mod started;
mod written;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

pub use self::checkpoint::Checkpoint;
pub use self::compare::{not_empty, pairs};
pub use self::fed::{Fed, no_acknowledged_version_is_lost};
pub use self::numbers::Numbers;
pub use self::started::Started;
pub use self::written::replaces_files_alone;

/// Output of a run, and its exit status.
#[derive(Debug)]
pub struct Ran {
    /// The exit status; none if a signal ended it.
    pub code: Option<i32>,
    /// Text on stdout,
    pub out: String,
    /// and to stderr.
    pub err: String,
}

impl Ran {
    /// From what a process left.
    pub fn new(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// A program that is built.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    path: &'a Path,
}

impl<'a> Program<'a> {
    /// The program of this path, such as `env!("CARGO_BIN_EXE_lasso")`.
    pub fn at(path: &'a (impl AsRef<Path> + ?Sized)) -> Self {
        Self { path: path.as_ref() }
    }

    /// The program with the words of a line, in a folder, not started yet.
    pub fn command(self, folder: &Path, line: &str) -> Command {
        let mut command = Command::new(self.path);
        command.args(line.split_whitespace()).current_dir(folder);
        command
    }

    /// Runs a line.
    pub fn run(self, folder: &Path, line: &str) -> Ran {
        Ran::new(self.command(folder, line).output().unwrap())
    }

    /// Runs a line that must end with this status.
    pub fn ends(self, folder: &Path, line: &str, code: i32) -> Ran {
        let ran = self.run(folder, line);
        let name = self.path.file_name().unwrap().display();
        assert_eq!(ran.code, Some(code), "{name} {line}\n{}\n{}", ran.out, ran.err);
        ran
    }

    /// The report that a line prints with `--json`.
    pub fn report(self, folder: &Path, line: &str) -> Value {
        let ran = self.ends(folder, &format!("{line} --json --quiet"), 0);
        serde_json::from_str(&ran.out).unwrap()
    }
}

/// The object in a file.
pub fn json(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// Copies a folder with all that is in it.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let place = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &place);
        } else {
            fs::copy(entry.path(), place).unwrap();
        }
    }
}

/// The names in a folder, in order.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The keys of an object.
pub fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}
