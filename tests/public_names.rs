//! Names of `raddle data list` in the place of data: what is fetched is read by its name, and what is not
//! here says how to have it.

use std::fs;
use std::path::Path;

use raddle_common::testing::Ran;

use crate::commands::command;

/// Runs a line in a folder, with the sets in its `data`.
fn run(folder: &Path, line: &str) -> Ran {
    Ran::new(command(folder, line).env("RADDLE_DATA", folder.join("data")).output().unwrap())
}

#[test]
fn a_set_that_is_not_here_says_the_line_that_fetches_it_and_the_build_that_can() {
    let folder = tempfile::tempdir().unwrap();
    for (line, name) in [
        ("lasso fit rcv1", "rcv1"),
        ("lasso path real-sim", "real-sim"),
        ("lasso cv news20", "news20"),
        ("lasso fit diabetes --test rcv1", "rcv1"),
        ("linear fit e2006-tfidf", "e2006-tfidf"),
        ("linear cv rcv1", "rcv1"),
        ("mf fit ml-20m", "ml-20m"),
        ("mf fit ml-1m", "ml-1m"),
        ("mf cv ml-25m", "ml-25m"),
        ("lda fit nips", "nips"),
        ("lda fit 20news-bydate --text text", "20news-bydate"),
        ("raddle launch --processes 2 -- lasso fit rcv1", "rcv1"),
    ] {
        let ran = run(folder.path(), line);
        let is_told = ran.err.contains(&format!("`raddle data fetch {name}` fetches it"))
            && ran.err.contains("`cargo build --release --features raddle-data/fetch`");
        assert!(ran.code == Some(2) && is_told, "{line}: {}", ran.err);
    }
    let ran = run(folder.path(), "lasso fit mice");
    assert!(
        ran.code == Some(2) && ran.err.contains("`raddle data list mice` says how it was made"),
        "{}",
        ran.err
    );
}

#[test]
fn a_set_for_other_programs_says_which() {
    let folder = tempfile::tempdir().unwrap();
    for (line, said) in [
        ("lasso fit ml-1m", "`ml-1m` is a set of ratings, which mf reads"),
        ("linear fit nips", "`nips` is a corpus, which lda reads"),
        ("mf fit rcv1", "`rcv1` is a table, which lasso and linear read"),
        ("lda fit mice", "`mice` is a table, which lasso and linear read"),
    ] {
        let ran = run(folder.path(), line);
        assert!(ran.code == Some(2) && ran.err.contains(said), "{line}: {}", ran.err);
    }
}

#[test]
fn a_set_that_was_fetched_is_read_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let write = |file: &str, text: String| {
        let path = folder.path().join("data").join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let rows = |row: fn(usize) -> String| (1..=30).map(row).collect::<String>();
    let class = |i: usize| if i.is_multiple_of(2) { "+1" } else { "-1" };
    let vectors = (1..=30).map(|i| format!("{} 1:{} 2:{}\n", class(i), i % 5, i % 7)).collect::<String>();
    write("lasso/rcv1_train.binary.svm", vectors);
    let ratings = rows(|i| format!("{},{},{},{i}\n", i % 6, i % 5, i % 4 + 1));
    write("mf/ml-20m.csv", format!("userId,movieId,rating,timestamp\n{ratings}"));
    write(
        "lda/20news-bydate.jsonl",
        rows(|i| format!("{{\"text\": \"apple pear plum word{} apple\"}}\n", i % 3)),
    );
    for (line, said) in [
        ("lasso fit rcv1 --loss logistic --json", "\"rows\":30"),
        ("lasso predict run rcv1 --json", "\"rows\":30"),
        ("linear fit rcv1 --json", "\"rows\":30"),
        ("mf fit ml-20m --rank 2 --validation none --epochs 2 --json", "\"ratings\":30"),
        ("lda fit 20news-bydate --text text --topics 2 --epochs 2 --json", "\"documents\":30"),
        ("raddle launch --processes 2 -- lasso fit rcv1 --loss logistic --json", "\"rows\":30"),
        (
            "raddle launch --processes 2 -- mf fit ml-20m --rank 2 --validation none --epochs 2 --json",
            "\"ratings\":30",
        ),
    ] {
        if line.starts_with("lasso predict") {
            run(folder.path(), "lasso fit rcv1 --loss logistic --out run --force");
        }
        let ran = run(folder.path(), line);
        assert!(matches!(ran.code, Some(0 | 3)) && ran.out.contains(said), "{line}: {} {}", ran.out, ran.err);
    }
}
