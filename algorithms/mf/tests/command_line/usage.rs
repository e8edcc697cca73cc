//! `mf predict`, `mf recommend` and `mf fold-in`.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use raddle_datasets::ratings::generate;
use serde_json::Value;

use raddle_common::testing::not_empty;

use super::program::{SMALL, ends, json, program, report, scratch};

#[test]
fn predictions_name_their_pairs_and_unknown_ones_get_what_is_known() {
    let folder = scratch();
    ends(folder.path(), &format!("fit {SMALL} --rank 4 --out run"), 0);
    fs::write(folder.path().join("pairs.csv"), "user,item\n3,5\n3,nothing\nnobody,5\nnobody,nothing\n")
        .unwrap();
    let ran = ends(folder.path(), "predict run pairs.csv", 0);
    let lines: Vec<Vec<&str>> = ran.out.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!((lines[0][0], lines[1][1], lines[3][0]), ("3", "nothing", "nobody"));
    let values: Vec<f64> = lines.iter().map(|line| line[2].parse().unwrap()).collect();
    assert!(values.iter().all(|value| value.is_finite()));
    let mean = json(&folder.path().join("run"), "model.json")["mean"].as_f64().unwrap();
    assert_eq!(values[3], mean);
    assert!(ran.err.contains("3 pairs of a user or item that the model does not have"), "{}", ran.err);
    let ran = ends(folder.path(), &format!("predict run {SMALL} --out predictions.tsv"), 0);
    assert!(
        ran.out.contains("2,400 predictions, rmse 0.") || ran.out.contains("2400 predictions, rmse 0."),
        "{}",
        ran.out
    );
    assert_eq!(fs::read_to_string(folder.path().join("predictions.tsv")).unwrap().lines().count(), 2400);
}

#[test]
fn recommendations_leave_out_what_was_seen_and_follow_the_filters() {
    let folder = scratch();
    ends(folder.path(), &format!("fit {SMALL} --rank 4 --out run"), 0);
    let lists = |options: &str| -> Vec<(String, u32, f32)> {
        let ran = ends(folder.path(), &format!("recommend run {options}"), 0);
        let parse = |line: &str| {
            let cells: Vec<&str> = line.split('\t').collect();
            (cells[0].to_owned(), cells[1].parse().unwrap(), cells[2].parse().unwrap())
        };
        ran.out.lines().map(parse).collect()
    };
    let all = lists(&format!("--top 3 --exclude {SMALL}"));
    let seen: HashSet<(u32, u32)> = generate::ratings(SMALL)
        .unwrap()
        .ratings
        .triples
        .iter()
        .map(|(user, item, _)| (user, item))
        .collect();
    // A user who has rated nearly everything gets the rest.
    assert!((340..=360).contains(&all.len()), "{}", all.len());
    assert!(all.iter().all(|(user, item, _)| !seen.contains(&(user.parse().unwrap(), *item))));
    for list in all.chunk_by(|a, b| a.0 == b.0) {
        assert!(list.len() <= 3 && list.is_sorted_by(|a, b| a.2 >= b.2), "{list:?}");
    }
    let some = lists("--top 4 --users 7,3,stranger --only 1,2,3,4,5 --without 2 --with-seen");
    assert_eq!(some.len(), 12);
    assert!(some.iter().all(|(_, item, _)| [1, 3, 4, 5].contains(item)), "{some:?}");
    assert_eq!(some[8].0, "stranger");
    for (options, why) in [
        ("--only 1,x", "--only: the model has no item `x`"),
        ("--top 0", "--top is 0"),
        ("--exclude missing.tsv", "cannot read"),
    ] {
        let refused = ends(folder.path(), &format!("recommend run {options}"), 2);
        assert!(refused.err.contains(why), "{}", refused.err);
    }
}

#[test]
fn new_users_and_items_are_folded_in_and_the_old_ones_stay() {
    let folder = scratch();
    let text = |keep: &dyn Fn(u32, u32) -> bool| -> String {
        let made = generate::ratings(SMALL).unwrap().ratings.triples;
        let kept = made.iter().filter(|rating| keep(rating.0, rating.1));
        kept.map(|(user, item, value)| format!("u{user}\tm{item}\t{value}\n")).collect()
    };
    fs::write(folder.path().join("old.tsv"), text(&|user, item| user < 100 && item < 50)).unwrap();
    fs::write(folder.path().join("all.tsv"), text(&|_, _| true)).unwrap();
    ends(folder.path(), "fit old.tsv --rank 4 --out run", 0);
    let ran = ends(folder.path(), "fold-in run all.tsv --out wider --top 2", 0);
    assert!(ran.out.contains("\nfolded in 20 users and 10 items"), "{}", ran.out);
    let rmse = |folder_name: &str| -> f64 {
        let ran = ends(folder.path(), &format!("predict {folder_name} all.tsv --out p.tsv"), 0);
        ran.out.split("rmse ").nth(1).unwrap().split(',').next().unwrap().parse().unwrap()
    };
    assert!(rmse("wider") < 0.9 * rmse("run"), "{} {}", rmse("wider"), rmse("run"));
    let ids = json(&folder.path().join("wider"), "model.json")["users"].clone();
    assert_eq!(ids.as_array().unwrap().len(), 120);
    let again = ends(folder.path(), "fold-in wider all.tsv", 0);
    assert!(again.out.contains("\nfolded in 0 users and 0 items"), "{}", again.out);
}

#[test]
fn json_is_one_line_of_the_whole_result_and_quiet_says_nothing_beside_it() {
    let folder = scratch();
    fs::write(folder.path().join("old.csv"), "a,x,5\na,y,3\nb,x,4\nb,y,2\na,x,1\n").unwrap();
    fs::write(folder.path().join("new.csv"), "a,x,1\nc,x,5\nc,y,4\nc,z,3\n").unwrap();
    ends(folder.path(), "fit old.csv --rank 2 --epochs 2 --validation none --out run --quiet", 0);
    let said = |line: &str| -> Value {
        let ran = ends(folder.path(), &format!("{line} --json --quiet"), 0);
        assert!(ran.err.is_empty(), "{line}: {}", ran.err);
        assert_eq!(ran.out.lines().count(), 1, "{line}: {}", ran.out);
        serde_json::from_str(&ran.out).unwrap()
    };
    let found = said("predict run new.csv");
    assert_eq!((&found["pairs"], &found["unknown_pairs"]), (&4.into(), &3.into()));
    let predictions = found["predictions"].as_array().unwrap();
    assert_eq!((predictions.len(), &predictions[3]["item"]), (4, &"z".into()));
    let squares = predictions.iter().zip([1.0, 5.0, 4.0, 3.0]);
    let squares =
        squares.map(|(pair, value): (&Value, f64)| (value - pair["prediction"].as_f64().unwrap()).powi(2));
    let rmse = (squares.sum::<f64>() / 4.0).sqrt();
    assert!((found["rmse"].as_f64().unwrap() - rmse).abs() < 1e-12);
    assert!(said("predict run new.csv --out lines.tsv").get("predictions").is_none());
    let found = said("recommend run --top 1 --users a,stranger --with-seen");
    let lists = found["recommendations"].as_array().unwrap();
    assert_eq!((lists.len(), &lists[1]["user"]), (2, &"stranger".into()));
    assert_eq!(lists[0]["items"].as_array().unwrap().len(), 1);
    let found = said("fold-in run new.csv --top 3 --out wider");
    assert_eq!(
        (&found["new_users"], &found["new_items"], &found["users"]),
        (&1.into(), &1.into(), &3.into())
    );
    assert_eq!(found["recommendations"][0]["user"], "c");
    // Without either, notes on the result are on stderr; every line of the data has its own prediction.
    let ran = ends(folder.path(), "predict run old.csv", 0);
    assert_eq!(ran.out.lines().count(), 5);
    assert!(ran.err.contains("5 predictions, rmse "), "{}", ran.err);
    let merged = ends(folder.path(), "predict run old.csv --duplicates last", 0);
    assert_eq!(merged.out.lines().count(), 4);
    assert!(merged.err.contains("1 repeated rating merged: the last of a pair counts"), "{}", merged.err);
    assert!(ends(folder.path(), "predict run old.csv --quiet", 0).err.is_empty());
}

#[test]
fn ids_are_a_list_of_one_kind_in_every_model() {
    let folder = scratch();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("dense.csv", "0,0,5\n1,1,3\n0,1,4\n1,0,2\n");
    write("sparse.csv", "70,5,5\n31,6,3\n70,6,4\n31,5,2\n");
    write("names.csv", "a,5,5\nb,6,3\na,6,4\nb,5,2\n");
    write("more.csv", "2,0,5\n9,1,3\n70,5,1\n");
    let users = |run: &str| json(&folder.path().join(run), "model.json")["users"].clone();
    for (name, ids, behind) in [
        ("dense", serde_json::json!([0, 1]), serde_json::json!([0, 1, 2, 9, 70])),
        ("sparse", serde_json::json!([70, 31]), serde_json::json!([70, 31, 2, 9])),
        ("names", serde_json::json!(["a", "b"]), serde_json::json!(["a", "b", "2", "9", "70"])),
    ] {
        ends(folder.path(), &format!("fit {name}.csv --rank 2 --epochs 1 --validation none --out {name}"), 0);
        assert_eq!(users(name), ids);
        ends(folder.path(), &format!("fold-in {name} more.csv --out {name}2"), 0);
        assert_eq!(users(&format!("{name}2")), behind);
        ends(folder.path(), &format!("fit more.csv --rank 2 --epochs 1 --init {name} --out {name}3"), 0);
        assert_eq!(users(&format!("{name}3")), behind);
    }
}

#[test]
fn help_has_no_broken_lines() {
    let folder = scratch();
    for verb in ["", "fit", "cv", "predict", "recommend", "similar", "fold-in"] {
        let help = ends(folder.path(), &format!("{verb} --help"), 0).out;
        let (_, behind) = help.split_once("Examples:").unwrap();
        // Lines after the options are broken by hand: nothing breaks them again.
        let words_alone =
            behind.lines().filter(|line| line.trim() != "mf" && line.split_whitespace().count() == 1);
        assert!(not_empty(behind.lines()).all(|line| line.len() <= 100), "{verb}: {behind}");
        assert!(words_alone.count() == 0, "{verb}: {behind}");
    }
}

/// Reads one table of ratings as text, gzip and zstd, each also from standard input, and as Parquet if that
/// is built in.
#[test]
fn any_way_in_gives_one_model() {
    let folder = scratch();
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/tests/tables");
    let path = |name: &str| tables.join(name).display().to_string();
    let line = "--columns who,what,stars,when --rank 2 --epochs 3 --validation none --duplicates last";
    let digest = |name: &str| {
        let report = report(folder.path(), &format!("fit {} {line}", path(name)));
        assert_eq!(report["data"]["sizes"]["ratings"], 4, "{name}");
        report["model_digest"].as_str().unwrap().to_owned()
    };
    let expected = digest("ratings.csv");
    for name in ["ratings.csv.gz", "ratings.csv.zst"] {
        assert_eq!(digest(name), expected, "{name}");
    }
    for name in ["ratings.csv", "ratings.csv.gz", "ratings.csv.zst"] {
        let file = fs::File::open(path(name)).unwrap();
        let mut piped = program(folder.path(), &format!("fit - {line} --json --quiet"));
        let piped = piped.stdin(file).output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&piped.stdout).unwrap();
        assert_eq!(report["model_digest"], expected.as_str(), "{name} by a pipe");
        assert_eq!(report["data"]["path"], "standard input", "{name}");
    }
    if cfg!(feature = "parquet") {
        assert_eq!(digest("ratings.parquet"), expected);
    } else {
        let said = ends(folder.path(), &format!("fit {} {line}", path("ratings.parquet")), 2).err;
        assert!(said.contains("build with --features parquet"), "{said}");
    }
    // The model depends on the ratings.
    let text = fs::read_to_string(path("ratings.csv")).unwrap();
    fs::write(folder.path().join("other.csv"), text.replace("3.5", "4.5")).unwrap();
    let other = report(folder.path(), &format!("fit other.csv {line}"));
    assert_ne!(other["model_digest"], expected.as_str());
}
