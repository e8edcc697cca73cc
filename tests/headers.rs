//! First lines of words, of numbers and of data, above random rows: every program and verb counts the rows
//! that there are, and says what it took the line for.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::commands::{ends, next, number, run};

/// Names of columns as programs write them.
const HEADS: [&str; 10] =
    ["words", "zero", "one", "labelled", "waves", "falling", "months", "years", "tenths", "none"];

/// The name of a column, of which the last is the response.
fn name(head: &str, at: usize, count: usize) -> String {
    match head {
        "words" => ["größe", "kunde", "x", "länge", "prix"][at].to_owned(),
        "labelled" if at + 1 == count => "label".into(),
        "zero" | "labelled" => at.to_string(),
        "one" => (at + 1).to_string(),
        "waves" => (1100 + 2 * at).to_string(),
        "falling" => (4000 - 10 * at).to_string(),
        "months" => ["201811", "201812", "201901", "201902", "201903"][at].into(),
        "years" => (1990 + 5 * at).to_string(),
        _ => format!("0.{}", at + 1),
    }
}

fn read(report: &str) -> Value {
    serde_json::from_str(report).unwrap_or_else(|why| panic!("{why}: {report}"))
}

/// `true` if the notes of a report name an option.
fn names(report: &Value, option: &str) -> bool {
    report["notes"].to_string().contains(&format!("({option}:"))
}

/// Rows of five columns: numbers, and in the last one numbers or two classes.
fn rows(head: &str, has_classes: bool, state: &mut u64) -> (String, usize) {
    let mut next = |most: u64| next(state) % most;
    let (count, is_whole) = (10 + next(20) as usize, next(3) == 0);
    let mut text = String::new();
    if head != "none" {
        text = (0..5).map(|at| name(head, at, 5)).collect::<Vec<_>>().join(",") + "\n";
    }
    for row in 0..count {
        for at in 0..4 {
            // No row goes up or down by equal steps.
            let base = [20, 3, 30, 7][at] + next(3);
            text += &if is_whole {
                format!("{base},")
            } else {
                format!("{base}.{:03}{},", next(1000), 1 + next(9))
            };
        }
        text += &match has_classes {
            true => format!("{}\n", ["a", "b"][row % 2]),
            false => format!("{}.25\n", next(50)),
        };
    }
    (text, count)
}

/// The rows of a table are those of the fit and the lines of the prediction, by its own finding and as it is
/// said.
fn table(folder: &Path, program: &str, head: &str, state: &mut u64) {
    let (text, count) = rows(head, program == "linear", state);
    fs::write(folder.join("t.csv"), &text).unwrap();
    let (own, other) = if head == "none" { ("--no-header", "--header") } else { ("--header", "--no-header") };
    let fit = format!("{program} fit t.csv --y -1 --quiet --json --out m --force");
    for said in ["", own] {
        let report = read(&ends(folder, &format!("{fit} {said}"), 0).out);
        assert_eq!(report["records"]["read"], count, "{program} {head} {said}: {text}");
        assert_eq!(names(&report, other), said.is_empty(), "{program} {head} {said}: {}", report["notes"]);
        // A prediction is of the same rows; a model knows the names of its columns.
        let said = if head == "none" { said } else { "" };
        let lines = ends(folder, &format!("{program} predict m t.csv {said} --y -1"), 0).out;
        assert_eq!(lines.lines().count(), count, "{program} {head}: {text}");
    }
    // Names that are asked for make a header, and what is said of it is believed.
    if head != "none" {
        let y = name(head, 4, 5);
        let report = read(&ends(folder, &format!("{program} fit t.csv --y {y} --quiet --json"), 0).out);
        assert_eq!(report["records"]["read"], count, "{program} {head} --y {y}");
    }
    let wrong = run(folder, &format!("{fit} {other}"));
    let read_so =
        (wrong.code == Some(0)).then(|| read(&wrong.out)["records"]["read"].as_u64().unwrap() as usize);
    let expected = if head == "none" { count - 1 } else { count + 1 };
    assert!(read_so.is_none_or(|read| read == expected), "{program} {head} {other}: {read_so:?}");
}

#[test]
fn rows_are_those_below_the_names_in_fits_and_predictions_of_tables() {
    let (folder, mut state) = (tempfile::tempdir().unwrap(), number("RADDLE_HEADERS_SEED", 1));
    for _ in 0..number("RADDLE_HEADERS", 1) {
        for head in HEADS {
            table(folder.path(), "lasso", head, &mut state);
            table(folder.path(), "linear", head, &mut state);
        }
    }
}

#[test]
fn ratings_and_texts_have_the_rows_below_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let ratings = "7,101,3.5\n8,101,4\n7,102,2.5\n9,103,1\n8,102,5\n";
    let clicks = "anna,brot\nben,milch\nanna,milch\nben,brot\ncid,brot\n";
    let texts = "/a,the ship at sea\n/b,a harbour\n/c,the sea\n";
    let mf = "mf fit t.csv --rank 1 --epochs 1 --validation none --quiet --json";
    let lda = "lda fit t.csv --text 2 --format csv --topics 2 --epochs 1 --quiet --json";
    for (line, header, rows, says) in [
        (mf, "user,item,rating\n", ratings, "--no-header"),
        (mf, "kunde,artikel,wert\n", ratings, "--no-header"),
        (mf, "0,1,2\n", ratings, "--no-header"),
        (mf, "", ratings, "--header"),
        (mf, "kunde,artikel\n", clicks, "--no-header"),
        (mf, "", clicks, "--header"),
        (lda, "0,1\n", texts, "--no-header"),
        (lda, "kennung,wortlaut\n", texts, "--no-header"),
    ] {
        let text = format!("{header}{rows}");
        fs::write(folder.join("t.csv"), &text).unwrap();
        let report = read(&ends(folder, line, 0).out);
        assert_eq!(report["records"]["read"], rows.lines().count(), "{line}: {text}");
        assert!(names(&report, says), "{line}: {text}: {}", report["notes"]);
        for (said, more) in [("--header", 1), ("--no-header", 0)] {
            let ran = run(folder, &format!("{line} {said}"));
            let count = text.lines().count() - more;
            assert!(
                ran.code != Some(0) || read(&ran.out)["records"]["read"] == count,
                "{line} {said}: {text}"
            );
        }
    }
    // Every verb that reads a table knows the options, and refuses both at once.
    fs::write(folder.join("t.csv"), format!("0,1,2\n{ratings}")).unwrap();
    ends(folder, "mf fit t.csv --rank 1 --epochs 1 --validation none --quiet --out m", 0);
    for verb in ["mf predict m t.csv", "mf recommend m --exclude t.csv", "mf fold-in m t.csv"] {
        let ran = run(folder, &format!("{verb} --header"));
        assert_eq!(ran.code, Some(0), "{verb} --header: {}", ran.err);
    }
    for line in [
        "lasso fit t.csv --y -1",
        "lasso path t.csv --y -1",
        "lasso cv t.csv --y -1",
        "lasso predict m t.csv",
        "linear fit t.csv --y -1",
        "linear cv t.csv --y -1",
        "linear predict m t.csv",
        "mf fit t.csv",
        "mf predict m t.csv",
        "mf recommend m --exclude t.csv",
        "mf fold-in m t.csv",
        "lda fit t.csv --text 2",
        "lda infer m t.csv --text 2",
    ] {
        let said = ends(folder, &format!("{line} --header --no-header"), 2).err;
        assert!(
            said.contains("--header") && said.contains("--no-header") && said.contains("cannot be used"),
            "{line}: {said}"
        );
    }
}
