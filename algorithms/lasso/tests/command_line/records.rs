//! Records in, records out: what is read, used, left out and said stands in the report.

use std::fs;

use serde_json::json;

use crate::program::{ends, json as read, report, scratch};

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
        // What the screen says stands there, and is there without a screen, too.
        for note in notes {
            let note = note.as_str().unwrap();
            assert!(said.out.contains(note) || said.err.contains(note), "{line}: {note}");
        }
        let parts = ["column 1 has no name", "rows left out, as a value is missing: 2", "town (3 levels)"];
        for part in parts {
            assert!(notes.iter().any(|note| note.as_str().unwrap().contains(part)), "{part}: {notes:?}");
        }
        let quiet = crate::program::report(folder.path(), &line);
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
