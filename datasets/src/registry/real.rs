//! Public sets in tests: used where they are, and said so; skipped where they are not.

use std::env;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::thread;

use super::corpora::load_corpus;
use super::ratings::load_ratings;
use super::tables::load;
use crate::corpus::Corpus;
use crate::error::ReadError;
use crate::ratings::Ratings;
use crate::table::Table;

/// A public set for a test: `None` when `RADDLE_DATA` is not set.
///
/// A test that has real data says so on stderr by the line `real-data: PACKAGE PROGRAM TEST`, and one that
/// lacks them by `skipped: PACKAGE PROGRAM TEST`. As output of tests that pass is not shown, the line also
/// goes to the end of the file that `RADDLE_REAL_LOG` names, if it is set.
///
/// # Panics
/// When `RADDLE_DATA` is set and the set cannot be read from there: a test that was asked to use real data
/// must not pass without them. When the line cannot be written.
pub fn real(name: &str) -> Option<Table> {
    at_hand(|| load(name, 1))
}

/// A public set of ratings for a test, as [`real`] has tables.
///
/// # Panics
/// As [`real`].
pub fn real_ratings(name: &str) -> Option<Ratings> {
    at_hand(|| load_ratings(name, 1))
}

/// A public corpus for a test, as [`real`] has tables.
///
/// # Panics
/// As [`real`].
pub fn real_corpus(name: &str) -> Option<Corpus> {
    at_hand(|| load_corpus(name, 1))
}

/// The folder of public sets, `RADDLE_DATA`, for a test that reads from it otherwise; told as by [`real`].
///
/// # Panics
/// When the line cannot be written.
pub fn real_folder() -> Option<PathBuf> {
    let folder = set("RADDLE_DATA");
    let line = format!("{}: {}\n", if folder.is_some() { "real-data" } else { "skipped" }, test());
    eprint!("{line}");
    if let Some(file) = set("RADDLE_REAL_LOG") {
        // In one call, so that lines of tests that run at the same time do not mix.
        let written = OpenOptions::new().create(true).append(true).open(&file);
        let written = written.and_then(|mut file| file.write_all(line.as_bytes()));
        written.unwrap_or_else(|error| panic!("RADDLE_REAL_LOG is {}: {error}", file.display()));
    }
    folder.map(PathBuf::from)
}

fn at_hand<T>(load: impl FnOnce() -> Result<T, ReadError>) -> Option<T> {
    real_folder()?;
    Some(load().unwrap_or_else(|error| panic!("RADDLE_DATA is set, but {error}")))
}

/// A variable of the environment that is not empty.
fn set(variable: &str) -> Option<OsString> {
    env::var_os(variable).filter(|value| !value.is_empty())
}

/// The test that runs: its package and program, as cargo has them, and the name it has there.
fn test() -> String {
    let package = env::var("CARGO_PKG_NAME").unwrap_or_default();
    let program =
        env::current_exe().ok().and_then(|path| Some(path.file_stem()?.to_string_lossy().into_owned()));
    let program = program.unwrap_or_default();
    // Cargo adds `-` and a hash.
    let program = program.rsplit_once('-').map_or(program.as_str(), |(program, _)| program);
    format!("{package} {program} {}", thread::current().name().unwrap_or_default())
}
