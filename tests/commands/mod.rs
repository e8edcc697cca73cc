//! Running the bundled programs in a folder.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs};

use raddle_common::testing::Program;
pub(crate) use raddle_common::testing::{Ran, json};

/// Folder of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Returns the path of a program that `cargo test --workspace` has built: next to the folder of this test's
/// binary.
pub(crate) fn binary(program: &str) -> PathBuf {
    let here = env::current_exe().unwrap();
    let path = here.ancestors().nth(2).unwrap().join(format!("{program}{}", env::consts::EXE_SUFFIX));
    assert!(path.is_file(), "{}: not built: run `cargo test --workspace`", path.display());
    path
}

/// Copies `raddle` and another program to a new folder, and changes the digest that the latter has of its
/// sources.
pub(crate) fn built_from_other_sources(folder: &Path, program: &str) {
    let version = ends(folder.parent().unwrap(), &format!("{program} --version"), 0).out;
    let digest = version.lines().find_map(|line| line.strip_prefix("sources: ")).unwrap().as_bytes();
    fs::create_dir(folder).unwrap();
    for program in ["raddle", program] {
        fs::copy(binary(program), folder.join(program)).unwrap();
    }
    let mut changed = fs::read(folder.join(program)).unwrap();
    let places = changed.windows(digest.len()).enumerate().filter(|(_, bytes)| *bytes == digest);
    let places = places.map(|(at, _)| at).collect::<Vec<_>>();
    assert!(!places.is_empty(), "the program names its sources");
    places.iter().for_each(|&at| changed[at] = if changed[at] == b'0' { b'1' } else { b'0' });
    fs::write(folder.join(program), changed).unwrap();
}

/// A line's program, and the rest of it.
fn split(line: &str) -> (PathBuf, &str) {
    let (program, rest) = line.split_once(' ').unwrap_or((line, ""));
    (binary(program), rest)
}

/// `PROGRAM WORDS...` in a folder, not started yet.
pub(crate) fn command(folder: &Path, line: &str) -> Command {
    let (program, rest) = split(line);
    Program::at(&program).command(folder, rest)
}

/// Runs a line such as `lasso fit data.csv`.
pub(crate) fn run(folder: &Path, line: &str) -> Ran {
    let (program, rest) = split(line);
    Program::at(&program).run(folder, rest)
}

/// Runs a line that must end with this status.
pub(crate) fn ends(folder: &Path, line: &str, code: i32) -> Ran {
    let (program, rest) = split(line);
    Program::at(&program).ends(folder, rest, code)
}

/// A pause between two looks at what other processes do: they need the cores more.
pub(crate) fn pause() {
    std::thread::sleep(Duration::from_millis(5));
}

/// A number of the environment, such as how often a long test repeats itself, or the default.
pub(crate) fn number(name: &str, default: u64) -> u64 {
    env::var(name).ok().map_or(default, |text| text.parse().unwrap())
}

/// The middle one of these values.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    assert!(!values.is_empty());
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The next number of a sequence that looks random.
pub(crate) fn next(state: &mut u64) -> u64 {
    // SplitMix64.
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
