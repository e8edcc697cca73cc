//! Several processes need less memory each than one process does. The system's limit on data (heap, stacks of
//! threads, anonymous maps) shows it: `prlimit --data`.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::commands::binary;

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
