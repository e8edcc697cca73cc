//! Limits and signals of launched runs: they end within an epoch, on every process.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::commands::{command, ends, next, run};

/// Rows of three classes, each of which is a shard, with a column 1e8 times the others: an epoch takes long.
fn uneven(folder: &Path) {
    let mut state = 5;
    let mut text = "wide,x1,x2,y\n".to_owned();
    for row in 0..60 {
        let mut x = || (next(&mut state) >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        writeln!(text, "{},{},{},{}", 1e8 * x(), x(), x(), ["a", "b", "c"][row % 3]).unwrap();
    }
    fs::write(folder.join("uneven.csv"), text).unwrap();
}

const FIT: &str = "linear fit uneven.csv --y y --loss hinge";

#[test]
fn a_time_limit_ends_every_process_within_its_epoch() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    uneven(folder);
    let line = format!("raddle launch --processes 2 --workers 1 -- {FIT} --time-limit 0.5 --out cut");
    let ran = run(folder, &line);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    let cut = super::report(folder, "cut");
    assert_eq!((&cut["ending"], &cut["processes"]), (&"limit".into(), &2.into()));
    ends(folder, &format!("{FIT} --epochs {} --out short --quiet", cut["epochs"]), 3);
    assert_eq!(cut["model_digest"], super::report(folder, "short")["model_digest"]);
}

#[test]
fn an_interrupted_launcher_ends_every_process_within_its_epoch() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    uneven(folder);
    let mut launch = command(folder, &format!("raddle launch --processes 2 --workers 1 -- {FIT} --out cut"));
    let mut launch = launch.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(launch.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(said.any(|line| line.starts_with("epoch ")));
    let sent = Command::new("kill").args(["-INT", &launch.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let rest: Vec<String> = said.collect();
    assert_eq!(launch.wait().unwrap().code(), Some(130), "{rest:?}");
    assert_eq!(super::report(folder, "cut")["ending"], "interrupted");
}
