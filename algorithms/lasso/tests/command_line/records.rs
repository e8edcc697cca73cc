//! Records in, records out: the report says what is read, used, left out and noted.

use std::fs;

use serde_json::json;

use super::program::{ends, json as read, report, scratch};

/// A column without a name, a text, a column that says nothing, rows that lack a number.
const GAPS: &str = ",town,size,one,y\n0,Oslo,1,7,3\n1,Rome,,7,4\n2,Oslo,4,7,9\n3,Riga,8,7,8\n4,Rome,,7,1\n5,Oslo,5,7,2\n\
    6,Riga,6,7,2\n7,Rome,2,7,6\n8,Riga,9,7,1\n9,Oslo,3,7,2\n";

#[test]
fn every_verb_reports_its_records_and_what_it_says_of_the_data() {
    let folder = scratch();
    fs::write(folder.path().join("gaps.csv"), GAPS).unwrap();
    fs::write(folder.path().join("changes"), "- 1\n=\n").unwrap();
    for verb in ["fit", "path --points 3", "cv --folds 2 --points 3", "fit --changes changes"] {
        let line = format!("{verb} gaps.csv --y y --missing drop --out run --force");
        let said = ends(folder.path(), &line, 0);
        let report = read(&folder.path().join("run"), "report.json");
        let gone = u64::from(verb.contains("changes"));
        let expected = json!({"read": 10 - gone, "used": 8 - gone, "left_out": {"missing value": 2}});
        assert_eq!(report["records"], expected, "{line}");
        let notes = report["notes"].as_array().unwrap();
        assert!(notes.len() > 2, "{notes:?}");
        // Notes on the screen are also in the report, even without a screen.
        for note in notes {
            let note = note.as_str().unwrap();
            assert!(said.out.contains(note) || said.err.contains(note), "{line}: {note}");
        }
        let parts = ["column 1 has no name", "rows left out, as a value is missing: 2", "town (3 levels)"];
        for part in parts {
            assert!(notes.iter().any(|note| note.as_str().unwrap().contains(part)), "{part}: {notes:?}");
        }
        let quiet = super::program::report(folder.path(), &line);
        assert_eq!((&quiet["notes"], &quiet["records"]), (&report["notes"], &report["records"]), "{line}");
    }
}

#[test]
fn data_of_which_nothing_is_said_have_their_counts() {
    let folder = scratch();
    let report = report(folder.path(), "fit diabetes");
    assert_eq!(report["records"], json!({"read": 442, "used": 442, "left_out": {}}));
    assert_eq!(report["notes"], json!([]));
}

/// A response with gaps, for every loss, as a column and as a file; the oracle is the table without these
/// rows.
#[test]
fn rows_without_a_response_are_left_out_for_every_loss() {
    let folder = scratch();
    let (mut whole, mut gaps, mut features, mut y, mut kept) = (
        String::from("a,b,y\n"),
        String::from("a,b,y\n"),
        String::from("a,b\n"),
        String::new(),
        String::from("a,b,y\n"),
    );
    for row in 0..40 {
        let (a, b, response) = (row * 7 % 11, row * row % 13, row * 5 % 3 % 2);
        let shown = if row % 9 == 4 { "NA".to_owned() } else { response.to_string() };
        whole += &format!("{a},{b},{response}\n");
        gaps += &format!("{a},{b},{shown}\n");
        features += &format!("{a},{b}\n");
        y += &format!("{shown}\n");
        if shown != "NA" {
            kept += &format!("{a},{b},{response}\n");
        }
    }
    for (name, text) in
        [("whole.csv", &whole), ("gaps.csv", &gaps), ("x.csv", &features), ("y.txt", &y), ("kept.csv", &kept)]
    {
        fs::write(folder.path().join(name), text).unwrap();
    }
    for loss in ["squared", "logistic", "multinomial", "poisson"] {
        let fit = format!("--loss {loss} --ratio 20");
        let expected = report(folder.path(), &format!("fit kept.csv {fit} --out kept --force"));
        for data in ["gaps.csv", "x.csv --y y.txt"] {
            for rule in ["mean", "drop"] {
                let line = format!("fit {data} {fit} --missing {rule} --out run --force");
                let found = report(folder.path(), &line);
                assert_eq!(found["model_digest"], expected["model_digest"], "{line}");
                let records = json!({"read": 40, "used": 36, "left_out": {"missing response": 4}});
                assert_eq!(found["records"], records, "{line}");
            }
        }
        for verb in ["path --points 5", "cv --folds 3 --points 5"] {
            let found = report(folder.path(), &format!("{verb} gaps.csv --loss {loss} --missing mean"));
            assert_eq!(found["records"]["left_out"], json!({"missing response": 4}), "{verb} {loss}");
        }
        // Every row has a line, and the error is over those that have a response.
        let said = report(folder.path(), "predict run gaps.csv");
        let of_kept = report(folder.path(), "predict run kept.csv");
        for name in ["rmse", "r2", "log_loss", "accuracy", "deviance"] {
            let (a, b) = (said[name].as_f64(), of_kept[name].as_f64());
            assert!(a.zip(b).is_none_or(|(a, b)| (a - b).abs() <= 1e-12 * b.abs()), "{name}: {a:?} {b:?}");
            assert_eq!(a.is_some(), b.is_some(), "{name}");
        }
        assert!(said["notes"][0].as_str().unwrap().contains("4 rows without a response"), "{said}");
        assert_eq!(said["records"]["used"], 40);
        let lines = ends(folder.path(), "predict run gaps.csv --quiet", 0).out;
        assert_eq!(lines, ends(folder.path(), "predict run whole.csv --quiet", 0).out, "{loss}");
    }
}

#[test]
fn a_row_that_cannot_be_predicted_has_its_line() {
    let folder = scratch();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("gaps.csv", GAPS);
    write("new.csv", "town,size,y\nOslo,4,1\nRome,,2\nRiga,8,NA\n");
    for (loss, nan) in [("squared", "nan"), ("logistic", "nan\tnan"), ("multinomial", "nan\tnan\tnan")] {
        // The response for classes is the town, of which the remaining rows have at least two.
        let data = match loss {
            "squared" => GAPS.to_owned(),
            "logistic" => {
                GAPS.replace("Riga", "Oslo").replace("Rome,,", "Rome,3,").replace("Oslo,4", "Oslo,")
            }
            _ => GAPS.replace("Riga", "Oslo"),
        };
        write("train.csv", &data);
        let y = if loss == "squared" { "y" } else { "town" };
        let line = format!(
            "fit train.csv --y {y} --columns size --missing drop --loss {loss} --ratio 50 --out run --force"
        );
        ends(folder.path(), &line, 0);
        let ran = ends(folder.path(), "predict run new.csv --out p.txt", 0);
        let lines = fs::read_to_string(folder.path().join("p.txt")).unwrap();
        let lines: Vec<&str> = lines.lines().collect();
        assert_eq!((lines.len(), lines[1]), (3, nan), "{loss}");
        assert!(!lines[0].contains("nan") && !lines[2].contains("nan"), "{lines:?}");
        assert!(ran.err.contains("1 row not predicted (nan)"), "{}", ran.err);
        let said = report(folder.path(), "predict run new.csv");
        assert_eq!(said["records"], json!({"read": 3, "used": 2, "left_out": {"missing value": 1}}));
        let values = if loss == "squared" { &said["predictions"][1] } else { &said["classes"][1] };
        assert!(values.is_null(), "{said}");
    }
}

#[test]
fn predictions_and_rows_that_are_left_replace_files_and_nothing_else() {
    let folder = scratch();
    ends(folder.path(), "fit diabetes --out run", 0);
    fs::write(folder.path().join("changes"), "- 1\n=\n").unwrap();
    fs::write(folder.path().join("a.svm"), "1 1:2\n3 2:1\n2 1:1 2:2\n5 1:4\n").unwrap();
    let lasso = raddle_common::testing::Program::at(env!("CARGO_BIN_EXE_lasso"));
    for (line, option) in
        [("predict run diabetes", "--out"), ("fit a.svm --changes changes --out b --force", "--save-data")]
    {
        raddle_common::testing::replaces_files_alone(lasso, folder.path(), line, option);
    }
}

#[test]
fn a_run_that_goes_on_never_replaces_a_model_by_one_of_less_work() {
    let folder = scratch();
    let line = "fit diabetes --schedule cyclic --tol 1e-6 --checkpoint-every 5 --ratio 100 --out run";
    let whole = report(folder.path(), line);
    let epochs = whole["epochs"].as_u64().unwrap();
    assert!(epochs > 6 && !epochs.is_multiple_of(5), "{epochs}");
    let model = |()| fs::read(folder.path().join("run/model.json")).unwrap();
    let before = model(());
    let ran = ends(folder.path(), &format!("fit --resume run --epochs {}", epochs - epochs % 5), 3);
    assert!(ran.out.contains("further than this run came, and stays"), "{}", ran.out);
    assert_eq!(model(()), before);
}
