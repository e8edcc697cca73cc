//! `--loss multinomial` on the command line.

use std::fs;
use std::path::Path;

use raddle_common::testing::{Program, Ran, pairs};
use serde_json::Value;

use super::data;

const NAMES: [&str; 4] = ["ant", "bee", "cat", "dog"];

/// Runs `lasso LINE` in a folder, and expects an exit status; returns its stdout and stderr.
fn lasso(folder: &Path, line: &str, code: i32) -> (String, String) {
    let Ran { out, err, .. } = Program::at(env!("CARGO_BIN_EXE_lasso")).ends(folder, line, code);
    (out, err)
}

/// Rows of columns, a weight and a class by name.
fn table(folder: &Path, x: &[Vec<f64>], y: &[f64]) {
    let names: Vec<String> = (1..=x.len()).map(|j| format!("x{j}")).collect();
    let mut text = format!("{},often,animal\n", names.join(","));
    for (i, y) in y.iter().enumerate() {
        x.iter().for_each(|column| text += &format!("{},", column[i]));
        text += &format!("{},{}\n", 1 + i % 3, NAMES[*y as usize - 10]);
    }
    fs::write(folder.join("data.csv"), text).unwrap();
}

fn json(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// The probabilities of the classes of each row, from the model's files.
fn expected(run: &Path, x: &[Vec<f64>], intercepts: &[f64], point: Option<&str>) -> Vec<Vec<f64>> {
    let text = fs::read_to_string(run.join("coef.tsv")).unwrap();
    let mut b = vec![vec![0.0; x.len()]; intercepts.len()];
    for line in text.lines().skip(1) {
        let mut fields: Vec<&str> = line.split('\t').collect();
        if let Some(point) = point
            && fields.remove(0) != point
        {
            continue;
        }
        let class = NAMES.iter().position(|name| *name == fields[0]).unwrap();
        let column: usize = fields[1].parse().unwrap();
        assert_eq!(fields[2], format!("x{column}"));
        b[class][column - 1] = fields[3].parse().unwrap();
    }
    (0..x[0].len())
        .map(|row| {
            let score =
                |class: usize| intercepts[class] + (0..x.len()).map(|j| b[class][j] * x[j][row]).sum::<f64>();
            let powers: Vec<f64> = (0..b.len()).map(|class| score(class).exp()).collect();
            let sum: f64 = powers.iter().sum();
            powers.iter().map(|power| power / sum).collect()
        })
        .collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

fn compare(out: &str, expected: &[Vec<f64>]) {
    assert_eq!(out.lines().count(), expected.len());
    for (line, expected) in pairs(out.lines(), expected) {
        let fields: Vec<&str> = line.split('\t').collect();
        let best = (0..4).fold(0, |best, at| if expected[at] > expected[best] { at } else { best });
        assert_eq!(fields[0], NAMES[best], "{line}");
        for (field, expected) in pairs(fields[1..].iter(), expected) {
            assert!((field.parse::<f64>().unwrap() - expected).abs() < 1e-12, "{line} {expected}");
        }
    }
}

#[test]
fn classes_and_probabilities_are_predicted_and_measured() {
    let folder = tempfile::tempdir().unwrap();
    let (x, y) = data(4, 90, 8, 41);
    table(folder.path(), &x, &y);
    let (out, _) = lasso(
        folder.path(),
        "fit data.csv --y animal --loss multinomial --weights often --ratio 20 --out run",
        0,
    );
    assert!(out.contains("Multinomial lasso on") && out.contains("of 32 coefficients"), "{out}");
    assert!(
        out.contains("(intercept, class bee)") && out.contains("classes: `ant`, `bee`, `cat`, `dog`"),
        "{out}"
    );
    let run = folder.path().join("run");
    let (model, report) = (json(&run.join("model.json")), json(&run.join("report.json")));
    assert_eq!((&model["loss"], &model["classes"]), (&Value::from("multinomial"), &Value::Null));
    assert_eq!(numbers(&model["labels"]), [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(model["class_names"].as_array().unwrap().len(), 4);
    let intercepts = numbers(&model["intercepts"]);
    assert!(intercepts.iter().sum::<f64>().abs() < 1e-12 && report["results"]["intercepts"].is_array());
    let header = fs::read_to_string(run.join("coef.tsv")).unwrap();
    assert!(header.starts_with("class\tcolumn number\tname\tcoefficient\n"), "{header}");
    let dual = fs::read(run.join("dual.npy")).unwrap();
    assert!(String::from_utf8_lossy(&dual[..128]).contains("(90, 4)"));
    let expected = expected(&run, &x, &intercepts, None);
    let (out, _) = lasso(folder.path(), "predict run data.csv", 0);
    compare(&out, &expected);
    let (out, _) =
        lasso(folder.path(), "predict run data.csv --y animal --weights often --json --out p.txt", 0);
    let told: Value = serde_json::from_str(&out).unwrap();
    let weights: Vec<f64> = (0..90).map(|row| f64::from(1 + row % 3)).collect();
    let total: f64 = weights.iter().sum();
    let class = |row: usize| y[row] as usize - 10;
    let loss = (0..90).map(|row| -weights[row] * expected[row][class(row)].ln()).sum::<f64>() / total;
    let best = |p: &[f64]| (0..4).fold(0, |best, at| if p[at] > p[best] { at } else { best });
    let right =
        (0..90).filter(|&row| best(&expected[row]) == class(row)).map(|row| weights[row]).sum::<f64>()
            / total;
    assert!((told["mean_multinomial_loss"].as_f64().unwrap() - loss).abs() < 1e-10, "{told} {loss}");
    assert!((told["accuracy"].as_f64().unwrap() - right).abs() < 1e-12 && right > 0.3, "{told} {right}");
    let (out, _) = lasso(folder.path(), "predict run data.csv --json", 0);
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(told["probabilities"].as_array().map(|rows| rows.len()), Some(90));
    assert!((numbers(&told["probabilities"][7])[2] - expected[7][2]).abs() < 1e-12);
}

#[test]
fn paths_and_cross_validation_are_of_all_classes() {
    let folder = tempfile::tempdir().unwrap();
    let (x, y) = data(4, 90, 8, 43);
    table(folder.path(), &x, &y);
    let (out, _) = lasso(
        folder.path(),
        "path data.csv --y animal --drop often --loss multinomial --points 6 --ratio 20 --out path",
        0,
    );
    assert!(out.contains("6 of 6 points certified"), "{out}");
    let path = fs::read_to_string(folder.path().join("path/path.tsv")).unwrap();
    let fields: Vec<&str> = path.lines().nth(4).unwrap().split('\t').collect();
    let intercepts: Vec<f64> = fields[6..].iter().map(|field| field.parse().unwrap()).collect();
    assert_eq!(intercepts.len(), 4);
    let (out, _) = lasso(folder.path(), "predict path data.csv --point 4", 0);
    compare(&out, &expected(&folder.path().join("path"), &x, &intercepts, Some("4")));
    for measure in ["deviance", "mse", "mae", "accuracy"] {
        let line = format!(
            "cv data.csv --y animal --loss multinomial --weights often --folds 3 --points 6 --ratio 20 \
             --measure {measure}"
        );
        let [one, three] =
            [1, 3].map(|workers| lasso(folder.path(), &format!("{line} --workers {workers} --json"), 0).0);
        let [one, three]: [Value; 2] = [one, three].map(|text| serde_json::from_str(&text).unwrap());
        assert_eq!(one["model_digest"], three["model_digest"], "{measure}");
        assert!(one["results"]["mean"].as_f64().is_some_and(f64::is_finite), "{one}");
    }
    // Fits by hand of a fold, measured as in the curve.
    let (_, err) = lasso(folder.path(), "cv data.csv --y animal --loss multinomial --measure auc", 2);
    assert!(err.contains("--measure is auc: it is of two classes"), "{err}");
}

#[test]
fn a_resumed_run_and_a_warm_start_are_the_run_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (x, y) = data(4, 90, 60, 44);
    table(folder.path(), &x, &y);
    let line = "fit data.csv --y animal --loss multinomial --ratio 30 --tol 1e-9 --checkpoint-every 1";
    lasso(folder.path(), &format!("{line} --epochs 2 --out b"), 3);
    lasso(folder.path(), &format!("{line} --resume b --out b"), 0);
    lasso(folder.path(), &format!("{line} --out c"), 0);
    for name in ["coef.tsv", "dual.npy", "model.json"] {
        let bytes = |run: &str| fs::read(folder.path().join(run).join(name)).unwrap();
        assert!(bytes("b") == bytes("c"), "{name}");
    }
    lasso(folder.path(), "fit data.csv --y animal --loss multinomial --ratio 30 --init c --out d", 0);
    assert!(json(&folder.path().join("d/report.json"))["epochs"].as_u64().unwrap() <= 2);
}

#[test]
fn bad_input_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let (x, mut y) = data(4, 40, 4, 45);
    let says = |y: &[f64], line: &str, expected: &str| {
        table(folder.path(), &x, y);
        let (_, err) = lasso(folder.path(), line, 2);
        assert!(err.contains(expected), "{line}: {err}");
    };
    let fit = "fit data.csv --y animal --loss multinomial";
    says(&[10.0; 40], fit, "data.csv: the response has 1 distinct value: the multinomial loss needs from 2");
    says(
        &y,
        "fit data.csv --y animal --loss multinomial --offset often",
        "an offset with the multinomial loss is not offered",
    );
    fs::write(folder.path().join("groups"), "x1 a\nx2 a\n").unwrap();
    says(
        &y,
        "fit data.csv --y animal --loss multinomial --groups groups",
        "groups of columns with the multinomial loss is",
    );
    y.iter_mut().filter(|y| **y == 13.0).for_each(|y| *y = 12.0);
    y[20] = 13.0;
    let cv = "cv data.csv --y animal --loss multinomial --folds 4 --points 5";
    says(&y, cv, "no row has the class 3, which other folds have");
    says(&y, cv, "the class 3 is `dog`");
}
