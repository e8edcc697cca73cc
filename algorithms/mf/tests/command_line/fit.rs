//! `mf fit`: its results, and the files of a run.

use std::fs;

use raddle_datasets::ratings::{HeldOut, generate};

use super::program::{CLICKS, SMALL, array, ends, json, names, report, scratch};

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
                "seen.npz",
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
        let held = HeldOut::compared(generate::ratings(SMALL).unwrap().ratings.triples, 120, 60);
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
    assert!(epochs > 14, "{epochs}");
    let log = json(&folder.path().join("run"), "model.json")["log"].clone();
    let errors: Vec<f64> = log.as_array().unwrap().iter().map(|error| error.as_f64().unwrap()).collect();
    assert_eq!(errors.len() as u64, epochs);
    let best = errors.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(report["results"]["best_rmse"], best);
    assert_eq!(report["metric"]["value"], best);
    let at = report["results"]["best_epoch"].as_u64().unwrap() as usize;
    assert_eq!(errors[at - 1], best);
    // Each stage starts again from new factors, which the progress shows.
    let said = ends(folder.path(), &format!("fit {SMALL} --validation 0.1"), 0).err;
    assert!(said.contains("restart: 40 epochs from new factors"), "{said}");
}

#[test]
fn a_refit_trains_on_what_was_held_out_too() {
    let folder = scratch();
    let line = format!("fit {SMALL} --rank 4 --validation 0.2 --test split");
    let without = report(folder.path(), &line);
    let with = report(folder.path(), &format!("{line} --refit"));
    let rmse = |report: &serde_json::Value| report["results"]["test_rmse"].as_f64().unwrap();
    assert!(rmse(&with) < rmse(&without), "{} {}", rmse(&with), rmse(&without));
    // The metric is that of the first fit, and its name says so.
    assert_eq!(with["metric"]["value"], without["metric"]["value"]);
    assert_eq!(with["metric"]["on"], "validation data, before the fit on all ratings");
    // A file of validation data is added, too.
    let made = generate::ratings(SMALL).unwrap().ratings.triples;
    let lines: Vec<String> = made.iter().map(|(u, i, r)| format!("{u}\t{i}\t{r}\n")).collect();
    fs::write(folder.path().join("train.tsv"), lines[..2000].concat()).unwrap();
    fs::write(folder.path().join("more.tsv"), lines[2000..].concat()).unwrap();
    let line = "fit train.tsv --rank 4 --validation more.tsv --test more.tsv";
    let (without, with) = (report(folder.path(), line), report(folder.path(), &format!("{line} --refit")));
    assert!(rmse(&with) < 0.9 * rmse(&without), "{} {}", rmse(&with), rmse(&without));
}

#[test]
fn a_warm_start_goes_on_from_its_model_and_keeps_all_that_is_not_trained() {
    let folder = scratch();
    ends(folder.path(), &format!("fit {SMALL} --rank 4 --epochs 20 --validation none --out old"), 0);
    // The new file lacks users from 60 on and items from 50 on; one user and one item are new.
    let made = generate::ratings(SMALL).unwrap().ratings.triples;
    let some = made.iter().filter(|&(user, item, _)| user < 60 && item < 50);
    let text: String = some.map(|(u, i, r)| format!("{u}\t{i}\t{r}\n")).collect();
    fs::write(folder.path().join("new.tsv"), text + "500\t3\t4\n2\t900\t4\n500\t900\t3\n").unwrap();
    let of = |run: &str, file: &str| array(&folder.path().join(run), file).1;
    for solver in ["sgd", "als", "ccd"] {
        let step = if solver == "sgd" { "--step 0.001" } else { "" };
        let options =
            format!("--rank 4 --epochs 1 --validation none {step} --solver {solver} --test new.tsv");
        let line = format!("fit new.tsv {options} --init old --out {solver}");
        let ran = ends(folder.path(), &line, 0);
        let kept = "60 users and 10 items that the data lacks are kept; 1 user and 1 item are new";
        assert!(ran.out.contains(kept), "{}", ran.out);
        let warm = json(&folder.path().join(solver), "report.json");
        let cold = report(folder.path(), &format!("fit new.tsv {options}"));
        let rmse = |report: &serde_json::Value| report["results"]["test_rmse"].as_f64().unwrap();
        assert!(rmse(&warm) < 0.9 * rmse(&cold), "{solver}: {} {}", rmse(&warm), rmse(&cold));
        let ids = json(&folder.path().join(solver), "model.json")["users"].clone();
        assert_eq!((ids.as_array().unwrap().len(), &ids[119], &ids[120]), (121, &119.into(), &500.into()));
        // Kept rows are the same to the last bit, except that biases of users compensate for the mean.
        assert_eq!(
            of(solver, "user_factors.npy")[240..480],
            of("old", "user_factors.npy")[240..],
            "{solver}"
        );
        assert_eq!(
            of(solver, "item_factors.npy")[200..240],
            of("old", "item_factors.npy")[200..],
            "{solver}"
        );
        assert_eq!(of(solver, "item_bias.npy")[50..60], of("old", "item_bias.npy")[50..], "{solver}");
        let mean = |run: &str| json(&folder.path().join(run), "model.json")["mean"].as_f64().unwrap();
        let level = |run: &str| f64::from(of(run, "user_bias.npy")[77]) + mean(run);
        assert!((level(solver) - level("old")).abs() < 1e-6, "{solver}");
        ends(folder.path(), &format!("recommend {solver} --users 119"), 0);
    }
    // A run that ends before its first epoch returns the model to start from.
    ends(folder.path(), "fit new.tsv --rank 4 --init old --time-limit 0 --out same", 3);
    assert_eq!(of("same", "user_factors.npy")[..480], of("old", "user_factors.npy")[..]);
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
fn weight_and_regularisation_of_clicks_are_chosen_and_the_screen_says_why() {
    let folder = scratch();
    let folder = folder.path();
    let ran = ends(folder, &format!("fit {CLICKS} --implicit --rank 4 --validation 0.2 --out run"), 0);
    let (found, model) = (json(&folder.join("run"), "report.json"), json(&folder.join("run"), "model.json"));
    let results = &found["results"];
    assert_eq!((&results["weight"], &results["reg"]), (&model["implicit"], &model["reg"]));
    assert_eq!(found["parameters"]["implicit"], "auto");
    let trials = results["trials"].as_array().unwrap();
    let last: Vec<_> =
        trials.iter().filter(|trial| trial["stage"] == trials.last().unwrap()["stage"]).collect();
    let best =
        last.iter().rev().max_by(|a, b| a["ndcg"].as_f64().unwrap().total_cmp(&b["ndcg"].as_f64().unwrap()));
    assert_eq!((&best.unwrap()["weight"], &best.unwrap()["reg"]), (&results["weight"], &results["reg"]));
    for said in
        ["chosen by the lists for the validation data (ndcg@10), of 14", "10 settings x 2 epochs", "best: W "]
    {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
    ends(folder, "recommend run --top 3", 0);
    // The model is the one of a fit to which the choice is given.
    let chosen = format!("--implicit {} --reg {}", results["weight"], results["reg"]);
    let line = format!("fit {CLICKS} --rank 4 --validation 0.2 {chosen}");
    assert_eq!(report(folder, &line)["model_digest"], found["model_digest"]);
    // What is given is not chosen.
    let given = |options: &str| report(folder, &format!("fit {CLICKS} --rank 4 --validation 0.2 {options}"));
    assert_eq!(given("--implicit 3")["results"]["weight"], 3.0);
    assert_eq!(given("--implicit --reg 7")["results"]["reg"], 7.0);
    assert!(given("--implicit 3 --reg 7")["results"].get("trials").is_none());
    // Where nothing is held out there is nothing to choose by.
    let line = format!("fit {CLICKS} --rank 4 --epochs 2 --validation none");
    let ran = ends(folder, &format!("{line} --implicit"), 0);
    assert!(
        ran.out.contains("W 5 and reg 0.05, as no held-out clicks are there to choose by"),
        "{}",
        ran.out
    );
    assert_eq!(
        report(folder, &format!("{line} --implicit"))["model_digest"],
        report(folder, &format!("{line} --implicit 5 --reg 0.05"))["model_digest"]
    );
}

#[test]
fn cross_validation_tries_weights_of_clicks() {
    let folder = scratch();
    let grid = "--implicit --weights 1,20 --regs 0.1,30 --rank 3 --folds 2 --epochs 4";
    let ran = ends(folder.path(), &format!("cv {CLICKS} {grid} --out run"), 0);
    let lines = fs::read_to_string(folder.path().join("run/cv.tsv")).unwrap();
    assert!(lines.starts_with("rank\tweight\treg\tndcg@10\tstandard_error\n3\t1\t0.1\t"), "{lines}");
    let score = |line: &str| line.split('\t').nth(3).unwrap().parse::<f64>().unwrap();
    let best = lines.lines().skip(1).max_by(|a, b| score(a).total_cmp(&score(b))).unwrap();
    let cells: Vec<&str> = best.split('\t').collect();
    let model = json(&folder.path().join("run"), "model.json");
    assert_eq!(
        [cells[1], cells[2]].map(|cell| cell.parse::<f64>().unwrap()),
        [&model["implicit"], &model["reg"]].map(|of| of.as_f64().unwrap())
    );
    assert!(
        ran.out.contains(&format!("and reg {} and W {} on all ratings", cells[2], cells[1])),
        "{}",
        ran.out
    );
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
    // The progress names the fit that follows, and the runs before it.
    assert!(ran.out.contains("and reg 0.02 on all ratings: 120 users x 60 items"), "{}", ran.out);
    assert!(ran.out.contains("done: rmse "), "{}", ran.out);
    for run in
        ["fold 1 of 3, setting 1 of 4", "fold 3 of 3, setting 4 of 4", "the best setting, on all ratings"]
    {
        assert!(ran.err.contains(run), "{run}: {}", ran.err);
    }
    let refused = ends(folder.path(), &format!("cv {SMALL} --folds 1"), 2);
    assert!(refused.err.contains("--folds is 1"), "{}", refused.err);
}

#[test]
fn clicks_are_held_against_no_number_but_looked_for_in_lists() {
    let folder = scratch();
    let line =
        format!("fit {CLICKS} --solver als --implicit --rank 4 --validation 0.2 --test split --out run");
    let ran = ends(folder.path(), &line, 0);
    assert!(ran.out.contains("done: ndcg@10 ") && ran.out.contains("on validation data"), "{}", ran.out);
    assert!(ran.out.contains("test: precision@10 ") && !ran.out.contains("rmse"), "{}", ran.out);
    assert!(ran.err.contains("ndcg@10 ") && !ran.err.contains("rmse"), "{}", ran.err);
    let report = json(&folder.path().join("run"), "report.json");
    let best = report["metric"]["value"].as_f64().unwrap();
    assert!(best > 0.0 && best <= 1.0);
    assert_eq!(
        (&report["metric"]["name"], &report["results"]["best_ndcg@10"]),
        (&"ndcg@10".into(), &best.into())
    );
    let log = json(&folder.path().join("run"), "model.json")["log"].clone();
    let most = log.as_array().unwrap().iter().filter_map(serde_json::Value::as_f64).fold(0.0, f64::max);
    assert_eq!(best, most);
    assert!(report["seconds"]["certify"].as_f64().unwrap() > 0.0);
    assert!(report["results"]["ranking"]["ndcg"].as_f64().unwrap() > 0.0);
    let ran = ends(folder.path(), &format!("predict run {CLICKS}"), 0);
    assert!(!ran.err.contains("rmse"), "{}", ran.err);
}

#[test]
fn a_first_line_of_names_is_told_and_never_a_user() {
    let folder = scratch();
    fs::write(folder.path().join("visits.csv"), "visitorid,itemid\n1,10\n1,20\n2,10\n").unwrap();
    let ran = ends(folder.path(), "fit visits.csv --rank 2 --epochs 1 --validation none --out run", 0);
    assert!(
        ran.out.contains("2 users x 2 items") && ran.out.contains("the first line is taken"),
        "{}",
        ran.out
    );
    assert_eq!(json(&folder.path().join("run"), "model.json")["users"], serde_json::json!([1, 2]));
    // Scores are readable in any unit of the ratings.
    fs::write(folder.path().join("small.csv"), "1,1,5e-9\n1,2,2e-9\n2,1,4e-9\n2,3,1e-9\n").unwrap();
    let ran = ends(folder.path(), "fit small.csv --rank 2 --epochs 3 --validation none", 0);
    assert!(ran.out.contains("e-9)") && !ran.out.contains("(0.00)"), "{}", ran.out);
}

#[test]
fn repeated_ratings_are_told() {
    let folder = scratch();
    fs::write(folder.path().join("twice.csv"), "1,1,5\n1,2,3\n2,1,4\n1,1,2\n2,2,3\n").unwrap();
    for (options, what) in [
        ("", "1 repeated rating merged: the last of a pair counts"),
        ("--duplicates first", "1 repeated rating dropped: the first of a pair counts"),
        ("--duplicates sum", "1 repeated rating added to the first of their pair"),
    ] {
        for verb in ["fit", "cv --folds 2"] {
            let ran =
                ends(folder.path(), &format!("{verb} twice.csv --rank 2 --epochs 2 --seed 5 {options}"), 0);
            assert!(ran.out.contains(what), "{verb}: {}", ran.out);
        }
    }
}

#[test]
fn a_model_is_the_same_file_by_file_whatever_the_machine_does() {
    let folder = scratch();
    let files = |run: &str| -> Vec<Vec<u8>> {
        let names = ["model.json", "user_factors.npy", "item_factors.npy", "user_bias.npy", "item_bias.npy"];
        names.map(|name| fs::read(folder.path().join(run).join(name)).unwrap()).to_vec()
    };
    for solver in ["sgd", "als", "ccd"] {
        let line = format!("fit {SMALL} --solver {solver} --rank 4 --shards 4");
        ends(folder.path(), &format!("{line} --workers 1 --out {solver}1"), 0);
        ends(folder.path(), &format!("{line} --workers 3 --rescale 2:2 --out {solver}3"), 0);
        assert_eq!(files(&format!("{solver}1")), files(&format!("{solver}3")), "{solver}");
    }
}
