//! Faults of a held run: holder, launcher and process may be killed while it waits.

use std::fs;
use std::time::{Duration, Instant};

use raddle::cluster::{HeldEvent, Holder};

use super::{LINES, begin, hold, next, resume, to_the_end};
use crate::commands::{ends, pause};
use crate::launched::{WATCHDOG, alone, digest, is_alive, signal};

/// A line that writes a checkpoint of every epoch.
fn line(of: usize) -> String {
    format!("{} --checkpoint-every 1", LINES[of].1)
}

#[test]
fn another_holder_takes_over_where_the_first_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (expected, status) = alone(folder, LINES[1].1);
    let (run, mut first) = begin(folder, LINES[1].1);
    let answers = first.answers();
    let shown = next(&mut first).unwrap();
    answers.go_on(&shown, 2).unwrap();
    // An answer to a boundary that the run has left changes nothing.
    answers.go_on(&shown, 4).unwrap();
    assert_eq!(next(&mut first).unwrap().epoch, 1);
    drop((first, answers));
    // Nobody lets it go on: it waits where it was, and the next one is shown the boundary.
    let mut second = hold(&run);
    let waiting = next(&mut second).unwrap();
    assert_eq!((waiting.epoch, waiting.workers), (1, 2));
    second.go_on(1).unwrap();
    assert_eq!(to_the_end(&mut second, &[3, 2]).first().unwrap().epoch, 2);
    assert_eq!((run.end().0, digest(&folder.join("run"))), (status, expected));
}

#[test]
fn a_run_without_a_holder_waits_and_ends_by_a_signal() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (expected, status) = alone(folder, LINES[2].1);
    for (how, holds) in [("-INT", true), ("-TERM", false)] {
        let (run, mut holder) = begin(folder, LINES[2].1);
        assert_eq!(next(&mut holder).unwrap().epoch, 0);
        holder.go_on(2).unwrap();
        assert_eq!(next(&mut holder).unwrap().epoch, 1);
        let holder = Some(holder).filter(|_| holds);
        signal(&run.launcher.id().to_string(), how);
        let (code, said) = run.end();
        assert_eq!(code, Some(130), "{how}: {said}");
        let ended = holder.map(|mut holder| holder.wait().unwrap());
        assert_eq!(ended, holds.then_some(HeldEvent::Ended));
        ends(folder, &resume("--processes 2", "run", LINES[2].1), status.unwrap());
        assert_eq!(digest(&folder.join("run")), expected, "{how}");
    }
}

#[test]
fn the_process_may_be_killed_while_it_is_held() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (expected, status) = alone(folder, LINES[0].1);
    let (mut run, mut holder) = begin(folder, &line(0));
    for workers in [2, 3] {
        next(&mut holder).unwrap();
        holder.go_on(workers).unwrap();
    }
    let before = next(&mut holder).unwrap();
    signal(&run.processes()[0], "-KILL");
    run.await_line("killed by signal 9");
    // The checkpoint of the boundary at which it was killed is not written yet.
    let again = next(&mut holder).unwrap();
    assert_eq!((before.epoch, again.epoch, again.cost), (2, 1, 0));
    // It still has this holder, whoever asks.
    for _ in 0..3 {
        assert!(ends(folder, "raddle status run", 0).out.contains("held"));
        let why = Holder::of_run(&run.run, Duration::ZERO, || true).unwrap_err().to_string();
        assert!(why.contains("another holder"), "{why}");
    }
    // An answer to the boundary before the loss is none to this one.
    holder.answers().pause(&before).unwrap();
    holder.go_on(2).unwrap();
    let boundaries = to_the_end(&mut holder, &[1, 4]);
    assert_eq!((boundaries[0].epoch, boundaries[0].workers, boundaries[0].cost), (2, 2, before.cost));
    let (code, said) = run.end();
    assert_eq!(code, status, "{said}");
    assert_eq!(digest(&folder.join("run")), expected);
}

#[test]
fn a_launcher_that_is_killed_leaves_nobody_and_its_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (expected, status) = alone(folder, LINES[3].1);
    let (run, mut holder) = begin(folder, &line(3));
    for workers in [2, 1] {
        next(&mut holder).unwrap();
        holder.go_on(workers).unwrap();
    }
    next(&mut holder).unwrap();
    let process = run.processes().remove(0);
    signal(&run.launcher.id().to_string(), "-KILL");
    assert!(holder.wait().unwrap_err().to_string().contains("the launcher of the held run is gone"));
    let killed = Instant::now();
    while is_alive(&process) {
        assert!(killed.elapsed() < WATCHDOG, "the process stays");
        pause();
    }
    drop(run);
    // Its invitation is still there, and leads nowhere.
    assert!(fs::exists(folder.join("run/coordinator")).unwrap());
    assert!(Holder::of_run(&folder.join("run"), Duration::ZERO, || true).is_err());
    ends(folder, &resume("--processes 1", "run", LINES[3].1), status.unwrap());
    assert_eq!(digest(&folder.join("run")), expected);
}
