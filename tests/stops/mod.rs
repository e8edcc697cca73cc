//! Programs that are stopped in every mode, wherever they are, and go on by the lines that users and services
//! write: no checkpoint is refused, and the model is that of a line that nobody stopped.
//!
//! Each is begun in an empty folder or over another run, stopped before its first epoch by a limit, then so
//! often as `RADDLE_STOPPED` says (once), killed or interrupted in turn: between two of its boundaries, or at
//! one.

use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::combinations::all_combinations;
use crate::commands::{ends, number, pause, run as run_line};
use crate::launch::{LINES, two_classes, versions};
use crate::launched::{Launched, WATCHDOG, alone, digest, is_alive, signal, slow};

/// Lines of several fits, which are processes of their own alone. They keep checkpoints where they can.
const SEVERAL: [&str; 8] = [
    "lasso cv synth:groups:n=120,p=300,s=10 --points 20 --ratio 100 --folds 4 --checkpoint-every 1",
    "lasso cv two.csv --y kind --loss logistic --points 12 --folds 3 --checkpoint-every 1",
    "linear cv diabetes --folds 3 --points 4 --checkpoint-every 1",
    "linear cv two.csv --y kind --loss hinge --folds 3 --points 4 --checkpoint-every 1",
    "mf cv synth:ratings:users=300,items=120,n=9000 --ranks 4,8 --folds 3 --epochs 4",
    "lda cv pydoc --topics 4,8 --folds 2 --epochs 6 --checkpoint-every 1",
    "mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 6 --refit",
    "mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 6 --refit --checkpoint-every 1",
];

/// Way in which a line is carried out.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mode {
    /// A process that is given the whole line again, with `--resume`.
    Alone,
    /// Two processes of a launcher, by one line that begins the run and goes on with it.
    Launched,
}

impl Mode {
    /// The line that begins the run in the folder `run`; one that holds another is replaced.
    fn begin(self, line: &str, more: &str) -> String {
        let launch = if self == Self::Launched { "raddle launch -- " } else { "" };
        format!("{launch}{line} --quiet --out run --force{more}")
    }

    /// The line that goes on with it: that which began it.
    fn go_on(self, line: &str, more: &str) -> String {
        match self {
            Self::Launched => format!("raddle launch --resume-or-begin run -- {line} --quiet{more}"),
            Self::Alone => format!("{line} --quiet --out run --resume run{more}"),
        }
    }
}

/// Lines of progress that a run has written, of whatever kind.
fn progress(run: &Path) -> usize {
    let lines = |path: &Path| fs::read_to_string(path).map_or(0, |text| text.lines().count());
    let names = fs::read_dir(run).into_iter().flatten().map(|entry| entry.unwrap().path());
    let is_told =
        |path: &Path| path.ends_with("trace.jsonl") || path.extension().is_some_and(|of| of == "trace");
    let begun = usize::from(run.join("run.json").exists());
    begun + names.filter(|path| is_told(path)).map(|path| lines(&path)).sum::<usize>()
}

/// Begins a line, or goes on with it, and stops it by this signal as soon as it has come further; `false`
/// where it has ended before.
fn stop(folder: &Path, line: &str, by: &str, allowed: &[Option<i32>]) -> bool {
    let (before, began) = (progress(&folder.join("run")), Instant::now());
    let mut run = Launched::begin(folder, line);
    while progress(&run.run) <= before {
        if run.launcher.try_wait().unwrap().is_some() {
            let (code, said) = run.end();
            assert!(allowed.contains(&code), "{line}: {code:?}: {said}");
            return false;
        }
        assert!(began.elapsed() < WATCHDOG, "{line} does not go on");
        pause();
    }
    let processes = run.processes();
    signal(&run.launcher.id().to_string(), by);
    let (code, said) = run.end();
    assert!(allowed.contains(&code), "{line}: {code:?}: {said}");
    let began = Instant::now();
    while processes.iter().any(|process| is_alive(process)) {
        assert!(began.elapsed() < WATCHDOG, "{line}: a process stays");
        pause();
    }
    true
}

/// Stops a line again and again and lets it go on to its end. How often it was stopped.
fn check(folder: &Path, (line, mode, turn): (&str, Mode, usize), (more, slower): (&str, u64)) -> u64 {
    slow(folder, 1);
    let (expected, status) = alone(folder, line);
    if turn.is_multiple_of(2) {
        let _ = fs::remove_dir_all(folder.join("run"));
    }
    let first = run_line(folder, &mode.begin(line, &format!("{more} --time-limit 0")));
    let context = format!("{line}, {mode:?}");
    assert!([Some(3), status].contains(&first.code), "{context}: {:?}: {}", first.code, first.err);
    slow(folder, slower);
    let mut stops = 1;
    for at in 0..number("RADDLE_STOPPED", 1) {
        // One that is killed has no status.
        let (by, code) =
            if (turn as u64 + at).is_multiple_of(2) { ("-KILL", None) } else { ("-INT", Some(130)) };
        if !stop(folder, &mode.go_on(line, more), by, &[code, status]) {
            break;
        }
        stops += 1;
    }
    slow(folder, 1);
    let ran = run_line(folder, &mode.go_on(line, more));
    assert_eq!(ran.code, status, "{context}: {}", ran.err);
    assert_eq!(digest(&folder.join("run")), expected, "{context}: {}", ran.err);
    // One that has ended stays as it is.
    if turn.is_multiple_of(4) {
        let again = run_line(folder, &mode.go_on(line, more));
        assert_eq!(again.code, status, "{context}: {}", again.err);
        assert_eq!(digest(&folder.join("run")), expected, "{context}: {}", again.err);
    }
    stops
}

/// Checks every line in a mode, each in its turn, or in all with `RADDLE_COMBINATIONS=all`; prints how often
/// they were stopped.
fn check_all<'a>(lines: impl Iterator<Item = &'a str>, modes: &[Mode], (more, slower): (&str, u64)) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    two_classes(folder);
    versions::data(folder);
    let (mut pairs, mut stops) = (0, 0);
    for (turn, line) in lines.enumerate() {
        let count = if all_combinations() { modes.len() } else { 1 };
        for &mode in modes.iter().cycle().skip(turn).take(count) {
            stops += check(folder, (line, mode, turn), (more, slower));
            pairs += 1;
        }
    }
    println!("{pairs} lines and modes, {stops} stops");
}

const SLOWED: &str = " --slowdown slow --checkpoint-every 1";

#[test]
fn a_fit_goes_on_from_wherever_it_was_stopped() {
    check_all(LINES.iter().map(|(_, line)| *line), &[Mode::Alone], (SLOWED, 20));
}

#[test]
fn a_launched_fit_goes_on_from_wherever_it_was_stopped() {
    check_all(LINES.iter().map(|(_, line)| *line), &[Mode::Launched], (SLOWED, 20));
}

#[test]
fn versions_of_data_go_on_from_wherever_they_were_stopped() {
    check_all(versions::every_line(), &[Mode::Alone, Mode::Launched], (SLOWED, 20));
}

#[test]
fn several_fits_go_on_from_wherever_they_were_stopped() {
    check_all(SEVERAL.into_iter(), &[Mode::Alone], ("", 1));
}

/// The run's own folder may be named by another path, and no other folder may be.
#[test]
fn versions_go_on_in_the_folder_of_their_run_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    versions::data(folder);
    for line in versions::every_line() {
        let _ = fs::remove_dir_all(folder.join("run"));
        ends(folder, &format!("{line} --quiet --out run --time-limit 0"), 3);
        let other = ends(folder, &format!("{line} --quiet --resume run --out other"), 2).err;
        assert!(other.contains("leave out --out with --resume, or name the same folder"), "{other}");
        assert!(!folder.join("other").exists());
        run_line(folder, &format!("{line} --quiet --resume run --out ./run/../run"));
        let model: serde_json::Value =
            serde_json::from_slice(&fs::read(folder.join("run/model.json")).unwrap()).unwrap();
        assert_eq!(model["data_version"], 3, "{line}");
    }
}
