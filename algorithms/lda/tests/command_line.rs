//! `lda` on its command line: what it writes, what it says, how it ends.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails where a test would")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use raddle_datasets::{Matrix, Options, embedded, read_samples};
use serde_json::Value;

fn lda(folder: &Path, line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lda"))
        .args(line.split_whitespace())
        .current_dir(folder)
        .output()
        .unwrap()
}

/// Runs a line that must end with this status; its stdout and stderr.
fn ends(folder: &Path, line: &str, code: i32) -> (String, String) {
    let Output { status, stdout, stderr } = lda(folder, line);
    let (out, err) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
    assert_eq!(status.code(), Some(code), "{line}: {out}{err}");
    (out, err)
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// (row, column, value) of a sparse matrix.
type Entries = Vec<(usize, usize, f64)>;

/// Rows and columns of a sparse matrix, and its entries.
fn sparse(path: &Path) -> ((usize, usize), Entries) {
    let samples = read_samples(path.to_str().unwrap(), &Options::default()).unwrap();
    let Matrix::Sparse(x) = samples.x else { panic!("{} is sparse", path.display()) };
    let columns = x.outer_iterator().enumerate();
    let entries = columns.flat_map(|(j, column)| column.iter().map(|(i, &v)| (i, j, v)).collect::<Vec<_>>());
    ((x.rows(), x.cols()), entries.collect())
}

#[test]
fn without_arguments_it_finds_topics_in_the_embedded_corpus_and_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let (out, _) = ends(folder.path(), "", 0);
    assert!(out.starts_with("20 topics of pydoc\n") && out.contains("done: ten epochs"), "{out}");
    // Whoever knows Python recognises these.
    for words in [&["socket", "address"][..], &["thread", "lock"], &["file", "directory"]] {
        assert!(words.iter().any(|word| out.contains(word)), "{words:?}: {out}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let (out, _) = ends(folder.path(), "--json --epochs 3 --topics 5", 0);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&report["program"], &report["epochs"], out.lines().count()), (&"lda".into(), &3.into(), 1));
}

#[test]
fn a_run_leaves_the_documented_files_and_they_agree() {
    let folder = tempfile::tempdir().unwrap();
    let line = "fit pydoc --topics 8 --epochs 12 --test split --coherence --pyldavis --out run --workers 2";
    ends(folder.path(), line, 0);
    let run = folder.path().join("run");
    let (report, model) = (json(&run.join("report.json")), json(&run.join("model.json")));
    let corpus = embedded::pydoc();
    let (shape, counts) = sparse(&run.join("topic_word_counts.npz"));
    assert_eq!(shape, (8, corpus.words()));
    let tokens: f64 = counts.iter().map(|entry| entry.2).sum();
    assert_eq!(report["data"]["sizes"]["train_tokens"].as_f64(), Some(tokens));
    let (shape, topics) = sparse(&run.join("doc_topic.npz"));
    assert_eq!(shape, (corpus.documents(), 8));
    assert_eq!(topics.iter().map(|entry| entry.2).sum::<f64>(), tokens);
    // The dense matrix is the smoothed counts.
    let bytes = fs::read(run.join("topic_word.npy")).unwrap();
    let data = &bytes[bytes.len() - 4 * 8 * corpus.words()..];
    let value = |topic: usize, word: usize| {
        let at = 4 * (topic * corpus.words() + word);
        f64::from(f32::from_le_bytes(data[at..at + 4].try_into().unwrap()))
    };
    let beta = model["beta"].as_f64().unwrap();
    let mut dense = vec![vec![beta; corpus.words()]; 8];
    counts.iter().for_each(|&(topic, word, count)| dense[topic][word] += count);
    for (topic, row) in dense.iter().enumerate() {
        let norm: f64 = row.iter().sum();
        assert!(
            row.iter().enumerate().all(|(word, weight)| (value(topic, word) - weight / norm).abs() < 1e-6)
        );
    }
    assert_eq!(fs::read_to_string(run.join("topics.txt")).unwrap().lines().count(), 8);
    assert!(report["metric"]["value"].as_f64().unwrap() > 100.0);
    assert_eq!((&report["ending"], &report["metric"]["target"]), (&"converged".into(), &Value::Null));
    assert_eq!(report["metric"]["certified"], false);
    assert!(
        report["results"]["npmi"].as_f64().unwrap() > -1.0
            && report["seconds"]["certify"].as_f64().unwrap() > 0.0
    );
    assert_eq!(json(&run.join("summary.json"))["tables"][0]["rows"].as_array().unwrap().len(), 8);
    let dump = json(&run.join("pyldavis.json"));
    let length = |key: &str| dump[key].as_array().unwrap().len();
    assert_eq!((length("topic_term_dists"), length("vocab"), length("term_frequency")), (8, 3191, 3191));
    assert_eq!(length("doc_topic_dists"), length("doc_lengths"));
    for row in
        dump["topic_term_dists"].as_array().unwrap().iter().chain(dump["doc_topic_dists"].as_array().unwrap())
    {
        let sum: f64 = row.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-3, "{sum}");
    }
    // The same run, otherwise carried out, has the same digest.
    ends(
        folder.path(),
        &format!("{} --rescale 3:4,8:1", line.replace("--out run --workers 2", "--out other --workers 1")),
        0,
    );
    assert_eq!(json(&folder.path().join("other/report.json"))["model_digest"], report["model_digest"]);
}

#[test]
fn a_model_is_shown_and_used() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("new.txt"),
        "socket server address connection unheardofword\r\n\r\nthread lock\r\n",
    )
    .unwrap();
    ends(folder.path(), "fit pydoc --topics 12 --epochs 60 --out run", 0);
    let (out, _) = ends(folder.path(), "topics run pydoc --words 5", 0);
    assert!(out.contains("12 topics of 3191 words") && out.contains("mean coherence"), "{out}");
    let (out, _) = ends(folder.path(), "topics run --json", 0);
    let rows = serde_json::from_str::<Value>(&out).unwrap()["tables"][0]["rows"].as_array().unwrap().len();
    assert_eq!(rows, 12);
    let (out, err) = ends(folder.path(), "infer run new.txt", 0);
    assert_eq!(out.lines().count(), 3);
    assert!(err.contains("3 documents; 1 token unknown to the model"), "{err}");
    let (again, _) = ends(folder.path(), "infer run new.txt --workers 3", 0);
    assert_eq!(out, again);
    let first: &str = out.lines().next().unwrap().split('\t').nth(1).unwrap();
    assert!(first.split_once(':').unwrap().1.parse::<f64>().unwrap() > 0.15, "{out}");
    ends(folder.path(), "infer run new.txt --out topics.npy", 0);
    assert_eq!(fs::metadata(folder.path().join("topics.npy")).unwrap().len() % 64, (3 * 12 * 4) % 64);
}

#[test]
fn a_run_goes_on_from_a_model_with_more_documents_and_new_words() {
    let folder = tempfile::tempdir().unwrap();
    let line = |topic: &str, n: usize| {
        (0..n).map(|i| format!("{topic} {} {topic}", ["alpha", "bravo"][i % 2])).collect::<Vec<_>>()
    };
    let old = [line("ship sea sail", 40), line("tree leaf root", 40)].concat().join("\n");
    let new = [old.clone(), line("coin bank money", 40).join("\n"), line("ship harbour sail", 9).join("\n")]
        .join("\n");
    fs::write(folder.path().join("old.txt"), old).unwrap();
    fs::write(folder.path().join("new.txt"), new).unwrap();
    ends(folder.path(), "fit old.txt --topics 3 --alpha 0.1 --epochs 60 --validation none --out one", 0);
    let line = "fit new.txt --init one --alpha 0.1 --epochs 1 --validation none --heat 1 --out two";
    ends(folder.path(), line, 0);
    // After one epoch each old topic still leads with the words it had.
    let tops = |run: &str| -> Vec<Vec<String>> {
        let text = fs::read_to_string(folder.path().join(run).join("topics.txt")).unwrap();
        let top =
            |line: &str| line.split('\t').nth(2).unwrap().split(' ').map(str::to_owned).take(4).collect();
        text.lines().map(top).collect()
    };
    let (one, two) = (tops("one"), tops("two"));
    // Of three topics, two may share the words of one.
    for word in ["ship", "tree"] {
        let has = |top: &[String]| top.contains(&word.to_owned());
        assert!(one.iter().zip(&two).any(|(old, new)| has(old) && has(new)), "{word}: {one:?} {two:?}");
    }
    assert!(
        json(&folder.path().join("two/model.json"))["vocabulary"]
            .as_array()
            .unwrap()
            .contains(&"harbour".into())
    );
    let (_, err) = ends(folder.path(), "fit new.txt --init one --topics 4", 2);
    assert!(err.contains("--topics 4: the model of --init one has 3"), "{err}");
}

#[test]
fn words_are_left_out_and_topics_are_seeded() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("priors.txt"), "# topic word weight\n2 socket 300\n\n3 turtle 300\n")
        .unwrap();
    let line = "fit pydoc --topics 6 --epochs 20 --word-priors priors.txt --min-df 2 --max-df 0.6 --remove-top 3 --out run";
    let (out, _) = ends(folder.path(), line, 0);
    assert!(out.contains("left out: "), "{out}");
    let corpus = embedded::pydoc();
    let (_, counts) = sparse(&folder.path().join("run/topic_word_counts.npz"));
    for (name, topic) in [("socket", 1), ("turtle", 2)] {
        let word = corpus.vocabulary.as_ref().unwrap().iter().position(|word| word == name).unwrap();
        let most = counts.iter().filter(|entry| entry.1 == word).max_by(|a, b| a.2.total_cmp(&b.2)).unwrap();
        assert_eq!(most.0, topic, "{name}");
    }
    // Numbers of words stay.
    assert_eq!(sparse(&folder.path().join("run/topic_word_counts.npz")).0, (6, 3191));
    ends(folder.path(), "topics run", 0);
}

#[test]
fn a_run_stops_at_limits_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (out, _) = ends(folder.path(), "fit pydoc --topics 5 --epochs 4 --target 10 --out run", 3);
    assert!(out.contains("done: perplexity"), "{out}");
    ends(folder.path(), "fit pydoc --topics 5 --target 5000 --evaluate-every 1 --out run --force", 0);
    let whole = ends(folder.path(), "fit pydoc --topics 5 --epochs 9 --json --quiet", 0).0;
    let digest = |out: &str| serde_json::from_str::<Value>(out).unwrap()["model_digest"].clone();
    let stopped =
        "fit pydoc --topics 5 --epochs 9 --time-limit 0 --checkpoint-every 1 --out part --quiet --json";
    let (part, _) = ends(folder.path(), stopped, 3);
    assert_ne!(digest(&part), digest(&whole));
    let (rest, _) = ends(folder.path(), "fit pydoc --topics 5 --epochs 9 --resume part --quiet --json", 0);
    assert_eq!(digest(&rest), digest(&whole));
    let (_, err) = ends(folder.path(), "fit pydoc --topics 6 --epochs 9 --resume part --quiet", 2);
    assert!(err.contains("part"), "{err}");
}

#[test]
fn bad_input_names_the_option_or_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("docword.bad.txt", "2\n3\n2\n1 1 1\n1 9 1\n");
    write("docword.small.txt", "2\n3\n2\n1 1 1\n2 3 4\n");
    write("priors.txt", "1 socket 3\n1 nosuchword 3\n");
    write("topics.txt", "9 socket 3\n");
    write("words.txt", "one\ntwo\n");
    fs::create_dir(folder.path().join("empty")).unwrap();
    for (line, why) in [
        ("fit docword.bad.txt", "docword.bad.txt:5: the word 9 lies outside of 1 to 3"),
        ("fit no/such.txt", "no/such.txt: cannot read"),
        ("fit nothing", "known are pydoc"),
        ("fit empty", "the folder has no files"),
        ("fit pydoc --format csv", "--format: `csv` is no format"),
        ("fit pydoc --topics 0", "--topics is 0"),
        ("fit pydoc --topics 70000", "--topics is 70000"),
        ("fit pydoc --alpha -1", "--alpha is -1"),
        ("fit pydoc --beta nan", "--beta is NaN"),
        ("fit pydoc --heat 0.5", "--heat is 0.5"),
        ("fit pydoc --target 1", "--target is 1"),
        ("fit pydoc --evaluate-every 0", "--evaluate-every is 0"),
        ("fit pydoc --epochs 0", "--epochs is 0"),
        ("fit pydoc --validation 1.5", "--validation 1.5: give a fraction"),
        ("fit pydoc --test 0.5", "--test 0.5: give split"),
        ("fit pydoc --test docword.small.txt", "over 3 words, the corpus over 3191"),
        ("fit pydoc --schedule priority", "--schedule `priority` does not exist: choose auto or rotation"),
        ("fit pydoc --min-df 2.5", "--min-df"),
        ("fit pydoc --min-df 100000", "no word is left of pydoc"),
        ("fit docword.small.txt --stop-words english", "--stop-words needs the words of the corpus"),
        ("fit docword.small.txt --vocab words.txt", "words.txt: 2 words, but the corpus has 3"),
        ("fit pydoc --stop-words no/such", "no/such: cannot read"),
        ("fit pydoc --word-priors priors.txt", "priors.txt:2: `nosuchword` is not in the vocabulary"),
        ("fit pydoc --word-priors topics.txt --topics 3", "topics.txt:1: the topic `9`"),
        ("fit pydoc --init empty", "give the folder that --out wrote"),
        ("topics empty", "give the folder that --out wrote"),
        ("infer empty pydoc", "give the folder that --out wrote"),
        ("infer empty pydoc --workers 0", "--workers 0"),
        ("infer empty pydoc --least -1", "--least -1: give a share from 0 to 1"),
        ("fit pydoc --start sideways", "--start"),
    ] {
        let (out, err) = ends(folder.path(), line, 2);
        assert!(err.contains(why) && out.is_empty(), "{line}: {err}");
    }
    ends(folder.path(), "fit docword.small.txt --epochs 2 --validation none --out run --quiet", 0);
    let (_, err) = ends(folder.path(), "infer run pydoc", 2);
    assert!(err.contains("pydoc has 3191 words, the model 3"), "{err}");
    let path = folder.path().join("run/model.json");
    for (key, value, why) in [
        ("alpha", "[0.1]", "alpha and beta are not 20 numbers and one"),
        ("beta", "-1", "alpha and beta"),
        ("vocabulary", "[\"one\"]", "the vocabulary has 1 words, not 3"),
        ("word_priors", "[[7, 0, 1.0]]", "the word prior (7, 0, 1) is outside"),
    ] {
        let whole = fs::read_to_string(&path).unwrap();
        let mut model: Value = serde_json::from_str(&whole).unwrap();
        model[key] = serde_json::from_str(value).unwrap();
        fs::write(&path, model.to_string()).unwrap();
        let (_, err) = ends(folder.path(), "infer run docword.small.txt", 2);
        assert!(err.contains(&format!("model.json: {why}")), "{key}: {err}");
        fs::write(&path, whole).unwrap();
    }
    fs::write(&path, "{}").unwrap();
    let (_, err) = ends(folder.path(), "topics run", 2);
    assert!(err.contains("model.json: missing field"), "{err}");
}

#[test]
fn every_help_has_an_example() {
    let folder = tempfile::tempdir().unwrap();
    for verb in ["", "fit", "infer", "topics"] {
        let (out, _) = ends(folder.path(), &format!("{verb} --help"), 0);
        assert!(out.contains("Examples, which work as they stand:"), "{verb}");
    }
}
