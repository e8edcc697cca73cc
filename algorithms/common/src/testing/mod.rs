//! Runs a program in a folder and reads what it leaves there. A test fails if something is missing.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails where a test would")]
#![allow(clippy::missing_panics_doc, reason = "it says so above")]

mod checkpoint;
mod compare;
mod fed;
mod numbers;
mod started;
#[cfg(unix)]
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
#[cfg(unix)]
pub use self::written::replaces_files_alone;

/// Output of a run, and its exit status.
#[derive(Debug)]
pub struct Ran {
    /// The exit status; none if a signal ended it.
    pub code: Option<i32>,
    /// Text written to stdout.
    pub out: String,
    /// Text written to stderr.
    pub err: String,
}

impl Ran {
    /// Converts the output of a process.
    pub fn new(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// A built program.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    path: &'a Path,
}

impl<'a> Program<'a> {
    /// The program of this path, such as `env!("CARGO_BIN_EXE_lasso")`.
    pub fn at(path: &'a (impl AsRef<Path> + ?Sized)) -> Self {
        Self { path: path.as_ref() }
    }

    /// Returns the command of the program with a line of arguments, in a folder, not yet started.
    pub fn command(self, folder: &Path, line: &str) -> Command {
        let mut command = Command::new(self.path);
        command.args(line.split_whitespace()).current_dir(folder);
        command
    }

    /// Runs a line of arguments.
    pub fn run(self, folder: &Path, line: &str) -> Ran {
        Ran::new(self.command(folder, line).output().unwrap())
    }

    /// Runs a line of arguments that must end with this exit status.
    pub fn ends(self, folder: &Path, line: &str, code: i32) -> Ran {
        let ran = self.run(folder, line);
        let name = self.path.file_name().unwrap().display();
        assert_eq!(ran.code, Some(code), "{name} {line}\n{}\n{}", ran.out, ran.err);
        ran
    }

    /// Returns the report that a line prints with `--json`.
    pub fn report(self, folder: &Path, line: &str) -> Value {
        let ran = self.ends(folder, &format!("{line} --json --quiet"), 0);
        serde_json::from_str(&ran.out).unwrap()
    }
}

/// Reads the JSON object in a file.
pub fn json(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// Copies a folder with all its content.
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

/// Returns the names in a folder, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Returns the keys of an object.
pub fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}
