//! `lasso fit --changes`: versions of rows, each certified for exactly the rows of that version, and bad
//! lines.

use std::fs;
use std::path::Path;

use raddle_common::testing::{Program, json, no_acknowledged_version_is_lost};
use serde_json::Value;

const LASSO: &str = env!("CARGO_BIN_EXE_lasso");
const FIT: &str = "--ratio 20 --no-intercept --no-standardize --quiet";
const TOLERANCE: f64 = 1e-6;

type Row = (f64, Vec<(usize, f64)>);

fn ends(folder: &Path, line: &str, code: i32) -> String {
    Program::at(LASSO).ends(folder, line, code).err
}

fn rows() -> Vec<Row> {
    let row = |at: usize| {
        let values: Vec<(usize, f64)> = (1..=12)
            .filter(|column| !(at * 7 + column * column).is_multiple_of(3) || *column == 12)
            .map(|column| (column, ((at * 31 + column * 17) % 23) as f64 / 4.0 - 2.5))
            .filter(|(_, value)| *value != 0.0)
            .collect();
        let signal: f64 =
            values.iter().map(|&(column, value)| value * [2.0, -1.0, 0.0, 0.5][column % 4]).sum();
        (signal + ((at * 13) % 11) as f64 / 10.0, values)
    };
    (0..80).map(row).collect()
}

fn libsvm(rows: &[Row]) -> String {
    let line = |(y, values): &Row| {
        let values: String = values.iter().map(|(column, value)| format!(" {column}:{value}")).collect();
        format!("{y}{values}\n")
    };
    rows.iter().map(line).collect()
}

const CHANGES: &str =
    "+ new 3.5 1:2 5:-1.5 12:1\n- 7\n=\n- new\n- 12\n- 40\n=\n+ a -2 13:1.5 2:2\n+ 7 1 1:1 13:-1\n";

fn edited(versions: usize) -> Vec<Row> {
    let mut named: Vec<(String, Row)> =
        (1..).zip(rows()).map(|(number, row): (u32, _)| (number.to_string(), row)).collect();
    if versions >= 1 {
        named.push(("new".into(), (3.5, vec![(1, 2.0), (5, -1.5), (12, 1.0)])));
        named.retain(|(id, _)| id != "7");
    }
    if versions >= 2 {
        named.retain(|(id, _)| !["new", "12", "40"].contains(&&**id));
    }
    if versions >= 3 {
        named.push(("a".into(), (-2.0, vec![(2, 2.0), (13, 1.5)])));
        named.push(("7".into(), (1.0, vec![(1, 1.0), (13, -1.0)])));
    }
    named.into_iter().map(|(_, row)| row).collect()
}

fn cuts() -> Vec<usize> {
    CHANGES.match_indices("=\n").map(|(at, _)| at + 2).chain([CHANGES.len()]).collect()
}

fn digest(folder: &Path, run: &str) -> Value {
    json(&folder.join(run).join("report.json"))["model_digest"].clone()
}

fn version(folder: &Path, run: &str) -> Value {
    json(&folder.join(run).join("model.json"))["data_version"].clone()
}

fn digests(folder: &Path, options: &str) -> Vec<Value> {
    let of = |(number, end): (usize, usize)| {
        fs::write(folder.join("part.txt"), &CHANGES[..end]).unwrap();
        let run = format!("part{number}");
        ends(folder, &format!("fit base.svm {FIT} {options} --changes part.txt --out {run} --force"), 0);
        assert_eq!(version(folder, &run), number + 1);
        digest(folder, &run)
    };
    cuts().into_iter().enumerate().map(of).collect()
}

/// Returns the relative duality gap of a model of (1/2n) |y - Xb|^2 + lambda |b|_1, from its files and the
/// rows only.
fn gap(folder: &Path, run: &str, rows: &[Row]) -> f64 {
    let lambda = json(&folder.join(run).join("model.json"))["lambda"].as_f64().unwrap();
    let mut b = [0.0; 20];
    for line in fs::read_to_string(folder.join(run).join("coef.tsv")).unwrap().lines() {
        let mut words = line.split_whitespace();
        if let (Some(Ok(column)), Some(Ok(value))) =
            (words.next().map(str::parse::<usize>), words.next().map(str::parse::<f64>))
        {
            b[column] = value;
        }
    }
    let residual: Vec<f64> = rows
        .iter()
        .map(|(y, x)| y - x.iter().map(|&(column, value)| b[column] * value).sum::<f64>())
        .collect();
    let n = rows.len() as f64;
    let mut correlation = [0.0; 20];
    for ((_, x), r) in rows.iter().zip(&residual) {
        x.iter().for_each(|&(column, value)| correlation[column] += value * r);
    }
    let largest = correlation.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let scale = (lambda * n / largest).min(1.0);
    let squares =
        |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>() / (2.0 * n);
    let primal =
        squares(&mut residual.iter().copied()) + lambda * b.iter().map(|value| value.abs()).sum::<f64>();
    let all = squares(&mut rows.iter().map(|row| row.0));
    let rest = squares(&mut rows.iter().zip(&residual).map(|(row, r)| row.0 - scale * r));
    (primal - (all - rest)) / primal
}

#[test]
fn every_version_is_certified_for_exactly_the_rows_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("base.svm"), libsvm(&rows())).unwrap();
    for options in ["", "--cold"] {
        digests(folder, options);
        for number in 0..3 {
            let gap = gap(folder, &format!("part{number}"), &edited(number + 1));
            assert!((-1e-9..=1.01 * TOLERANCE).contains(&gap), "{options}, version {}: {gap}", number + 1);
        }
        // The certificate does not hold for other rows.
        assert!(gap(folder, "part0", &rows()) > 10.0 * TOLERANCE);
    }
}

#[test]
fn cold_versions_have_the_bytes_of_fits_on_the_edited_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("base.svm"), libsvm(&rows())).unwrap();
    for (number, cold) in digests(folder, "--cold").into_iter().enumerate() {
        fs::write(folder.join("edited.svm"), libsvm(&edited(number + 1))).unwrap();
        ends(folder, &format!("fit edited.svm {FIT} --out edited --force"), 0);
        assert_eq!(digest(folder, "edited"), cold, "version {}", number + 1);
    }
    fs::write(folder.join("changes.txt"), CHANGES).unwrap();
    ends(
        folder,
        &format!("fit base.svm {FIT} --cold --changes changes.txt --out run --save-data left.svm"),
        0,
    );
    assert_eq!(fs::read_to_string(folder.join("left.svm")).unwrap(), libsvm(&edited(3)));
}

#[test]
fn one_log_has_the_same_bytes_on_any_workers_and_resumed_at_each_version() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("base.svm"), libsvm(&rows())).unwrap();
    let options = "--shards 3";
    let expected = digests(folder, &format!("{options} --workers 1"));
    for how in ["--workers 2", "--workers 4", "--workers 2 --rescale 1:4,3:1"] {
        assert_eq!(digests(folder, &format!("{options} {how}")), expected, "{how}");
    }
    for (number, end) in cuts().into_iter().enumerate() {
        fs::write(folder.join("grows.txt"), &CHANGES[..end]).unwrap();
        let line = match number {
            0 => format!("fit base.svm {FIT} {options} --changes grows.txt --out grown"),
            _ => "fit --resume grown --quiet".to_owned(),
        };
        let said = ends(folder, &line, 0);
        assert!(said.contains(&format!("version {}: ", number + 1)), "{said}");
        assert_eq!(
            (version(folder, "grown"), &digest(folder, "grown")),
            ((number + 1).into(), &expected[number])
        );
    }
    ends(folder, "predict grown base.svm", 0);
}

#[test]
fn no_acknowledged_version_is_lost_by_twenty_kills() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("base.svm"), libsvm(&rows())).unwrap();
    let insert = |number: u64| format!("+ new{number} {} {}:1.5 12:-1", number % 7, 1 + number % 11);
    no_acknowledged_version_is_lost(Program::at(LASSO), folder, &format!("fit base.svm {FIT}"), insert);
}

#[test]
fn bad_versions_are_refused_whole_with_file_and_line_and_the_model_before_stays() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("base.svm"), libsvm(&rows())).unwrap();
    fs::write(folder.join("good.txt"), "- 3\n").unwrap();
    ends(folder, &format!("fit base.svm {FIT} --changes good.txt --out good"), 0);
    for (lines, at, said) in [
        ("- 4\n- 3\n", 4, "there is no row 3 that could be retracted"),
        ("+ 5 1 1:2\n", 3, "row 5 is there already"),
        ("+ x\n", 3, "there is no response"),
        ("+ x nan 1:2\n", 3, "the response `nan` is no finite number"),
        ("+ x 1 1:inf\n", 3, "the value is no finite number"),
        ("+ x 1 0:1\n", 3, "columns are numbers from 1"),
        ("+ x 1 7\n", 3, "write column:value"),
        ("+ x 1 2:1 2:1\n", 3, "column 2 is given twice"),
        ("+ x 1 4294967296:1\n", 3, "columns are numbers from 1"),
        ("- 1 2\n", 3, "more than an id"),
        ("x 1 1:2\n", 3, "is no change"),
    ] {
        fs::write(folder.join("bad.txt"), format!("- 3\n=\n{lines}=\n- 9\n")).unwrap();
        let err = ends(folder, &format!("fit base.svm {FIT} --changes bad.txt --out bad --force"), 2);
        assert!(err.contains(&format!("bad.txt:{at}: ")) && err.contains(said), "{lines}: {err}");
        assert_eq!(
            (version(folder, "bad"), digest(folder, "bad")),
            (1.into(), digest(folder, "good")),
            "{lines}"
        );
    }
    let all: String = (1..=80).map(|number| format!("- {number}\n")).collect();
    fs::write(folder.join("bad.txt"), all).unwrap();
    let err = ends(folder, &format!("fit base.svm {FIT} --changes bad.txt --out bad --force"), 2);
    assert!(err.contains("bad.txt:80: it leaves no rows to train on"), "{err}");
}
