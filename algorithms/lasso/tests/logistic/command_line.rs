//! `--loss logistic` and `--l1-ratio` on the command line.

use std::fs;
use std::path::Path;

use raddle_common::testing::{Program, Ran, pairs};
use raddle_lasso::{Loss, Preparation};
use serde_json::Value;

use crate::common::general::General;
use crate::common::{classes, dense, predictions, random_data};

/// Runs `lasso LINE` in a folder, and expects an exit status; returns its stdout and stderr.
fn lasso(folder: &Path, line: &str, code: i32) -> (String, String) {
    let Ran { out, err, .. } = Program::at(env!("CARGO_BIN_EXE_lasso")).ends(folder, line, code);
    (out, err)
}

/// Data with a column `class` of these values, as a file.
fn table(folder: &Path, low: f64, high: f64) -> (Vec<Vec<f64>>, Vec<f64>) {
    let (x, y) = random_data(60, 20, 1.0, 41);
    let y = classes(&y, low, high);
    let names: Vec<String> = (1..=x.len()).map(|j| format!("x{j}")).collect();
    let mut text = format!("{},class\n", names.join(","));
    for (i, y) in y.iter().enumerate() {
        x.iter().for_each(|column| text += &format!("{},", column[i]));
        text += &format!("{y}\n");
    }
    fs::write(folder.join("data.csv"), text).unwrap();
    (x, y)
}

fn coefficients(folder: &Path) -> Vec<(u32, f64)> {
    let text = fs::read_to_string(folder.join("coef.tsv")).unwrap();
    let parse = |line: &str| {
        let [column, _, value] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        (column.parse::<u32>().unwrap() - 1, value.parse().unwrap())
    };
    text.lines().skip(1).map(parse).collect()
}

#[test]
fn a_logistic_fit_writes_what_prediction_needs() {
    let folder = tempfile::tempdir().unwrap();
    let (x, y) = table(folder.path(), 2.0, 5.0);
    let (out, _) = lasso(folder.path(), "fit data.csv --y class --loss logistic --out run", 0);
    assert!(out.contains("Logistic lasso on"), "{out}");
    let model: Value =
        serde_json::from_slice(&fs::read(folder.path().join("run/model.json")).unwrap()).unwrap();
    assert_eq!(model["loss"], "logistic");
    assert_eq!(model["classes"], serde_json::json!([2.0, 5.0]));
    assert_eq!(model["l1_ratio"], 1.0);
    let report: Value =
        serde_json::from_slice(&fs::read(folder.path().join("run/report.json")).unwrap()).unwrap();
    assert_eq!(report["parameters"]["loss"], "logistic");

    let (fitted, intercept) =
        (coefficients(&folder.path().join("run")), model["intercept"].as_f64().unwrap());
    let x = dense(&x);
    let oracle = General::new(&x, &y, Preparation::default(), Loss::Logistic, 1.0);
    let (primal, dual) = oracle.of(&fitted, intercept, model["lambda"].as_f64().unwrap());
    assert!(primal - dual <= 1.01e-6 * primal);

    let (out, _) = lasso(folder.path(), "predict run data.csv --y class", 0);
    let scores = predictions(&x, &fitted, intercept);
    assert_eq!(out.lines().count(), scores.len());
    for (line, score) in pairs(out.lines(), &scores) {
        let (class, probability) = line.split_once('\t').unwrap();
        assert_eq!(class, if *score > 0.0 { "5" } else { "2" });
        let probability: f64 = probability.parse().unwrap();
        assert!((probability - 1.0 / (1.0 + (-score).exp())).abs() < 1e-12);
    }
    let (out, _) = lasso(folder.path(), "predict run data.csv --y class --out predicted.tsv", 0);
    assert!(out.contains("60 predictions, accuracy 0.") && out.contains("mean logistic loss 0."), "{out}");
}

#[test]
fn paths_and_rounds_take_the_loss_too() {
    let folder = tempfile::tempdir().unwrap();
    table(folder.path(), 0.0, 1.0);
    let line = "path data.csv --y class --loss logistic --points 8 --ratio 20 --out path";
    let (out, _) = lasso(folder.path(), line, 0);
    assert!(out.contains("Logistic lasso path on") && out.contains("8 of 8 points certified"), "{out}");
    let line = "fit data.csv --y class --loss logistic --l1-ratio 0.5 --schedule priority --parallelism 4";
    let (out, _) = lasso(folder.path(), line, 0);
    assert!(out.contains("Logistic elastic net on"), "{out}");
    let (out, _) =
        lasso(folder.path(), "cv data.csv --y class --loss logistic --folds 3 --points 8 --ratio 10", 0);
    assert!(out.contains("mean logistic deviance on the rows held out"), "{out}");
    let (out, _) = lasso(folder.path(), "fit data.csv --y class --l1-ratio 0.5", 0);
    assert!(out.contains("Elastic net on"), "{out}");
}

#[test]
fn a_warm_start_and_a_resumed_run_keep_the_loss() {
    let folder = tempfile::tempdir().unwrap();
    table(folder.path(), 0.0, 1.0);
    lasso(folder.path(), "fit data.csv --y class --loss logistic --out a", 0);
    let line = "fit data.csv --y class --loss logistic --init a --tol 1.1e-6 --epochs 1";
    assert!(lasso(folder.path(), line, 0).0.contains("Logistic lasso"));
    let stopped = "fit data.csv --y class --loss logistic --ratio 50 --tol 1e-9 --checkpoint-every 1";
    lasso(folder.path(), &format!("{stopped} --epochs 1 --out b"), 3);
    lasso(folder.path(), &format!("{stopped} --resume b --out b"), 0);
    lasso(folder.path(), &format!("{stopped} --out c"), 0);
    let bytes = |run: &str| fs::read(folder.path().join(run).join("coef.tsv")).unwrap();
    assert_eq!(bytes("b"), bytes("c"));
    let (_, err) = lasso(folder.path(), "--loss squared --resume b --out b", 2);
    assert!(err.contains("--loss squared: the run in b was begun with --loss logistic"), "{err}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    table(folder.path(), 1.0, 1.0);
    let (_, err) = lasso(folder.path(), "fit data.csv --y class --loss logistic", 2);
    assert!(err.contains("1 distinct value:") && err.contains("exactly two"), "{err}");
    let (_, err) = lasso(folder.path(), "fit diabetes --loss logistic", 2);
    assert!(err.contains("214 distinct values"), "{err}");
    let (_, err) = lasso(folder.path(), "fit diabetes --l1-ratio 0", 2);
    assert!(err.contains("--l1-ratio is 0"), "{err}");
    let (_, err) = lasso(folder.path(), "fit diabetes --loss huber", 2);
    assert!(err.contains("squared") && err.contains("logistic"), "{err}");
}

/// Texts in place of two numbers give the same model, with the texts as names.
#[test]
fn classes_may_be_texts_in_fit_path_cv_and_predict() {
    let folder = tempfile::tempdir().unwrap();
    table(folder.path(), 0.0, 1.0);
    let numbers = fs::read_to_string(folder.path().join("data.csv")).unwrap();
    let named = |text: &str| {
        let name = |line: &str| match line.rsplit_once(',') {
            Some((rest, "0")) => format!("{rest},malign\n"),
            Some((rest, "1")) => format!("{rest},\"other, or none\"\n"),
            _ => format!("{line}\n"),
        };
        text.lines().map(name).collect::<String>()
    };
    fs::write(folder.path().join("texts.csv"), named(&numbers)).unwrap();
    for verb in ["fit", "path --points 5", "cv --points 5 --folds 3"] {
        let digest = |file: &str| {
            let line = format!("{verb} {file} --y class --loss logistic --out run --force --json");
            let report: Value = serde_json::from_str(&lasso(folder.path(), &line, 0).0).unwrap();
            report["model_digest"].as_str().unwrap().to_owned()
        };
        assert_eq!(digest("data.csv"), digest("texts.csv"), "{verb}");
        let model: Value =
            serde_json::from_slice(&fs::read(folder.path().join("run/model.json")).unwrap()).unwrap();
        assert_eq!(model["class_names"], serde_json::json!(["malign", "other, or none"]), "{verb}");
        assert_eq!(model["classes"], serde_json::json!([0.0, 1.0]), "{verb}");
        let point = if verb.starts_with("path") { "--point 4" } else { "" };
        let (texts, measured) = lasso(folder.path(), &format!("predict run texts.csv --y class {point}"), 0);
        lasso(folder.path(), &format!("{verb} data.csv --y class --loss logistic --out numbers --force"), 0);
        let (numbers, expected) =
            lasso(folder.path(), &format!("predict numbers data.csv --y class {point}"), 0);
        assert_eq!(measured, expected, "{verb}");
        for (text, number) in pairs(texts.lines(), numbers.lines()) {
            let (name, probability) = text.split_once('\t').unwrap();
            let (class, same) = number.split_once('\t').unwrap();
            assert_eq!(name, if class == "1" { "other, or none" } else { "malign" });
            assert_eq!(probability, same);
        }
        assert_eq!(texts.lines().count(), 60);
    }
    let (out, _) = lasso(folder.path(), "fit texts.csv --y class --loss logistic --out run --force", 0);
    assert!(out.contains("classes: malign and other, or none; scores above 0 speak for other"), "{out}");
    let said: Value =
        serde_json::from_str(&lasso(folder.path(), "predict run texts.csv --y class --json", 0).0).unwrap();
    assert!(said["classes"][0].is_string() && said["accuracy"].as_f64().unwrap() > 0.6, "{said}");
    // A class that the model does not know is never right; without values there is no error.
    let text = fs::read_to_string(folder.path().join("texts.csv")).unwrap();
    fs::write(folder.path().join("strange.csv"), text.replace("malign", "benign")).unwrap();
    let said: Value =
        serde_json::from_str(&lasso(folder.path(), "predict run strange.csv --y class --json", 0).0).unwrap();
    assert!(said["accuracy"].as_f64().unwrap() < 0.6, "{said}");
    fs::write(folder.path().join("hole.csv"), text.replacen("malign", "", 1)).unwrap();
    let (out, err) = lasso(folder.path(), "predict run hole.csv --y class", 0);
    assert!(err.contains("1 row without a response: the error is of the others"), "{err}");
    assert_eq!(out.lines().count(), 60);
}

#[test]
fn what_is_no_two_classes_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("three.csv", "x,y\n1,a\n2,b\n3,c\n4,a\n");
    write("one.csv", "x,y\n1,a\n2,a\n3,a\n");
    write("texts.csv", "x,y\n1,a\n2,b\n3,a\n");
    for (line, said) in [
        (
            "three.csv --loss logistic",
            "three.csv: the response has 3 distinct values: the logistic loss needs exactly two",
        ),
        ("three.csv --loss logistic", "these are `a`, `b`, `c`"),
        ("one.csv --loss logistic", "the response has 1 distinct value:"),
        ("one.csv --loss logistic", "these are `a`"),
        (
            "texts.csv",
            "texts.csv:2: column 2 (y), the response: `a` is not a number: mend it, or, if these are classes",
        ),
        ("texts.csv --loss poisson", "if these are classes, fit a loss of classes (--loss logistic)"),
    ] {
        let (out, err) = lasso(folder.path(), line, 2);
        assert!(err.contains(said) && out.is_empty(), "{line}: {err}");
    }
}
