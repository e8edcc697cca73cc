//! Records in, records out: what is read, used, left out and said stands in the report.

use serde_json::json;

use crate::common::{ends, json as read, write};

const TEXT: &str = "ships sail over the sea\n\nbread with butter\nships over the sea\n\nbutter and bread\n";

#[test]
fn a_fit_reports_its_documents_and_what_it_says_of_them() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.txt", TEXT);
    write(folder.path(), "docword.a.txt", "4\n3\n4\n1 1 2\n1 2 1\n2 2 3\n4 3 1\n");
    write(folder.path(), "changes", "+ new ships sail\n=\n");
    for (data, expected, note) in [
        ("a.txt", json!({"read": 6, "used": 4, "left_out": {"without words": 2}}), "left out: "),
        (
            "a.txt --changes changes",
            json!({"read": 7, "used": 5, "left_out": {"without words": 2}}),
            "left out: ",
        ),
        ("docword.a.txt", json!({"read": 4, "used": 3, "left_out": {"without words": 1}}), "shown by number"),
        (
            "docword.a.txt --cache kept",
            json!({"read": 4, "used": 3, "left_out": {"without words": 1}}),
            "shown by number",
        ),
    ] {
        let filter = if data.starts_with('a') { "--stop-words english" } else { "" };
        let line = format!("fit {data} {filter} --topics 2 --epochs 3 --validation none --out run --force");
        let (out, _) = ends(folder.path(), &line, 0);
        let report = read(&folder.path().join("run/report.json"));
        assert_eq!(report["records"], expected, "{line}");
        let notes = report["notes"].as_array().unwrap();
        assert!(notes.iter().any(|said| said.as_str().unwrap().contains(note)), "{line}: {notes:?}");
        for note in notes {
            assert!(out.contains(note.as_str().unwrap()), "{line}: {note}");
        }
    }
}

#[test]
fn words_that_go_may_leave_documents_without_any() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.txt", TEXT);
    let line = "fit a.txt --min-df 2 --max-df 2 --stop-words english --topics 2 --epochs 2 --validation none";
    let (out, _) = ends(folder.path(), &format!("{line} --json --quiet"), 0);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["records"]["read"], 6);
    assert_eq!(report["records"]["left_out"], json!({"without words": 2}));
    assert!(report["notes"][0].as_str().unwrap().starts_with("left out: "), "{report}");
}

#[test]
fn every_document_has_its_topics() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.txt", TEXT);
    write(folder.path(), "new.txt", "ships at sea\n\nnothing known\nbutter\n");
    ends(folder.path(), "fit a.txt --topics 2 --epochs 3 --validation none --out run", 0);
    let (out, err) = ends(folder.path(), "infer run new.txt --least 0", 0);
    assert_eq!(out.lines().count(), 4);
    let note = "documents without a word of the model, which get the topics of the prior: 2, 3";
    assert!(err.contains(note), "{err}");
    let said: serde_json::Value =
        serde_json::from_str(&ends(folder.path(), "infer run new.txt --json", 0).0).unwrap();
    assert_eq!(said["records"], json!({"read": 4, "used": 4, "left_out": {}}));
    assert_eq!((&said["notes"], said["documents"].as_array().unwrap().len()), (&json!([note]), 4));
    let (out, _) = ends(folder.path(), "infer run new.txt --json --out t.tsv", 0);
    let said: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&said["notes"], &said["records"]["read"]), (&json!([note]), &json!(4)));
}

#[test]
fn what_verbs_write_replaces_files_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.txt", TEXT);
    write(folder.path(), "changes", "+ new ships sail\n=\n");
    ends(folder.path(), "fit a.txt --topics 2 --epochs 3 --validation none --out run", 0);
    let lda = raddle_common::testing::Program::at(crate::common::LDA);
    let fit = "fit a.txt --topics 2 --epochs 3 --validation none --changes changes --out b --force";
    for (line, option) in [("infer run a.txt", "--out"), (fit, "--save-data")] {
        raddle_common::testing::replaces_files_alone(lda, folder.path(), line, option);
    }
}
