//! Checkpoints that are missing, foreign, damaged or cannot be written; and processes that are killed.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use raddle::schedule::{Rotation, Shuffled, Variables};
use raddle::{Engine, EngineError, Outcome, Program, Visibility};
use raddle_common::testing::{Checkpoint, copy_folder};

use super::fixed::{fixed, round};
use super::{cyclic, engine, variables};
use crate::commands::root;
use crate::programs::{bytes, mixing, without_a_hang};

const EPOCHS: u64 = 6;

fn run() -> Engine<mixing::Mixing> {
    let problem = problem();
    let (program, parts) = problem.parts();
    Engine::new(program, problem.schedule(), parts).staleness(1).workers(2).identity("mixing").epochs(EPOCHS)
}

fn problem() -> mixing::Problem {
    mixing::Problem { shards: 5, blocks: 4, seed: 9, visibility: Visibility::EachRound, objective: true }
}

/// Error of a resume from this file.
fn refused<P: Program>(engine: Engine<P>, file: &Path) -> String {
    match engine.resume(file).run() {
        Err(error @ EngineError::Checkpoint { .. }) => {
            let text = error.to_string();
            let named = format!("checkpoint {}", file.display());
            let rest = text.strip_prefix(&named).and_then(|rest| rest.split_once(": "));
            rest.unwrap_or_else(|| panic!("{text} does not name {named}")).1.to_owned()
        }
        Err(error) => panic!("not a checkpoint's error: {error}"),
        Ok(_) => panic!("the checkpoint was accepted"),
    }
}

fn checkpoint(folder: &tempfile::TempDir) -> std::path::PathBuf {
    let file = folder.path().join("run.checkpoint");
    run().epochs(3).checkpoint(3, &file).run().unwrap();
    file
}

#[test]
fn a_checkpoint_that_is_missing_foreign_or_of_another_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = checkpoint(&folder);
    let missing = folder.path().join("missing");
    assert!(refused(run(), &missing).starts_with("it cannot be read: "));
    assert_eq!(refused(run(), folder.path()), "there is no whole checkpoint in it: start the run again");
    let resume = "resume with the same";
    assert_eq!(
        refused(run().identity("another"), &file),
        format!(
            "it belongs to a run on other data or with other parameters (`mixing` there, `another` here): \
             {resume}"
        )
    );
    let (program, parts) = problem().parts();
    let rotation = "rotation of 4 blocks round 5 shards, phases [0]";
    let other_schedule =
        Engine::new(program, Rotation::new(5, 4).phase(0), parts).staleness(1).identity("mixing");
    assert_eq!(
        refused(other_schedule, &file),
        format!("it belongs to a run with the schedule `a wanderer`, this one has `{rotation}`: {resume}")
    );
    for (engine, what) in [
        (run().staleness(0), "staleness 1, this one has 0"),
        (run().guard(false), "the guard on, this one has off"),
        (run().costs(vec![1, 1, 1, 2, 1]), "a counted cost of shard 3 of 1, this one has 2"),
    ] {
        assert_eq!(refused(engine, &file), format!("it belongs to a run with {what}: {resume}"));
    }
    let smaller = mixing::Problem { shards: 4, ..problem() };
    let (program, parts) = smaller.parts();
    let other_shards = Engine::new(program, smaller.schedule(), parts).staleness(1).identity("mixing");
    assert_eq!(refused(other_shards, &file), format!("it has 5 shards, this run has 4: {resume}"));
    // A newer version.
    Checkpoint::last(&file).forge_manifest(|bytes| bytes[8] += 1);
    assert!(refused(run(), &file).starts_with("it has version 5, and this program reads version 4"));
}

#[test]
fn a_damaged_checkpoint_is_named_and_the_one_before_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.checkpoint");
    run().epochs(4).checkpoint(2, &file).run().unwrap();
    let last = Checkpoint::last(&file);
    std::fs::write(last.folder().join("part.0.0"), "nothing").unwrap();
    let whole = run().run().unwrap();
    let resumed = run().resume(&file).run().unwrap();
    assert!(bytes(&resumed.parts) == bytes(&whole.parts));
    let [warning] = &resumed.report.warnings[..] else { panic!("{:?}", resumed.report.warnings) };
    let (named, used) = (last.folder().display(), file.join("2.1"));
    assert!(warning.starts_with(&format!("checkpoint {named}: it is damaged")), "{warning}");
    assert!(warning.ends_with(&format!("; {} is used instead", used.display())), "{warning}");
}

/// Three epochs of the run above. `RADDLE_WRITE_CHECKPOINT=1` writes it: once for every version of the
/// format, and after a change of the test program's mathematics.
#[test]
fn a_checkpoint_kept_from_the_first_day_of_this_version_is_resumed() {
    let kept = root().join("tests/checkpoints/version-4");
    if std::env::var_os("RADDLE_WRITE_CHECKPOINT").is_some() {
        let folder = tempfile::tempdir().unwrap();
        copy_folder(Checkpoint::last(&checkpoint(&folder)).folder(), &kept);
    }
    let (resumed, whole) = (run().resume(&kept).run().unwrap(), run().run().unwrap());
    assert_eq!(resumed.report.generations[0].epoch, 3);
    assert_eq!(resumed.digest(), whole.digest());
}

#[test]
fn a_checkpoint_that_cannot_be_written_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("missing").join("run.checkpoint");
    let (tell, told) = std::sync::mpsc::channel();
    let warn = move |text: &str| tell.send(text.to_owned()).unwrap();
    let whole = run().run().unwrap();
    let warned = run().checkpoint(1, &nowhere).on_warning(warn).run().unwrap();
    assert!(bytes(&warned.parts) == bytes(&whole.parts));
    // The checkpoint of every epoch failed, and one warning tells of it.
    let [warning] = &warned.report.warnings[..] else { panic!("{:?}", warned.report.warnings) };
    assert!(
        warning.starts_with(&format!("checkpoint {}: it cannot be written: ", nowhere.display())),
        "{warning}"
    );
    assert!(!warning.contains("the one before"), "{warning}");
    assert_eq!(told.iter().collect::<Vec<_>>(), [warning.as_str()]);
}

#[test]
fn a_run_that_was_over_is_resumed_to_its_end_and_not_beyond() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.checkpoint");
    let over = run().checkpoint(2, &file).run().unwrap();
    let again = run().workers(3).resume(&file).run().unwrap();
    assert_eq!((over.report.epochs, again.report.epochs), (EPOCHS, EPOCHS));
    assert_eq!(over.report.ending, again.report.ending);
    // Shards of a run that was over are made anew, and no further epoch sets them up.
    assert_eq!(over.digest(), again.digest());
}

#[test]
fn resume_with_a_changed_schedule_is_refused_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.checkpoint");
    let shuffled = |parallelism, seed| engine("", Shuffled::new(variables(), parallelism, seed));
    shuffled(4, 1).checkpoint(1, &file).run().unwrap();
    shuffled(4, 1).resume(&file).workers(3).epochs(9).time_limit(60.0).run().unwrap();
    let dearer = Variables::in_ranges(vec![2; 12], vec![0, 4, 8, 12]);
    for (engine, expected) in [
        (shuffled(3, 1), "parallelism 4"),
        (shuffled(4, 2), "shuffled, seed 1"),
        (engine("", cyclic()), "this one has `cyclic, "),
        (engine("", Shuffled::new(dearer, 4, 1)), "the schedule `shuffled, "),
    ] {
        let error = engine.resume(&file).run().err().unwrap().to_string();
        assert!(error.contains(expected) && error.ends_with("resume with the same"), "{error}");
    }
}

#[test]
fn a_panic_while_a_checkpoint_is_written_or_read_is_an_error_that_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.checkpoint");
    for (mistake, within) in [
        ("save_state", "save_state of shard 0"),
        ("save shard", "save_state of shard 0"),
        ("save block", "save of block 0"),
        ("save pinned", "save_pinned"),
    ] {
        let error = engine(mistake, cyclic()).checkpoint(1, &file).run().err().unwrap().to_string();
        assert!(
            error.contains(within) && error.contains(" panicked at tests/errors/mod.rs:"),
            "{mistake}: {error}"
        );
        assert!(!raddle::has_checkpoint(&file));
    }
    engine("", cyclic()).checkpoint(1, &file).run().unwrap();
    let error = engine("load_state", cyclic()).resume(&file).run().err().unwrap().to_string();
    assert!(error.starts_with(&format!("checkpoint {}", file.join("3.").display())), "{error}");
    assert!(error.contains("load_state of shard 0 panicked at tests/errors/mod.rs:"), "{error}");
    for (fails, within) in [
        ("load block", "load of block 0"),
        ("load pinned", "load_pinned"),
        ("load shard", "load_state of shard 0"),
    ] {
        engine(fails, cyclic()).checkpoint(1, &file).run().unwrap();
        let error = engine("", cyclic()).resume(&file).run().err().unwrap().to_string();
        assert!(
            error.contains(within) && error.ends_with("a value is not loaded; resume with the same"),
            "{error}"
        );
    }
    for (method, within) in [("save", "the schedule's save_state"), ("load", "the schedule's load_state")] {
        let schedule = move || fixed(round(&[(0, &[0])]), method);
        let written = engine("", schedule()).checkpoint(1, &file).run().err();
        let error = written.or_else(|| engine("", schedule()).resume(&file).run().err()).unwrap().to_string();
        assert!(error.contains(within) && error.contains(&format!("the trap in {method}")), "{error}");
        engine("", fixed(round(&[(0, &[0])]), "")).checkpoint(1, &file).run().unwrap();
    }
}

const LONG: u64 = 40;
const FILE: &str = "RADDLE_TEST_CHECKPOINT";

fn long_run(file: &Path) -> Engine<mixing::Mixing> {
    let engine = run().epochs(LONG).checkpoint(1, file);
    if raddle::has_checkpoint(file) { engine.resume(file) } else { engine }
}

/// Run by the test below in a process of its own; writes to its output which epochs are over.
#[test]
fn the_child_that_is_killed() {
    let Some(file) = std::env::var_os(FILE) else { return };
    let run = long_run(Path::new(&file)).observe(|record| println!("\nover {}", record.epoch));
    run.run().unwrap();
}

#[test]
fn a_process_killed_again_and_again_leaves_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.checkpoint");
    // Killed once this number of further epochs is over, at any point of the code.
    for epochs in [1, 2, 9, 3, 5] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "errors::checkpoints::the_child_that_is_killed", "--nocapture"])
            .env(FILE, &file)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let over = lines.filter(|line| line.starts_with("over ")).take(epochs).count();
        assert_eq!(over, epochs, "the child ended before it was killed");
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let Outcome { parts, report, .. } = without_a_hang(move || long_run(&file).run().unwrap());
    let undisturbed = run().epochs(LONG).run().unwrap();
    // It did go on from where it was killed: earlier generations are not in this report.
    assert!(report.generations[0].epoch > 10);
    assert_eq!(report.epochs, LONG);
    assert!(bytes(&parts) == bytes(&undisturbed.parts));
}
