//! `lasso cv`.

use std::fs;

use raddle_lasso::Preparation;
use serde_json::Value;

use super::program::{ends, epochs, json, model, names, program, report, scratch};
use crate::common::{Oracle, same_gap};

const DATA: &str = "synth:groups:n=60,p=120,s=8,r=0.5";

/// `true` if a JSON number equals this one, up to the last digit, which a reader may lose.
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
    // The curves of cv.tsv, of the report and of the summary are equal.
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
    // The model is certified, and equals that of `fit` at this lambda, byte for byte.
    let table = raddle_datasets::generate::table(DATA).unwrap();
    let oracle = Oracle::new(&table.x, &table.y, Preparation::default());
    let gap = oracle.gap(&oracle.scaled(&model(&run).0), curve[best][0]);
    assert!(gap <= 1e-6 && same_gap(report["metric"]["value"].as_f64().unwrap(), gap), "{gap:e}");
    ends(folder.path(), &format!("{DATA} --lambda {:?} --out fit", curve[best][0]), 0);
    let fit = folder.path().join("fit");
    assert_eq!(fs::read(run.join("coef.tsv")).unwrap(), fs::read(fit.join("coef.tsv")).unwrap());
    // The descriptions of both models are equal, too; that of cv also lists cv.tsv.
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
    let files = |workers: usize| {
        let line = format!("cv {DATA} --points 12 --ratio 50 --folds 7 --l1-ratio 1,0.5 --measure mae");
        ends(folder.path(), &format!("{line} --workers {workers} --out run --force"), 0);
        ["coef.tsv", "cv.tsv", "dual.npy", "model.json"]
            .map(|file| fs::read(folder.path().join("run").join(file)).unwrap())
    };
    let one = files(1);
    for workers in [2, 3, 7, 20] {
        assert!(files(workers) == one, "{workers} workers");
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
    fs::write(folder.path().join("small.csv"), "x,y\n1,2\n2,3\n5,2\n").unwrap();
    for (line, why) in [
        (
            "small.csv",
            "small.csv: 3 rows cannot be cut into 5 folds, which need a row each: choose --folds from 2 to 3",
        ),
        ("small.csv --folds 1", "--folds is 1"),
        ("small.csv --folds -1", "--folds"),
        ("small.csv --folds 3 --points 0", "--points <N>': give a whole number from 1 to 100000"),
        ("small.csv --folds 3 --ratio 0.1", "--ratio is 0.1"),
        ("small.csv --folds 3 --rule best", "choose min or 1se"),
        ("small.csv --folds 3 --mode dense-std", "--mode is DenseStd"),
        ("small.csv --folds 3 --schedule cyclic", "--schedule"),
        ("small.csv --folds 3 --checkpoint-every 2", "--checkpoint-every needs a folder"),
        ("small.csv --folds 3 --measure best", "choose deviance, mse, mae, auc or accuracy"),
        ("small.csv --folds 3 --measure auc", "--measure is auc: it is of classes"),
        ("small.csv --folds 3 --stratify", "--stratify is on: only classes"),
        ("small.csv --folds 3 --l1-ratio 0.5,2", "--l1-ratio is 2"),
        ("small.csv --folds 3 --fold-by who", "--fold-by: `who` is neither a column nor a file"),
        ("small.csv --folds 3 --fold-by 1", "no feature is left besides the response"),
    ] {
        let ran = ends(folder.path(), &format!("cv {line}"), 2);
        assert!(ran.err.contains(why) && ran.out.is_empty(), "cv {line}: {}", ran.err);
    }
    assert_eq!(names(folder.path()), ["small.csv"], "nothing is left of a refused run");
    ends(folder.path(), "cv small.csv --folds 3", 0);
}

#[test]
fn a_fold_that_cannot_be_fitted_is_named() {
    let folder = scratch();
    // One row of the rare class: the fold that holds it out has none to train on.
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

#[test]
fn one_of_several_l1_ratios_is_chosen_and_each_is_that_of_its_own_run() {
    let folder = scratch();
    let cv = |ratio: &str| {
        report(
            folder.path(),
            &format!("cv {DATA} --points 9 --ratio 50 --folds 3 --l1-ratio {ratio} --out run --force"),
        )
    };
    let all = cv("0.3,0.9,1");
    let text = fs::read_to_string(folder.path().join("run/cv.tsv")).unwrap();
    let screen = json(&folder.path().join("run"), "run.json")["ended"]["said"].as_str().unwrap().to_owned();
    let listed = all["results"]["l1_ratios"].as_array().unwrap();
    assert_eq!((listed.len(), text.lines().next()), (3, Some("l1_ratio\tlambda\tmean\tse\tnonzeros")));
    assert_eq!(all["parameters"]["l1_ratio"], serde_json::json!([0.3, 0.9, 1.0]));
    let mut best: Option<Value> = None;
    for (at, ratio) in ["0.3", "0.9", "1"].into_iter().enumerate() {
        let own = cv(ratio);
        for key in ["lambda", "mean", "se"] {
            assert_eq!(listed[at][key], own["results"][key], "{ratio} {key}");
        }
        let lines = fs::read_to_string(folder.path().join("run/cv.tsv")).unwrap();
        let own_lines: Vec<String> = lines.lines().skip(1).map(|line| format!("{ratio}\t{line}")).collect();
        let same: Vec<&str> = text.lines().skip(1).skip(9 * at).take(9).collect();
        assert_eq!(same, own_lines);
        let mean = |report: &Value| report["results"]["mean"].as_f64().unwrap();
        if best.as_ref().is_none_or(|best| mean(&own) < mean(best)) {
            best = Some(own);
        }
    }
    let best = best.unwrap();
    assert_eq!(best["model_digest"], all["model_digest"]);
    assert_eq!(best["results"]["curve"], all["results"]["curve"]);
    assert_eq!(all["results"]["l1_ratio"], best["parameters"]["l1_ratio"]);
    assert!(screen.contains("l1 ratio") && screen.contains("<- chosen"), "{screen}");
    for verb in ["fit", "path"] {
        let refused = ends(folder.path(), &format!("{verb} {DATA} --l1-ratio 0.3,1"), 2);
        assert!(
            refused.err.contains("--l1-ratio: 2 values, of which `lasso cv` chooses one"),
            "{}",
            refused.err
        );
    }
}

/// Rows of one patient are nearly equal: if they were held out separately, they would predict each other.
#[test]
fn rows_of_one_value_stay_together() {
    let folder = scratch();
    let mut text = String::from("patient,a,b,c,d,e,y\n");
    for row in 0..60_u64 {
        let of = |number: u64| number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        let patient = row / 6;
        let cells: Vec<String> = (0..5).map(|j| format!("{}", of(31 * patient + j + 1) % 97)).collect();
        text += &format!("p{patient},{},{}\n", cells.join(","), of(patient + 1000) % 50 + row % 2);
    }
    fs::write(folder.path().join("patients.csv"), &text).unwrap();
    let cv = |options: &str| {
        report(folder.path(), &format!("cv patients.csv --drop patient --folds 5 --points 9 {options}"))
    };
    let (apart, together) = (cv(""), cv("--fold-by patient"));
    let mean = |report: &Value| report["results"]["mean"].as_f64().unwrap();
    assert!(mean(&together) > 1.4 * mean(&apart), "{} {}", mean(&together), mean(&apart));
    assert_eq!(together["data"]["sizes"]["columns"], 5, "it is no feature");
    let named = report(folder.path(), "cv patients.csv --folds 5 --points 9 --fold-by patient");
    assert_eq!(named["results"]["curve"], together["results"]["curve"]);
    let left_out = &named["results"]["encoding"]["left_out"][0];
    assert_eq!((&left_out["name"], &left_out["why"]), (&"patient".into(), &"--fold-by names it".into()));
    // Folds by a file.
    let labels: String = text.lines().map(|line| format!("{}\n", line.split(',').next().unwrap())).collect();
    fs::write(folder.path().join("patients.txt"), labels).unwrap();
    assert_eq!(cv("--fold-by patients.txt")["results"]["curve"], together["results"]["curve"]);
    let refused = ends(folder.path(), "cv patients.csv --folds 11 --fold-by patient", 2);
    assert!(
        refused.err.contains("--fold-by is a column with 10 different values for 11 folds"),
        "{}",
        refused.err
    );
}

#[test]
fn classes_are_measured_and_a_fold_without_one_is_named() {
    let folder = scratch();
    let row = |i: u64| {
        format!("{},{},{}\n", i * 7 % 11, i * i % 13, if i * 7 % 11 + i % 3 > 6 { "ill" } else { "well" })
    };
    let text: String = (0..40).map(row).collect();
    fs::write(folder.path().join("c.csv"), format!("a,b,y\n{text}")).unwrap();
    for (measure, title) in [
        ("auc", "area under the ROC curve"),
        ("accuracy", "accuracy"),
        ("deviance", "mean logistic deviance"),
    ] {
        let done =
            report(folder.path(), &format!("cv c.csv --loss logistic --points 12 --measure {measure}"));
        assert_eq!(done["results"]["measure"], title);
        let curve = done["results"]["curve"].as_array().unwrap();
        let means: Vec<f64> = curve.iter().map(|point| point["mean"].as_f64().unwrap()).collect();
        let best = match measure {
            "deviance" => means.iter().copied().fold(f64::MAX, f64::min),
            _ => means.iter().copied().fold(0.0, f64::max),
        };
        assert_eq!(done["results"]["mean"], best, "{measure}");
        assert!(measure == "deviance" || (0.5..=1.0).contains(&best), "{measure} {best}");
    }
    let curve = |options: &str| {
        let line = format!("cv c.csv --loss logistic --points 12 {options}");
        report(folder.path(), &line)["results"]["curve"].clone()
    };
    assert_eq!(curve("--stratify"), curve(""), "the default of classes");
    assert_ne!(curve("--stratify off"), curve(""));
    let rare: String =
        (0..40).map(|i| format!("{},{},{}\n", i % 7, i % 5, if i < 3 { "ill" } else { "well" })).collect();
    fs::write(folder.path().join("rare.csv"), format!("a,b,y\n{rare}")).unwrap();
    let refused = ends(folder.path(), "cv rare.csv --loss logistic --measure auc", 2);
    assert!(
        refused.err.contains("of 5 holds out no row of the class 0") && refused.err.contains("is `ill`"),
        "{}",
        refused.err
    );
    ends(folder.path(), "cv rare.csv --loss logistic --measure auc --folds 3", 0);
}

const MODEL: [&str; 4] = ["coef.tsv", "cv.tsv", "dual.npy", "model.json"];

fn files(run: &std::path::Path) -> [Vec<u8>; 4] {
    MODEL.map(|file| fs::read(run.join(file)).unwrap())
}

#[test]
fn a_cross_validation_that_was_cut_short_goes_on_with_the_folds_that_are_left() {
    let folder = scratch();
    let run = folder.path().join("run");
    let of = |seed: u64| format!("cv {DATA} --points 10 --ratio 20 --folds 5 --l1-ratio 1,0.7 --seed {seed}");
    // With one epoch less than the slowest fold takes, that fold is cut short; folds before it are complete.
    let cut = |seed: u64| {
        let done = |epochs: u64| {
            let options =
                format!("--checkpoint-every 1 --epochs {epochs} --workers 1 --json --out run --force");
            let said = program(folder.path(), &format!("{} {options}", of(seed))).output().unwrap();
            let report: Value = serde_json::from_slice(&said.stdout).unwrap();
            report["results"]["folds_done"].as_u64()
        };
        let (mut low, mut high) = (1, 128);
        while high - low > 1 {
            let middle = (low + high) / 2;
            *(if done(middle).is_some() { &mut low } else { &mut high }) = middle;
        }
        done(low).unwrap()
    };
    let (seed, done) = (1..30).map(|seed| (seed, cut(seed))).find(|(_, done)| *done > 0).unwrap();
    let line = of(seed);
    ends(folder.path(), &format!("{line} --out whole"), 0);
    let whole = folder.path().join("whole");
    let checkpoints =
        |run: &std::path::Path| names(run).into_iter().filter(|name| name.starts_with("checkpoint.")).count();
    assert!(checkpoints(&run) > 0, "the fold under way has its own");
    let again = ends(folder.path(), "--resume run --workers 3", 0);
    assert!(files(&run) == files(&whole), "the model is that of one sitting");
    assert!(!again.err.contains("fold 1 of 5"), "{done} folds were done: {}", again.err);
    assert!(again.err.contains(&format!("fold {} of 5", done + 1)), "{}", again.err);
    assert_eq!(json(&run, "report.json")["epochs"], json(&whole, "report.json")["epochs"]);
    assert_eq!(epochs(&run), epochs(&whole), "the trace has those of the fold that was cut short, too");
    assert_eq!(checkpoints(&run), 0, "{:?}", names(&run));
    // A finished run stays as it is; another cross-validation is another run.
    let again = ends(folder.path(), "--resume run", 0);
    assert!(files(&run) == files(&whole) && !again.err.contains("of 5"), "{}", again.err);
    ends(folder.path(), &format!("{line} --checkpoint-every 1 --time-limit 0 --out run --force"), 3);
    for (now, said) in
        [("--folds 4", "--folds 4: the run in run was begun with --folds 5"), ("--tol 1e-9", "tol 1e-6")]
    {
        let refused = ends(folder.path(), &format!("cv {now} --resume run"), 2);
        assert!(refused.err.contains(said), "{}", refused.err);
    }
}

#[cfg(unix)]
#[test]
fn a_cross_validation_that_was_killed_goes_on_with_any_number_of_workers() {
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;

    let folder = scratch();
    let line = "cv synth:groups:n=200,p=900,s=20,r=0.9 --points 30 --ratio 300 --folds 6 --tol 1e-9";
    ends(folder.path(), &format!("{line} --out whole --workers 1"), 0);
    let whole = files(&folder.path().join("whole"));
    for (workers, stage) in [(1, "fold 3 of 6"), (2, "fold 2 of 6"), (3, "all rows")] {
        let options = format!("--out run --force --checkpoint-every 3 --workers {workers}");
        let mut command = program(folder.path(), &format!("{line} {options}"));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().starts_with(stage)), "{stage}");
        child.kill().unwrap();
        child.wait().unwrap();
        ends(folder.path(), &format!("--resume run --workers {}", 4 - workers), 0);
        assert!(files(&folder.path().join("run")) == whole, "killed in {stage}");
    }
}

#[test]
fn a_response_that_does_not_vary_gives_zeros_and_lambdas_may_be_given() {
    let folder = scratch();
    let rows = |y: &dyn Fn(usize) -> f64| -> String {
        (0..30).map(|at| format!("{},{},{}\n", at % 7, at * at % 11, y(at))).collect()
    };
    fs::write(folder.path().join("flat.csv"), format!("a,b,y\n{}", rows(&|_| 0.1))).unwrap();
    fs::write(folder.path().join("data.csv"), format!("a,b,y\n{}", rows(&|at| (at % 7) as f64 + 0.1)))
        .unwrap();
    for (loss, verb) in [("squared", "cv"), ("squared", "path"), ("squared", "fit")] {
        let out = if verb == "path" { String::new() } else { " --out run --force".into() };
        let report = report(folder.path(), &format!("{verb} flat.csv --loss {loss}{out}"));
        assert_eq!(report["results"]["lambda_max"], 0.0, "{verb}: {report}");
        if verb != "path" {
            assert_eq!(model(&folder.path().join("run")), (Vec::new(), 0.1), "{verb}");
        }
    }
    let line = "cv data.csv --lambdas 0.1,2,0.5 --folds 3 --out given";
    let results = report(folder.path(), line)["results"].clone();
    let lambdas: Vec<f64> =
        results["curve"].as_array().unwrap().iter().map(|point| point["lambda"].as_f64().unwrap()).collect();
    assert_eq!(lambdas, [2.0, 0.5, 0.1]);
    assert_eq!(results["lambda_min"], 0.1);
    let refused = ends(folder.path(), "cv data.csv --lambdas 1,0", 2);
    assert!(refused.err.contains("--lambdas is 0: it must be a positive number"), "{}", refused.err);
    let refused = ends(folder.path(), "cv data.csv --lambdas 1 --points 5", 2);
    assert!(refused.err.contains("--points"), "{}", refused.err);
}
