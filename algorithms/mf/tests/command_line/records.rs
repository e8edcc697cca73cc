//! Records in, records out: the report says what is read, used, left out and noted.

use std::fs;

use serde_json::json;

use super::program::{ends, json as read, report, scratch};

/// Forty ratings and a repeated one, under a header; two users have one rating each.
fn ratings() -> String {
    let mut text = String::from("user,item,rating\n");
    for user in 0..8 {
        (0..5).for_each(|item| text += &format!("u{user},i{item},{}\n", (user + item) % 5 + 1));
    }
    text + "u0,i0,5\nonce,i1,3\nlone,i2,3\n"
}

#[test]
fn every_verb_reports_its_records_and_what_it_says_of_the_data() {
    let folder = scratch();
    fs::write(folder.path().join("r.csv"), ratings()).unwrap();
    fs::write(folder.path().join("changes"), "+ u0 i9 5\n=\n").unwrap();
    let repeated = json!({"read": 43, "used": 42, "left_out": {"repeated pair": 1}});
    let merged = json!({"read": 43, "used": 42, "left_out": {"merged with others of their pair": 1}});
    let few = json!({
        "read": 43, "used": 40, "left_out": {"repeated pair": 1, "fewer ratings than --min-count": 2}
    });
    let changed = json!({"read": 44, "used": 43, "left_out": {"repeated pair": 1}});
    for (verb, expected) in [
        ("fit --validation none", &repeated),
        ("fit --validation none --cache kept", &repeated),
        ("fit --validation none --duplicates sum", &merged),
        ("fit --validation none --min-count 3", &few),
        ("fit --validation none --min-count 3 --cache kept", &few),
        ("cv --folds 2", &repeated),
        ("fit --validation none --changes changes", &changed),
    ] {
        let line = format!("{verb} r.csv --rank 2 --epochs 3 --out run --force");
        let said = super::program::ran(folder.path(), &line);
        // A run of a given length ends with status 0, whether its data change or not.
        assert_eq!(said.code, Some(0), "{line}: {}", said.err);
        assert!(said.out.contains("done: "), "{line}: {}", said.out);
        let report = read(&folder.path().join("run"), "report.json");
        assert_eq!(report["records"], *expected, "{line}");
        let notes = report["notes"].as_array().unwrap();
        for part in ["the first line is taken for the names", "1 repeated rating"] {
            assert!(notes.iter().any(|note| note.as_str().unwrap().contains(part)), "{part}: {notes:?}");
        }
        for note in notes {
            assert!(said.out.contains(note.as_str().unwrap()), "{line}: {note}");
        }
    }
}

#[test]
fn ratings_that_cannot_be_measured_are_left_out_by_name() {
    let folder = scratch();
    // The rating column is also the time.
    let timed =
        |line: &str| format!("{line},{}\n", line.rsplit(',').next().unwrap().replace("rating", "time"));
    fs::write(folder.path().join("r.csv"), ratings().lines().map(timed).collect::<String>()).unwrap();
    let line = "fit r.csv --rank 2 --epochs 3 --validation none --test last:0.1";
    let report = report(folder.path(), line);
    let cold = report["results"]["test_cold"].as_u64().unwrap();
    let said = report["records"]["left_out"]["user or item that no rating to train on has"].as_u64();
    assert_eq!(said.unwrap_or(0), cold);
    let records = &report["records"];
    assert_eq!(records["used"].as_u64().unwrap() + 1 + cold, records["read"].as_u64().unwrap());
}

#[test]
fn generated_ratings_have_their_counts() {
    let folder = scratch();
    ends(folder.path(), "fit synth:ratings:users=30,items=20,n=200 --epochs 2 --out run", 0);
    let report = read(&folder.path().join("run"), "report.json");
    assert_eq!(report["records"], json!({"read": 200, "used": 200, "left_out": {}}));
}

#[test]
fn every_line_has_its_prediction() {
    let folder = scratch();
    fs::write(folder.path().join("r.csv"), ratings()).unwrap();
    let line = "fit r.csv --rank 2 --epochs 3 --validation none --out run";
    ends(folder.path(), line, 0);
    // A pair twice, an unknown user, an unknown item, both.
    let new = "user,item,rating\nu0,i0,1\nnew,i0,2\nu0,i0,5\nu1,other,3\nnew,other,4\n";
    fs::write(folder.path().join("new.csv"), new).unwrap();
    let out = ends(folder.path(), "predict run new.csv", 0).out;
    let pairs: Vec<(&str, &str)> = out
        .lines()
        .map(|line| (line.split('\t').next().unwrap(), line.split('\t').nth(1).unwrap()))
        .collect();
    assert_eq!(pairs, [("u0", "i0"), ("new", "i0"), ("u0", "i0"), ("u1", "other"), ("new", "other")]);
    let said = report(folder.path(), "predict run new.csv");
    assert_eq!(said["records"], json!({"read": 5, "used": 5, "left_out": {}}));
    assert_eq!((&said["pairs"], &said["unknown_pairs"]), (&json!(5), &json!(3)));
    assert!(said["notes"][0].as_str().unwrap().contains("taken for the names"), "{said}");
    let merged = report(folder.path(), "predict run new.csv --duplicates mean");
    assert_eq!(merged["pairs"], 4);
    assert_eq!(merged["records"]["left_out"], json!({"merged with others of their pair": 1}));
    let folded = report(folder.path(), "fold-in run new.csv");
    assert_eq!(folded["records"]["left_out"], json!({"repeated pair": 1}));
    assert!(folded["notes"].to_string().contains("1 repeated rating"), "{folded}");
    let listed = report(folder.path(), "recommend run --exclude new.csv --top 1");
    assert!(listed["notes"].to_string().contains("1 repeated rating"), "{listed}");
}

#[test]
fn what_verbs_write_replaces_files_and_nothing_else() {
    let folder = scratch();
    fs::write(folder.path().join("r.csv"), ratings()).unwrap();
    fs::write(folder.path().join("changes"), "+ u0 i9 5\n=\n").unwrap();
    ends(folder.path(), "fit r.csv --rank 2 --epochs 3 --validation none --out run", 0);
    let mf = raddle_common::testing::Program::at(super::program::MF);
    let fit = "fit r.csv --rank 2 --epochs 3 --validation none --changes changes --out b --force";
    for (line, option) in [("predict run r.csv", "--out"), ("recommend run", "--out"), (fit, "--save-data")] {
        raddle_common::testing::replaces_files_alone(mf, folder.path(), line, option);
    }
}

#[test]
fn ratings_of_files_to_measure_on_are_counted_where_they_cannot_be_used() {
    let folder = scratch();
    fs::write(folder.path().join("r.csv"), ratings()).unwrap();
    fs::write(folder.path().join("other.csv"), "u0,i1,3\nu1,nowhere,2\nnobody,i1,4\nu2,i2,5\n").unwrap();
    for (options, cold, held) in [
        ("--validation none --test other.csv", "test_cold", "test"),
        ("--validation other.csv", "validation_cold", "validation"),
    ] {
        let line = format!("fit r.csv --rank 2 --epochs 3 {options} --out run --force --quiet");
        ends(folder.path(), &line, 0);
        let report = read(&folder.path().join("run"), "report.json");
        assert_eq!(report["results"][cold], 2, "{line}");
        // Ratings of other files are not records of the data.
        assert_eq!(report["records"]["left_out"], json!({"repeated pair": 1}), "{line}");
        let said = format!("{held}: 2 ratings left out");
        let notes = report["notes"].as_array().unwrap();
        assert!(notes.iter().any(|note| note.as_str().unwrap().starts_with(&said)), "{notes:?}");
    }
}

#[test]
fn what_a_share_holds_out_and_nothing_was_learned_for_is_counted() {
    let folder = scratch();
    // Users with one rating each: held-out ones have none to train on.
    let lines = (0..200).map(|user| format!("u{user},i{},{}\n", user % 5, 1 + user % 4));
    fs::write(folder.path().join("lone.csv"), lines.collect::<String>() + "a,i0,3\na,i1,4\na,i2,2\n")
        .unwrap();
    for cache in ["", " --cache kept"] {
        let line =
            format!("fit lone.csv --rank 2 --epochs 3 --validation 0.3{cache} --out run --force --quiet");
        ends(folder.path(), &line, 0);
        let report = read(&folder.path().join("run"), "report.json");
        let cold = report["results"]["validation_cold"].as_u64().unwrap();
        assert!(cold > 20, "{report}");
        let left_out = json!({"user or item that no rating to train on has": cold});
        let expected = json!({"read": 203, "used": 203 - cold, "left_out": left_out});
        assert_eq!(report["records"], expected, "{line}");
    }
}
