//! How runs end: at their length, at a target, at a limit; and how they go on.

use crate::program::{SMALL, ends, json, report, scratch};

#[test]
fn a_length_completed_is_done_and_a_target_missed_is_three() {
    let folder = scratch();
    let line = format!("fit {SMALL} --rank 4 --epochs 3");
    assert_eq!(report(folder.path(), &line)["ending"], "reached");
    let ran = ends(folder.path(), &format!("{line} --target 0.01 --out run"), 3);
    assert!(ran.out.contains("not reached"), "{}", ran.out);
    assert_eq!(json(&folder.path().join("run"), "model.json")["ending"], "stalled");
    let early = report(folder.path(), &format!("fit {SMALL} --rank 4 --epochs 50 --target 0.95"));
    assert!(early["epochs"].as_u64().unwrap() < 50);
    assert_eq!(
        (&early["ending"], &early["certificate"]["on"]),
        (&"reached".into(), &"validation data".into())
    );
    let on_test =
        report(folder.path(), &format!("fit {SMALL} --rank 4 --epochs 50 --target 0.95 --test split"));
    assert_eq!(on_test["certificate"]["on"], "test data");
}

#[test]
fn a_time_limit_ends_with_three_and_a_model() {
    let folder = scratch();
    ends(folder.path(), &format!("fit {SMALL} --time-limit 0 --out run"), 3);
    let run = folder.path().join("run");
    assert_eq!(json(&run, "report.json")["ending"], "time");
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
    assert!(ran.err.contains("checkpoint"), "{}", ran.err);
}

#[test]
fn a_step_far_too_large_is_said_to_diverge() {
    let folder = scratch();
    let ran = ends(folder.path(), &format!("fit {SMALL} --step 50 --epochs 5 --validation none"), 3);
    assert!(ran.out.contains("it diverged"), "{}", ran.out);
}
