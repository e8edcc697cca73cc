//! `--loss poisson` on the command line.

use std::fs;
use std::path::Path;

use raddle_common::testing::{Program, Ran, pairs};
use serde_json::Value;

use super::counts;
use crate::common::{dense, predictions};

/// Runs `lasso LINE` in a folder, and expects an exit status; returns its stdout and stderr.
fn lasso(folder: &Path, line: &str, code: i32) -> (String, String) {
    let Ran { out, err, .. } = Program::at(env!("CARGO_BIN_EXE_lasso")).ends(folder, line, code);
    (out, err)
}

fn table(folder: &Path, x: &[Vec<f64>], y: &[f64]) {
    let names: Vec<String> = (1..=x.len()).map(|j| format!("x{j}")).collect();
    let mut text = format!("{},visits\n", names.join(","));
    for (i, y) in y.iter().enumerate() {
        x.iter().for_each(|column| text += &format!("{},", column[i]));
        text += &format!("{y}\n");
    }
    fs::write(folder.join("data.csv"), text).unwrap();
}

#[test]
fn means_are_predicted_and_their_deviance_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (x, y) = counts(60, 8, 41);
    table(folder.path(), &x, &y);
    let (out, _) = lasso(folder.path(), "fit data.csv --y visits --loss poisson --out run", 0);
    assert!(out.contains("Poisson lasso on"), "{out}");
    let model = fs::read(folder.path().join("run/model.json")).unwrap();
    let model: Value = serde_json::from_slice(&model).unwrap();
    assert_eq!((&model["loss"], &model["classes"]), (&Value::from("poisson"), &Value::Null));
    let text = fs::read_to_string(folder.path().join("run/coef.tsv")).unwrap();
    let parse = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        (fields[0].parse::<u32>().unwrap() - 1, fields[2].parse().unwrap())
    };
    let fitted: Vec<(u32, f64)> = text.lines().skip(1).map(parse).collect();
    let scores = predictions(&dense(&x), &fitted, model["intercept"].as_f64().unwrap());
    let (out, _) = lasso(folder.path(), "predict run data.csv --y visits", 0);
    assert_eq!(out.lines().count(), 60);
    for (line, score) in pairs(out.lines(), &scores) {
        let mean: f64 = line.parse().unwrap();
        assert!((mean - score.exp()).abs() < 1e-12 * mean, "{line} {score}");
    }
    let (out, _) = lasso(folder.path(), "predict run data.csv --y visits --json --out means.txt", 0);
    let told: Value = serde_json::from_str(&out).unwrap();
    let row = |(y, f): (&f64, &f64)| 2.0 * (if *y > 0.0 { y * (y.ln() - f) } else { 0.0 } - (y - f.exp()));
    let deviance = y.iter().zip(&scores).map(row).sum::<f64>() / 60.0;
    assert!((told["mean_poisson_deviance"].as_f64().unwrap() - deviance).abs() < 1e-10, "{told}");
    let explained = told["deviance_explained"].as_f64().unwrap();
    assert!(explained > 0.1 && explained < 1.0, "{told}");
}

#[test]
fn paths_cross_validation_and_rounds_take_the_loss_too() {
    let folder = tempfile::tempdir().unwrap();
    let (x, y) = counts(60, 8, 43);
    table(folder.path(), &x, &y);
    let (out, _) = lasso(folder.path(), "path data.csv --y visits --loss poisson --points 8 --ratio 20", 0);
    assert!(out.contains("Poisson lasso path on") && out.contains("8 of 8 points certified"), "{out}");
    let line = "cv data.csv --y visits --loss poisson --folds 3 --points 8 --ratio 10 --l1-ratio 0.5";
    let (out, _) = lasso(folder.path(), line, 0);
    assert!(out.contains("mean Poisson deviance on the rows held out"), "{out}");
    assert!(out.contains("Poisson elastic net"), "{out}");
    let line = "fit data.csv --y visits --loss poisson --schedule priority --parallelism 2";
    lasso(folder.path(), line, 0);
}

#[test]
fn a_resumed_run_is_the_one_it_goes_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let (x, y) = counts(60, 90, 44);
    table(folder.path(), &x, &y);
    let stopped = "fit data.csv --y visits --loss poisson --ratio 50 --tol 1e-9 --checkpoint-every 1";
    lasso(folder.path(), &format!("{stopped} --epochs 1 --out b"), 3);
    lasso(folder.path(), &format!("{stopped} --resume b --out b"), 0);
    lasso(folder.path(), &format!("{stopped} --out c"), 0);
    let bytes = |run: &str| fs::read(folder.path().join(run).join("coef.tsv")).unwrap();
    assert_eq!(bytes("b"), bytes("c"));
}

#[test]
fn what_counts_nothing_is_refused_by_its_row() {
    let folder = tempfile::tempdir().unwrap();
    let (x, mut y) = counts(60, 8, 45);
    y[4] = -2.0;
    table(folder.path(), &x, &y);
    let (_, err) = lasso(folder.path(), "fit data.csv --y visits --loss poisson", 2);
    assert!(err.contains("data.csv: the response is -2 in row 5"), "{err}");
    let (_, err) = lasso(folder.path(), "cv data.csv --y visits --loss poisson", 2);
    assert!(err.contains("data.csv: the response is -2 in row 5"), "{err}");
}
