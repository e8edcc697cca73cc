//! `lasso cv`.

use std::fs;

use raddle_lasso::Preparation;
use serde_json::Value;

use crate::common::{Oracle, same_gap};
use crate::program::{ends, epochs, json, model, names, report, scratch};

const DATA: &str = "synth:groups:n=60,p=120,s=8,r=0.5";

/// Whether a number of JSON is this one, but for the last digit that its reader may lose.
fn is(value: &Value, number: f64) -> bool {
    (value.as_f64().unwrap() - number).abs() <= 1e-15 * number.abs()
}

#[test]
fn a_run_is_its_folder_with_the_curve_in_it() {
    let folder = scratch();
    let report = report(folder.path(), &format!("cv {DATA} --points 15 --ratio 50 --folds 4 --out run"));
    let run = folder.path().join("run");
    let files = [
        "coef.tsv",
        "cv.tsv",
        "dual.npy",
        "model.json",
        "report.json",
        "run.json",
        "summary.json",
        "trace.jsonl",
    ];
    assert_eq!(names(&run).into_iter().filter(|name| name != ".lock").collect::<Vec<_>>(), files);
    // The curve of cv.tsv, of the report and of the summary are one.
    let text = fs::read_to_string(run.join("cv.tsv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("lambda\tmean\tse\tnonzeros"));
    let curve: Vec<Vec<f64>> =
        lines.map(|line| line.split('\t').map(|field| field.parse().unwrap()).collect()).collect();
    assert_eq!(curve.len(), 15);
    let results = &report["results"];
    let summary = json(&run, "summary.json");
    let listed =
        summary["tables"].as_array().unwrap().iter().find(|table| table["title"] == "cross-validation");
    for (at, point) in curve.iter().enumerate() {
        for (column, name) in ["lambda", "mean", "se", "nonzeros"].iter().enumerate() {
            assert!(is(&results["curve"][at][name], point[column]), "{at} {name}");
            assert!(is(&listed.unwrap()["rows"][at][column], point[column]), "{at} {name}");
        }
    }
    // The chosen lambda has the smallest mean; 1se is the largest within its standard error.
    let best = (0..15).min_by(|&a, &b| curve[a][1].total_cmp(&curve[b][1])).unwrap();
    let simple = curve.iter().position(|point| point[1] <= curve[best][1] + curve[best][2]).unwrap();
    assert!(0 < best && simple <= best);
    assert!(is(&results["lambda"], curve[best][0]) && is(&results["lambda_min"], curve[best][0]));
    assert!(is(&results["lambda_1se"], curve[simple][0]) && results["rule"] == "min");
    assert!(is(&results["mean"], curve[best][1]) && is(&results["se"], curve[best][2]));
    assert!(results["folds"] == 4 && results["measure"] == "mean squared error");
    assert!(results["worst_gap"].as_f64().unwrap() <= 1e-6);
    // The model is certified, and that of `fit` at this lambda, byte for byte.
    let table = raddle_datasets::generate::table(DATA).unwrap();
    let oracle = Oracle::new(&table.x, &table.y, Preparation::default());
    let gap = oracle.gap(&oracle.scaled(&model(&run).0), curve[best][0]);
    assert!(gap <= 1e-6 && same_gap(report["metric"]["value"].as_f64().unwrap(), gap), "{gap:e}");
    ends(folder.path(), &format!("{DATA} --lambda {:?} --out fit", curve[best][0]), 0);
    let fit = folder.path().join("fit");
    assert_eq!(fs::read(run.join("coef.tsv")).unwrap(), fs::read(fit.join("coef.tsv")).unwrap());
    // What the model says of itself is the same, too; its folder has cv.tsv beside it.
    let (mut of_cv, mut of_fit) = (json(&run, "model.json"), json(&fit, "model.json"));
    assert!(of_cv["files"]["cv.tsv"].is_string());
    for about in [&mut of_cv, &mut of_fit] {
        ["sha256", "files"].iter().for_each(|key| drop(about.as_object_mut().unwrap().remove(*key)));
    }
    assert_eq!(of_cv, of_fit);
    assert_eq!(json(&folder.path().join("fit"), "report.json")["model_digest"], report["model_digest"]);
    // Epochs are counted on from fit to fit.
    let epochs = epochs(&run);
    assert!(epochs.is_sorted() && epochs.last().copied() == report["epochs"].as_u64());
    ends(folder.path(), &format!("predict run {DATA}"), 0);
}

#[test]
fn the_screen_shows_the_curve_and_what_was_chosen() {
    let folder = scratch();
    let ran = ends(folder.path(), "cv diabetes --rule 1se", 0);
    for words in [
        "Cross-validation with 5 folds: mean squared error on the rows held out",
        "<- lambda_min",
        "<- lambda_1se, chosen",
        "Lasso on diabetes",
        "done: relative-duality-gap",
    ] {
        assert!(ran.out.contains(words), "{words}: {}", ran.out);
    }
    assert!(ran.err.contains("fold 5 of 5") && ran.err.contains("all rows at lambda"), "{}", ran.err);
    assert!(ends(folder.path(), "cv diabetes --quiet", 0).err.is_empty());
    assert!(names(folder.path()).is_empty(), "without --out no file is left");
}

#[test]
fn what_only_places_the_work_never_changes_the_choice() {
    let folder = scratch();
    let cv = |options: &str| {
        let report = report(folder.path(), &format!("cv {DATA} --points 12 --ratio 50 {options}"));
        (report["model_digest"].clone(), report["results"].clone())
    };
    let plain = cv("--workers 1");
    for options in ["--workers 3", "--workers 2 --shards 7", "--workers 1 --rescale 2:3,9:2,30:1"] {
        assert_eq!(cv(options), plain, "{options}");
    }
    assert_ne!(cv("--seed 7").1["curve"], plain.1["curve"]);
    assert_ne!(cv("--folds 3").1["curve"], plain.1["curve"]);
    let simple = cv("--rule 1se").1;
    assert_eq!((&simple["curve"], &simple["lambda"]), (&plain.1["curve"], &plain.1["lambda_1se"]));
}

#[test]
fn a_limit_inside_a_fold_chooses_nothing_and_leaves_what_was_there() {
    let folder = scratch();
    ends(folder.path(), &format!("{DATA} --out run"), 0);
    let run = folder.path().join("run");
    let before = ["coef.tsv", "model.json", "report.json", "summary.json"]
        .map(|file| fs::read(run.join(file)).unwrap());
    for (options, said) in
        [("--epochs 2", "stopped at the limit of epochs"), ("--time-limit 0", "stopped at the time limit")]
    {
        let ran = ends(folder.path(), &format!("cv {DATA} --points 50 --out run --force {options}"), 3);
        assert!(
            ran.out.contains("it ended in fold 1 of 5, so no lambda is chosen and no model is written"),
            "{}",
            ran.out
        );
        assert!(ran.out.contains(said), "{}", ran.out);
        let said = ends(folder.path(), &format!("cv {DATA} --points 50 --json {options}"), 3).out;
        let report: Value = serde_json::from_str(&said).unwrap();
        assert_eq!((&report["ending"], &report["model_digest"]), (&"limit".into(), &"".into()));
        assert_eq!((&report["results"]["folds_done"], &report["results"]["folds"]), (&0.into(), &5.into()));
    }
    let after = ["coef.tsv", "model.json", "report.json", "summary.json"]
        .map(|file| fs::read(run.join(file)).unwrap());
    assert!(before == after, "files of an earlier run were touched");
}

#[test]
fn what_cannot_be_cross_validated_is_bad_usage_or_input() {
    let folder = scratch();
    fs::write(folder.path().join("flat.csv"), "x,y\n1,2\n2,2\n5,2\n").unwrap();
    fs::write(folder.path().join("small.csv"), "x,y\n1,2\n2,3\n5,2\n").unwrap();
    for (line, why) in [
        ("small.csv", "--folds is 5 for 3 rows"),
        ("small.csv --folds 1", "--folds is 1"),
        ("small.csv --folds -1", "--folds"),
        ("small.csv --folds 3 --points 0", "--points <N>': give a whole number from 1 to 100000"),
        ("small.csv --folds 3 --ratio 0.1", "--ratio is 0.1"),
        ("small.csv --folds 3 --rule best", "choose min or 1se"),
        ("small.csv --folds 3 --mode dense-std", "--mode is DenseStd"),
        ("small.csv --folds 3 --schedule cyclic", "--schedule"),
        ("small.csv --folds 3 --out run --checkpoint-every 2", "--checkpoint-every: cv makes no checkpoints"),
        ("small.csv --folds 3 --resume run", "--resume: cv makes no checkpoints"),
        ("flat.csv --folds 3", "no column varies with the response"),
    ] {
        let ran = ends(folder.path(), &format!("cv {line}"), 2);
        assert!(ran.err.contains(why) && ran.out.is_empty(), "cv {line}: {}", ran.err);
    }
    assert_eq!(names(folder.path()), ["flat.csv", "small.csv"], "nothing is left of a refused run");
    ends(folder.path(), "cv small.csv --folds 3", 0);
}

#[test]
fn a_fold_that_cannot_be_fitted_is_named() {
    let folder = scratch();
    // One row of the rare class: the fold that holds it out leaves none.
    let rows: String = (0..12).map(|i| format!("{},{},{}\n", i % 5, (i * i) % 7, u8::from(i == 4))).collect();
    fs::write(folder.path().join("rare.csv"), format!("a,b,y\n{rows}")).unwrap();
    let refused = ends(folder.path(), "cv rare.csv --loss logistic --folds 3", 2);
    let named = (1..=3).any(|fold| refused.err.contains(&format!("fold {fold} of 3: without its rows")));
    assert!(
        named && refused.err.contains("1 distinct value") && refused.err.contains("--folds"),
        "{}",
        refused.err
    );
}
