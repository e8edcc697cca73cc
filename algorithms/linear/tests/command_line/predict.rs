//! Predictions: columns by name, what is left out, what is missing.

use std::fs;

use raddle_common::testing::{Program, not_empty};
use serde_json::Value;

use super::{LINEAR, flowers};

/// Columns of a table in another order, with one more.
fn turned(text: &str) -> String {
    let line = |(at, line): (usize, &str)| {
        let cells: Vec<&str> = line.split(',').collect();
        let more = if at == 0 { "note".to_owned() } else { format!("n{at}") };
        format!("{},{more},{},{},{}\n", cells[2], cells[3], cells[1], cells[0])
    };
    text.lines().enumerate().map(line).collect()
}

#[test]
fn columns_are_found_by_name_in_any_order_and_others_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    fs::write(folder.join("flowers.csv"), flowers(45)).unwrap();
    fs::write(folder.join("turned.csv"), turned(&flowers(45))).unwrap();
    for loss in ["hinge", "logistic"] {
        linear.ends(folder, &format!("fit flowers.csv --y kind --loss {loss} --out run --force --quiet"), 0);
        let as_they_stand = linear.ends(folder, "predict run flowers.csv --y kind", 0);
        let ran = linear.ends(folder, "predict run turned.csv --y kind", 0);
        assert_eq!((&ran.out, as_they_stand.out.lines().count()), (&as_they_stand.out, 45));
        assert!(ran.err.contains("left out, as the model does not use them: note"), "{}", ran.err);
        assert!(ran.err.contains("accuracy"), "{}", ran.err);
        linear.ends(folder, "predict run turned.csv --out lines.txt", 0);
        assert_eq!(fs::read_to_string(folder.join("lines.txt")).unwrap(), as_they_stand.out);
    }
    fs::write(folder.join("lacks.csv"), flowers(45).replace("width", "breadth")).unwrap();
    let ran = linear.ends(folder, "predict run lacks.csv", 2);
    assert!(ran.err.contains("lacks.csv: it has no column `width`, which the model uses"), "{}", ran.err);
}

#[test]
fn the_accuracy_is_of_the_rows_that_have_a_class() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    fs::write(folder.join("flowers.csv"), flowers(45)).unwrap();
    linear.ends(folder, "fit flowers.csv --y kind --out run --quiet", 0);
    let report = |line: &str| -> Value {
        let ran = linear.ends(folder, &format!("{line} --json"), 0);
        serde_json::from_str(&ran.out).unwrap()
    };
    let all = report("predict run flowers.csv --y kind");
    let classes: Vec<String> = serde_json::from_value(all["classes"].clone()).unwrap();
    let rows: Vec<String> = flowers(45).lines().skip(1).map(str::to_owned).collect();
    let kind = |row: &String| row.rsplit(',').next().unwrap().to_owned();
    let right: Vec<bool> =
        raddle_common::testing::pairs(&rows, &classes).map(|(row, class)| kind(row) == *class).collect();
    let share = |weight: &dyn Fn(usize) -> f64| {
        let sum = |only: &dyn Fn(usize) -> bool| (0..45).filter(|&row| only(row)).map(weight).sum::<f64>();
        sum(&|row| right[row]) / sum(&|_| true)
    };
    assert!((all["accuracy"].as_f64().unwrap() - share(&|_| 1.0)).abs() < 1e-12);
    // A row without a class counts nothing, one of a class that is unknown is wrong, and a weight counts
    // rows.
    let line = |(at, row): (usize, &String)| match at {
        0 => row.replace(&kind(row), ""),
        1 => row.replace(&kind(row), "rose"),
        _ => row.clone(),
    };
    let lines = |with: &dyn Fn(usize) -> String| -> String {
        let of = rows.iter().enumerate().map(|(at, row)| format!("{},{}\n", line((at, row)), with(at)));
        format!("length,width,colour,kind,count\n{}", of.collect::<String>())
    };
    fs::write(folder.join("some.csv"), lines(&|at| (at % 3).to_string())).unwrap();
    let some = report("predict run some.csv --y kind --weights count");
    let counted = |row: usize| if row == 0 { 0.0 } else { (row % 3) as f64 };
    let wanted = (0..45).filter(|&row| right[row] && row != 1).map(counted).sum::<f64>()
        / (0..45).map(counted).sum::<f64>();
    assert!((some["accuracy"].as_f64().unwrap() - wanted).abs() < 1e-12, "{} {wanted}", some["accuracy"]);
    linear.ends(folder, "fit diabetes --out patients --quiet", 0);
    let none = report("predict patients diabetes");
    assert!(none["accuracy"].is_null(), "{none}");
    let notes = none["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note.as_str().unwrap().contains("no accuracy")), "{notes:?}");
    let ran = linear.ends(folder, "predict run turned.csv --weights count", 2);
    assert!(ran.err.contains("turned.csv"), "{}", ran.err);
}

#[test]
fn a_row_that_lacks_a_value_has_a_line_without_a_class() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    fs::write(folder.join("flowers.csv"), flowers(45)).unwrap();
    linear.ends(folder, "fit flowers.csv --y kind --missing drop --out run --quiet", 0);
    fs::write(folder.join("new.csv"), "length,width,colour\n10,5,red\n,5,red\n30,9,blue\n").unwrap();
    let ran = linear.ends(folder, "predict run new.csv", 0);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!((lines.len(), lines[1]), (3, "nan\tnan\tnan\tnan"));
    assert!(not_empty([lines[0], lines[2]]).all(|line| !line.contains("nan")), "{lines:?}");
    assert!(ran.err.contains("1 row not predicted (nan)"), "{}", ran.err);
    // Of a model that was fitted with means, it has them.
    linear.ends(folder, "fit flowers.csv --y kind --missing mean --out filled --quiet", 0);
    let ran = linear.ends(folder, "predict filled new.csv", 0);
    assert!(not_empty(ran.out.lines()).all(|line| !line.contains("nan")), "{}", ran.out);
}

/// Every row has its line, whatever the model was fitted with, and says which row it is of.
#[test]
fn every_row_has_a_line_whatever_cells_are_empty_and_its_id() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    fs::write(folder.join("flowers.csv"), flowers(45)).unwrap();
    fs::write(folder.join("new.csv"), "who,length,width,colour\n01,10,5,red\n1,,5,red\n\"a\tb\",30,,blue\n")
        .unwrap();
    for loss in ["squared-hinge", "hinge", "logistic"] {
        linear.ends(folder, &format!("fit flowers.csv --y kind --loss {loss} --out run --force --quiet"), 0);
        let ran = linear.ends(folder, "predict run new.csv --id who", 0);
        let lines: Vec<&str> = ran.out.lines().collect();
        assert!(lines.len() == 3 && lines[0].starts_with("01\t") && !lines[0].contains("nan"), "{lines:?}");
        assert_eq!(lines[1..], ["1\tnan\tnan\tnan\tnan", "\"a\tb\"\tnan\tnan\tnan\tnan"], "{loss}");
        assert!(ran.err.contains("2 rows not predicted (nan)"), "{}", ran.err);
        let said: Value =
            serde_json::from_str(&linear.ends(folder, "predict run new.csv --json", 0).out).unwrap();
        assert_eq!(said["ids"], serde_json::json!([1, 2, 3]));
        assert!(said["classes"][0].is_string() && said["classes"][1].is_null(), "{said}");
    }
}
