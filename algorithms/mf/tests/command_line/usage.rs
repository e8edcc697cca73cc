//! `mf predict`, `mf recommend` and `mf fold-in`.

use std::collections::HashSet;
use std::fs;

use raddle_datasets::ratings::generate;

use crate::program::{SMALL, ends, json, scratch};

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
    // Who has rated nearly everything gets what is left.
    assert!((340..=360).contains(&all.len()), "{}", all.len());
    assert!(all.iter().all(|(user, item, _)| !seen.contains(&(user.parse().unwrap(), *item))));
    for list in all.chunk_by(|a, b| a.0 == b.0) {
        assert!(list.len() <= 3 && list.is_sorted_by(|a, b| a.2 >= b.2), "{list:?}");
    }
    let some = lists("--top 4 --users 7,3,stranger --only 1,2,3,4,5 --without 2");
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
    assert!(ran.out.starts_with("folded in 20 users and 10 items"), "{}", ran.out);
    let rmse = |folder_name: &str| -> f64 {
        let ran = ends(folder.path(), &format!("predict {folder_name} all.tsv --out p.tsv"), 0);
        ran.out.split("rmse ").nth(1).unwrap().split(',').next().unwrap().parse().unwrap()
    };
    assert!(rmse("wider") < 0.9 * rmse("run"), "{} {}", rmse("wider"), rmse("run"));
    let ids = json(&folder.path().join("wider"), "model.json")["users"].clone();
    assert_eq!(ids.as_array().unwrap().len(), 120);
    let again = ends(folder.path(), "fold-in wider all.tsv", 0);
    assert!(again.out.starts_with("folded in 0 users and 0 items"), "{}", again.out);
}
