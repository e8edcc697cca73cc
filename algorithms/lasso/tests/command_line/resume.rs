//! Resumed runs: by the folder alone, with their own options, after any kind of ending.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use super::endings::Alive;
use super::program::{ends, epochs, json, names, program, ran, scratch};

const DATA: &str = "synth:groups:n=50,p=200,s=10,r=0.5";
/// Far from its tolerance for much longer than a test; the time limit only bounds a failure.
const LONG: &str = "synth:groups:n=100,p=1000,s=10,r=0.99 --schedule cyclic --parallelism 1 --workers 1 \
                    --ratio 1e7 --tol 1e-15 --time-limit 100";

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    names(folder).into_iter().map(|name| (name.clone(), fs::read(folder.join(name)).unwrap())).collect()
}

#[test]
fn the_folder_alone_is_enough_and_the_model_is_that_of_one_sitting() {
    let folder = scratch();
    let line = format!("{DATA} --ratio 50 --tol 1e-4 --schedule shuffled --seed 7");
    ends(folder.path(), &format!("fit {line} --out whole"), 0);
    ends(folder.path(), &format!("fit {line} --epochs 3 --checkpoint-every 1 --out run"), 3);
    ends(folder.path(), "--resume run", 0);
    let (whole, run) = (folder.path().join("whole"), folder.path().join("run"));
    for file in ["coef.tsv", "model.json"] {
        assert_eq!(fs::read(whole.join(file)).unwrap(), fs::read(run.join(file)).unwrap(), "{file}");
    }
    assert_eq!(epochs(&run), epochs(&whole));
    // Also for other verbs.
    ends(folder.path(), &format!("path {DATA} --points 9 --epochs 2 --checkpoint-every 1 --out path"), 3);
    let path = ends(folder.path(), "--resume path", 0);
    assert!(path.out.contains("9 of 9 points certified"), "{}", path.out);
    let refused = ends(folder.path(), "fit --resume path", 2);
    assert!(refused.err.contains("it is a run of `lasso path`"), "{}", refused.err);
}

#[test]
fn a_run_that_ended_without_a_checkpoint_ends_as_it_did_and_stays_as_it_is() {
    let folder = scratch();
    for (options, code) in [("--checkpoint-every 500", 0), ("--epochs 1 --ratio 1000 --schedule cyclic", 3)] {
        let first = ends(folder.path(), &format!("fit {DATA} {options} --out run --force"), code);
        let before = files(&folder.path().join("run"));
        let report = json(&folder.path().join("run"), "report.json");
        let again = ends(folder.path(), "--resume run", code);
        assert_eq!(again.out, first.out);
        assert!(again.err.contains("its model is as it was"), "{}", again.err);
        assert_eq!(again.err.contains("no checkpoint to continue from"), code == 3, "{}", again.err);
        let told = ends(folder.path(), "--resume run --json", code).out;
        assert_eq!(serde_json::from_str::<serde_json::Value>(&told).unwrap(), report);
        assert!(files(&folder.path().join("run")) == before);
    }
}

#[test]
fn a_run_that_reached_its_tolerance_goes_on_to_a_tighter_one() {
    let folder = scratch();
    let line = format!("fit {DATA} --ratio 50 --schedule shuffled --seed 7");
    ends(folder.path(), &format!("{line} --tol 1e-6 --out whole"), 0);
    for checkpoints in ["--checkpoint-every 1", ""] {
        ends(folder.path(), &format!("{line} --tol 1e-2 {checkpoints} --out run --force"), 0);
        ends(folder.path(), "--resume run --tol 1e-6", 0);
        let (whole, run) = (folder.path().join("whole"), folder.path().join("run"));
        assert_eq!(fs::read(whole.join("coef.tsv")).unwrap(), fs::read(run.join("coef.tsv")).unwrap());
        assert_eq!(epochs(&run), epochs(&whole));
        // The tolerance is kept, like all options of a run.
        ends(folder.path(), "--resume run", 0);
        assert_eq!(json(&run, "report.json")["metric"]["target"], 1e-6);
    }
    // A path moves on from its points at its tolerance.
    ends(folder.path(), &format!("path {DATA} --points 5 --epochs 2 --checkpoint-every 1 --out path"), 3);
    let refused = ends(folder.path(), "--resume path --tol 1e-8", 2);
    assert!(refused.err.contains("tol 1e-8"), "{}", refused.err);
}

#[test]
fn a_changed_option_is_refused_with_both_values_and_a_neutral_one_is_not() {
    let folder = scratch();
    ends(
        folder.path(),
        &format!("fit {DATA} --ratio 1000 --schedule cyclic --epochs 2 --checkpoint-every 1 --out run"),
        3,
    );
    for (now, said) in [
        ("--ratio 20", "--ratio 20: the run in run was begun with --ratio 1000"),
        ("--no-intercept", "--no-intercept: the run in run was begun without it"),
        ("--l1-ratio 0.5", "--l1-ratio 0.5: the run in run was begun"),
        ("diabetes", "diabetes: the run in run was begun with synth:"),
    ] {
        let refused = ends(folder.path(), &format!("fit {now} --resume run"), 2);
        assert!(refused.err.contains(said), "{now}: {}", refused.err);
    }
    ends(folder.path(), "fit --workers 2 --quiet --epochs 4 --ratio 1e3 --resume run", 3);
    assert_eq!(epochs(&folder.path().join("run")), [0, 1, 2, 3, 4]);
}

/// Starts a long run, waits until it trains, and sends it a signal. Returns the exit status and the lines it
/// printed afterwards.
#[cfg(unix)]
fn signalled(folder: &Path, line: &str, signal: &str) -> (Option<i32>, Vec<String>) {
    let mut command = program(folder, line);
    let mut child = Alive(Some(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()));
    let process = child.0.as_mut().unwrap();
    let mut progress = BufReader::new(process.stderr.take().unwrap()).lines();
    assert!(progress.any(|line| line.unwrap().starts_with("epoch ")));
    let sent = Command::new("kill").args([signal, &process.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let said = progress.map(|line| line.unwrap()).collect();
    (child.0.take().unwrap().wait().unwrap().code(), said)
}

#[cfg(unix)]
#[test]
fn a_request_to_terminate_ends_like_ctrl_c() {
    let folder = scratch();
    let (code, said) = signalled(folder.path(), &format!("{LONG} --out run"), "-TERM");
    assert_eq!(code, Some(130), "{said:?}");
    assert!(
        said.iter().any(|line| line.starts_with("interrupted: the run ends after this epoch")),
        "{said:?}"
    );
    assert_eq!(json(&folder.path().join("run"), "model.json")["ending"], "interrupted");
}

#[cfg(unix)]
#[test]
fn a_run_that_was_killed_before_its_first_checkpoint_begins_anew() {
    let folder = scratch();
    ends(folder.path(), &format!("fit {DATA} --out run --checkpoint-every 1"), 0);
    let earlier = fs::read(folder.path().join("run/coef.tsv")).unwrap();
    let (code, _) =
        signalled(folder.path(), &format!("{LONG} --out run --force --checkpoint-every 5000"), "-KILL");
    assert_eq!(code, None);
    // The earlier model is still there, and its checkpoint is not used for the new one.
    assert_eq!(fs::read(folder.path().join("run/coef.tsv")).unwrap(), earlier);
    let ran = ends(folder.path(), "--resume run --epochs 3", 3);
    assert!(!ran.err.contains("its model is as it was"), "{}", ran.err);
    assert_eq!(epochs(&folder.path().join("run")), [0, 1, 2, 3]);
    ends(folder.path(), &format!("{} --epochs 3 --out whole", LONG.replace(" --time-limit 100", "")), 3);
    let coefficients = |run: &str| fs::read(folder.path().join(run).join("coef.tsv")).unwrap();
    assert_eq!(coefficients("run"), coefficients("whole"));
}

#[cfg(unix)]
#[test]
fn an_interrupt_while_it_reads_says_so_and_leaves_no_folder() {
    let folder = scratch();
    let pipe = folder.path().join("data.svm");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut command = program(folder.path(), "fit data.svm --format libsvm --out run");
    let mut child = Alive(Some(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()));
    let process = child.0.as_mut().unwrap();
    // The pipe can be opened once the program reads from it.
    let writer = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    assert!(folder.path().join("run/.lock").exists());
    assert!(Command::new("kill").args(["-INT", &process.id().to_string()]).status().unwrap().success());
    let ran = ran(child.0.take().unwrap().wait_with_output().unwrap());
    drop(writer);
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    assert!(ran.err.contains("interrupted before the training began: nothing is written"), "{}", ran.err);
    assert_eq!(names(folder.path()), ["data.svm"]);
}

#[test]
fn a_checkpoint_that_cannot_be_written_is_a_warning_and_the_model_is_there() {
    let folder = scratch();
    let run = folder.path().join("run");
    // The name leads nowhere.
    fs::create_dir_all(&run).unwrap();
    std::os::unix::fs::symlink("missing/place", run.join("checkpoint")).unwrap();
    let ran = ends(folder.path(), &format!("fit {DATA} --checkpoint-every 1 --quiet --out run"), 0);
    assert!(ran.err.starts_with("warning: checkpoint run/checkpoint: it cannot be written"), "{}", ran.err);
    assert!(!ran.err.contains("the one before") && ran.err.lines().count() == 1, "{}", ran.err);
    let warnings = json(&run, "report.json")["warnings"].clone();
    assert!(warnings[0].as_str().unwrap().contains("it cannot be written"), "{warnings}");
    assert!(run.join("model.json").exists() && run.join("coef.tsv").exists());
}
