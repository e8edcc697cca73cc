//! `lasso fit --test`: held-out rows, and the share of their deviance that the fit explains, compared with
//! the definition applied to predictions.

use std::fs;
use std::path::Path;

use raddle_common::testing::{not_empty, pairs};
use raddle_datasets::HeldOut;
use serde_json::Value;

use super::program::{ends, json, report, scratch};
use crate::common::random;

const ROWS: usize = 90;

/// A table with texts, a weight, an offset and a response of each loss: its header and its rows.
fn table() -> (String, Vec<String>) {
    let mut next = random(11);
    let row = |at: usize| {
        let [a, b, c, noise] = [(); 4].map(|()| next());
        // The last of these occurs in only two rows.
        let town = ["east", "west", "north", "south"][if at % 40 == 17 { 3 } else { at * 7 % 3 }];
        let score = 1.5 * a - b + 0.4 * noise + if town == "west" { 0.8 } else { 0.0 };
        let (weight, offset) = (0.5 + (at % 4) as f64, (at % 5) as f64 / 10.0);
        let class = if score > 0.0 { "yes" } else { "no" };
        let level = if score > 0.5 {
            "high"
        } else if score > -0.5 {
            "middle"
        } else {
            "low"
        };
        let number = (score / 2.0).exp().round();
        format!("{a},{b},{c},{town},{weight},{offset},{score},{class},{level},{number}")
    };
    ("a,b,c,town,w,o,score,class,level,number".into(), (0..ROWS).map(row).collect())
}

fn write(folder: &Path, name: &str, header: &str, rows: impl Iterator<Item = String>) {
    fs::write(folder.join(name), rows.fold(format!("{header}\n"), |text, row| text + &row + "\n")).unwrap();
}

/// Writes all rows, the training rows of a share, and the rows that it holds out.
fn write_parts(folder: &Path, share: f64, seed: u64) -> Vec<usize> {
    let (header, rows) = table();
    let is_out = HeldOut { share, seed }.rows(ROWS).unwrap();
    write(folder, "all.csv", &header, rows.iter().cloned());
    for (name, out) in [("rest.csv", false), ("out.csv", true)] {
        let some = pairs(&rows, &is_out).filter(|(_, is_out)| **is_out == out);
        write(folder, name, &header, some.map(|(row, _)| row.clone()));
    }
    (0..ROWS).filter(|&row| is_out[row]).collect()
}

const SQUARED: &str = "--y score --drop class,level,number,w,o";
const LOGISTIC: &str = "--loss logistic --y class --drop score,level,number";
const MULTINOMIAL: &str = "--loss multinomial --y level --drop score,class,number";
const POISSON: &str = "--loss poisson --y number --drop score,class,level";

fn lines() -> impl Iterator<Item = String> {
    let lines = [
        SQUARED.into(),
        "--y score --drop class,level,number --weights w --offset o".into(),
        format!("{LOGISTIC},w,o"),
        format!("{LOGISTIC} --weights w --offset o"),
        format!("{MULTINOMIAL},w,o"),
        format!("{MULTINOMIAL},o --weights w"),
        format!("{POISSON},w,o"),
        format!("{POISSON} --weights w --offset o"),
    ];
    lines.into_iter().map(|line| format!("{line} --ratio 20"))
}

fn measured(report: &Value) -> f64 {
    let results = &report["results"];
    [&results["test_r2"], &results["test_deviance_explained"]]
        .iter()
        .find_map(|value| value.as_f64())
        .unwrap()
}

#[test]
fn a_share_fits_what_a_file_of_the_other_rows_fits_and_measures_on_its_rows() {
    let folder = scratch();
    for (share, seed) in [(0.2, 42), (0.35, 7)] {
        let out = write_parts(folder.path(), share, seed).len();
        for line in lines() {
            let of_share = report(
                folder.path(),
                &format!("all.csv {line} --test {share} --seed {seed} --out a --force"),
            );
            let of_file = report(
                folder.path(),
                &format!("rest.csv {line} --test out.csv --seed {seed} --out b --force"),
            );
            for file in ["coef.tsv", "model.json", "dual.npy"] {
                let [a, b] = ["a", "b"].map(|run| fs::read(folder.path().join(run).join(file)).unwrap());
                assert!(a == b, "{line}: {file}");
            }
            let (results, data) = (&of_share["results"], &of_share["data"]);
            assert_eq!(results["test_rows"], out as u64, "{line}");
            assert_eq!(results, &of_file["results"], "{line}");
            assert_eq!(
                (&data["sizes"]["rows"], &of_share["records"]["used"]),
                (&(ROWS - out).into(), &ROWS.into())
            );
            assert_eq!(of_share["parameters"]["test"], share);
        }
    }
}

#[test]
fn rows_are_the_same_for_any_number_of_workers_and_others_by_another_seed() {
    let folder = scratch();
    write_parts(folder.path(), 0.2, 1);
    let run = |rest: &str| {
        let told = report(folder.path(), &format!("all.csv {SQUARED} --test 0.2 {rest}"));
        (told["model_digest"].as_str().unwrap().to_owned(), measured(&told).to_bits())
    };
    assert_eq!(run("--workers 1"), run("--workers 3 --cache kept"));
    // A stored table is of all rows, or of these.
    assert_eq!(run("--workers 1"), run("--workers 2 --cache kept"));
    assert_ne!(run("--seed 1").0, run("--seed 2 --cache kept").0);
}

/// The values of a column of the held-out rows.
fn column(folder: &Path, name: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.join("out.csv")).unwrap();
    let place = text.lines().next().unwrap().split(',').position(|of| of == name).unwrap();
    text.lines().skip(1).map(|line| line.split(',').nth(place).unwrap().to_owned()).collect()
}

fn numbers(texts: &[String]) -> Vec<f64> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

#[test]
fn the_share_explained_is_that_of_the_predictions_against_the_mean_of_the_test_rows() {
    let folder = scratch();
    let out = write_parts(folder.path(), 0.3, 5).len();
    for line in lines() {
        let told = measured(&report(
            folder.path(),
            &format!("all.csv {line} --test 0.3 --seed 5 --out run --force"),
        ));
        ends(folder.path(), "predict run out.csv --out said.tsv", 0);
        let said = fs::read_to_string(folder.path().join("said.tsv")).unwrap();
        let said: Vec<Vec<String>> =
            said.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect();
        let weights = match line.contains("--weights") {
            true => numbers(&column(folder.path(), "w")),
            false => vec![1.0; out],
        };
        let total: f64 = weights.iter().sum();
        let mean = |y: &[f64]| pairs(&weights, y).map(|(weight, y)| weight * y).sum::<f64>() / total;
        // For each row, its deviance by the prediction, and by a constant.
        let rows: Vec<(f64, f64)> = if line.contains("squared") || line.contains("--y score") {
            let y = numbers(&column(folder.path(), "score"));
            let constant = mean(&y);
            pairs(&said, &y)
                .map(|(said, y)| ((said[0].parse::<f64>().unwrap() - y).powi(2), (y - constant).powi(2)))
                .collect()
        } else if line.contains("poisson") {
            let y = numbers(&column(folder.path(), "number"));
            let constant = mean(&y);
            let deviance =
                |y: f64, mean: f64| 2.0 * (if y > 0.0 { y * (y / mean).ln() } else { 0.0 } - y + mean);
            pairs(&said, &y)
                .map(|(said, &y)| (deviance(y, said[0].parse().unwrap()), deviance(y, constant)))
                .collect()
        } else if line.contains("logistic") {
            let y = column(folder.path(), "class");
            let is_yes: Vec<f64> = y.iter().map(|y| f64::from(u8::from(y == "yes"))).collect();
            let constant = mean(&is_yes);
            let loss = |yes: f64, part: f64| -(yes * part.ln() + (1.0 - yes) * (1.0 - part).ln());
            pairs(&said, &is_yes)
                .map(|(said, &yes)| (loss(yes, said[1].parse().unwrap()), loss(yes, constant)))
                .collect()
        } else {
            let y = column(folder.path(), "level");
            let classes = ["high", "low", "middle"];
            let share =
                |class: &str| mean(&y.iter().map(|y| f64::from(u8::from(y == class))).collect::<Vec<f64>>());
            pairs(&said, &y)
                .map(|(said, y)| {
                    let place = classes.iter().position(|class| class == y).unwrap();
                    (-said[1 + place].parse::<f64>().unwrap().ln(), -share(y).ln())
                })
                .collect()
        };
        let sum =
            |of: &dyn Fn(&(f64, f64)) -> f64| pairs(&weights, &rows).map(|(w, row)| w * of(row)).sum::<f64>();
        let expected = 1.0 - sum(&|row| row.0) / sum(&|row| row.1);
        assert!((told - expected).abs() < 1e-9, "{line}: {told} {expected}");
        assert!(expected > 0.1, "{line}: something is explained");
    }
}

#[test]
fn sparse_text_without_names_holds_out_rows_too() {
    let folder = scratch();
    let mut next = random(3);
    let row = |_| {
        let x = [(); 6].map(|()| (3.0 * next()).round());
        let y = x[0] - 2.0 * x[3] + next();
        let values = x.iter().zip(1..).filter(|(x, _)| **x != 0.0).map(|(x, at)| format!(" {at}:{x}"));
        format!("{y}{}", values.collect::<String>())
    };
    let rows: Vec<String> = (0..60).map(row).collect();
    let is_out = HeldOut { share: 0.25, seed: 42 }.rows(60).unwrap();
    let some = |out: bool| {
        let some = pairs(&rows, &is_out).filter(|(_, is_out)| **is_out == out);
        some.map(|(row, _)| format!("{row}\n")).collect::<String>()
    };
    fs::write(folder.path().join("all.svm"), rows.join("\n")).unwrap();
    fs::write(folder.path().join("rest.svm"), some(false)).unwrap();
    fs::write(folder.path().join("out.svm"), some(true)).unwrap();
    let of_share = report(folder.path(), "all.svm --ratio 50 --test 0.25");
    let of_file = report(folder.path(), "rest.svm --ratio 50 --test out.svm");
    assert_eq!(of_share["model_digest"], of_file["model_digest"]);
    assert_eq!(of_share["results"], of_file["results"]);
    assert_eq!(of_share["results"]["test_rows"], 15);
}

#[test]
fn a_run_that_goes_on_measures_on_the_same_rows_and_no_other() {
    let folder = scratch();
    let line = "synth:groups:n=50,p=200,s=10,r=0.5 --ratio 10 --tol 1e-3 --schedule shuffled --test 0.2";
    ends(folder.path(), &format!("{line} --out whole"), 0);
    ends(folder.path(), &format!("{line} --epochs 3 --checkpoint-every 1 --out run"), 3);
    let refused = ends(folder.path(), "--resume run --test 0.3", 2);
    assert!(refused.err.contains("--test"), "{}", refused.err);
    ends(folder.path(), "--resume run", 0);
    let [whole, run] = ["whole", "run"].map(|run| json(&folder.path().join(run), "report.json"));
    assert_eq!(run["results"], whole["results"]);
    assert!(whole["results"]["test_r2"].is_f64() && whole["results"]["test_rows"] == 10, "{whole}");
    assert_eq!(run["model_digest"], whole["model_digest"]);
}

#[test]
fn screen_and_summary_have_the_measure() {
    let folder = scratch();
    let ran = ends(folder.path(), "diabetes --test 0.2 --out run", 0);
    let line = ran.out.lines().find(|line| line.contains("on 88 test rows")).unwrap();
    assert!(line.starts_with("R2 0.") && line.ends_with("(held out: 0.2 of the rows)"), "{line}");
    let summary = json(&folder.path().join("run"), "summary.json");
    let table = summary["tables"].as_array().unwrap().iter().find(|table| table["title"] == "test").unwrap();
    assert_eq!((&table["rows"][0][0], &table["rows"][0][2]), (&"R2".into(), &88.into()));
}

#[test]
fn rows_that_cannot_be_measured_are_counted() {
    let folder = scratch();
    fs::write(folder.path().join("train.csv"), "a,b,y\n1,2,3\n2,1,5\n4,4,9\n0,3,1\n3,1,6\n").unwrap();
    fs::write(folder.path().join("test.csv"), "b,more,y,a\n2,7,3,1\n1,7,,2\n3,8,2,1\n").unwrap();
    let ran = ends(folder.path(), "train.csv --ratio 1000 --test test.csv", 0);
    assert!(ran.out.contains("on 2 test rows (test.csv)"), "{}", ran.out);
    assert!(ran.out.contains("test rows: 1 row without a response"), "{}", ran.out);
    assert!(ran.err.contains("left out, as the model does not use them: more"), "{}", ran.err);
}

#[test]
fn a_class_without_a_row_to_fit_is_named() {
    let folder = scratch();
    let rows = |rare: usize, name: &str| -> Vec<String> {
        let class = |at: usize| if at == rare { name.into() } else { ["p", "q", "r"][at % 3].to_owned() };
        (0..30).map(|at| format!("{},{},{}", at % 7, at % 4, class(at))).collect()
    };
    let is_out = HeldOut { share: 0.2, seed: 42 }.rows(30).unwrap();
    let rare = is_out.iter().position(|is_out| *is_out).unwrap();
    write(folder.path(), "text.csv", "a,b,y", rows(rare, "rare").into_iter());
    let numbered = |row: String| row.replace('p', "1").replace('q', "2").replace('r', "3");
    write(folder.path(), "number.csv", "a,b,y", rows(rare, "9").into_iter().map(numbered));
    write(folder.path(), "known.csv", "a,b,y", rows(99, "").into_iter());
    for (line, why) in [
        ("text.csv --test 0.2", "--test 0.2: no row of class `rare` is left to fit"),
        ("number.csv --test 0.2", "--test 0.2: no row of class 9 is left to fit"),
        ("known.csv --test text.csv", "class `rare` of the test rows is none of the model's"),
    ] {
        let refused = ends(folder.path(), &format!("{line} --loss multinomial --y y"), 2);
        assert!(refused.err.contains(why), "{line}: {}", refused.err);
    }
    ends(folder.path(), "text.csv --test 0.2 --seed 43 --loss multinomial --y y --ratio 2", 0);
}

#[test]
fn what_leaves_nothing_to_fit_or_to_measure_is_refused() {
    let folder = scratch();
    let text = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    text("d.csv", "a,b,y\n1,2,3\n2,1,5\n4,4,9\n0,3,1\n");
    text("empty.csv", "");
    text("none.csv", "a,b,y\n");
    text("other.csv", "a,c,y\n1,2,3\n");
    text("open.csv", "a,b\n1,2\n");
    text("blank.csv", "a,b,y\n1,2,\n2,2,\n");
    text("words.csv", "a,b,y\n1,2,high\n2,2,low\n");
    text("w.txt", "1\n2\n1\n2\n");
    for (line, why) in [
        ("--test 0", "give a share above 0 and below 1"),
        ("--test 1", "give a share above 0 and below 1"),
        ("--test -0.2", "give a share above 0 and below 1"),
        ("--test nan", "give a share above 0 and below 1"),
        ("--test 0.9", "none is left to fit"),
        ("--test missing.csv", "missing.csv"),
        ("--test empty.csv", "empty.csv"),
        ("--test none.csv", "none.csv"),
        ("--test other.csv", "it has no column `b`, which the model uses"),
        ("--test open.csv", "there is no response: name it by --y"),
        ("--test blank.csv", "blank.csv"),
        ("--test words.csv", "the response `y` is not a number in every row"),
        ("--test d.csv --weights w.txt", "--weights w.txt is a file of the data's rows"),
        ("--test 0.5 --changes changes.txt --out run", "--test has no effect with --changes"),
    ] {
        let refused = ends(folder.path(), &format!("d.csv {line} --quiet"), 2);
        assert!(refused.err.contains("--test") && refused.err.contains(why), "{line}: {}", refused.err);
    }
    let refused = ends(folder.path(), "- --test 0.5", 2);
    assert!(refused.err.contains("standard input cannot be"), "{}", refused.err);
    for verb in not_empty(["path", "cv"]) {
        assert!(ends(folder.path(), &format!("{verb} d.csv --test 0.5"), 2).err.contains("--test"));
    }
    // Weights of a file are those of the rows that are drawn.
    ends(folder.path(), "d.csv --test 0.5 --weights w.txt", 0);
}
