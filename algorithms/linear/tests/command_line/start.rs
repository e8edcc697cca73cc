//! Columns that are divided by their deviations, and fits that start from a model.

use std::fs;

use raddle_common::testing::{Program, json, not_empty};
use serde_json::Value;

use super::{LINEAR, flowers};

/// The digest and the dual objective's gap of a report.
fn gap(report: &Value) -> f64 {
    report["metric"]["value"].as_f64().unwrap()
}

/// The columns of a table, each divided by its population standard deviation.
fn divided(text: &str) -> (String, Vec<f64>) {
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let width = rows[0].len() - 1;
    let column =
        |at: usize| rows[1..].iter().map(|row| row[at].parse::<f64>().unwrap()).collect::<Vec<f64>>();
    let deviation = |values: Vec<f64>| {
        let (n, mean) = (values.len() as f64, values.iter().sum::<f64>() / values.len() as f64);
        (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n).sqrt()
    };
    let scales: Vec<f64> = (0..width).map(|at| deviation(column(at))).collect();
    let row = |row: &Vec<&str>| {
        let cells = (0..width).map(|at| (row[at].parse::<f64>().unwrap() / scales[at]).to_string());
        cells.chain([row[width].to_owned()]).collect::<Vec<_>>().join(",")
    };
    let lines: Vec<String> = [rows[0].join(",")].into_iter().chain(rows[1..].iter().map(row)).collect();
    (lines.join("\n") + "\n", scales)
}

/// Coefficients by column.
fn coefficients(file: &std::path::Path) -> Vec<(usize, f64)> {
    let text = fs::read_to_string(file).unwrap();
    let line = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        (cells[0].parse().unwrap(), cells[2].parse().unwrap())
    };
    text.lines().skip(1).map(line).collect()
}

#[test]
fn scaled_columns_are_those_divided_beforehand_with_coefficients_of_the_columns_as_they_stand() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    // A column of zeros but for some rows, and one a thousand times the other.
    let row = |at: usize| {
        format!(
            "{},{},{}\n",
            if at.is_multiple_of(4) { at % 7 } else { 0 },
            1000 * (at * at % 11),
            at * 5 % 3 % 2
        )
    };
    let text = format!("few,large,y\n{}", (0..50).map(row).collect::<String>());
    let (divided, scales) = divided(&text);
    fs::write(folder.join("raw.csv"), text).unwrap();
    fs::write(folder.join("divided.csv"), divided).unwrap();
    for loss in ["hinge", "squared-hinge", "logistic"] {
        let line = format!("--y y --loss {loss} --tol 1e-12 --force");
        let scaled = linear.report(folder, &format!("fit raw.csv {line} --scale --out scaled"));
        let before = linear.report(folder, &format!("fit divided.csv {line} --out before"));
        let objective = |report: &Value| report["results"]["objective"].as_f64().unwrap();
        assert!((objective(&scaled) - objective(&before)).abs() < 1e-10 * objective(&before), "{loss}");
        let [a, b] = ["scaled", "before"].map(|run| coefficients(&folder.join(run).join("coef.tsv")));
        assert_eq!(a.len(), 2);
        for ((column, value), (of, wanted)) in raddle_common::testing::pairs(a, b) {
            assert_eq!(column, of);
            let found = value * scales[column - 1];
            assert!((found - wanted).abs() < 1e-5 * wanted.abs().max(1e-3), "{loss}: {found} {wanted}");
        }
        assert_eq!(json(&folder.join("scaled/model.json"))["scaled"], true);
        let classes = |run: &str, data: &str| {
            let out = linear.ends(folder, &format!("predict {run} {data}"), 0).out;
            out.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(classes("scaled", "raw.csv"), classes("before", "divided.csv"));
    }
}

#[test]
fn a_fit_starts_from_dual_values_of_the_same_rows_and_from_coefficients_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    fs::write(folder.join("all.csv"), flowers(90)).unwrap();
    let part: Vec<String> = flowers(90).lines().take(70).map(str::to_owned).collect();
    fs::write(folder.join("part.csv"), part.join("\n") + "\n").unwrap();
    for loss in ["hinge", "squared-hinge", "logistic"] {
        let line = format!("--y kind --loss {loss} --scale --force");
        linear.ends(folder, &format!("fit all.csv {line} --tol 1e-9 --out all --quiet"), 0);
        linear.ends(folder, &format!("fit part.csv {line} --tol 1e-9 --out part --quiet"), 0);
        // At its first boundary the run is where the model was: it has nothing to do.
        let at_once = linear.report(folder, &format!("fit all.csv {line} --tol 1e-2 --init all --out again"));
        let first = first_gap(folder, "again");
        assert!(first < 1e-2 && gap(&at_once) <= 1e-2, "{loss}: {first}");
        // From the coefficients of other rows it begins nearer than from zeros, and comes to the same model.
        let begins = |init: &str| {
            linear.report(folder, &format!("fit all.csv {line} --tol 1e-9 {init} --out begun"));
            (first_gap(folder, "begun"), json(&folder.join("begun/report.json")))
        };
        let ((near, from), (far, zeros)) = (begins("--init part"), begins(""));
        assert!(near < far, "{loss}: {near} {far}");
        let objective = |report: &Value| report["results"]["objective"].as_f64().unwrap();
        assert!((objective(&from) - objective(&zeros)).abs() <= 1e-8 * objective(&zeros), "{loss}");
        assert!(gap(&from) <= 1e-9);
    }
}

/// The gap at the boundary before the first epoch.
fn first_gap(folder: &std::path::Path, run: &str) -> f64 {
    let text = fs::read_to_string(folder.join(run).join("trace.jsonl")).unwrap();
    let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(first["epoch"], 0);
    first["metric"]["value"].as_f64().unwrap()
}

#[test]
fn a_model_of_other_columns_or_classes_is_refused_with_both() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    fs::write(folder.join("flowers.csv"), flowers(60)).unwrap();
    fs::write(folder.join("named.csv"), flowers(60).replace("width", "breadth")).unwrap();
    fs::write(folder.join("kinds.csv"), flowers(60).replace("setosa", "sativa")).unwrap();
    linear.ends(folder, "fit flowers.csv --y kind --out run --quiet", 0);
    linear.ends(folder, "fit diabetes --out patients --quiet", 0);
    for (line, why) in [
        ("fit diabetes --init run", "--init: the model has 5 columns, and the data 10"),
        ("fit flowers.csv --y kind --init patients", "--init: the model has 10 columns, and the data 5"),
        (
            "fit flowers.csv --y kind --drop width --init run",
            "--init: the model has 5 columns, and the data 4",
        ),
        (
            "fit named.csv --y kind --init run",
            "--init: column 2 of the model is `width`, and that of the data `breadth`",
        ),
        ("fit kinds.csv --y kind --init run", "--init: the model has other classes than the data"),
        ("cv diabetes --init run", "--init: the model has 5 columns, and the data 10"),
        ("fit diabetes --init nowhere", "nowhere"),
    ] {
        let ran = linear.run(folder, line);
        assert!(ran.code == Some(2) && ran.err.contains(why), "{line}: {:?} {}", ran.code, ran.err);
    }
    // A resumed run belongs to the model that it started from.
    let line =
        "fit flowers.csv --y kind --init run --C 5 --time-limit 0 --checkpoint-every 1 --out on --quiet";
    linear.ends(folder, line, 3);
    linear.ends(folder, "fit flowers.csv --y kind --C 7 --out run --force --quiet", 0);
    let said = linear.ends(folder, "fit --resume on --time-limit 100 --quiet", 2).err;
    assert!(said.contains("it belongs to a run"), "{said}");
    let left = not_empty(raddle_common::testing::names(&folder.join("on"))).collect::<Vec<_>>();
    assert!(left.contains(&"dual.npy".to_owned()), "{left:?}");
}
