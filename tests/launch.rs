//! The bundled programs as several processes: model, stdout and status are those of one.

// Helpers of tests may panic, as tests do.
#![allow(clippy::unwrap_used)]

mod commands;

use std::path::Path;

use commands::{Ran, command, ends, run};
use serde_json::Value;

/// Small data, and what each solver does with it.
const LINES: [(&str, &str); 7] = [
    ("lasso", "lasso fit synth:groups:n=200,p=600,s=20 --ratio 20 --shards 5"),
    ("lasso-logistic", "lasso fit synth:groups:n=200,p=300,s=20 --schedule shuffled --shards 4 --epochs 20"),
    ("sgd", "mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 6 --shards 4"),
    ("als", "mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 4 --solver als --shards 6"),
    ("ccd", "mf fit synth:ratings:users=300,items=120,n=9000 --rank 6 --epochs 3 --solver ccd --shards 6"),
    ("lda", "lda fit --topics 8 --epochs 12 --shards 4"),
    ("lda-round", "lda fit --topics 8 --epochs 6 --shards 3 --sync round"),
];

fn report(folder: &Path, out: &str) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join(out).join("report.json")).unwrap()).unwrap()
}

/// Runs a line alone, on a worker, and gives its digest, its status and what it said.
fn alone(folder: &Path, line: &str) -> (String, Ran) {
    let ran = run(folder, &format!("{line} --workers 1 --out alone --force"));
    (report(folder, "alone")["model_digest"].as_str().unwrap().to_owned(), ran)
}

fn launched(folder: &Path, processes: usize, workers: usize, line: &str) -> Ran {
    let how = format!("raddle launch --processes {processes} --workers {workers}");
    run(folder, &format!("{how} -- {line} --out launched --force"))
}

#[test]
fn several_processes_leave_the_model_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, line) in LINES {
        let (digest, expected) = alone(folder, line);
        for (processes, workers) in [(1, 1), (2, 1), (2, 2), (3, 1)] {
            let ran = launched(folder, processes, workers, line);
            let what = format!("{name} on {processes} processes of {workers}: {}", ran.err);
            assert_eq!(ran.code, expected.code, "{what}");
            let report = report(folder, "launched");
            assert_eq!(report["model_digest"], digest.as_str(), "{what}");
            assert_eq!(report["processes"], processes, "{what}");
            assert_eq!(report["workers"], processes * workers, "{what}");
            let members = report["members"].as_array().map_or(0, Vec::len);
            assert_eq!(members, if processes > 1 { processes } else { 1 }, "{what}");
            assert!(ran.out.lines().next() == expected.out.lines().next(), "{what}\n{}", ran.out);
        }
    }
}

#[test]
fn a_plan_of_workers_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, line) in [LINES[2], LINES[5]] {
        let (digest, _) = alone(folder, line);
        let ran = launched(folder, 3, 1, &format!("{line} --rescale 1:5,2:2,4:3"));
        assert_eq!(report(folder, "launched")["model_digest"], digest.as_str(), "{name}: {}", ran.err);
        assert_eq!(report(folder, "launched")["generations"].as_array().unwrap().len(), 4, "{name}");
    }
}

#[test]
fn json_is_one_line_on_stdout_and_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let line = "raddle launch --processes 2 -- lasso fit synth:groups:n=80,p=100,s=5 --json";
    let ran = ends(folder.path(), line, 0);
    assert_eq!(ran.out.lines().count(), 1);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["processes"], 2);
}

#[test]
fn bad_use_is_told_once_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (line, expected) in [
        ("raddle launch -- lass fit", "no such program"),
        ("raddle launch -- lasso fit --workers 2", "before the --"),
        ("raddle launch -- lasso fit --out run --checkpoint-every 2", "--checkpoint-every"),
        ("raddle launch -- lasso fit --resume run", "--resume"),
        ("raddle launch -- lasso fit nothing.csv", "nothing.csv"),
        ("raddle launch -- lasso fit --ratio 0", "ratio"),
        ("raddle launch -- lasso cv", "several runs"),
        ("raddle launch -- mf cv", "several runs"),
        ("raddle launch -- mf fit --refit", "several runs"),
        ("raddle launch --processes 0 -- lasso fit", "--processes"),
        ("raddle status run", "no launched run is alive"),
        ("raddle rescale run 3", "no launched run is alive"),
        ("raddle join 127.0.0.1:1 --token-file run/token", "run/token"),
    ] {
        let ran = ends(folder, line, 2);
        assert!(ran.err.contains(expected), "{line}: {}", ran.err);
        assert!(ran.out.is_empty(), "{line}: {}", ran.out);
        let told = ran.err.lines().filter(|line| line.contains("error:")).count();
        assert!(told <= 2, "{line}: {}", ran.err);
    }
    assert!(!folder.join("run").exists());
}

#[test]
fn a_folder_that_is_taken_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    ends(folder, "lasso fit --out run", 0);
    let ran = ends(folder, "raddle launch -- lasso fit --out run", 2);
    assert!(ran.err.contains("--force"), "{}", ran.err);
    ends(folder, "raddle launch -- lasso fit --out run --force", 0);
    assert!(!folder.join("run/token").exists() && !folder.join("run/coordinator").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_process_ends_the_run_by_name() {
    use std::io::Read as _;
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    let folder = tempfile::tempdir().unwrap();
    let line = "raddle launch --processes 3 -- lda fit --topics 50 --epochs 100000 --out run";
    let mut launcher =
        command(folder.path(), line).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let trace = folder.path().join("run/trace.jsonl");
    let began = Instant::now();
    while !std::fs::read_to_string(&trace).is_ok_and(|text| text.lines().count() > 2) {
        assert!(began.elapsed() < Duration::from_secs(60), "the run does not begin");
        std::thread::yield_now();
    }
    let children = format!("/proc/{0}/task/{0}/children", launcher.id());
    let children = std::fs::read_to_string(children).unwrap();
    let last = children.split_whitespace().last().unwrap().to_owned();
    let killed = Instant::now();
    assert!(std::process::Command::new("kill").args(["-9", &last]).status().unwrap().success());
    let status = launcher.wait().unwrap();
    assert!(killed.elapsed() < Duration::from_secs(10));
    assert_eq!(status.code(), Some(1));
    let mut said = String::new();
    launcher.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("process 2 was killed by signal 9") && said.contains(&last), "{said}");
    for child in children.split_whitespace() {
        assert!(!Path::new(&format!("/proc/{child}")).exists(), "process {child} is left");
    }
}
