//! `mf similar`.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::program::{CLICKS, SMALL, array, ends, json, report, scratch};
use raddle_common::testing::{not_empty, pairs};

/// Parses the lines of lists.
fn lists(folder: &Path, options: &str) -> Vec<(String, String, f64)> {
    let ran = ends(folder, &format!("similar {options}"), 0);
    let parse = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!(cells.len(), 3, "{line}");
        (cells[0].to_owned(), cells[1].to_owned(), cells[2].parse().unwrap())
    };
    ran.out.lines().map(parse).collect()
}

/// Returns the cosine of each row with one of them, from the files of a model.
fn cosines(run: &Path, side: &str, name: &str) -> HashMap<String, f64> {
    let (_, factors) = array(run, &format!("{side}_factors.npy"));
    let about = json(run, "model.json");
    let rank = about["rank"].as_u64().unwrap() as usize;
    let text = |id: &Value| id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    let ids: Vec<String> = about[format!("{side}s")].as_array().unwrap().iter().map(text).collect();
    let rows: HashMap<&String, &[f32]> = ids.iter().zip(factors.chunks_exact(rank)).collect();
    let dot =
        |a: &[f32], b: &[f32]| -> f64 { a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum() };
    let asked = rows[&name.to_owned()];
    let cosine = |row: &[f32]| dot(row, asked) / (dot(row, row) * dot(asked, asked)).sqrt();
    ids.iter().map(|id| (id.clone(), cosine(rows[id]))).collect()
}

#[test]
fn items_and_users_of_the_largest_cosines_are_listed() {
    let folder = scratch();
    ends(folder.path(), &format!("fit {SMALL} --rank 4 --epochs 6 --out run"), 0);
    ends(folder.path(), &format!("fit {CLICKS} --rank 3 --epochs 3 --solver als --implicit --out clicks"), 0);
    for (run, side, options, asked) in [
        ("run", "item", "7,12", ["7", "12"]),
        ("run", "user", "--users 30,2", ["30", "2"]),
        ("clicks", "item", "0,59", ["0", "59"]),
    ] {
        let found = lists(folder.path(), &format!("{run} {options} --top 6"));
        for (list, asked) in pairs(found.chunks(6), asked) {
            assert_eq!(list[0], (asked.to_owned(), asked.to_owned(), 1.0));
            let expected = cosines(&folder.path().join(run), side, asked);
            let mut best: Vec<f64> = expected.values().copied().collect();
            best.sort_by(|a, b| b.total_cmp(a));
            for ((who, what, similarity), best) in pairs(list, best.into_iter().take(6)) {
                assert_eq!(who, asked);
                assert!(
                    (similarity - expected[what]).abs() < 1e-5 && (similarity - best).abs() < 1e-5,
                    "{list:?}"
                );
            }
        }
    }
    let some = lists(folder.path(), "run 7 --only 1,7,3,4 --without 4");
    let mut names: Vec<&str> = some.iter().map(|line| &*line.1).collect();
    names.sort_unstable();
    assert_eq!((&*some[0].1, &*names), ("7", &["1", "3", "7"][..]));
    assert!(lists(folder.path(), "run 7 --without 7").iter().all(|line| line.1 != "7"));
    for workers in [1, 3] {
        let again = lists(folder.path(), &format!("run 7,12 --top 6 --workers {workers}"));
        assert_eq!(again, lists(folder.path(), "run 7,12 --top 6"));
    }
}

#[test]
fn ids_are_texts_too_and_lists_go_to_files_and_json() {
    let folder = scratch();
    let path = folder.path();
    fs::write(path.join("r.csv"), "a,\"Lee,Ann\",5\na,y,3\nb,\"Lee,Ann\",4\nb,y,2\nb,z,1\na,z,4\n").unwrap();
    ends(path, "fit r.csv --rank 2 --epochs 2 --validation none --out run --quiet", 0);
    fs::write(path.join("ids.txt"), "y\nLee,Ann\n").unwrap();
    let lines = ends(path, "similar run ids.txt --top 2", 0).out;
    assert_eq!(lines.lines().filter(|line| line.starts_with("Lee,Ann\t")).count(), 2);
    assert_eq!(ends(path, "similar run y,\"Lee,Ann\" --top 2", 0).out, lines);
    assert_eq!(
        ends(path, "similar run ids.txt --top 2 -o l.tsv -w 2", 0).out.trim(),
        "items similar to 2 items"
    );
    assert_eq!(fs::read_to_string(path.join("l.tsv")).unwrap(), lines);
    let found = report(path, "similar run y --top 2");
    assert_eq!(found["notes"], serde_json::json!([]));
    let list = &found["similar"][0];
    assert_eq!(
        (&list["item"], &list["items"][0]),
        (&"y".into(), &serde_json::json!({"item": "y", "score": 1.0}))
    );
    let found = report(path, "similar run --users b");
    assert_eq!(
        (&found["similar"][0]["user"], &found["similar"][0]["users"][0]["user"]),
        (&"b".into(), &"b".into())
    );
    let found = report(path, "similar run y --out l.tsv");
    assert_eq!(found, serde_json::json!({"notes": [], "asked": 1, "unlearned": 0}));
}

#[test]
fn unknown_ids_and_models_without_factors_are_named() {
    let folder = scratch();
    let path = folder.path();
    ends(path, &format!("fit {SMALL} --rank 2 --epochs 2 --out run --quiet"), 0);
    fs::write(path.join("fives.csv"), "1,1,5\n1,2,5\n2,1,5\n2,2,5\n3,1,5\n3,2,5\n").unwrap();
    ends(path, "fit fives.csv --rank 2 --out flat", 0);
    for (line, why) in [
        ("run 7,x", "ITEM: the model has no item `x`"),
        ("run --users 7,x", "--users: the model has no user `x`"),
        ("run 7 --users 7", "cannot be used with"),
        ("run", "required"),
        ("run ,", "there is no id in it"),
        ("run 7 --top 0", "--top is 0"),
        ("run 7 --workers 0", "a whole number from 1 to 1024"),
        ("run 7 --only 7 --without 7", "--only and --without leave no item to choose"),
        ("flat 1", "flat: the model has no factors to compare by"),
        ("nowhere 1", "give the folder that --out wrote"),
    ] {
        let refused = ends(path, &format!("similar {line}"), 2);
        assert!(refused.err.contains(why), "{line}: {}", refused.err);
    }
    // Users without trained ratings have no factors.
    fs::write(path.join("some.csv"), "1,1,5\n1,2,3\n2,1,4\n2,2,2\n").unwrap();
    ends(path, "fit some.csv --rank 2 --epochs 2 --validation none --out some --quiet", 0);
    fs::write(path.join("new.csv"), "1,1,5\n9,3,2\n").unwrap();
    ends(path, "fold-in some new.csv --out wider", 0);
    let ran = ends(path, "similar wider --users 9", 0);
    assert!(ran.err.contains("1 user of which no factors were learned"), "{}", ran.err);
    assert!(not_empty(ran.out.lines()).all(|line| line.ends_with("\t0")), "{}", ran.out);
}
