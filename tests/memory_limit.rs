//! Several processes need less memory each than one process does. The system's limit on data (heap, stacks of
//! threads, anonymous maps) shows it: `prlimit --data`.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::commands::{binary, command};
use crate::launched::{Launched, alone, digest, launch, signal, slow};

/// Memory that each of three processes may need, as a share of that of one.
const SHARE: f64 = 0.6;

/// Runs `PROGRAM LINE` where no process may have more than these million bytes, and says whether it finished.
fn finishes(folder: &Path, megabytes: f64, program: &str, line: &str) -> bool {
    let mut limited = Command::new("prlimit");
    limited.arg(format!("--data={}", (megabytes * 1e6) as u64)).arg(binary(program));
    limited.args(line.split_whitespace()).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
    // 3: stopped at the epochs that were asked for.
    limited.status().unwrap().code().is_some_and(|code| [0, 3].contains(&code))
}

/// One process does not finish with this many million bytes, nor each of three with less than their share of
/// them.
fn three_need_less(line: &str, megabytes: f64) {
    let there = Command::new("prlimit").arg("--version").stdout(Stdio::null()).status();
    if !there.is_ok_and(|status| status.success()) {
        eprintln!("skipped: there is no prlimit");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (program, rest) = line.split_once(' ').unwrap();
    let launch = format!("launch --processes 3 --workers 1 -- {line}");
    assert!(
        finishes(folder.path(), SHARE * megabytes, "raddle", &launch),
        "{line}: three with {SHARE} of {megabytes}"
    );
    let alone = format!("{rest} --workers 1");
    assert!(!finishes(folder.path(), megabytes, program, &alone), "{line}: one with {megabytes}");
    assert!(finishes(folder.path(), 4.0 * megabytes, program, &alone), "{line}: one with ample");
}

#[test]
fn ratings_are_shared_out() {
    three_need_less(
        "mf fit synth:ratings:users=40000,items=5000,n=8000000 --rank 16 --epochs 1 --quiet",
        235.0,
    );
}

#[test]
fn columns_are_shared_out() {
    three_need_less("lasso fit synth:groups:n=1000,p=20000,s=20 --quiet", 157.0);
}

/// Ratings by solvers that alternate between the sides, and the million bytes with which one process does not
/// finish.
const ALTERNATING: [(&str, f64); 2] = [
    ("mf fit synth:ratings:users=100000,items=10000,n=10000000 --rank 16 --epochs 4 --solver als", 272.0),
    ("mf fit synth:ratings:users=100000,items=10000,n=10000000 --rank 16 --epochs 4 --solver ccd", 272.0),
];

#[test]
#[ignore = "minutes: the command is in tests/README.md"]
fn both_sides_of_ratings_are_shared_out() {
    for (line, megabytes) in ALTERNATING {
        three_need_less(&format!("{line} --quiet"), megabytes);
    }
}

/// Three processes with their share of these million bytes go on from a checkpoint after one of them is
/// killed; one process does not finish with all of them.
fn three_go_on_with_less(line: &str, megabytes: f64) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    slow(folder, 3);
    let (expected, status) = alone(folder, line);
    let (program, rest) = line.split_once(' ').unwrap();
    assert!(
        !finishes(folder, megabytes, program, &format!("{rest} --workers 1")),
        "{line}: one with {megabytes}"
    );
    for whom in 0..3 {
        let launch = launch(3, &format!("{line} --checkpoint-every 1"));
        let launch = command(folder, &launch.replace("launch", "launch --workers 1"));
        let mut limited = Command::new("prlimit");
        limited.arg(format!("--data={}", (SHARE * megabytes * 1e6) as u64)).arg(launch.get_program());
        limited.args(launch.get_args()).current_dir(folder);
        let mut run = Launched::of(folder, limited);
        run.await_epoch(2);
        signal(&run.processes()[whom], "-KILL");
        run.await_line("has begun");
        let place = run.run.clone();
        let (code, said) = run.end();
        assert_eq!((code, digest(&place)), (status, expected.clone()), "{line}, process {whom}: {said}");
        std::fs::remove_dir_all(place).unwrap();
    }
}

#[test]
#[ignore = "minutes: the command is in tests/README.md"]
fn a_loss_takes_no_more_memory_than_the_run_does() {
    three_go_on_with_less(
        "mf fit synth:ratings:users=40000,items=5000,n=8000000 --rank 16 --epochs 4",
        235.0,
    );
    three_go_on_with_less("lasso fit synth:groups:n=1000,p=20000,s=20", 157.0);
    for (line, megabytes) in ALTERNATING {
        three_go_on_with_less(line, megabytes);
    }
}
