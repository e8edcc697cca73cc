//! Corpora from tables: texts of a column, names of documents in what is written and said.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{command, ends, json, write};

/// Posts about ships and about gardens, every other one.
fn posts() -> Vec<(String, String)> {
    let subjects = ["ship sea harbour sail mast anchor", "garden rose tulip spade soil seed"];
    (0..40).map(|at| (format!("/post/{at}"), subjects[at % 2].to_owned())).collect()
}

#[test]
fn documents_are_named_by_the_ids_of_their_rows() {
    let folder = tempfile::tempdir().unwrap();
    let csv: String = posts().iter().map(|(id, text)| format!("{id},3,\"{text}, \"\"x\"\"\"\n")).collect();
    write(folder.path(), "posts.csv", &format!("url,n,body\n{csv}"));
    let line = |(id, text): &(String, String)| format!("{{\"url\": \"{id}\", \"body\": \"{text}\"}}\n");
    write(folder.path(), "posts.jsonl", &posts().iter().map(line).collect::<String>());
    let options = "--text body --id url --topics 2 --epochs 60 --alpha 0.1 --fixed-priors";
    let (out, err) = ends(folder.path(), &format!("fit posts.csv {options} --out run"), 0);
    assert!((out + &err).contains("the first line is taken for the names of the columns"));
    let (other, _) = ends(folder.path(), &format!("fit posts.jsonl {options} --json --quiet"), 0);
    let other: Value = serde_json::from_str(&other).unwrap();
    let run = folder.path().join("run");
    assert_eq!(other["model_digest"], json(&run.join("report.json"))["model_digest"], "one text, one model");
    let names = fs::read_to_string(run.join("documents.txt")).unwrap();
    assert_eq!(names.lines().collect::<Vec<_>>(), posts().iter().map(|(id, _)| id).collect::<Vec<_>>());
    // The two topics have the posts of one subject each.
    let (out, _) = ends(folder.path(), "topics run --documents 3 --json", 0);
    let summary: Value = serde_json::from_str(&out).unwrap();
    let tables = summary["tables"].as_array().unwrap();
    let table = tables.iter().find(|table| table["title"] == "documents").unwrap();
    let rows = table["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 6);
    for rows in rows.chunks(3) {
        let parity = |row: &Value| row[1].as_u64().unwrap() % 2;
        assert!(rows.iter().all(|row| parity(row) == parity(&rows[0])), "{rows:?}");
        let shares: Vec<f64> = rows.iter().map(|row| row[3].as_f64().unwrap()).collect();
        assert!(shares.is_sorted_by(|a, b| a >= b) && shares[0] <= 1.0, "{shares:?}");
        assert!(rows.iter().all(|row| row[2] == format!("/post/{}", row[1].as_u64().unwrap() - 1)));
    }
    let (out, _) = ends(folder.path(), "topics run --documents 2", 0);
    assert!(out.contains("documents with the largest share") && out.contains("/post/"), "{out}");
    let (out, _) = ends(folder.path(), "infer run posts.jsonl --text body --id url", 0);
    let named: Vec<&str> = out.lines().map(|line| line.split('\t').next().unwrap()).collect();
    assert_eq!(named, posts().iter().map(|(id, _)| id).collect::<Vec<_>>());
}

#[test]
fn columns_that_are_not_there_and_texts_in_other_encodings_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "posts.csv", "url,body\n/a,the ship at sea\n/b,the garden\n");
    write(folder.path(), "posts.jsonl", "{\"body\": \"the ship\"}\n");
    fs::write(folder.path().join("latin.txt"), b"caf\xe9 at sea\nthe sea\n").unwrap();
    for (line, said) in [
        (
            "fit posts.csv --text text",
            "posts.csv: --text text: there is no such column: the columns are url, body",
        ),
        ("fit posts.csv --text body --id id", "--id id: there is no such column"),
        ("fit posts.jsonl", "this is JSON: name the field of the texts by --text NAME"),
        ("fit pydoc --text body", "--text"),
        ("fit latin.txt", "latin.txt:1: `caf"),
        ("fit latin.txt --encoding klingon", "`klingon` is no encoding"),
    ] {
        let (_, err) = ends(folder.path(), line, 2);
        assert!(err.contains(said), "{line}: {err}");
    }
    ends(folder.path(), "fit latin.txt --encoding latin1 --topics 2 --epochs 2 --out run", 0);
    assert!(fs::read_to_string(folder.path().join("run/topics.txt")).unwrap().contains("café"));
}

/// The formats of a table of texts, and of counts, give the same model: plain, gzip, zstd, standard input,
/// JSON lines, and Parquet where it is built in.
#[test]
fn any_way_in_gives_one_model() {
    let folder = tempfile::tempdir().unwrap();
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/tests/tables");
    let path = |name: &str| tables.join(name).display().to_string();
    let words = path("vocab.posts.txt");
    let texts = "--text body --id url".to_owned();
    let of_counts = format!("--vocab {words}");
    let mut text_files = vec!["posts.csv.gz", "posts.csv.zst", "posts.jsonl"];
    if cfg!(feature = "parquet") {
        text_files.push("posts.parquet");
    }
    let count_files = vec!["docword.posts.txt.gz", "docword.posts.txt.zst"];
    for (plain, options, others) in
        [("posts.csv", texts, text_files), ("docword.posts.txt", of_counts, count_files)]
    {
        let rest = format!("{options} --topics 3 --epochs 12 --json --quiet");
        let report = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let digest = |name: &str| {
            let report = report(&ends(folder.path(), &format!("fit {} {rest}", path(name)), 0).0);
            assert_eq!(report["data"]["sizes"]["documents"], 36, "{name}");
            report["model_digest"].as_str().unwrap().to_owned()
        };
        let expected = digest(plain);
        for name in &others {
            assert_eq!(digest(name), expected, "{name}");
        }
        // Whatever arrives by a pipe is recognised alike.
        for name in others.iter().chain([&plain]).filter(|name| !name.ends_with("parquet")) {
            let mut piped = command(folder.path(), &format!("fit - {rest}"));
            let said = piped.stdin(fs::File::open(path(name)).unwrap()).output().unwrap();
            assert!(said.status.success(), "{name}: {}", String::from_utf8_lossy(&said.stderr));
            let report = report(&String::from_utf8_lossy(&said.stdout));
            assert_eq!(report["model_digest"], expected.as_str(), "{name} by a pipe");
        }
        // It is the texts that make the model: another order of the rows is another one.
        if plain == "posts.csv" {
            let text = fs::read_to_string(path(plain)).unwrap();
            let (head, rows) = text.split_once('\n').unwrap();
            let mut rows: Vec<&str> = rows.lines().collect();
            rows.rotate_left(1);
            write(folder.path(), "other.csv", &format!("{head}\n{}\n", rows.join("\n")));
            let other = ends(folder.path(), &format!("fit other.csv {rest}"), 0).0;
            assert_ne!(report(&other)["model_digest"], expected.as_str());
        }
    }
    if !cfg!(feature = "parquet") {
        let (_, err) = ends(folder.path(), &format!("fit {} --text body", path("posts.parquet")), 2);
        assert!(err.contains("build with --features parquet"), "{err}");
    }
}
