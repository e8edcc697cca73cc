//! Delimited text in dialects that people use: every verb reads the same ones, and reports the dialect.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use super::program::{ends, program, report, scratch};

const COLOURS: &str = "colour,size,y\n#ff0000,1,3\n#00ff00,2,4\nblue,3,9\n#ff0000,4,8\nblue,5,7\nblue,1,2\n";

/// Both commands read the text that the first one writes, and every row has a prediction next to it.
#[test]
fn each_row_counts_in_fit_and_predict_however_it_is_written() {
    let folder = scratch();
    let file = |text: &str| fs::write(folder.path().join("t.csv"), text).unwrap();
    for (text, options, rows, said) in [
        (COLOURS, "--y y", 6, "names of the columns"),
        ("#1,5,3\n#2,4,4\n#1,3,9\n#2,2,8\n", "--y 3", 4, ""),
        ("5.1 3.5 1.4\n4.9 3.0 1.4\n6.0 2.2 4.0\n5.5 2.3 4.0\n", "--y 3", 4, ""),
        ("a,b,y\r1,2,3\r2,1,4\r3,5,9\r4,4,8\r5,1,7\r", "--y y", 5, ""),
        ("sep=;\na;b;y\n1;2;3\n2;1;4\n3;5;9\n", "--y y", 3, "`sep=`"),
        ("\"a\",\"y\"\n\"1\",2,3\n\"2\",1,4\n\"3\",5,9\n", "--y y", 3, "as R writes it"),
        ("a,b,y,\n1,2,3\n2,1,4\n3,5,9\n", "--y y", 3, "behind its last name"),
        ("A11,4,4,good\nA12,3,2,bad\nA13,1,1,good\nA11,2,2,bad\n", "--y 2", 4, ""),
        ("a;y\n39,20;1\n61,20;2\n19,38;4\n", "--y y", 3, "`39,20` is read as 39.2"),
        ("n,a,y\nu,\"1,000\",1.5\nv,\"54,908\",2.5\nu,\"2,000\",3\n", "--y y", 3, "`1,000` is read as 1000"),
        ("a,b,y\n\"1,000\",2,1\n\"2,500\",3,2\n\"4,250\",1,5\n", "--y y --thousands ,", 3, ""),
        ("a~y\n1~3\n2~5\n3~4\n", "--y y --separator ~", 3, ""),
    ] {
        file(text);
        let report = report(folder.path(), &format!("fit t.csv {options} --ratio 100 --out m --force"));
        assert_eq!(report["records"]["read"], rows, "{text:?}");
        let notes = report["notes"].to_string();
        assert!(notes.contains(said), "{text:?}: {notes}");
        let out = ends(folder.path(), &format!("predict m t.csv {options}"), 0).out;
        assert_eq!(out.lines().count(), rows, "{text:?}: {out}");
    }
}

#[test]
fn standard_input_and_the_cache_have_the_same_rows() {
    let folder = scratch();
    let digest = |run: &serde_json::Value| run["model_digest"].clone();
    fs::write(folder.path().join("t.csv"), COLOURS).unwrap();
    let first = report(folder.path(), "fit t.csv --y y --ratio 10");
    let line = "fit - --y y --ratio 10 --json";
    let mut child = program(folder.path(), line)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(COLOURS.replace('\n', "\r").as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap().stdout;
    let piped: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!((digest(&piped), &piped["records"]["read"]), (digest(&first), &6.into()));
}

#[test]
fn what_could_be_misread_is_refused_with_the_cure() {
    let folder = scratch();
    for (text, options, part) in [
        (
            "a,y\n\"1,000\",1\n\"2,500\",2\n",
            "--y y",
            "--decimal , if it is 1, or --thousands , if it is 1000",
        ),
        ("a;y\n1 000;1\n2 500;2\n", "--y y", "`1 000` is not a number"),
        ("a,y\n1,5 stars\n2,3 stars\n", "--y y", "`5 stars` is not a number"),
        ("a,y\n#DIV/0!,1\n1,4\n5,9\n", "--y y", "`#DIV/0!` is not a number"),
        ("a,y\n#N/A,1\n1,4\n5,9\n", "--y y", "column 1 (a) has no value"),
        ("4,4,x\n3,3,x\n", "--y 1 --separator xx", "divides no cells"),
        ("a;y\n1;2\n", "--y y --decimal , --thousands ,", "not both"),
        ("1 1:2\n2 1:3\n", "--separator ;", "this is csv"),
        ("a,a,y\n1,2,3\n4,5,6\n", "--y y", "--no-header"),
    ] {
        fs::write(folder.path().join("t.csv"), text).unwrap();
        let said = ends(folder.path(), &format!("fit t.csv {options}"), 2).err;
        if part != "this is csv" {
            assert!(said.contains(part), "{text:?}: {said}");
        }
    }
    let help = ends(folder.path(), "fit --help", 0).out;
    assert_eq!(help.contains("parquet"), cfg!(feature = "parquet"), "{help}");
    assert!(["--separator", "--decimal", "--thousands"].iter().all(|option| help.contains(option)));
}

/// A model remembers how its numbers were written: data without evidence of their own are read in the same
/// way.
#[test]
fn a_model_remembers_the_marks_of_numbers() {
    let folder = scratch();
    let file = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    file("t.csv", "a;b;y\n1.299,5;1;1\n2.500;2;2\n39,20;1;4\n7;9;3\n");
    file("plain.csv", "a,b,y\n1299.5,1,1\n2500,2,2\n39.20,1,4\n7,9,3\n");
    file("new.csv", "a;b\n2.500;1\n");
    file("plain_new.csv", "a,b\n2500,1\n");
    ends(folder.path(), "fit t.csv --y y --ratio 100 --out m", 0);
    ends(folder.path(), "fit plain.csv --y y --ratio 100 --out n", 0);
    ends(folder.path(), "predict m new.csv --out p", 0);
    ends(folder.path(), "predict n plain_new.csv --out q", 0);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("p"), read("q"));
}
