//! `lda topics --by`: shares of topics in groups of documents.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use raddle::random::Stream;
use raddle_datasets::{Corpus, registry};
use raddle_lda::{HoldOut, Inference, Lda, Preparation, Problem, group_shares};
use serde_json::Value;

use crate::common::{ends, json, write};

/// Words of each of the four topics of [`halves`], and words in all.
const OWN: u32 = 12;
const WORDS: u32 = 4 * OWN;

/// Documents of four topics: those with an even number have a mean share of the first topic of .30, the
/// others one of .25.
fn halves(seed: u64) -> Corpus {
    let mut stream = Stream::new(&[seed, 5]);
    let mut document = |number: usize| {
        let first = if number.is_multiple_of(2) { 0.30 } else { 0.25 };
        // Half of a document's tokens are of a topic of its own, the others of the mean.
        let pick = |at: f64| if at < first { 0 } else { 1 + (3.0 * (at - first) / (1.0 - first)) as u32 };
        let own = pick(stream.unit());
        let mut counts = vec![0u64; WORDS as usize];
        for _ in 0..120 {
            let topic = if stream.unit() < 0.5 { own } else { pick(stream.unit()) };
            let word = topic.min(3) * OWN + stream.below(OWN as usize) as u32;
            counts[word as usize] += 1;
        }
        (0..WORDS).zip(counts).filter(|&(_, count)| count > 0).collect()
    };
    Corpus::from_documents(WORDS as usize, (0..400).map(&mut document)).unwrap()
}

#[test]
fn intervals_cover_a_known_difference_as_often_as_they_say() {
    let seeds: u64 = std::env::var("RADDLE_COVER_SEEDS").map_or(20, |seeds| seeds.parse().unwrap());
    let mut covered = 0;
    for seed in 0..seeds {
        let corpus = halves(seed);
        let preparation = Preparation { validation: HoldOut::None, ..Preparation::default() };
        let lda = Lda::params().topics(4).epochs(60).seed(seed);
        let fit = lda.fit(Problem::new(&corpus, &preparation).unwrap()).unwrap();
        let counts = fit.topic_words();
        // The topic that has most tokens of the first topic's words.
        let own =
            |topic: usize| counts.topic(topic).filter(|(word, _)| *word < OWN).map(|(_, count)| count).sum();
        let topic = (0..4).max_by_key(|&topic| -> u32 { own(topic) }).unwrap();
        let model = Arc::new(Inference::new(&counts, fit.alpha().to_vec()).unwrap());
        let members: Vec<Vec<u32>> = (0..2).map(|half| (half..400).step_by(2).collect()).collect();
        let shares = group_shares(&model, &Arc::new(corpus), members, seed, 2).unwrap();
        let [even, odd] = [shares[0][topic].difference, shares[1][topic].difference];
        assert!((even.estimate + odd.estimate).abs() < 1e-9, "of two groups each is the other's rest");
        assert!(even.low <= even.estimate && even.estimate <= even.high);
        covered += u64::from((even.low..=even.high).contains(&0.05));
    }
    println!("{covered} of {seeds}");
    // Of 100 seeds 90 to 99; fewer have wider limits.
    let slack = if seeds >= 100 { 0 } else { 2 };
    assert!(
        100 * (covered + slack) >= 90 * seeds && (seeds < 100 || covered < seeds),
        "{covered} of {seeds}"
    );
}

/// Posts on the sea and on code by year, of which later ones are more on code.
fn posts(folder: &Path) {
    let (mut stream, mut csv) = (Stream::new(&[11]), String::from("id,year,kind,body\n"));
    let words = ["ship sea mast sail harbour wave", "code loop string class number file"];
    for number in 0..240 {
        let (year, kind) = (1990 + number % 60, if number % 60 < 30 { "old" } else { "new" });
        let text = (0..30).map(|_| {
            let topic = usize::from(stream.unit() < if kind == "new" { 0.7 } else { 0.2 });
            words[topic].split(' ').nth(stream.below(6)).unwrap()
        });
        let text = text.collect::<Vec<_>>().join(" ");
        writeln!(csv, "p{number},{year},{kind},{text}").unwrap();
    }
    write(folder, "posts.csv", &csv);
    ends(folder, "fit posts.csv --text body --topics 2 --epochs 40 --out run --quiet", 0);
}

/// The table of shares in a line of JSON: rows of (group, topic, share, its ends, difference, its ends).
fn shares(folder: &Path, line: &str) -> Vec<(String, usize, [f64; 6])> {
    let (out, _) = ends(folder, &format!("{line} --json --quiet"), 0);
    let summary: Value = serde_json::from_str(&out).unwrap();
    let tables = summary["tables"].as_array().unwrap();
    let table =
        tables.iter().find(|table| table["title"].as_str().unwrap().starts_with("shares by")).unwrap();
    let row = |row: &Value| {
        let values = std::array::from_fn(|at| row[3 + at].as_f64().unwrap());
        (row[0].as_str().unwrap().to_owned(), row[2].as_u64().unwrap() as usize - 1, values)
    };
    table["rows"].as_array().unwrap().iter().map(row).collect()
}

/// The matrix of documents by topics that `lda infer --out NAME.npy` wrote.
fn thetas(path: &Path, topics: usize) -> Vec<Vec<f64>> {
    let bytes = fs::read(path).unwrap();
    let head = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let values: Vec<f64> = bytes[head..]
        .chunks_exact(4)
        .map(|four| f64::from(f32::from_le_bytes(four.try_into().unwrap())))
        .collect();
    values.chunks_exact(topics).map(<[f64]>::to_vec).collect()
}

#[test]
fn shares_are_plain_means_and_groups_that_differ_are_seen_to() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    posts(folder);
    ends(folder, "infer run posts.csv --text body --out thetas.npy --quiet", 0);
    let thetas = thetas(&folder.join("thetas.npy"), 2);
    let found = shares(folder, "topics run posts.csv --text body --by kind");
    assert_eq!(found.len(), 4);
    for (group, topic, [share, low, high, difference, from, to]) in found {
        let is_in = |number: usize| (number % 60 >= 30) == (group == "new");
        let of: Vec<f64> =
            (0..240).filter(|&number| is_in(number)).map(|number| thetas[number][topic]).collect();
        let mean = of.iter().sum::<f64>() / of.len() as f64;
        assert!(
            (share - mean).abs() < 1e-6 && low < share && share < high,
            "{group} {topic}: {share} {mean}"
        );
        assert!(difference.abs() > 0.2 && from * to > 0.0, "{group}: {from} {difference} {to}");
    }
    let (out, _) = ends(folder, "topics run posts.csv --text body --by kind --quiet", 0);
    assert!(out.starts_with("shares of topics by kind: 2 groups of 240 documents"), "{out}");
    assert!(out.contains("kind new, 120 documents") && out.contains("harbour"), "{out}");
    // Twelve bins of five years each.
    let bins = shares(folder, "topics run posts.csv --text body --by year --bins 12");
    let names: Vec<&str> = bins.iter().step_by(2).map(|(name, ..)| name.as_str()).collect();
    assert_eq!((names.len(), names[0], names[11]), (12, "1990 to 1994", "2045 to 2049"));
    let (line, _) = ends(folder, "topics run posts.csv --text body --by year --bins 12 --json --quiet", 0);
    let summary: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(summary["pictures"][0]["kind"], "lines");
    assert_eq!(summary["pictures"][0]["x"]["ticks"].as_array().unwrap().len(), 12);
}

#[test]
fn columns_that_group_nothing_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    posts(folder);
    write(folder, "docword.counts.txt", "2\n2\n2\n1 1 3\n2 2 4\n");
    fs::create_dir(folder.join("texts")).unwrap();
    write(folder, "texts/a.txt", "ship sea");
    for (line, code, why) in [
        ("posts.csv --text body --by id", 2, "--by id: every document has a value of its own"),
        (
            "posts.csv --text body --by year",
            2,
            "--by year: it has 60 numbers in 240 documents: put them in bins",
        ),
        ("posts.csv --text body --by kind --bins 3", 2, "--by kind: --bins is for numbers"),
        (
            "posts.csv --text body --by place",
            2,
            "--by place: there is no such column: the columns are id, year",
        ),
        (
            "docword.counts.txt --by year",
            2,
            "--by names a column of a table, and this is docword, counts of words",
        ),
        ("texts --by year", 2, "name columns of a table, and this is a folder"),
        ("pydoc --by year", 2, "--by has no effect on pydoc, which is known by name"),
        ("posts.csv --text body --bins 3", 2, "--by"),
        ("--by year", 2, "DATA"),
    ] {
        let (_, err) = ends(folder, &format!("topics run {line}"), code);
        assert!(err.contains(why), "{line}: {err}");
    }
    let one = fs::read_to_string(folder.join("posts.csv")).unwrap().replace(",old,", ",new,");
    write(folder, "one.csv", &one);
    let (_, err) = ends(folder, "topics run one.csv --text body --by kind", 2);
    assert!(err.contains("--by kind: it has one value: there is nothing to compare"), "{err}");
    // Documents without a value are left out, and that is said.
    write(
        folder,
        "some.csv",
        &fs::read_to_string(folder.join("posts.csv")).unwrap().replacen(",old,", ",,", 5),
    );
    let (_, err) = ends(folder, "topics run some.csv --text body --by kind", 0);
    assert!(err.contains("left out: 5 documents without a value"), "{err}");
}

#[test]
fn the_strongest_topics_of_newsgroups_are_those_of_plain_means() {
    let Some(corpus) = registry::real_corpus("20ng") else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // Every tenth document; they are sorted by group, so that ranges of them are like groups.
    let mut lines = String::new();
    for (number, document) in (0..corpus.documents()).step_by(10).enumerate() {
        let text: Vec<String> = corpus
            .document(document)
            .flat_map(|(word, count)| vec![corpus.word(word); usize::from(count)])
            .collect();
        writeln!(
            lines,
            "{}",
            serde_json::json!({ "body": text.join(" "), "group": format!("g{:02}", number / 95) })
        )
        .unwrap();
    }
    write(folder, "posts.jsonl", &lines);
    ends(folder, "fit 20ng --topics 20 --epochs 8 --out run --quiet", 0);
    ends(folder, "infer run posts.jsonl --text body --out thetas.npy --quiet", 0);
    let thetas = thetas(&folder.join("thetas.npy"), 20);
    let found = shares(folder, "topics run posts.jsonl --text body --by group");
    assert_eq!(json(&folder.join("run/model.json"))["topics"], 20);
    for (group, documents) in thetas.chunks(95).enumerate() {
        let mean = |topic: usize| documents.iter().map(|theta| theta[topic]).sum::<f64>();
        let mut order: Vec<usize> = (0..20).collect();
        order.sort_by(|&a, &b| mean(b).total_cmp(&mean(a)));
        let of: Vec<usize> = found
            .iter()
            .filter(|(name, ..)| *name == format!("g{group:02}"))
            .map(|row| row.1)
            .take(3)
            .collect();
        assert_eq!(of, order[..3], "group {group}");
    }
}
