//! `mf fit --changes`: versions of ratings, their log, kills, and bad lines.

use std::fs;
use std::path::Path;

use raddle_common::testing::{Fed, Program, no_acknowledged_version_is_lost, not_empty, pairs};
use serde_json::Value;

use super::program::{MF, ends, json, ran, scratch};

/// Ratings of 40 users and 25 items as lines, and the options of a quick fit.
const LINES: usize = 600;
const FIT: &str = "--rank 4 --quiet";

fn line(at: usize) -> String {
    let (user, item) = (at * 7 % 40, at * 11 % 25 + at / 400);
    // Noisy, so that a fit of unknown length ends soon.
    let value = 1 + user % 3 * (item % 2) + (at * at * 31 + user * 7) % 101 % 3;
    format!("{user}\t{item}\t{value}")
}

fn base(folder: &Path) {
    let text: String = (0..LINES).map(|at| line(at) + "\n").collect();
    fs::write(folder.join("base.tsv"), text).unwrap();
}

/// Three versions: ratings are inserted and retracted, a user is forgotten, new users and items are added.
const CHANGES: &str =
    "# some come\n+ 3 4 5\n+ 5\t6\t2.5\n- 7 2\n=\n- 11\n=\n+ 90 3 4\n+ 90 91 1\n+ 2 91 3\n+ 90 5 5\n";

/// The base as edited by hand to these versions.
fn edited(versions: usize) -> String {
    let base: Vec<String> = (0..LINES).map(line).collect();
    let mut lines: Vec<String> = base;
    let of = |text: &str, user: &str| text.split('\t').next() == Some(user);
    if versions >= 1 {
        lines.extend(["3\t4\t5".to_owned(), "5\t6\t2.5".to_owned()]);
        let last = lines.iter().rposition(|text| text.starts_with("7\t2\t")).unwrap();
        lines.remove(last);
    }
    if versions >= 2 {
        lines.retain(|text| !of(text, "11"));
    }
    if versions >= 3 {
        lines.extend(["90\t3\t4", "90\t91\t1", "2\t91\t3", "90\t5\t5"].map(str::to_owned));
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

fn digest(folder: &Path, run: &str) -> String {
    json(folder, &format!("{run}/report.json"))["model_digest"].as_str().unwrap().to_owned()
}

fn version(folder: &Path, run: &str) -> Value {
    json(folder, &format!("{run}/model.json"))["data_version"].clone()
}

/// Returns the digest of each version, each from a file with the versions up to it.
fn digests(folder: &Path, options: &str) -> Vec<String> {
    let cuts: Vec<usize> =
        CHANGES.match_indices("=\n").map(|(at, _)| at + 2).chain([CHANGES.len()]).collect();
    let of = |(number, end): (usize, &usize)| {
        fs::write(folder.join("part.txt"), &CHANGES[..*end]).unwrap();
        let run = format!("part-{number}");
        ends(folder, &format!("fit base.tsv {FIT} {options} --changes part.txt --out {run} --force"), 0);
        assert_eq!(version(folder, &run), number + 1);
        digest(folder, &run)
    };
    cuts.iter().enumerate().map(of).collect()
}

#[test]
fn versions_are_acknowledged_logged_and_named_by_the_model() {
    let folder = scratch();
    let folder = folder.path();
    base(folder);
    fs::write(folder.join("changes.txt"), CHANGES).unwrap();
    let said =
        ends(folder, &format!("fit base.tsv {FIT} --changes changes.txt --out run --save-data left.tsv"), 0);
    for told in ["version 1: 2 in, 1 out", "version 2: 0 in, 15 out", "version 3: 4 in, 0 out"] {
        assert!(said.err.contains(told), "{}", said.err);
        let trace = fs::read_to_string(folder.join("run/trace.jsonl")).unwrap();
        assert!(trace.contains(told), "{trace}");
    }
    let trace = fs::read_to_string(folder.join("run/trace.jsonl")).unwrap();
    let records: Vec<Value> = trace.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |record: &Value| (record["data_version"].as_u64().unwrap(), record["epoch"].as_u64().unwrap());
    assert!(records.windows(2).all(|two| of(&two[0]) <= of(&two[1])));
    assert_eq!(of(records.last().unwrap()).0, 3);
    assert_eq!(version(folder, "run"), 3);
    assert_eq!(json(folder, "run/report.json")["results"]["data_version"], 3);
    // A forgotten user gets the predictions for unknown users, as no rating is left.
    let left = fs::read_to_string(folder.join("left.tsv")).unwrap();
    assert!(not_empty(left.lines()).all(|line| !line.starts_with("11\t")) && left.contains("90\t91\t1"));
    // The log is a file of changes that gives the same model.
    ends(folder, &format!("fit base.tsv {FIT} --changes run/changes.log --out again"), 0);
    assert_eq!(digest(folder, "again"), digest(folder, "run"));
    ends(folder, "recommend run --users 90,2 --top 3", 0);
}

#[test]
fn cold_versions_have_the_bytes_of_fits_on_the_edited_file() {
    let folder = scratch();
    let folder = folder.path();
    base(folder);
    for options in ["", "--solver als", "--min-count 9", "--duplicates mean"] {
        let cold = digests(folder, &format!("{options} --cold"));
        for (number, cold) in cold.iter().enumerate() {
            fs::write(folder.join("edited.tsv"), edited(number + 1)).unwrap();
            ends(folder, &format!("fit edited.tsv {FIT} {options} --out edited --force"), 0);
            assert_eq!(digest(folder, "edited"), *cold, "{options}, version {}", number + 1);
        }
        let warm = digests(folder, options);
        assert!(pairs(&warm, &cold).all(|(warm, cold)| warm != cold), "{options}");
    }
    // Saved ratings are those that are left.
    fs::write(folder.join("changes.txt"), CHANGES).unwrap();
    ends(
        folder,
        &format!("fit base.tsv {FIT} --cold --changes changes.txt --out run --save-data left.tsv"),
        0,
    );
    ends(folder, &format!("fit left.tsv {FIT} --out left"), 0);
    assert_eq!(digest(folder, "left"), digest(folder, "run"));
}

#[test]
fn one_log_has_the_same_bytes_on_any_workers_rescaled_and_resumed_at_each_version() {
    let folder = scratch();
    let folder = folder.path();
    base(folder);
    let expected = digests(folder, "--workers 1");
    for options in ["--workers 2", "--workers 4", "--workers 2 --rescale 1:4,3:1,7:2"] {
        assert_eq!(digests(folder, options), expected, "{options}");
    }
    // The file grows, and the run is resumed with each version.
    let cuts: Vec<usize> =
        CHANGES.match_indices("=\n").map(|(at, _)| at + 2).chain([CHANGES.len()]).collect();
    for (number, &end) in cuts.iter().enumerate() {
        fs::write(folder.join("grows.txt"), &CHANGES[..end]).unwrap();
        let line = match number {
            0 => format!("fit base.tsv {FIT} --changes grows.txt --out grown"),
            _ => "fit --resume grown --quiet".to_owned(),
        };
        ends(folder, &line, 0);
        assert_eq!(
            (version(folder, "grown"), digest(folder, "grown")),
            ((number + 1).into(), expected[number].clone())
        );
    }
    // Nothing is left to do.
    ends(folder, "fit --resume grown --quiet", 0);
    assert_eq!(digest(folder, "grown"), expected[2]);
    // Another file does not continue the first.
    fs::write(folder.join("grows.txt"), "+ 1 1 1\n").unwrap();
    let refused = ends(folder, "fit --resume grown --quiet", 2);
    assert!(
        refused.err.contains("does not begin with the versions that the run has taken in"),
        "{}",
        refused.err
    );
}

#[test]
fn a_stream_is_cut_by_what_has_arrived_and_the_log_keeps_the_cut() {
    let folder = scratch();
    let folder = folder.path();
    base(folder);
    let mut run = Fed::begin(Program::at(MF), folder, &format!("fit base.tsv {FIT} --changes - --out run"));
    for (number, text) in ["+ 3 4 5\n+ 5 6 2.5\n", "- 11\n", "+ 90 3 4\n"].into_iter().enumerate() {
        run.feed(text);
        let said = run.hears(&format!("version {}: ", number + 1));
        assert!(said.contains(" in, "), "{said}");
    }
    // A bad version is refused with its line, and the stream continues.
    run.feed("- 11\n");
    let said = run.hears("standard input:5: ");
    assert!(said.contains("user 11 has no rating") && said.contains("version 4 is refused"), "{said}");
    run.feed("+ 90 4 2\n");
    run.hears("version 4: 1 in, 0 out");
    assert_eq!(run.ends(), 0);
    ends(folder, &format!("fit base.tsv {FIT} --changes run/changes.log --out again"), 0);
    assert_eq!((version(folder, "again"), digest(folder, "again")), (4.into(), digest(folder, "run")));
}

#[test]
fn no_acknowledged_version_is_lost_by_twenty_kills() {
    let folder = scratch();
    let folder = folder.path();
    base(folder);
    let insert = |number: u64| format!("+ {} {} {}", number * 3 % 50, number * 5 % 30, 1 + number % 5);
    no_acknowledged_version_is_lost(Program::at(MF), folder, &format!("fit base.tsv {FIT}"), insert);
}

#[test]
fn bad_versions_are_refused_whole_with_file_and_line_and_the_model_before_stays() {
    let folder = scratch();
    let folder = folder.path();
    base(folder);
    fs::write(folder.join("good.txt"), "+ 3 4 5\n=\n").unwrap();
    ends(folder, &format!("fit base.tsv {FIT} --changes good.txt --out good"), 0);
    for (lines, at, said) in [
        ("+ 1 1 1\n- 7 99\n", 4, "user 7 has no rating of item 99 that could be retracted"),
        ("- nobody\n", 3, "user nobody has no rating that could be retracted"),
        ("\n# so\n1 2 3\n", 5, "`1 2 3` is no change"),
        ("+ 1 2\n", 3, "2 words: write `+ user item rating`"),
        ("+ 1 2 3 4\n", 3, "4 words: write `+ user item rating`"),
        ("- 1 2 3\n", 3, "3 words: write `- user item`"),
        ("+ 1 2 five\n", 3, "`five` is no rating"),
        ("+ 1 2 nan\n", 3, "not finite"),
        ("+ 1 2 1e60\n", 3, "not finite, or beyond"),
        ("+\n", 3, "nothing stands behind the sign"),
        ("+ 1 2 3\n- 7 2\n- 7 2\n- 7 2\n- 7 2\n", 5, "user 7 has no rating of item 2"),
    ] {
        fs::write(folder.join("bad.txt"), format!("+ 3 4 5\n=\n{lines}=\n+ 9 9 1\n")).unwrap();
        let ran = ends(folder, &format!("fit base.tsv {FIT} --changes bad.txt --out bad --force"), 2);
        assert!(
            ran.err.contains(&format!("bad.txt:{at}: ")) && ran.err.contains(said),
            "{lines}: {}",
            ran.err
        );
        assert!(ran.err.contains("version 2 is refused, the model before it stays"), "{}", ran.err);
        assert_eq!(
            (version(folder, "bad"), digest(folder, "bad")),
            (1.into(), digest(folder, "good")),
            "{lines}"
        );
    }
    let again = "+ 3 4 5\n=\n+ 3 4 1\n";
    fs::write(folder.join("bad.txt"), again).unwrap();
    fs::write(folder.join("once.tsv"), "1 1 3\n1 2 4\n2 1 3\n2 2 1\n").unwrap();
    let line =
        "fit once.tsv --rank 2 --quiet --validation none --duplicates refuse --changes bad.txt --out once";
    let ran = ends(folder, line, 2);
    assert!(ran.err.contains("bad.txt:3: user 3 rates item 4 again"), "{}", ran.err);
    fs::write(folder.join("bad.txt"), "- 1\n- 2\n").unwrap();
    let ran = ends(folder, "fit once.tsv --rank 2 --quiet --validation none --changes bad.txt --out all", 2);
    assert!(ran.err.contains("bad.txt:2: it leaves no ratings to train on"), "{}", ran.err);
}

#[test]
fn a_length_completed_is_done_with_changes_as_without() {
    let folder = scratch();
    let folder = folder.path();
    base(folder);
    fs::write(folder.join("changes.txt"), CHANGES).unwrap();
    for solver in ["sgd", "als", "ccd"] {
        for epochs in [1, 3, 20] {
            let line = format!("fit base.tsv {FIT} --solver {solver} --epochs {epochs} --out run --force");
            ends(folder, &line, 0);
            let said = ends(folder, &format!("{line} --changes changes.txt"), 0).out;
            assert!(said.contains("done: rmse") && !said.contains("limit"), "{solver} {epochs}: {said}");
            assert_eq!(json(folder, "run/report.json")["ending"], "converged");
            assert_eq!(version(folder, "run"), 3);
        }
    }
}

#[test]
fn options_that_make_no_sense_with_changes_are_refused() {
    let folder = scratch();
    let folder = folder.path();
    base(folder);
    fs::write(folder.join("c.txt"), "+ 1 1 1\n").unwrap();
    for (line, said) in [
        ("fit base.tsv --changes c.txt", "--changes needs a folder"),
        ("fit base.tsv --cold", "--cold says what --changes does"),
        ("fit base.tsv --save-data f --out r", "--save-data says what --changes does"),
        ("fit - --changes - --out r", "both standard input"),
        ("fit base.tsv --changes c.txt --out r --refit", "--refit fits again"),
        ("fit base.tsv --changes c.txt --out r --test last:0.1", "changes have no times"),
        ("fit base.tsv --changes none.txt --out r", "--changes none.txt: "),
    ] {
        let ran = ran(folder, line);
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.err);
        assert!(ran.err.contains(said), "{line}: {}", ran.err);
    }
}
