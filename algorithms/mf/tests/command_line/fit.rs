//! `mf fit`: what it finds, and the files of a run.

use std::fs;

use raddle_datasets::ratings::{Held, generate};

use crate::program::{CLICKS, SMALL, array, ends, json, names, report, scratch};

#[test]
fn without_anything_it_trains_on_a_known_truth_and_says_how_close_it_came() {
    let folder = scratch();
    let ran = ends(folder.path(), "", 0);
    for part in ["800 users x 400 items", "recommended (predicted)", "known optimum: rmse 0.5", "done: rmse"]
    {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    assert!(names(folder.path()).is_empty());
    let report = report(folder.path(), "");
    let (found, known) = (&report["results"]["best_rmse"], &report["results"]["known_optimum_rmse"]);
    assert!(found.as_f64().unwrap() < 1.15 * known.as_f64().unwrap(), "{found} {known}");
}

#[test]
fn a_run_is_its_folder_and_the_exported_factors_predict_what_is_reported() {
    let folder = scratch();
    for solver in ["sgd", "als", "ccd"] {
        let line = format!(
            "fit {SMALL} --solver {solver} --rank 6 --validation none --epochs 8 --test split --out {solver}"
        );
        let report = report(folder.path(), &line);
        let run = folder.path().join(solver);
        assert_eq!(
            names(&run),
            [
                ".lock",
                "item_bias.npy",
                "item_factors.npy",
                "model.json",
                "report.json",
                "run.json",
                "summary.json",
                "trace.jsonl",
                "user_bias.npy",
                "user_factors.npy"
            ]
        );
        assert_eq!((&report["ending"], &report["epochs"]), (&"converged".into(), &8.into()));
        assert!(report["metric"]["target"].is_null() && report["metric"]["certified"] == false);
        let (shape, p) = array(&run, "user_factors.npy");
        assert_eq!(shape, "120, 6");
        let (q, b, c) =
            (array(&run, "item_factors.npy").1, array(&run, "user_bias.npy"), array(&run, "item_bias.npy").1);
        assert_eq!(b.0, "120,");
        let mean = json(&run, "model.json")["mean"].as_f64().unwrap();
        let held = Held::compared(generate::ratings(SMALL).unwrap().ratings.triples, 120, 60);
        let squared = held.out.iter().map(|(user, item, value)| {
            let (u, i) = (user as usize, item as usize);
            let product: f64 = (0..6).map(|f| f64::from(p[6 * u + f]) * f64::from(q[6 * i + f])).sum();
            (f64::from(value) - mean - f64::from(b.1[u]) - f64::from(c[i]) - product).powi(2)
        });
        let rmse = (squared.sum::<f64>() / held.out.len() as f64).sqrt();
        let reported = report["results"]["test_rmse"].as_f64().unwrap();
        assert!((rmse - reported).abs() < 1e-9 && rmse < 0.9, "{solver}: {rmse} {reported}");
    }
}

#[test]
fn without_epochs_stages_follow_while_validation_gains_and_the_best_is_kept() {
    let folder = scratch();
    let report = report(folder.path(), &format!("fit {SMALL} --validation 0.1 --out run"));
    let epochs = report["epochs"].as_u64().unwrap();
    assert!([5, 15, 35, 75].contains(&epochs) || epochs > 5, "{epochs}");
    let log = json(&folder.path().join("run"), "model.json")["log"].clone();
    let errors: Vec<f64> =
        log.as_array().unwrap()[1..].iter().map(|entry| entry[2].as_f64().unwrap()).collect();
    let best = errors.iter().copied().fold(f64::INFINITY, f64::min);
    let reported = report["results"]["best_rmse"].as_f64().unwrap();
    assert!((best - reported).abs() < 1e-12, "{best} {reported}");
    let at = report["results"]["best_epoch"].as_u64().unwrap() as usize;
    assert!((errors[at - 1] - reported).abs() < 1e-12);
}

#[test]
fn a_refit_trains_on_what_was_held_out_too() {
    let folder = scratch();
    let line = format!("fit {SMALL} --rank 4 --validation 0.2 --test split");
    let without = report(folder.path(), &line);
    let with = report(folder.path(), &format!("{line} --refit"));
    let rmse = |report: &serde_json::Value| report["results"]["test_rmse"].as_f64().unwrap();
    assert!(rmse(&with) < rmse(&without), "{} {}", rmse(&with), rmse(&without));
    assert_eq!(with["metric"], without["metric"]);
}

#[test]
fn a_warm_start_goes_on_from_its_model_and_keeps_what_is_not_trained() {
    let folder = scratch();
    ends(folder.path(), &format!("fit {SMALL} --rank 4 --epochs 20 --validation none --out old"), 0);
    // Half of the ratings: users above 60 are not in them.
    let made = generate::ratings(SMALL).unwrap().ratings.triples;
    let text: String =
        made.iter().filter(|rating| rating.0 < 60).map(|(u, i, r)| format!("{u}\t{i}\t{r}\n")).collect();
    fs::write(folder.path().join("new.tsv"), text).unwrap();
    for solver in ["sgd", "als", "ccd"] {
        let options = "--rank 4 --epochs 1 --validation none --step 0.001";
        let warm = report(
            folder.path(),
            &format!("fit new.tsv {options} --solver {solver} --init old --test new.tsv"),
        );
        let cold = report(folder.path(), &format!("fit new.tsv {options} --solver {solver} --test new.tsv"));
        let rmse = |report: &serde_json::Value| report["results"]["test_rmse"].as_f64().unwrap();
        assert!(rmse(&warm) < 0.9 * rmse(&cold), "{solver}: {} {}", rmse(&warm), rmse(&cold));
    }
    let refused = ends(folder.path(), "fit new.tsv --rank 8 --init old", 2);
    assert!(refused.err.contains("has rank 4, the fit 8"), "{}", refused.err);
}

#[test]
fn workers_and_rescales_leave_the_digest_alone() {
    let folder = scratch();
    let digest = |line: &str| report(folder.path(), line)["model_digest"].as_str().unwrap().to_owned();
    let line = format!("fit {SMALL} --epochs 6 --shards 5");
    let one = digest(&format!("{line} --workers 1"));
    for how in ["--workers 3", "--workers 7", "--workers 2 --rescale 2:4,4:1"] {
        assert_eq!(digest(&format!("{line} {how}")), one, "{how}");
    }
}

#[test]
fn recommendations_are_measured_on_request() {
    let folder = scratch();
    let line = format!(
        "fit {CLICKS} --solver als --implicit --rank 4 --epochs 5 --validation none --test split --ranking 5"
    );
    let ranking = report(folder.path(), &line)["results"]["ranking"].clone();
    for measure in ["precision", "recall", "ndcg", "map", "auc"] {
        let value = ranking[measure].as_f64().unwrap();
        assert!(value > 0.0 && value <= 1.0, "{measure} {value}");
    }
    assert!(ranking["auc"].as_f64().unwrap() > 0.6, "{ranking}");
}

#[test]
fn cross_validation_tries_the_grid_and_fits_the_best() {
    let folder = scratch();
    let line = format!("cv {SMALL} --ranks 2,4 --regs 0.02,5 --folds 3 --epochs 8 --out run");
    let ran = ends(folder.path(), &line, 0);
    assert!(ran.out.contains("<- best"), "{}", ran.out);
    let lines = fs::read_to_string(folder.path().join("run/cv.tsv")).unwrap();
    assert_eq!(lines.lines().count(), 5);
    let best = json(&folder.path().join("run"), "model.json");
    assert_eq!(best["reg"], 0.02);
    let refused = ends(folder.path(), &format!("cv {SMALL} --folds 1"), 2);
    assert!(refused.err.contains("--folds is 1"), "{}", refused.err);
}
