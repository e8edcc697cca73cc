//! `linear fit --by sums`.

use std::fs;

use raddle_common::testing::{Program, json};

use super::*;

const LINEAR: &str = env!("CARGO_BIN_EXE_linear");

#[test]
fn the_files_of_a_model_are_those_of_the_lines_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    let given = Given::clouds(120, 3, 5);
    for (name, given) in [("one", given.clone()), ("two", given.shuffled(1)), ("three", given.shuffled(2))] {
        let line = |row: usize| {
            let values: Vec<String> = given.rows[row].iter().map(|value| format!("{value:.3}")).collect();
            format!("{},{}\n", ["no", "yes"][given.y[row] as usize], values.join(","))
        };
        let lines: String = (0..given.y.len()).map(line).collect();
        fs::write(folder.join(format!("{name}.csv")), format!("sick,age,dose,size\n{lines}")).unwrap();
    }
    for (loss, header) in [
        ("logistic", "column number\tname\tcoefficient\tstandard error"),
        ("squared-hinge", "column number\tname\tcoefficient"),
    ] {
        let fit = |name: &str, more: &str| {
            let fit = format!("fit {name}.csv --y sick --loss {loss} --by sums --tol 1e-8 --out {name}");
            let report = linear.report(folder, &format!("{fit} --force {more}"));
            assert_eq!(report["parameters"]["by"], "sums");
            assert!(
                report["metric"]["certified"] == true && report["metric"]["value"].as_f64().unwrap() <= 1e-8
            );
            let facts = json(&folder.join(name).join("model.json"));
            let coefficients = fs::read_to_string(folder.join(name).join("coef.tsv")).unwrap();
            let kept = ["intercepts", "gaps", "intercept_error"].map(|fact| facts[fact].to_string());
            (report["model_digest"].clone(), coefficients, kept)
        };
        let one = fit("one", "");
        assert_eq!(one.1.lines().next(), Some(header));
        assert!(one.2[2] == "null" || loss == "logistic", "{one:?}");
        assert_eq!(fit("two", "--shards 3 --workers 2"), one);
        assert_eq!(fit("three", "--shards 11 --workers 3"), one);
        // A model with standard errors predicts, and is read as any other.
        let said = linear.ends(folder, "predict one two.csv --y sick --quiet", 0).out;
        assert!(said.lines().count() >= 120, "{said}");
        linear.ends(folder, &format!("fit one.csv --y sick --loss {loss} --init two --quiet"), 0);
    }
}

#[test]
fn a_run_is_resumed_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    let fit = "fit diabetes --loss logistic --by sums --tol 1e-9";
    let said = linear.ends(folder, &format!("{fit} --out whole"), 0).out;
    let with_error = |line: &&str| line.contains(", standard error ");
    assert_eq!(said.lines().filter(with_error).count(), 11, "{said}");
    let whole = json(&folder.join("whole/report.json"));
    linear.ends(folder, &format!("{fit} --epochs 2 --checkpoint-every 1 --out part --quiet"), 3);
    linear.ends(folder, "fit --resume part --epochs 50 --quiet", 0);
    assert_eq!(whole["model_digest"], json(&folder.join("part/report.json"))["model_digest"]);
    let coefficients = ["whole", "part"].map(|run| fs::read(folder.join(run).join("coef.tsv")).unwrap());
    assert_eq!(coefficients[0], coefficients[1]);
}

#[test]
fn bad_lines_are_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, linear) = (folder.path(), Program::at(LINEAR));
    for (line, why) in [
        (
            "--loss hinge --by sums",
            "--by: the hinge has no second derivatives to add up: choose squared-hinge",
        ),
        ("--loss multinomial --by sums", "--by: sums are those of two classes"),
        ("--by sums --parts 2", "--parts"),
        ("--by sums --init run", "--init"),
        ("--by sums --scale", "--scale"),
        ("--by sums --bias free", "--bias: it is free"),
        ("--by products", "invalid value"),
    ] {
        let said = linear.ends(folder, &format!("fit diabetes {line}"), 2).err;
        assert!(said.contains(why), "{line}: {said}");
    }
}
