//! The command line of `lda`: its files, its messages, its exit status.

mod dialects;
mod pictures;
mod records;

use std::fs;
use std::path::Path;

use raddle_common::testing::pairs;
use raddle_datasets::{Matrix, Options, embedded, read_samples};
use serde_json::Value;

use crate::common::{ends, json, write};

/// Entry (row, column, value) of a sparse matrix.
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
    assert!(out.starts_with("20 topics of pydoc\n") && out.contains("done: perplexity"), "{out}");
    assert!(!out.contains("target"), "nobody gave one: {out}");
    // Python users know these options.
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
    // Priors that differ between topics are in a file; a short list is in the report, too.
    let alpha = fs::read(run.join("alpha.npy")).unwrap();
    assert_eq!((alpha.len(), model["alpha"].as_f64()), (128 + 8 * 8, None));
    assert_eq!(report["results"]["alpha"].as_array().unwrap().len(), 8);
    for name in ["alpha.npy", "doc_topic.npz", "evaluations.tsv", "topic_word.npy", "topics.txt"] {
        assert!(model["files"][name].is_string(), "{name}");
    }
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
    // Another execution of the run gives the same digest.
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
    let (line, err) = ends(folder.path(), "infer run new.txt --json --quiet", 0);
    let value: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((line.lines().count(), err.as_str(), &value["unknown_tokens"]), (1, "", &1.into()));
    for (text, document) in pairs(out.lines(), value["documents"].as_array().unwrap()) {
        let topics: Vec<String> = document["topics"]
            .as_array()
            .unwrap()
            .iter()
            .map(|topic| format!("{}:{:.4}", topic["topic"], topic["share"].as_f64().unwrap()))
            .collect();
        assert_eq!(text, format!("{}\t{}", document["document"], topics.join("\t")));
    }
    let (line, err) = ends(folder.path(), "infer run new.txt --json --quiet --out topics.txt", 0);
    let value: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&value["documents"], &value["out"], err.as_str()), (&3.into(), &"topics.txt".into(), ""));
    assert_eq!(fs::read_to_string(folder.path().join("topics.txt")).unwrap(), out);
    let (_, err) = ends(folder.path(), "infer run new.txt --out topics.npy --least 0.5", 2);
    assert!(err.contains("--least has no effect on a matrix"), "{err}");
    let (_, err) = ends(folder.path(), "topics run --vocab words.txt", 2);
    assert!(err.contains("DATA"), "{err}");
    let (out, _) = ends(folder.path(), "topics run --json --top 3", 0);
    assert_eq!(
        serde_json::from_str::<Value>(&out).unwrap()["tables"][0]["rows"].as_array().unwrap().len(),
        3
    );
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
    let line = "fit new.txt --init one --alpha 0.1 --epochs 1 --validation none --out two";
    let (out, _) = ends(folder.path(), line, 0);
    assert!(!out.contains("kept from"), "the new documents have every word: {out}");
    // After one epoch each old topic still has its words at the top.
    let tops = |run: &str| -> Vec<Vec<String>> {
        let text = fs::read_to_string(folder.path().join(run).join("topics.txt")).unwrap();
        let top =
            |line: &str| line.split('\t').nth(2).unwrap().split(' ').map(str::to_owned).take(4).collect();
        text.lines().map(top).collect()
    };
    let (one, two) = (tops("one"), tops("two"));
    // With three topics, two may share the words of one subject.
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
    let (_, err) = ends(folder.path(), "fit new.txt --init one --beta-anneal 2", 2);
    assert!(err.contains("--beta-anneal has no effect with --init: leave it out"), "{err}");
}

#[test]
fn words_that_new_documents_lack_are_kept_and_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let line = |words: &str, n: usize| vec![words; n].join("\n");
    write(folder, "old.txt", &[line("ship sea sail", 40), line("tree leaf root", 40)].join("\n"));
    ends(folder, "fit old.txt --topics 2 --alpha 0.1 --epochs 60 --validation none --out one", 0);
    // Two words are new and two known; four words of the model do not occur.
    write(folder, "more.txt", &[line("ship harbour", 30), line("tree bark", 30)].join("\n"));
    let line = "fit more.txt --init one --alpha 0.1 --epochs 10 --validation none --out two";
    let (out, _) = ends(folder, line, 0);
    assert!(out.contains("kept from one: 4 words that these documents lack, with 160 tokens"), "{out}");
    let words = |run: &str| -> Vec<String> {
        serde_json::from_value(json(&folder.join(run).join("model.json"))["vocabulary"].clone()).unwrap()
    };
    assert_eq!(words("two").len(), 8);
    // The kept words have their old counts, topic by topic.
    let counts = |run: &str, word: &str| -> Vec<(usize, f64)> {
        let number = words(run).iter().position(|other| other == word).unwrap();
        let (_, entries) = sparse(&folder.join(run).join("topic_word_counts.npz"));
        entries.into_iter().filter(|entry| entry.1 == number).map(|entry| (entry.0, entry.2)).collect()
    };
    for word in ["sea", "sail", "leaf", "root"] {
        assert_eq!(counts("one", word), counts("two", word), "{word}");
    }
    assert_ne!(counts("two", "harbour"), counts("two", "bark"));
    // Words that options left out are not kept.
    write(folder, "stop.txt", "sail\nbark\n");
    let line = "fit more.txt --init one --alpha 0.1 --epochs 10 --validation none --stop-words stop.txt";
    let (out, _) = ends(folder, line, 0);
    assert!(out.contains("left out: 1 word with 30 tokens"), "{out}");
    write(folder, "other.txt", "coin bank\nbank money\n");
    let (_, err) = ends(folder, "fit other.txt --init one --epochs 2", 2);
    assert!(err.contains("--init one: the corpus has no word of that model"), "{err}");
    // Words by number: words of the model beyond the corpus's last are kept as well.
    write(folder, "docword.five.txt", "2\n5\n4\n1 1 4\n1 5 4\n2 2 3\n2 3 1\n");
    write(folder, "docword.three.txt", "2\n3\n3\n1 1 4\n2 2 3\n2 3 1\n");
    ends(folder, "fit docword.five.txt --topics 2 --epochs 5 --validation none --out five", 0);
    let (out, _) =
        ends(folder, "fit docword.three.txt --init five --epochs 5 --validation none --out three", 0);
    assert!(out.contains("kept from five: 2 words that these documents lack, with 4 tokens"), "{out}");
    let (shape, _) = sparse(&folder.join("three/topic_word_counts.npz"));
    assert_eq!(shape, (2, 5));
    let (_, err) = ends(folder, "fit docword.three.txt --init one --epochs 5", 2);
    assert!(err.contains("cannot be matched by text: give the words with --vocab FILE"), "{err}");
}

#[test]
fn held_out_documents_of_a_file_are_matched_by_their_words() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "train.txt", &["ship sea sail mast", "tree leaf root bark"].repeat(30).join("\n"));
    // Documents in which words have other numbers.
    write(folder, "test.txt", "bark root leaf tree\nmast sail sea ship\nunheard ship sea ship\n");
    let line = "fit train.txt --topics 2 --alpha 0.1 --epochs 40 --test test.txt --out run";
    let (out, _) = ends(folder, line, 0);
    assert!(out.contains("--test test.txt: 1 token of words that the corpus lacks are left out"), "{out}");
    let report = json(&folder.join("run/report.json"));
    let of = |name: &str| report["results"][name].as_f64().unwrap();
    // Four words per topic; if they were mixed up, each document would have both topics.
    assert!(of("test_perplexity") < 6.0 && of("validation_perplexity") < 6.0, "{report}");
    assert!(out.contains("test perplexity "), "{out}");
    let evaluations = fs::read_to_string(folder.join("run/evaluations.tsv")).unwrap();
    let last: Vec<&str> = evaluations.lines().last().unwrap().split('\t').collect();
    assert_eq!(last[2].parse::<f64>().unwrap(), of("test_perplexity"));
}

#[test]
fn nothing_long_is_in_a_report_and_progress_is_said_when_it_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    for options in ["--topics 150", "--topics 150 --fixed-priors", "--topics 7 --evaluate-every 1"] {
        let line = format!("fit pydoc --epochs 30 --json {options}");
        let (out, err) = ends(folder.path(), &line, 0);
        let report: Value = serde_json::from_str(&out).unwrap();
        for (name, value) in report["results"].as_object().unwrap() {
            assert!(value.as_array().is_none_or(|list| list.len() <= 20), "{name}: {value}");
        }
        let is_symmetric = options.contains("--fixed-priors");
        assert_eq!(report["results"]["alpha"].is_number(), is_symmetric, "{options}");
        assert!(!err.contains("inf") && !err.contains("NaN"), "{err}");
        let values = err.lines().filter_map(|line| line.split_once("perplexity ")?.1.split("  ").next());
        let values: Vec<&str> = values.collect();
        assert!(values.windows(2).all(|pair| pair[0] != pair[1]), "{err}");
    }
}

#[test]
fn words_are_left_out_and_topics_are_seeded() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("priors.txt"),
        "# topic word weight\n2 socket 300\n\n3 turtle 300\n1 nosuchword 3\n",
    )
    .unwrap();
    let line = "fit pydoc --topics 6 --epochs 20 --word-priors priors.txt --min-df 2 --max-df 0.6 --remove-top 3 --out run";
    let (out, _) = ends(folder.path(), line, 0);
    assert!(out.contains("left out: "), "{out}");
    assert!(out.contains("priors.txt: not in the corpus and left out: `nosuchword` (line 5)"), "{out}");
    let corpus = embedded::pydoc();
    let (_, counts) = sparse(&folder.path().join("run/topic_word_counts.npz"));
    for (name, topic) in [("socket", 1), ("turtle", 2)] {
        let word = corpus.vocabulary.as_ref().unwrap().iter().position(|word| word == name).unwrap();
        let most = counts.iter().filter(|entry| entry.1 == word).max_by(|a, b| a.2.total_cmp(&b.2)).unwrap();
        assert_eq!(most.0, topic, "{name}");
    }
    // Words keep their numbers.
    assert_eq!(sparse(&folder.path().join("run/topic_word_counts.npz")).0, (6, 3191));
    ends(folder.path(), "topics run", 0);
}

#[test]
fn a_run_stops_at_limits_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (out, _) = ends(folder.path(), "fit pydoc --topics 5 --epochs 4 --target 10 --out run", 3);
    assert!(out.contains("stopped at the limit of epochs: perplexity"), "{out}");
    assert!(out.contains("(target 10") && !out.contains("done"), "{out}");
    let (out, err) = ends(folder.path(), "fit pydoc --topics 5 --target 10", 3);
    assert!(out.contains("stopped: no further epoch comes closer: perplexity"), "{out}");
    assert!(!err.contains("inf") && !err.contains("NaN"), "{err}");
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
    assert!(err.contains("--topics 6: the run in part was begun with --topics 5"), "{err}");
}

#[test]
fn bad_input_names_the_option_or_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| write(folder.path(), name, text);
    write("docword.bad.txt", "2\n3\n2\n1 1 1\n1 9 1\n");
    write("docword.small.txt", "2\n3\n2\n1 1 1\n2 3 4\n");
    write("priors.txt", "1 socket 3\n1 nosuchword 3\n");
    write("topics.txt", "9 socket 3\n");
    write("words.txt", "one\ntwo\n");
    write("lacking.txt", "1 nosuchword 3\n2 northis 1\n");
    write("weight.txt", "1 socket 3\n1 turtle -3\n");
    write("notes.txt", "the ship at sea\nthe sea\n");
    write("double.txt", "sea\nship\nsea\n");
    write("gap.txt", "sea\n\nship\n");
    fs::create_dir(folder.path().join("empty")).unwrap();
    for (line, why) in [
        ("fit docword.bad.txt", "docword.bad.txt:5: the word 9 lies outside of 1 to 3"),
        ("fit no/such.txt", "no/such.txt: cannot read"),
        ("fit nothing", "known are pydoc"),
        ("fit empty", "the folder has no files"),
        ("fit notes.txt --format xls", "--format: `xls` is no format"),
        ("fit pydoc --topics 0", "--topics is 0"),
        ("fit pydoc --topics 70000", "--topics is 70000"),
        ("fit pydoc --alpha -1", "--alpha is -1"),
        ("fit pydoc --beta nan", "--beta is NaN"),
        ("fit pydoc --beta-anneal 0.5", "--beta-anneal is 0.5"),
        ("fit pydoc --target 1", "--target is 1"),
        ("fit pydoc --evaluate-every 0", "--evaluate-every is 0"),
        ("fit pydoc --epochs 0", "--epochs is 0"),
        ("fit pydoc --validation 1.5", "--validation 1.5: give a fraction"),
        ("fit pydoc --test 0.5", "--test 0.5: give split"),
        ("fit pydoc --test docword.small.txt", "a vocabulary of 3 words, the corpus one of 3191"),
        ("fit pydoc --schedule priority", "--schedule `priority` does not exist: choose auto or rotation"),
        ("fit pydoc --min-df 2.5", "--min-df"),
        ("fit pydoc --min-df 100000", "no word is left of pydoc"),
        ("fit docword.small.txt --stop-words english", "--stop-words needs the words of the corpus"),
        ("fit docword.small.txt --vocab words.txt", "words.txt: 2 words, but the corpus has 3"),
        ("fit pydoc --stop-words no/such", "no/such: cannot read"),
        ("fit pydoc --word-priors lacking.txt", "lacking.txt: it seeds no word of the corpus"),
        ("fit pydoc --word-priors weight.txt", "weight.txt:2: the weight is not a number above 0"),
        (
            "fit pydoc --vocab words.txt",
            "pydoc: a known corpus has its own vocabulary: do not give words.txt",
        ),
        ("fit notes.txt --vocab no/such", "no/such: cannot read"),
        ("fit notes.txt --vocab double.txt", "double.txt:3: the word `sea` is in line 1, too"),
        ("fit notes.txt --vocab gap.txt", "gap.txt:2: the line is empty"),
        ("fit pydoc --format text", "--format has no effect on pydoc, which is known by name"),
        ("fit pydoc --pyldavis", "--pyldavis writes a file: give the folder for it with --out DIR"),
        ("fit pydoc --parallelism 3", "--parallelism has no effect on the rotation of lda: leave it out"),
        ("fit pydoc --rho 0.1 --guard off", "--rho and --guard have no effect"),
        ("fit pydoc --staleness 1", "--staleness has no effect"),
        ("fit pydoc --remove-top -1", "'--remove-top <N>': give a whole number from 0"),
        ("fit pydoc --topics -1", "--topics"),
        ("fit pydoc --evaluate-every -1", "--evaluate-every"),
        ("fit pydoc --validation -1", "--validation -1: give a fraction"),
        ("infer empty pydoc --workers -1", "--workers"),
        ("topics empty --top -1", "--top"),
        ("fit pydoc --word-priors topics.txt --topics 3", "topics.txt:1: the topic `9`"),
        ("fit pydoc --init empty", "give the folder that --out wrote"),
        ("topics empty", "give the folder that --out wrote"),
        ("infer empty pydoc", "give the folder that --out wrote"),
        ("infer empty pydoc --workers 0", "a whole number from 1 to 1024"),
        ("infer empty pydoc --least -1", "--least -1: give a share from 0 to 1"),
        ("fit pydoc --progressive sideways", "--progressive"),
        ("fit pydoc --encoding latin1", "--encoding has no effect on pydoc"),
        ("fit notes.txt --encoding klingon", "`klingon` is no encoding: choose utf-8"),
    ] {
        let (out, err) = ends(folder.path(), line, 2);
        assert!(err.contains(why) && out.is_empty(), "{line}: {err}");
    }
    ends(folder.path(), "fit docword.small.txt --epochs 2 --validation none --out run --quiet", 0);
    let (_, err) = ends(folder.path(), "infer run pydoc", 2);
    assert!(err.contains("pydoc has 3191 words, the model 3"), "{err}");
}

#[test]
fn text_that_is_not_utf8_is_refused_or_read_as_its_encoding_says() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let latin = b"caf\xe9 cr\xe8me\nna\xefve r\xe9sum\xe9\n".repeat(20);
    fs::write(folder.join("latin.txt"), &latin).unwrap();
    ends(folder, "fit latin.txt --encoding latin1 --topics 2 --epochs 5 --out run", 0);
    let words = json(&folder.join("run/model.json"))["vocabulary"].clone();
    assert_eq!(words, serde_json::json!(["café", "crème", "naïve", "résumé"]));
    for line in ["fit latin.txt", "infer run latin.txt", "topics run latin.txt", "fit pydoc --test latin.txt"]
    {
        let (_, err) = ends(folder, line, 2);
        assert!(err.contains("latin.txt:1: ") && err.contains("--encoding"), "{line}: {err}");
    }
    let (_, err) = ends(folder, "infer run latin.txt --encoding latin1", 0);
    assert!(err.contains("40 documents; 0 tokens unknown"), "{err}");
}

#[test]
fn every_field_is_explained_on_the_page() {
    let page = include_str!("../../../src/cli/REPORT.md");
    let (_, page) = page.split_once("## A run of lda").unwrap();
    let (results, model) = page.split_once("`model.json`, after the fields").unwrap();
    let explained = |part: &str, field: &str| part.contains(&format!("\n| `{field}` | "));
    let folder = tempfile::tempdir().unwrap();
    let mut written = std::collections::BTreeSet::new();
    let lines = [
        "fit pydoc --topics 30 --coherence --test split",
        "fit pydoc --fixed-priors --validation none",
        "cv pydoc --topics 2,3 --folds 2",
    ];
    for (number, line) in lines.iter().enumerate() {
        ends(folder.path(), &format!("{line} --epochs 5 --out {number}"), 0);
        let run = folder.path().join(number.to_string());
        let report = json(&run.join("report.json"));
        for field in report["results"].as_object().unwrap().keys() {
            assert!(explained(results, field), "results: {field}");
            written.insert(field.clone());
        }
        let about = json(&run.join("model.json"));
        for field in about.as_object().unwrap().keys() {
            let is_common = ["sha256", "program", "version", "format", "files"].contains(&field.as_str());
            assert!(is_common || explained(model, field), "model.json: {field}");
        }
        let evaluations = fs::read_to_string(run.join("evaluations.tsv")).unwrap();
        for field in evaluations.lines().next().unwrap().split('\t').filter(|field| *field != "epoch") {
            assert!(explained(results, field), "evaluations.tsv: {field}");
        }
    }
    let rows = results.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let stale: Vec<&str> = rows.filter(|field| !written.contains(*field)).collect();
    assert!(stale.is_empty(), "explained, but not written: {stale:?}");
}

#[test]
fn a_vocabulary_is_looked_for_and_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "docword.small.txt", "3\n3\n4\n1 1 5\n2 3 4\n3 3 2\n3 2 2\n");
    let (out, _) = ends(folder, "fit docword.small.txt --epochs 2", 0);
    assert!(
        out.contains("there is no vocab.small.txt next to docword.small.txt") && out.contains("word 1"),
        "{out}"
    );
    write(folder, "vocab.small.txt", "one\ntwo\nthree\n");
    let (out, _) = ends(folder, "fit docword.small.txt --epochs 2", 0);
    assert!(!out.contains("vocab") && out.contains("three"), "{out}");
    // Text with a given vocabulary.
    write(folder, "notes.txt", "the ship at sea\nthe sea\nthe ship\n");
    write(folder, "words.txt", "sea\nship\nmast\n");
    ends(folder, "fit notes.txt --vocab words.txt --epochs 2 --out run", 0);
    let words = json(&folder.join("run/model.json"))["vocabulary"].clone();
    assert_eq!(words, serde_json::json!(["sea", "ship", "mast"]));
}

#[test]
fn a_damaged_model_is_refused_by_the_name_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let line = "fit pydoc --topics 3 --epochs 2 --min-df 40 --max-df 45 --stop-words english --quiet";
    ends(folder, &format!("{line} --out run"), 0);
    ends(folder, &format!("{line} --seed 5 --out other"), 0);
    write(folder, "new.txt", "socket server\n");
    for name in ["model.json", "alpha.npy", "topic_word_counts.npz", "topic_word.npy", "topics.txt"] {
        let path = folder.join("run").join(name);
        let whole = fs::read(&path).unwrap();
        let mut flipped = whole.clone();
        flipped[whole.len() / 2] ^= 16;
        let mixed = fs::read(folder.join("other").join(name)).unwrap();
        for damaged in [&flipped[..], &whole[..whole.len() / 4], &[], &mixed] {
            fs::write(&path, damaged).unwrap();
            for verb in ["infer run new.txt", "topics run", "fit new.txt --init run --epochs 1"] {
                let (out, err) = ends(folder, verb, 2);
                // Of two complete models, the first file that differs is named.
                let named = damaged == &mixed[..] && name == "model.json" || err.contains(name);
                assert!(out.is_empty() && named && err.contains("run/"), "{name}, {verb}: {err}");
            }
        }
        fs::write(&path, whole).unwrap();
    }
    ends(folder, "infer run new.txt", 0);
    let about = fs::read_to_string(folder.join("run/model.json")).unwrap();
    fs::write(folder.join("run/model.json"), about.replace("\"lda\"", "\"mf\"")).unwrap();
    ends(folder, "topics run", 2);
}

#[test]
fn every_help_has_an_example() {
    let folder = tempfile::tempdir().unwrap();
    for verb in ["", "fit", "cv", "infer", "topics"] {
        let (out, _) = ends(folder.path(), &format!("{verb} --help"), 0);
        assert!(out.contains("Examples:"), "{verb}");
    }
}

#[test]
fn a_corpus_read_by_parts_gives_the_model_of_one_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let hash = |at: u64| at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    let lines: Vec<String> = (1..=200u64)
        .flat_map(|d| {
            (0..20).map(move |at| format!("{d} {} {}\n", hash(d * 50 + at) % 300 + 1, hash(at + d) % 4))
        })
        .collect();
    write(folder, "docword.a.txt", &format!("200\n300\n{}\n{}", lines.len(), lines.concat()));
    for line in [
        "--epochs 6 --shards 3",
        "--epochs 6 --shards 2 --validation none --topics 300",
        "--epochs 4 --test split --sync token",
    ] {
        let fit = |more: &str| {
            ends(folder, &format!("fit docword.a.txt {line} --workers 2 --out run --force {more}"), 0);
            json(&folder.join("run/report.json"))
        };
        let plain = fit("");
        for _ in 0..2 {
            let kept = fit("--cache kept");
            for part in ["model_digest", "data", "metric", "ending", "results", "rounds", "shards"] {
                assert_eq!(kept[part], plain[part], "{part} of {line}");
            }
        }
    }
    let kept = fs::read_dir(folder.join("kept")).unwrap().map(|file| file.unwrap().path());
    assert_eq!(kept.filter(|file| file.extension().unwrap() == "corpus").count(), 1);
    // Errors have the same text.
    write(folder, "docword.b.txt", "2\n3\n2\n1 1 2\n");
    for line in ["docword.b.txt", "nothing.txt", "docword.a.txt --validation 2"] {
        let plain = ends(folder, &format!("fit {line}"), 2);
        assert_eq!(ends(folder, &format!("fit {line} --cache kept"), 2).1, plain.1, "{line}");
    }
}

/// Sizes in the head of a file take no memory, or are refused with the line or the count that does not fit.
#[test]
fn claims_of_a_head_are_refused_or_cost_little() {
    let folder = tempfile::tempdir().unwrap();
    for (sizes, entries, code, why) in [
        (
            "1099511627776\n5",
            "1 1 2\n2 3 1\n3 5 4\n",
            2,
            "d.txt:1: 1099511627776 documents: at most 4294967295",
        ),
        ("3\n1099511627776", "1 1 2\n2 3 1\n3 5 4\n", 2, "d.txt:2: 1099511627776 words: at most 4294967295"),
        (
            "4000000000\n5",
            "1 1 2\n2 3 1\n3 5 4\n",
            2,
            "4000000000 documents are claimed, but there are only 3 values",
        ),
        (
            "3\n4000000000",
            "1 1 2\n2 3 1\n3 5 4\n",
            2,
            "4000000000 words are claimed, but there are only 3 values",
        ),
        ("3\n5", "1 1 2\n2 2147483648 1\n3 5 4\n", 2, "d.txt:5: the word 2147483648 lies outside of 1 to 5"),
        (
            "3\n5",
            "1 1 2\n2147483648 3 1\n3 5 4\n",
            2,
            "d.txt:5: the document 2147483648 lies outside of 1 to 3",
        ),
        ("3\n4000000", "1 1 2\n2 3 1\n3 4000000 4\n", 0, ""),
    ] {
        fs::write(folder.path().join("d.txt"), format!("{sizes}\n3\n{entries}")).unwrap();
        let (_, err) = ends(folder.path(), "fit d.txt --topics 3 --epochs 2 --validation none", code);
        assert!(err.contains(why), "{sizes}: {err}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_a_fit_while_it_reads_and_within_an_epoch() {
    use raddle_common::testing::Program;

    let folder = tempfile::tempdir().unwrap();
    let (folder, lda) = (folder.path(), Program::at(crate::common::LDA));
    lda.ends_while_it_reads(folder, "fit - --text 1 --format csv --out none", "none");
    for line in ["--topics 20", "--topics 400 --workers 2"] {
        let mut fit = lda.start(folder, &format!("fit {line} --epochs 5000 --out run --force"));
        fit.until("epoch ").signal("-TERM");
        let ran = fit.end();
        assert_eq!(ran.code, Some(130), "{line}: {}", ran.err);
        assert_eq!(json(&folder.join("run/model.json"))["ending"], "interrupted", "{line}");
        assert!(folder.join("run/topic_word.npy").exists());
    }
}
