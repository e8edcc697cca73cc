//! Held runs: at each boundary the run waits for its holder, which changes its workers or pauses it. Its
//! model is the one of a run alone.

mod faults;
mod lightness;

use std::fs;
use std::path::Path;

use raddle::cluster::{HeldBoundary, HeldEvent, Holder};
use serde_json::Value;

use crate::commands::{ends, run};
use crate::launched::{Launched, WATCHDOG, alone, digest, launch, report, slow};

/// A fit of each program, with more than 4 epochs.
const LINES: [(&str, &str); 4] = [
    (
        "lasso",
        "lasso fit synth:groups:n=200,p=300,s=20 --schedule shuffled --shards 4 --epochs 8 --tol 1e-14",
    ),
    ("mf", "mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 6 --shards 4"),
    ("lda", "lda fit --topics 8 --epochs 8 --shards 4"),
    ("linear", "linear fit diabetes --C 0.01 --parts 4 --epochs 6"),
];

/// A held run in the folder `run`, with its holder.
fn begin(folder: &Path, line: &str) -> (Launched, Holder) {
    let run = Launched::begin(folder, &format!("raddle launch --held -- {line} --out run --force"));
    let holder = hold(&run);
    (run, holder)
}

/// A holder of a run that is starting, or has begun.
fn hold(run: &Launched) -> Holder {
    Holder::of_run(&run.run, WATCHDOG, || true).unwrap()
}

/// The line that goes on with a fit in a folder, to the same number of epochs.
fn resume(how: &str, run: &str, line: &str) -> String {
    let (program, rest) = line.split_once(" fit ").unwrap();
    let epochs = rest.split_once("--epochs ").unwrap().1.split(' ').next().unwrap();
    format!("raddle launch {how} --resume {run} -- {program} fit --epochs {epochs}")
}

/// The next boundary; `None` where the run has ended.
fn next(holder: &mut Holder) -> Option<HeldBoundary> {
    match holder.wait().unwrap() {
        HeldEvent::Boundary(boundary) => Some(boundary),
        HeldEvent::Ended => None,
    }
}

/// Lets the run continue to its end with these numbers of workers in turn, epoch by epoch, and returns its
/// boundaries.
fn to_the_end(holder: &mut Holder, workers: &[usize]) -> Vec<HeldBoundary> {
    let (mut seen, mut turns) = (Vec::<HeldBoundary>::new(), workers.iter().cycle());
    let mut asked = None;
    while let Some(boundary) = next(holder) {
        assert!(asked.is_none_or(|asked| boundary.workers == asked), "{asked:?}: {boundary:?}");
        let after = seen.last().map(|last| last.epoch);
        assert!(after.is_none_or(|after| boundary.epoch == after + 1), "{after:?}: {boundary:?}");
        let workers = *turns.next().unwrap();
        if !boundary.is_last {
            holder.go_on(workers).unwrap();
        }
        asked = Some(workers);
        seen.push(boundary);
    }
    seen
}

#[test]
fn other_workers_at_each_boundary_and_a_pause_leave_the_model_of_a_run_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, line) in LINES {
        let (expected, status) = alone(folder, line);
        let epochs = report(&folder.join("alone"))["epochs"].as_u64().unwrap();
        let (run, mut holder) = begin(folder, line);
        for (at, has, workers) in [(0, 1, 3), (1, 3, 1), (2, 1, 2)] {
            let boundary = next(&mut holder).unwrap();
            assert_eq!((boundary.epoch, boundary.is_last), (at, false), "{name}: {boundary:?}");
            assert_eq!(boundary.workers, has, "{name}");
            assert_eq!(boundary.cost > 0, at > 0, "{name}: {boundary:?}");
            holder.go_on(workers).unwrap();
        }
        assert_eq!(next(&mut holder).unwrap().epoch, 3, "{name}");
        holder.pause().unwrap();
        assert_eq!(holder.wait().unwrap(), HeldEvent::Ended, "{name}");
        let (code, said) = run.end();
        assert_eq!(code, Some(130), "{name}: {said}");
        assert!(said.contains("paused by its holder"), "{name}: {said}");
        // Held again from where it was paused, or let go.
        for held in [true, false] {
            let other = folder.join("other");
            let _ = fs::remove_dir_all(&other);
            let copied =
                std::process::Command::new("cp").arg("-r").args([&folder.join("run"), &other]).status();
            assert!(copied.unwrap().success());
            if held {
                let mut run = Launched::begin(folder, &resume("--held", "other", line));
                run.run.clone_from(&other);
                let mut holder = hold(&run);
                let boundaries = to_the_end(&mut holder, &[2, 4, 1]);
                let (first, last) = (&boundaries[0], boundaries.last().unwrap());
                assert_eq!((first.epoch, first.cost, first.seconds), (3, 0, 0.0), "{name}");
                assert_eq!((last.epoch, last.is_last), (epochs, true), "{name}: {last:?}");
                assert_eq!(run.end().0, status, "{name}");
            } else {
                ends(folder, &resume("--processes 1", "other", line), status.unwrap());
            }
            assert_eq!(digest(&other), expected, "{name}, held {held}");
        }
    }
}

/// The cost of an epoch is counted: it depends neither on the workers nor on seconds of waiting.
#[test]
fn the_cost_of_an_epoch_is_the_same_for_any_number_of_workers() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, line) in LINES {
        let costs = [&[1usize][..], &[4, 2]].map(|workers| {
            let (run, mut holder) = begin(folder, line);
            let boundaries = to_the_end(&mut holder, workers);
            let said = run.end().1;
            assert!(!said.contains("error"), "{name}: {said}");
            boundaries.iter().map(|boundary| (boundary.epoch, boundary.cost)).collect::<Vec<_>>()
        });
        assert_eq!(costs[0], costs[1], "{name}");
        assert!(costs[0].len() > 4 && costs[0][1..].iter().all(|&(_, cost)| cost > 0), "{name}: {costs:?}");
    }
}

#[test]
fn a_run_that_is_not_held_has_no_holder_and_a_held_one_has_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let status = |folder: &Path| -> Value {
        serde_json::from_str(&ends(folder, "raddle status run --json", 0).out).unwrap()
    };
    let (run, mut holder) = begin(folder, LINES[1].1);
    assert_eq!(next(&mut holder).unwrap().epoch, 0);
    assert_eq!(status(folder)["held"], serde_json::json!({"waits": true, "has_holder": true}));
    let said = ends(folder, "raddle status run", 0).out;
    assert!(said.contains("held: it waits for its holder"), "{said}");
    let why = Holder::of_run(&run.run, WATCHDOG, || true).unwrap_err().to_string();
    assert!(why.contains("another holder"), "{why}");
    for verb in ["rescale run 2", "join"] {
        if verb == "join" {
            let at = crate::launched::coordinator(&run.run);
            let said = ends(folder, &format!("raddle join {at} --token-file run/token"), 2).err;
            assert!(said.contains("nobody joins it"), "{said}");
        } else {
            let said = ends(folder, &format!("raddle {verb}"), 2).err;
            assert!(said.contains("its holder sets its workers"), "{said}");
        }
    }
    drop(holder);
    let mut holder = hold(&run);
    to_the_end(&mut holder, &[1]);
    drop(run);
    // Nobody holds a run that was begun without --held; this one ends when it is dropped. In a folder of its
    // own nothing of the run before is taken for its own.
    let other = tempfile::tempdir().unwrap();
    let folder = other.path();
    let fit = LINES[2].1.replace("--epochs 8", "--epochs 1000000");
    let line = format!("raddle launch --processes 1 -- {fit} --out run");
    let mut run = Launched::begin(folder, &line);
    run.await_epoch(0);
    assert_eq!(status(folder)["held"], Value::Null);
    let why = Holder::of_run(&run.run, WATCHDOG, || true).unwrap_err().to_string();
    assert!(why.contains("raddle launch --held"), "{why}");
    drop(run);
    let why = Holder::of_run(&folder.join("nowhere"), WATCHDOG, || false).unwrap_err().to_string();
    assert!(why.contains("nowhere"), "{why}");
}

/// One process has nobody to share what it makes of a file with.
#[test]
fn a_held_run_reads_a_file_as_a_run_alone_does() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rows: String = (0..90).map(|row| format!("{},{},{}\n", row % 7, row * row % 23, row % 4)).collect();
    fs::write(folder.join("a.csv"), format!("y,size,count\n{rows}")).unwrap();
    let line = "lasso fit a.csv --ratio 20 --shards 2 --schedule shuffled --tol 1e-14 --epochs 30";
    let (expected, status) = alone(folder, line);
    let (run, mut holder) = begin(folder, line);
    assert_eq!(next(&mut holder).unwrap().epoch, 0);
    let shared = folder.join("run/.raddle-shared");
    assert!(!shared.exists());
    holder.go_on(2).unwrap();
    to_the_end(&mut holder, &[1, 2]);
    assert_eq!((run.end().0, digest(&folder.join("run"))), (status, expected));
    // Several processes share it as long as they run.
    slow(folder, 1000);
    // The trace of the run before is not this one's.
    fs::remove_dir_all(folder.join("run")).unwrap();
    let mut run = Launched::begin(folder, &launch(2, line));
    run.await_epoch(0);
    assert!(shared.exists());
}

#[test]
fn held_is_refused_where_it_cannot_work() {
    let folder = tempfile::tempdir().unwrap();
    for (line, why) in [
        ("--held --processes 2 -- lda fit --out run", "--held: a held run is one process"),
        ("--held -- lda fit", "--held: its holder finds a run by its folder: give PROGRAM --out"),
        ("--held -- lda fit --out run --rescale 3:2", "--held: the holder of the run sets its workers"),
    ] {
        let ran = run(folder.path(), &format!("raddle launch {line}"));
        assert!(ran.code == Some(2) && ran.err.contains(why), "{line}: {}", ran.err);
    }
}
