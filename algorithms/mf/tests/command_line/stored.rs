//! `--cache`: ratings that are read by parts give the model, the report and the errors of ratings in memory.

use std::fs;

use super::program::{ends, report, scratch};

/// Options of splits, and of measures.
const LINES: [&str; 8] = [
    "--epochs 4",
    "--epochs 4 --validation none --shards 5",
    "--epochs 3 --test split --min-count 3",
    "--epochs 3 --test split --validation none --target 3",
    "--epochs 3 --test last:0.1 --validation last:0.2",
    "--solver als --epochs 3 --test split --shards 3",
    "--implicit 2 --epochs 2 --test split",
    "--solver ccd --epochs 2 --shards 2",
];

#[test]
fn ratings_read_by_parts_give_the_model_of_ratings_in_memory() {
    let folder = scratch();
    let hash = |at: u64| (at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize;
    let line = |at: u64| {
        let (user, item) = (hash(at) % 90, hash(at + 7777) % 40);
        format!("u{user},{item},{},{}\n", hash(at + 99) % 5, hash(at + 5) % 300)
    };
    fs::write(folder.path().join("a.csv"), (0..3000).map(line).collect::<String>()).unwrap();
    for line in LINES {
        let line = format!("fit a.csv --rank 4 --workers 2 {line}");
        let plain = report(folder.path(), &line);
        for _ in 0..2 {
            let kept = report(folder.path(), &format!("{line} --cache kept"));
            for part in ["model_digest", "data", "results", "metric", "ending", "rounds"] {
                assert_eq!(kept[part], plain[part], "{part} of {line}");
            }
        }
    }
    // The ratings are stored as read with times, without times, and for --implicit without an offset.
    let kept = fs::read_dir(folder.path().join("kept")).unwrap();
    let kept = kept.filter(|file| file.as_ref().unwrap().path().extension().unwrap() == "ratings");
    assert_eq!(kept.count(), 3);
}

#[test]
fn what_is_wrong_is_said_in_the_same_words() {
    let folder = scratch();
    fs::write(folder.path().join("a.csv"), "1,2,3\n1,3,4\n2,2,-1\n").unwrap();
    for line in [
        "fit nothing.csv",
        "fit a.csv --validation 2",
        "fit a.csv --test 0.5",
        "fit a.csv --test last:0.1",
        "fit a.csv --min-count 9",
    ] {
        let plain = ends(folder.path(), line, 2);
        let kept = ends(folder.path(), &format!("{line} --cache kept"), 2);
        assert_eq!(kept.err, plain.err, "{line}");
    }
    let refused = ends(folder.path(), "fit a.csv --cache a.csv/kept", 2);
    assert!(refused.err.contains("name another cache"), "{}", refused.err);
}
