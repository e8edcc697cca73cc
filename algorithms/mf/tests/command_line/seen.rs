//! Rated pairs: the folder of a model stores them, lists leave them out, and without them a message says what
//! to give.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use raddle_mf::files::Saved;
use serde_json::Value;

use super::program::{ends, json, report, scratch};

type Pairs = BTreeSet<(String, String)>;

/// Ratings of 30 users and 20 items; every user has rated some, and none has rated all.
fn ratings(folder: &Path, name: &str, users: std::ops::Range<usize>) -> Pairs {
    let (mut text, mut pairs) = (String::new(), Pairs::new());
    for user in users {
        for at in 0..9 {
            let item = (user * 3 + at * 2 + at / 5) % 20;
            // Items differ, so that they can be ranked.
            text += &format!("u{user}\ti{item}\t{}\n", 1 + item % 5);
            pairs.insert((format!("u{user}"), format!("i{item}")));
        }
    }
    fs::write(folder.join(name), text).unwrap();
    pairs
}

/// The pairs that a model lists.
fn listed(folder: &Path, line: &str) -> Pairs {
    let pair = |line: &str| {
        let mut cells = line.split('\t').map(str::to_owned);
        (cells.next().unwrap(), cells.next().unwrap())
    };
    ends(folder, line, 0).out.lines().map(pair).collect()
}

/// Rated pairs in the folder of a model.
fn kept(folder: &Path, run: &str) -> Option<Pairs> {
    let Saved { about, seen, .. } = Saved::open(&folder.join(run)).unwrap();
    let seen = seen?;
    let rows = |user: usize| seen.row(user as u32).iter().map(move |&item| (user, item as usize));
    let names = |(user, item)| (about.users.name(user), about.items.name(item));
    Some((0..about.users.len()).flat_map(rows).map(names).collect())
}

#[test]
fn every_way_to_a_model_keeps_what_was_rated_and_lists_leave_it_out() {
    let folder = scratch();
    let folder = folder.path();
    let all = ratings(folder, "r.tsv", 0..30);
    fs::write(folder.join("c"), "+ u0 i19 3\n+ new i1 4\n=\n- u7\n- u1 i3\n").unwrap();
    let mut changed = all.clone();
    changed.extend([("u0", "i19"), ("new", "i1")].map(|(user, item)| (user.to_owned(), item.to_owned())));
    changed.retain(|(user, item)| user != "u7" && (user != "u1" || item != "i3"));
    ends(folder, "fit r.tsv --rank 2 --epochs 2 --out first", 0);
    for (line, expected) in [
        ("fit r.tsv --rank 2 --epochs 2", &all),
        ("fit r.tsv --rank 2 --epochs 2 --validation 0.3", &all),
        ("fit r.tsv --rank 2 --epochs 2 --refit", &all),
        ("fit r.tsv --rank 2 --epochs 2 --solver als", &all),
        ("fit r.tsv --rank 2 --epochs 2 --solver ccd --workers 2 --rescale 1:1", &all),
        ("fit r.tsv --rank 2 --epochs 2 --implicit", &all),
        ("fit r.tsv --rank 2 --epochs 2 --cache kept", &all),
        ("fit r.tsv --rank 2 --epochs 2 --implicit --cache kept", &all),
        ("fit r.tsv --rank 2 --epochs 2 --init first", &all),
        ("cv r.tsv --ranks 1,2 --folds 2 --epochs 2", &all),
        ("fit r.tsv --rank 2 --epochs 2 --changes c", &changed),
        ("fit r.tsv --rank 2 --epochs 2 --changes c --cold", &changed),
    ] {
        ends(folder, &format!("{line} --out run --force --quiet"), 0);
        assert_eq!(kept(folder, "run").as_ref(), Some(expected), "{line}");
        let found = listed(folder, "recommend run --top 20");
        assert!(!found.is_empty() && found.is_disjoint(expected), "{line}");
        let whole = listed(folder, "recommend run --top 20 --with-seen");
        assert!(whole.is_superset(expected) && whole.is_superset(&found), "{line}");
    }
    // Test data are not known to the model: lists may contain them, as they are measured by them.
    ends(folder, "fit r.tsv --rank 2 --epochs 2 --test split --out run --force", 0);
    let known = kept(folder, "run").unwrap();
    assert!(known.len() < all.len() && known.is_subset(&all));
    ends(folder, "fit r.tsv --rank 2 --epochs 2 --test split --cache kept --out parts", 0);
    assert_eq!(kept(folder, "parts").unwrap(), known);
    // Validation data in a file of their own are known.
    fs::write(folder.join("v.tsv"), "u3\ti1\t4\nu4\ti1\t4\n").unwrap();
    let validated: Pairs = [("u3", "i1"), ("u4", "i1")].map(|(u, i)| (u.into(), i.into())).into();
    assert!(validated.is_disjoint(&all));
    ends(folder, "fit r.tsv --rank 2 --epochs 2 --validation v.tsv --out run --force", 0);
    assert_eq!(kept(folder, "run").unwrap(), &all | &validated);
}

/// Pairs that the report of a fit lists.
fn reported(folder: &Path, run: &str) -> Pairs {
    let summary = json(folder, &format!("{run}/summary.json"));
    let tables = summary["tables"].as_array().unwrap();
    let lists = tables.iter().find(|table| table["title"] == "recommendations").unwrap();
    let text = |cell: &Value| cell.as_str().unwrap().to_owned();
    lists["rows"].as_array().unwrap().iter().map(|row| (text(&row[0]), text(&row[1]))).collect()
}

#[test]
fn pairs_that_are_held_out_to_validate_on_are_rated_whether_or_not_anything_is_learned_of_them() {
    let folder = scratch();
    let folder = folder.path();
    ratings(folder, "many.tsv", 10..40);
    // The first users have one rating each.
    let mut text: String = (0..10).map(|user| format!("u{user}\ti{}\t4\n", user + 3)).collect();
    text += &fs::read_to_string(folder.join("many.tsv")).unwrap();
    let timed = |(at, line): (usize, &str)| format!("{line}\t{}\n", at * 7 % 100);
    fs::write(folder.join("r.tsv"), text.lines().enumerate().map(timed).collect::<String>()).unwrap();
    let pair = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        (cells[0].to_owned(), cells[1].to_owned())
    };
    let all: Pairs = text.lines().map(pair).collect();
    for held in [
        "--validation 0.4",
        "--validation last:0.4",
        "--validation 0.4 --no-biases",
        "--validation 0.4 --test split",
        "--validation last:0.4 --test last:0.2",
    ] {
        let fit = format!("fit r.tsv --rank 2 --epochs 2 {held} --force");
        let whole = report(folder, &format!("{fit} --out whole"));
        assert!(whole["results"]["validation_cold"].as_u64().unwrap() > 0, "{held}: {whole}");
        ends(folder, &format!("{fit} --cache kept --out parts"), 0);
        let known = kept(folder, "whole").unwrap();
        assert_eq!(kept(folder, "parts").as_ref(), Some(&known), "{held}");
        match held.contains("--test") {
            true => assert!(known.len() < all.len() && known.is_subset(&all), "{held}"),
            false => assert_eq!(known, all, "{held}"),
        }
        for run in ["whole", "parts"] {
            assert!(listed(folder, &format!("recommend {run} --top 20")).is_disjoint(&known), "{held}");
            let shown = reported(folder, run);
            assert!(!shown.is_empty() && shown.is_disjoint(&known), "{held}, {run}");
        }
    }
}

#[test]
fn a_fit_from_a_model_keeps_what_its_folder_knew_as_rated() {
    let folder = scratch();
    let folder = folder.path();
    let all = ratings(folder, "r.tsv", 0..30);
    // Other pairs of some of the users, with new ones and a new item.
    let (mut text, mut more) = (String::new(), Pairs::new());
    for (user, item) in (25..35).flat_map(|user| (0..6).map(move |at| (user, (user * 3 + at * 5 + 1) % 21))) {
        text += &format!("u{user}\ti{item}\t{}\n", 1 + item % 5);
        more.insert((format!("u{user}"), format!("i{item}")));
    }
    fs::write(folder.join("more.tsv"), text).unwrap();
    assert!(!more.is_subset(&all) && !all.is_subset(&more));
    let both = &all | &more;
    ends(folder, "fit r.tsv --rank 2 --epochs 2 --out first", 0);
    for options in ["", "--solver als", "--validation 0.3 --refit", "--validation none"] {
        ends(folder, &format!("fit more.tsv --rank 2 --epochs 2 --init first {options} --out on --force"), 0);
        assert_eq!(kept(folder, "on").as_ref(), Some(&both), "{options}");
        let found = listed(folder, "recommend on --top 21");
        assert!(!found.is_empty() && found.is_disjoint(&both), "{options}");
        let shown = reported(folder, "on");
        assert!(!shown.is_empty() && shown.is_disjoint(&both), "{options}");
    }
    ends(folder, "fit more.tsv --rank 2 --epochs 2 --init first --no-seen --out on --force", 0);
    assert_eq!(kept(folder, "on"), None);
    // Without pairs in the model's folder, nothing is known.
    ends(folder, "fit r.tsv --rank 2 --epochs 2 --no-seen --out unknown", 0);
    ends(folder, "fit more.tsv --rank 2 --epochs 2 --init unknown --out on --force", 0);
    assert_eq!(kept(folder, "on"), None);
    assert!(reported(folder, "on").is_disjoint(&more));
}

#[test]
fn a_run_that_goes_on_keeps_what_was_rated() {
    let folder = scratch();
    let folder = folder.path();
    let all = ratings(folder, "r.tsv", 0..30);
    for options in ["", "--cache kept", "--solver als"] {
        let line = format!(
            "fit r.tsv --rank 2 --epochs 4 {options} --checkpoint-every 1 --time-limit 0 --out run --force"
        );
        ends(folder, &line, 3);
        assert_eq!(kept(folder, "run").as_ref(), Some(&all), "{options}");
        ends(folder, &format!("fit r.tsv --rank 2 --epochs 4 {options} --resume run"), 0);
        assert_eq!(kept(folder, "run").as_ref(), Some(&all), "{options}");
    }
}

#[test]
fn rows_that_are_folded_in_have_rated_what_they_were_folded_in_by() {
    let folder = scratch();
    let folder = folder.path();
    let all = ratings(folder, "r.tsv", 0..20);
    let more = ratings(folder, "more.tsv", 15..25);
    ends(folder, "fit r.tsv --rank 2 --epochs 2 --out run", 0);
    let said: Value =
        serde_json::from_str(&ends(folder, "fold-in run more.tsv --out wider --top 20 --json", 0).out)
            .unwrap();
    for list in said["recommendations"].as_array().unwrap() {
        let user = list["user"].as_str().unwrap().to_owned();
        for item in list["items"].as_array().unwrap() {
            assert!(!more.contains(&(user.clone(), item["item"].as_str().unwrap().to_owned())), "{list}");
        }
    }
    let both: Pairs = all.union(&more).cloned().collect();
    assert_eq!(kept(folder, "wider"), Some(both.clone()));
    assert!(listed(folder, "recommend wider --top 20").is_disjoint(&both));
    // Without pairs in the model's folder, nothing is known.
    ends(folder, "fit r.tsv --rank 2 --epochs 2 --no-seen --out unknown", 0);
    ends(folder, "fold-in unknown more.tsv --out wider --force", 0);
    assert_eq!(kept(folder, "wider"), None);
}

#[test]
fn a_folder_without_it_says_what_to_give_and_is_smaller() {
    let folder = scratch();
    let folder = folder.path();
    let all = ratings(folder, "r.tsv", 0..30);
    ends(folder, "fit r.tsv --rank 2 --epochs 2 --out with", 0);
    ends(folder, "fit r.tsv --rank 2 --epochs 2 --no-seen --out without", 0);
    let digest = |run: &str| json(folder, &format!("{run}/report.json"))["model_digest"].clone();
    assert_eq!(digest("with"), digest("without"));
    assert!(folder.join("with/seen.npz").exists() && !folder.join("without/seen.npz").exists());
    assert_eq!(kept(folder, "without"), None);
    let refused = ends(folder, "recommend without", 2).err;
    assert!(refused.contains("give --exclude DATA") && refused.contains("--with-seen"), "{refused}");
    assert!(listed(folder, "recommend without --top 20 --exclude r.tsv").is_disjoint(&all));
    assert!(!listed(folder, "recommend without --top 20 --with-seen").is_disjoint(&all));
    // Excluded pairs are left out in addition.
    fs::write(folder.join("more.tsv"), "u3\ti9\t1\nu3\ti8\t1\n").unwrap();
    let extra: Pairs = [("u3", "i9"), ("u3", "i8")].map(|(user, item)| (user.into(), item.into())).into();
    let found = listed(folder, "recommend with --top 20 --exclude more.tsv");
    assert!(found.is_disjoint(&all) && found.is_disjoint(&extra));
    // With --with-seen, only the file says what is left out.
    let found = listed(folder, "recommend with --top 20 --exclude more.tsv --with-seen");
    assert!(found.is_disjoint(&extra) && !found.is_disjoint(&all));
    // Predictions and similar items need no pairs.
    ends(folder, "predict without r.tsv", 0);
    ends(folder, "similar without i3", 0);
    // A truncated file is refused by its name.
    let bytes = fs::read(folder.join("with/seen.npz")).unwrap();
    fs::write(folder.join("with/seen.npz"), &bytes[..bytes.len() / 2]).unwrap();
    assert!(ends(folder, "recommend with", 2).err.contains("seen.npz"));
}

/// Ids are read back from the lines of every verb, whatever characters they contain.
#[test]
fn ids_with_line_breaks_tabs_and_quotes_are_quoted_wherever_they_are_printed_and_read_again() {
    let folder = scratch();
    let folder = folder.path();
    let (users, items) = (["new\nline", "a\tb", "say \"x\""], ["i\n1", "\"q\"", "plain, with comma", "t\ta"]);
    let quoted = |id: &str| format!("\"{}\"", id.replace('"', "\"\""));
    let mut text = String::from("user,item,rating\n");
    for (u, user) in users.iter().enumerate() {
        for (i, item) in items.iter().enumerate().filter(|(i, _)| *i != u) {
            text += &format!("{},{},{}\n", quoted(user), quoted(item), 1 + (u + i) % 5);
        }
    }
    fs::write(folder.join("r.csv"), &text).unwrap();
    ends(folder, "fit r.csv --rank 2 --epochs 3 --validation none --out run", 0);
    // The lines are records of CSV with tabs.
    let records = |out: &str| -> Vec<Vec<String>> {
        let (mut records, mut record, mut cell, mut is_quoted) =
            (Vec::new(), Vec::new(), String::new(), false);
        for letter in out.chars() {
            match letter {
                '"' => is_quoted = !is_quoted,
                '\t' if !is_quoted => record.push(std::mem::take(&mut cell)),
                '\n' if !is_quoted => {
                    record.push(std::mem::take(&mut cell));
                    records.push(std::mem::take(&mut record));
                    continue;
                }
                _ => {}
            }
            if letter != '"' && (is_quoted || letter != '\t') {
                cell.push(letter);
            }
        }
        records
    };
    let plain = |id: &str| id.replace('"', "");
    let all: BTreeSet<String> = users.iter().map(|user| plain(user)).collect();
    for (line, count) in [
        ("recommend run --top 9", 3),
        ("recommend run --top 9 --with-seen", 12),
        ("predict run r.csv", 9),
        ("similar run --users users.txt --top 9", 9),
    ] {
        // Ids of a file, one a line, as they are written.
        let ids: String = users.iter().map(|user| quoted(user) + "\n").collect();
        fs::write(folder.join("users.txt"), ids).unwrap();
        let found = records(&ends(folder, line, 0).out);
        assert_eq!(found.len(), count, "{line}: {found:?}");
        assert!(found.iter().all(|record| record.len() == 3), "{line}: {found:?}");
        assert_eq!(found.iter().map(|record| record[0].clone()).collect::<BTreeSet<_>>(), all, "{line}");
    }
    // Lists that come back as options.
    let lines = ends(folder, "recommend run --top 9", 0).out;
    fs::write(folder.join("lists.tsv"), &lines).unwrap();
    let said = ends(folder, "recommend run --users users.txt --top 9", 0).out;
    assert_eq!(said, lines);
    // A file of predictions is read as the same pairs.
    ends(folder, "predict run r.csv --out p.tsv", 0);
    let again = ends(folder, "predict run p.tsv", 0).out;
    assert_eq!(again, fs::read_to_string(folder.join("p.tsv")).unwrap());
    // Changes name such ids in quotes.
    fs::write(folder.join("c"), "- \"a\tb\"\n+ \"say \"\"x\"\"\" \"plain, with comma\" 5\n").unwrap();
    ends(
        folder,
        "fit r.csv --rank 2 --epochs 3 --validation none --changes c --save-data left.tsv --out on",
        0,
    );
    let left = kept(folder, "on").unwrap();
    let known = kept(folder, "run").unwrap();
    let (forgotten, added) = ("a\tb", ("say \"x\"".to_owned(), "plain, with comma".to_owned()));
    assert!(!known.contains(&added) && known.iter().filter(|(user, _)| user == forgotten).count() == 3);
    let mut expected: Pairs = known.into_iter().filter(|(user, _)| user != forgotten).collect();
    expected.insert(added);
    assert_eq!(left, expected);
    ends(folder, "fit left.tsv --rank 2 --epochs 3 --validation none --out left", 0);
    assert_eq!(kept(folder, "left").unwrap(), left);
}
