//! Public sets in tests: used if available, else the test is skipped, and a line says which.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::{env, thread};

use super::load::{load, load_corpus, load_ratings};
use crate::corpus::Corpus;
use crate::error::ReadError;
use crate::ratings::Ratings;
use crate::table::Table;

/// Returns a public set for a test; `None` if `RADDLE_DATA` is not set.
///
/// A test that has real data says so on stderr with the line `real-data: PACKAGE PROGRAM TEST`, and one that
/// lacks them with `skipped: PACKAGE PROGRAM TEST`. As the output of passing tests is hidden, the line is
/// also appended to the file that `RADDLE_REAL_LOG` names, if it is set.
///
/// # Panics
/// If `RADDLE_DATA` is set and the set cannot be read from there, as a test that was asked to use real data
/// must not pass without them; if the line cannot be written.
pub fn real(name: &str) -> Option<Table> {
    at_hand(|| load(name, 1))
}

/// Returns a public set of ratings for a test, as [`real`] does for tables.
///
/// # Panics
/// The panics of [`real`].
pub fn real_ratings(name: &str) -> Option<Ratings> {
    at_hand(|| load_ratings(name, 1))
}

/// Returns a public corpus for a test, as [`real`] does for tables.
///
/// # Panics
/// The panics of [`real`].
pub fn real_corpus(name: &str) -> Option<Corpus> {
    at_hand(|| load_corpus(name, 1))
}

/// Returns the folder of public sets, `RADDLE_DATA`, for a test that reads other files from it; writes the
/// same line as [`real`].
///
/// # Panics
/// If the line cannot be written.
pub fn real_folder() -> Option<PathBuf> {
    let folder = set("RADDLE_DATA");
    let line = format!("{}: {}\n", if folder.is_some() { "real-data" } else { "skipped" }, test());
    eprint!("{line}");
    if let Some(file) = set("RADDLE_REAL_LOG") {
        // In one call, so that the lines of concurrent tests do not mix.
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

/// Returns an environment variable that is not empty.
fn set(variable: &str) -> Option<OsString> {
    env::var_os(variable).filter(|value| !value.is_empty())
}

/// Returns the current test: its package, its program and its name, as cargo calls them.
fn test() -> String {
    let package = env::var("CARGO_PKG_NAME").unwrap_or_default();
    let program =
        env::current_exe().ok().and_then(|path| Some(path.file_stem()?.to_string_lossy().into_owned()));
    let program = program.unwrap_or_default();
    // Cargo adds `-` and a hash.
    let program = program.rsplit_once('-').map_or(program.as_str(), |(program, _)| program);
    format!("{package} {program} {}", thread::current().name().unwrap_or_default())
}
