//! `lda fit --changes`: versions of a corpus, their log, and bad lines.

use std::fs;
use std::path::Path;

use raddle_common::testing::{Program, no_acknowledged_version_is_lost};
use serde_json::Value;

use crate::common::{LDA, ends, json, write};

const FIT: &str = "--topics 4 --epochs 12 --quiet";

type Document = Vec<(u64, u64)>;

fn documents() -> Vec<Document> {
    let document =
        |d: u64| (0..12).map(|w| (1 + (w * 7 + d * d) % 29 + (d % 3) * 10, 1 + (w + d) % 3)).collect();
    let mut documents: Vec<Document> = (0..60).map(document).collect();
    for document in &mut documents {
        document.sort_unstable();
        document.dedup_by_key(|entry| entry.0);
    }
    documents
}

/// A docword file of these documents, over this number of words.
fn docword(documents: &[Document], words: u64) -> String {
    let entries: usize = documents.iter().map(Vec::len).sum();
    let lines = (1..).zip(documents).flat_map(|(number, document): (usize, &Document)| {
        document.iter().map(move |(word, count)| format!("{number} {word} {count}\n"))
    });
    format!("{}\n{words}\n{entries}\n{}", documents.len(), lines.collect::<String>())
}

/// Three versions, and what each leaves.
const CHANGES: &str = "+ new 1:2 5:1 30:4\n- 7\n=\n- new\n- 12\n- 40\n=\n+ a 50:3 51:2 2\n+ 7 1:1 2:2 3:3\n";

fn edited(versions: usize) -> (Vec<Document>, u64) {
    let mut named: Vec<(String, Document)> =
        (1..).zip(documents()).map(|(number, document): (u32, _)| (number.to_string(), document)).collect();
    let mut words = 49;
    if versions >= 1 {
        named.push(("new".into(), vec![(1, 2), (5, 1), (30, 4)]));
        named.retain(|(id, _)| id != "7");
    }
    if versions >= 2 {
        named.retain(|(id, _)| !["new", "12", "40"].contains(&&**id));
    }
    if versions >= 3 {
        named.push(("a".into(), vec![(2, 1), (50, 3), (51, 2)]));
        named.push(("7".into(), vec![(1, 1), (2, 2), (3, 3)]));
        words = 51;
    }
    (named.into_iter().map(|(_, document)| document).collect(), words)
}

fn base(folder: &Path) {
    write(folder, "base.txt", &docword(&documents(), 49));
}

fn digest(folder: &Path, run: &str) -> Value {
    json(&folder.join(run).join("report.json"))["model_digest"].clone()
}

fn version(folder: &Path, run: &str) -> Value {
    json(&folder.join(run).join("model.json"))["data_version"].clone()
}

fn cuts() -> Vec<usize> {
    CHANGES.match_indices("=\n").map(|(at, _)| at + 2).chain([CHANGES.len()]).collect()
}

/// The digests after each version, each from a file with the versions up to it.
fn digests(folder: &Path, options: &str) -> Vec<Value> {
    let of = |(number, end): (usize, usize)| {
        write(folder, "part.txt", &CHANGES[..end]);
        ends(folder, &format!("fit base.txt {FIT} {options} --changes part.txt --out part --force"), 0);
        assert_eq!(version(folder, "part"), number + 1);
        digest(folder, "part")
    };
    cuts().into_iter().enumerate().map(of).collect()
}

#[test]
fn cold_versions_have_the_bytes_of_fits_on_the_edited_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    base(folder);
    for options in ["", "--min-df 3 --max-df 0.6"] {
        for (number, cold) in digests(folder, &format!("{options} --cold")).into_iter().enumerate() {
            let (documents, words) = edited(number + 1);
            write(folder, "edited.txt", &docword(&documents, words));
            ends(folder, &format!("fit edited.txt {FIT} {options} --out edited --force"), 0);
            assert_eq!(digest(folder, "edited"), cold, "{options}, version {}", number + 1);
        }
    }
    // Saved documents are those that are left.
    write(folder, "changes.txt", CHANGES);
    ends(
        folder,
        &format!("fit base.txt {FIT} --cold --changes changes.txt --out run --save-data left.txt"),
        0,
    );
    let (documents, words) = edited(3);
    assert_eq!(fs::read_to_string(folder.join("left.txt")).unwrap(), docword(&documents, words));
}

#[test]
fn one_log_has_the_same_bytes_on_any_workers_rescaled_and_resumed_at_each_version() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    base(folder);
    let options = "--shards 3 --min-df 2";
    let expected = digests(folder, &format!("{options} --workers 1"));
    for how in ["--workers 2", "--workers 4", "--workers 2 --rescale 3:4,15:1"] {
        assert_eq!(digests(folder, &format!("{options} {how}")), expected, "{how}");
    }
    for (number, end) in cuts().into_iter().enumerate() {
        write(folder, "grows.txt", &CHANGES[..end]);
        let line = match number {
            0 => format!("fit base.txt {FIT} {options} --changes grows.txt --out grown"),
            _ => "fit --resume grown --quiet".to_owned(),
        };
        let (_, said) = ends(folder, &line, 0);
        assert!(said.contains(&format!("version {}: ", number + 1)), "{said}");
        assert_eq!(
            (version(folder, "grown"), &digest(folder, "grown")),
            ((number + 1).into(), &expected[number])
        );
    }
    ends(folder, &format!("fit base.txt {FIT} {options} --changes grown/changes.log --out again"), 0);
    assert_eq!(digest(folder, "again"), expected[2]);
    ends(folder, "topics again", 0);
}

#[test]
fn no_acknowledged_version_is_lost_by_twenty_kills() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    base(folder);
    let insert =
        |number: u64| format!("+ new{number} {}:2 {}:1", 1 + number * 3 % 49, 1 + (number * 3 + 7) % 49);
    no_acknowledged_version_is_lost(Program::at(LDA), folder, &format!("fit base.txt {FIT}"), insert);
}

#[test]
fn plain_text_comes_as_text() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let lines: String = (0..40)
        .map(|at| {
            if at % 2 == 0 {
                "ships sail the northern sea and whales\n"
            } else {
                "bread needs flour water and yeast\n"
            }
        })
        .collect();
    write(folder, "texts.txt", &lines);
    write(folder, "changes.txt", "+ letter The captain's bread, on the northern sea.\n- 3\n=\n- letter\n");
    let (_, said) =
        ends(folder, &format!("fit texts.txt {FIT} --changes changes.txt --out run --save-data left.txt"), 0);
    assert!(said.contains("version 1: 1 in, 1 out") && said.contains("version 2: 0 in, 1 out"), "{said}");
    let words = fs::read_to_string(folder.join("left.txt.vocab")).unwrap();
    assert!(words.contains("captain's\n") && words.contains("whales\n"), "{words}");
}

#[test]
fn bad_versions_are_refused_whole_with_file_and_line_and_the_model_before_stays() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    base(folder);
    write(folder, "good.txt", "- 3\n");
    ends(folder, &format!("fit base.txt {FIT} --changes good.txt --out good"), 0);
    for (lines, at, said) in [
        ("- 4\n- 3\n", 4, "there is no document 3 that could be retracted"),
        ("+ 5 1:2\n", 3, "document 5 is there already"),
        ("+ x sea:2\n", 3, "`sea` is no word"),
        ("+ x 0:2\n", 3, "`0` is no word"),
        ("+ x 99999999999:1\n", 3, "is no word"),
        ("+ x 1:0\n", 3, "write word:count"),
        ("+ x 1:-2\n", 3, "write word:count"),
        ("+ x 1:5000000000\n", 3, "beyond 4294967295"),
        ("+ x\n", 3, "document x has no words"),
        ("- x y\n", 3, "more than an id"),
        ("x 1:2\n", 3, "is no change"),
    ] {
        write(folder, "bad.txt", &format!("- 3\n=\n{lines}=\n- 9\n"));
        let (_, err) = ends(folder, &format!("fit base.txt {FIT} --changes bad.txt --out bad --force"), 2);
        assert!(err.contains(&format!("bad.txt:{at}: ")) && err.contains(said), "{lines}: {err}");
        assert_eq!(
            (version(folder, "bad"), digest(folder, "bad")),
            (1.into(), digest(folder, "good")),
            "{lines}"
        );
    }
    let all: String = (1..=60).map(|number| format!("- {number}\n")).collect();
    write(folder, "bad.txt", &all);
    let (_, err) = ends(folder, &format!("fit base.txt {FIT} --changes bad.txt --out bad --force"), 2);
    assert!(err.contains("bad.txt:60: it leaves no words to train on"), "{err}");
    let (_, err) = ends(folder, "fit base.txt --changes bad.txt --out r --remove-top 3", 2);
    assert!(err.contains("--remove-top is not supported with --changes"), "{err}");
}
