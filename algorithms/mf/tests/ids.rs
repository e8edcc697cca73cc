//! An id is its bytes: ids of digits with leading zeros or signs are distinct, wherever they come from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use proptest::prelude::*;
use raddle_datasets::ratings::whole_id;
use raddle_datasets::{Duplicates, Ids, Ratings, RatingsOptions, read_ratings};
use raddle_mf::files::Saved;
use raddle_mf::{LiveRatings, Mf, Problem, RatingChange};

use crate::command_line::program::{ends, scratch};

/// Ids of which many are the same number, or exceed 32 bits.
fn id() -> impl Strategy<Value = String> {
    let known = proptest::sample::select(vec![
        "0",
        "00",
        "+0",
        "-0",
        "7",
        "07",
        "007",
        "+7",
        "-7",
        "10",
        "010",
        "4294967294",
        "4294967295",
        "4294967296",
        "04294967295",
        "18446744073709551615",
        "18446744073709551616",
        "1e1",
        "0x7",
    ]);
    prop_oneof![known.prop_map(str::to_owned), "[0-9]{1,2}", "[+-]?[0-9]{1,11}"]
}

fn rating() -> impl Strategy<Value = (String, String, u8)> {
    (id(), id(), 1_u8..6)
}

/// The last rating of each pair, in the order of lines; and the pairs, by name.
fn last(lines: &[(String, String, u8)]) -> BTreeMap<(String, String), f32> {
    lines.iter().map(|(user, item, value)| ((user.clone(), item.clone()), f32::from(*value))).collect()
}

fn named(ratings: &Ratings) -> BTreeMap<(String, String), f32> {
    let names =
        |(user, item, value)| ((ratings.users.name(user as usize), ratings.items.name(item as usize)), value);
    let all: BTreeMap<_, _> = ratings.triples.iter().map(names).collect();
    assert_eq!(all.len(), ratings.triples.len(), "no pair twice");
    all
}

fn text(lines: &[(String, String, u8)]) -> String {
    lines.iter().map(|(user, item, value)| format!("{user}\t{item}\t{value}\n")).collect()
}

/// Checks that every id has its own row, and no other text has one.
fn finds_its_own(ids: &Ids, others: &[String]) {
    let index = ids.index();
    let own: BTreeSet<String> = (0..ids.len()).map(|row| ids.name(row)).collect();
    assert_eq!(own.len(), ids.len(), "no id twice");
    (0..ids.len()).for_each(|row| assert_eq!(index.row(&ids.name(row)), Some(row as u32)));
    others.iter().filter(|id| !own.contains(*id)).for_each(|id| assert_eq!(index.row(id), None, "{id}"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn an_id_is_its_bytes_when_read_changed_saved_and_asked_for(
        base in proptest::collection::vec(rating(), 1..12),
        changes in proptest::collection::vec(rating(), 0..12),
        others in proptest::collection::vec(id(), 9),
        forgets: bool,
    ) {
        let folder = scratch();
        let path = folder.path().join("a.tsv");
        let read = |lines: &[(String, String, u8)]| {
            fs::write(&path, text(lines)).unwrap();
            let options = RatingsOptions { keep_repeated: true, ..RatingsOptions::default() };
            (read_ratings(&path, &RatingsOptions::default()).unwrap(), read_ratings(&path, &options).unwrap())
        };
        let (whole, repeated) = read(&base);
        prop_assert_eq!(named(&whole), last(&base));
        // Changes use the ids, and a file of the remaining ratings has them.
        let mut live = LiveRatings::new(&repeated, Duplicates::Last, 1);
        let inserts: Vec<RatingChange> = changes.iter().cloned().map(|(user, item, value)| {
            RatingChange::Insert { user, item, value: f32::from(value).into() }
        }).collect();
        live.apply(&inserts).unwrap();
        let mut left: Vec<_> = base.iter().chain(&changes).cloned().collect();
        if forgets {
            let user = left[0].0.clone();
            live.apply(&[RatingChange::Forget { user: user.clone() }]).unwrap();
            left.retain(|line| line.0 != user);
        }
        prop_assert_eq!(named(&live.ratings()), last(&left));
        let (as_in_file, edited) = (live.as_in_file(), left.is_empty().then(|| whole.clone()));
        let edited = edited.unwrap_or_else(|| read(&left).0);
        if !left.is_empty() {
            prop_assert_eq!(&as_in_file.users, &edited.users);
            prop_assert_eq!(&as_in_file.items, &edited.items);
            prop_assert_eq!(&as_in_file.triples, &edited.triples);
        }
        // Undone changes leave the ids unchanged.
        live.apply(&[RatingChange::Insert { user: "x".into(), item: "07".into(), value: 1.0 }]).unwrap();
        live.undo();
        prop_assert_eq!(named(&live.ratings()), last(&left));
        // A model stores the ids.
        let (users, items) = (edited.users.clone(), edited.items.clone());
        let problem = Problem::new(users.len(), items.len(), edited.triples.clone()).unwrap();
        let fit = Mf::params().rank(1).epochs(1).fit(&problem).unwrap();
        fit.save(&folder.path().join("run"), (users, items), None).unwrap();
        let saved = Saved::open(&folder.path().join("run")).unwrap();
        for (found, expected) in [(&saved.about.users, &edited.users), (&saved.about.items, &edited.items)] {
            let names = |ids: &Ids| (0..ids.len()).map(|row| ids.name(row)).collect::<Vec<_>>();
            prop_assert_eq!(names(found), names(expected));
            finds_its_own(found, &others);
        }
    }

    #[test]
    fn a_number_is_an_id_that_it_prints(id in id()) {
        prop_assert_eq!(whole_id(id.as_bytes()), id.parse::<u32>().ok().filter(|number| number.to_string() == id));
    }
}

#[test]
fn ids_with_zeros_before_them_stay_apart_in_every_verb() {
    let folder = scratch();
    let folder = folder.path();
    fs::write(folder.join("z.csv"), "user,item,rating\n01,007,3\n1,7,4\n001,7,5\n01,7,1\n").unwrap();
    fs::write(folder.join("c"), "+ 2 7 3\n=\n").unwrap();
    let users = |run: &str| -> BTreeSet<String> {
        let said = ends(folder, &format!("recommend {run} --top 2 --with-seen"), 0).out;
        said.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
    };
    let all: BTreeSet<String> = ["01", "1", "001", "2"].map(str::to_owned).into();
    let fit = "fit z.csv --rank 1 --epochs 2 --validation none --force --changes c --save-data left.tsv";
    for how in ["--out warm", "--out cold --cold"] {
        ends(folder, &format!("{fit} {how}"), 0);
        assert_eq!(users(how.split(' ').nth(1).unwrap()), all, "{how}");
        let left = fs::read_to_string(folder.join("left.tsv")).unwrap();
        assert_eq!(left, "01\t007\t3\n1\t7\t4\n001\t7\t5\n01\t7\t1\n2\t7\t3\n", "{how}");
    }
    // A model of numbers does not confuse other texts with them.
    fs::write(folder.join("numbers.csv"), "user,item,rating\n1,7,3\n2,7,4\n1,8,5\n").unwrap();
    ends(folder, "fit numbers.csv --rank 1 --epochs 2 --validation none --out numbers", 0);
    let ran = ends(folder, "recommend numbers --users 01,+1,1 --with-seen --json", 0);
    let said: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert!(
        said["notes"].to_string().contains("2 users that the model does not have")
            || ran.err.contains("2 users that the model does not have"),
        "{said} {}",
        ran.err
    );
    assert!(ends(folder, "similar numbers 007", 2).err.contains("the model has no item `007`"));
    fs::write(folder.join("new.csv"), "user,item,rating\n01,7,3\n1,8,3\n").unwrap();
    let said = ends(folder, "fold-in numbers new.csv --out wider", 0).out;
    assert!(said.contains("folded in 1 user and 0 items: the model has 3 users"), "{said}");
    ends(folder, "fit new.csv --init numbers --rank 1 --epochs 2 --validation none --out on", 0);
    assert_eq!(users("on"), ["1", "2", "01"].map(str::to_owned).into());
}
