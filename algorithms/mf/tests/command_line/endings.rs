//! Endings of runs: at their length, at a target, at a limit; and resumed runs.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use raddle_common::testing::Program;

use super::program::{CLICKS, MF, SMALL, array, ends, json, program, report, scratch};

#[test]
fn a_length_completed_is_done_and_a_target_missed_is_three() {
    let folder = scratch();
    let line = format!("fit {SMALL} --rank 4 --epochs 3");
    let done = report(folder.path(), &line);
    assert_eq!((&done["ending"], &done["metric"]["target"]), (&"converged".into(), &serde_json::Value::Null));
    let said = ends(folder.path(), &line, 0).out;
    assert!(said.contains("done: rmse ") && !said.contains("target"), "{said}");
    let ran = ends(folder.path(), &format!("{line} --target 0.01 --out run"), 3);
    assert!(ran.out.contains("(target 0.01 not reached)") && !ran.out.contains("done"), "{}", ran.out);
    assert_eq!(json(&folder.path().join("run"), "model.json")["ending"], "limit");
    // A run of unknown length ends by its own rule; the target is missed all the same.
    let ran = ends(folder.path(), &format!("fit {SMALL} --rank 4 --target 0.01 --out run --force"), 3);
    assert!(ran.out.contains("no further epoch comes closer") && !ran.out.contains("done"), "{}", ran.out);
    assert_eq!(json(&folder.path().join("run"), "report.json")["ending"], "converged");
    let early = report(folder.path(), &format!("fit {SMALL} --rank 4 --epochs 50 --target 0.95"));
    assert!(early["epochs"].as_u64().unwrap() < 50);
    assert_eq!((&early["ending"], &early["metric"]["on"]), (&"target".into(), &"validation data".into()));
    let on_test =
        report(folder.path(), &format!("fit {SMALL} --rank 4 --epochs 50 --target 0.95 --test split"));
    assert_eq!(on_test["metric"]["on"], "test data");
}

#[test]
fn a_time_limit_ends_with_three_and_a_model() {
    let folder = scratch();
    ends(folder.path(), &format!("fit {SMALL} --time-limit 0 --out run"), 3);
    let run = folder.path().join("run");
    assert_eq!(json(&run, "report.json")["ending"], "limit");
    assert!(run.join("user_factors.npy").exists());
}

#[test]
fn a_run_goes_on_after_its_limit_to_the_same_model() {
    let folder = scratch();
    for solver in ["sgd", "als", "ccd"] {
        let line = format!("fit {SMALL} --rank 4 --solver {solver} --epochs 6");
        let whole = report(folder.path(), &line)["model_digest"].clone();
        ends(folder.path(), &format!("{line} --out {solver} --checkpoint-every 1 --time-limit 0"), 3);
        let resumed = report(folder.path(), &format!("{line} --resume {solver}"));
        assert_eq!(resumed["model_digest"], whole, "{solver}");
    }
    let ran = ends(folder.path(), &format!("fit {SMALL} --rank 5 --resume sgd"), 2);
    assert!(ran.err.contains("--rank 5: the run in sgd was begun with --rank 4"), "{}", ran.err);
}

#[test]
fn a_run_that_reached_its_target_goes_on_to_a_tighter_one() {
    let folder = scratch();
    let model = |run: &str| json(folder.path(), &format!("{run}/report.json"))["model_digest"].clone();
    for solver in ["sgd", "als", "ccd"] {
        // The metrics of the first run show which targets are reached, and when.
        let line = format!("fit {SMALL} --rank 2 --solver {solver} --epochs 8");
        ends(folder.path(), &format!("{line} --out probe --force"), 0);
        let trace = fs::read_to_string(folder.path().join("probe/trace.jsonl")).unwrap();
        let found = trace.lines().skip(1).map(|line| {
            let boundary: serde_json::Value = serde_json::from_str(line).unwrap();
            boundary["metric"]["value"].as_f64().unwrap()
        });
        let found: Vec<f64> = found.collect();
        let (loose, tight) = (found[0], found.iter().copied().fold(f64::INFINITY, f64::min));
        assert!(tight < loose, "{solver}: {found:?}");
        ends(folder.path(), &format!("{line} --target {tight} --out whole --force"), 0);
        for checkpoints in ["--checkpoint-every 1", ""] {
            ends(folder.path(), &format!("{line} --target {loose} {checkpoints} --out run --force"), 0);
            assert_ne!(model("run"), model("whole"), "{solver}");
            ends(folder.path(), &format!("--resume run --target {tight}"), 0);
            assert_eq!(model("run"), model("whole"), "{solver} {checkpoints}");
        }
    }
}

#[test]
fn a_run_that_goes_on_never_replaces_its_model_by_an_older_state() {
    let folder = scratch();
    for solver in ["sgd", "als", "ccd"] {
        let line =
            format!("fit {SMALL} --rank 4 --solver {solver} --epochs 5 --checkpoint-every 2 --out {solver}");
        ends(folder.path(), &line, 0);
        let whole = model(&folder.path().join(solver));
        // The last checkpoint is older than the model.
        let ran = ends(folder.path(), &format!("fit --resume {solver} --time-limit 0"), 3);
        assert!(ran.out.contains("further than this run came, and stays"), "{}", ran.out);
        assert_eq!(model(&folder.path().join(solver)), whole, "{solver}");
        ends(folder.path(), &format!("fit --resume {solver}"), 0);
        assert_eq!(model(&folder.path().join(solver)), whole, "{solver}");
    }
}

#[test]
fn a_cross_validation_or_refit_that_is_cut_short_says_what_there_is() {
    let folder = scratch();
    let line = format!("cv {SMALL} --ranks 2,4 --regs 0.1 --folds 2 --epochs 4 --time-limit 0 --out cut");
    let ran = ends(folder.path(), &line, 3);
    assert!(ran.out.contains("stopped at the time limit"), "{}", ran.out);
    assert!(ran.out.contains("no setting is chosen yet, and no model is written"), "{}", ran.out);
    let cut = folder.path().join("cut");
    assert!(!cut.join("model.json").exists() && !cut.join("cv.tsv").exists());
    // A run cut short in the first fit has no second; model and metric are those of the first fit.
    let ran = ends(folder.path(), &format!("fit {SMALL} --rank 4 --refit --time-limit 0 --out first"), 3);
    assert!(ran.out.contains("stopped at the time limit") && !ran.out.contains("done"), "{}", ran.out);
    let first = folder.path().join("first");
    let report = json(&first, "report.json");
    assert_eq!(report["ending"], "limit");
    ends(folder.path(), &format!("fit {SMALL} --rank 4 --time-limit 0 --out plain"), 3);
    let plain = folder.path().join("plain");
    assert_eq!(report["metric"], json(&plain, "report.json")["metric"]);
    assert_eq!(model(&first)[..4], model(&plain)[..4]);
}

#[cfg(unix)]
#[test]
fn a_refit_that_is_interrupted_leaves_the_first_fit() {
    let folder = scratch();
    // Each fit takes far longer than a signal.
    let data = "synth:ratings:users=3000,items=500,n=200000";
    let line = format!("fit {data} --rank 32 --epochs 300 --step 0.002 --workers 1 --seed 3");
    let mut command = program(folder.path(), &format!("{line} --refit --out cut"));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut progress = BufReader::new(child.stderr.take().unwrap()).lines();
    let again = "again on training and validation data together";
    assert!(progress.any(|line| line.unwrap().starts_with(again)), "the second fit is announced");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    progress.for_each(|line| drop(line.unwrap()));
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stdout).unwrap();
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.contains("interrupted: rmse"), "{said}");
    let cut = folder.path().join("cut");
    assert_eq!(json(&cut, "report.json")["ending"], "interrupted");
    ends(folder.path(), &format!("{line} --out first"), 0);
    assert_eq!(model(&cut)[..4], model(&folder.path().join("first"))[..4]);
}

#[test]
fn a_step_far_too_large_is_said_to_diverge() {
    let folder = scratch();
    let ran = ends(folder.path(), &format!("fit {SMALL} --step 50 --epochs 5 --validation none"), 3);
    assert!(ran.out.contains("it diverged") && !ran.out.contains("done"), "{}", ran.out);
    // The biases alone diverge, after which nothing is left of the model.
    let zeros: String = (0..60).map(|at| format!("{},{},0\n", at % 12, at / 12)).collect();
    fs::write(folder.path().join("zeros.csv"), zeros).unwrap();
    let line = "fit zeros.csv --bias-step 100 --validation none --out lost";
    let ran = ends(folder.path(), line, 3);
    assert!(ran.out.contains("it diverged") && ran.out.contains("no model is written"), "{}", ran.out);
    assert!(!ran.out.contains("done") && !folder.path().join("lost/model.json").exists(), "{}", ran.out);
}

#[test]
fn a_finished_or_limited_run_that_is_resumed_keeps_the_bytes_of_its_model() {
    let folder = scratch();
    let solvers = [
        "--solver sgd",
        "--solver als",
        "--solver als --implicit",
        "--solver als --nonnegative",
        "--solver als --cg-steps 2",
        "--solver ccd",
    ];
    for (number, solver) in solvers.into_iter().enumerate() {
        let line = format!("fit {CLICKS} --rank 4 {solver} --epochs 4 --shards 3 --workers 2");
        ends(folder.path(), &format!("{line} --out whole{number} --checkpoint-every 1"), 0);
        let whole = folder.path().join(format!("whole{number}"));
        let learned = model(&whole);
        assert!(array(&whole, "item_factors.npy").1.iter().any(|&value| value != 0.0), "{solver}");
        for workers in [1, 2, 3, 5] {
            let again = format!("fit {CLICKS} --rank 4 {solver} --epochs 4 --shards 3 --workers {workers}");
            ends(folder.path(), &format!("{again} --resume whole{number}"), 0);
            assert_eq!(model(&whole), learned, "{solver}, finished, {workers} workers");
        }
        // A run ended by the time limit before its first epoch, and resumed under the same limit: nothing
        // runs, and nothing is lost.
        let limited = format!("{line} --out limited{number} --checkpoint-every 1 --time-limit 0");
        ends(folder.path(), &limited, 3);
        let run = folder.path().join(format!("limited{number}"));
        let start = model(&run);
        ends(folder.path(), &format!("{line} --resume limited{number} --time-limit 0"), 3);
        assert_eq!(model(&run), start, "{solver}, limited");
        ends(folder.path(), &format!("{line} --resume limited{number}"), 0);
        assert_eq!(model(&run), learned, "{solver}, limited, then whole");
    }
}

/// Returns the bytes of the files that hold a model's numbers.
fn model(run: &Path) -> Vec<Vec<u8>> {
    let files = ["user_factors.npy", "item_factors.npy", "user_bias.npy", "item_bias.npy", "model.json"];
    files.map(|file| fs::read(run.join(file)).unwrap()).to_vec()
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_a_fit_while_it_reads_and_within_an_epoch() {
    let folder = scratch();
    let (folder, mf) = (folder.path(), Program::at(MF));
    mf.ends_while_it_reads(folder, "fit - --out none", "none");
    // Epochs of large equations, each of which takes long in an unoptimised build.
    let data = "synth:ratings:users=3000,items=2000,n=60000,rank=2,signal=0.2,noise=0.2";
    for line in [
        "--solver als --rank 96 --epochs 500",
        "--solver als --implicit --rank 96 --epochs 500",
        "--solver ccd --rank 64 --epochs 500",
        "--rank 128 --epochs 5000",
    ] {
        let line = format!("fit {data} {line} --validation none --out run --force");
        let mut fit = mf.start(folder, &line);
        fit.until("epoch ").signal("-INT");
        let ran = fit.end();
        assert_eq!(ran.code, Some(130), "{line}: {}", ran.err);
        let run = folder.join("run");
        assert_eq!(json(&run, "model.json")["ending"], "interrupted", "{line}");
        assert!(run.join("user_factors.npy").exists());
    }
}
