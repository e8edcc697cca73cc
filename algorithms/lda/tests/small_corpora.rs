//! However small a corpus is, `lda fit` ends with a finite number or with an error message.

use serde_json::Value;

use crate::combinations::in_turn;
use crate::common::{ends, ran, write};

/// Corpora of these numbers of documents.
fn corpora(documents: usize) -> Vec<(&'static str, String)> {
    let lines = |line: &dyn Fn(usize) -> String| (0..documents).map(line).collect::<Vec<_>>().join("\n");
    let animals = ["fox", "dog", "cat", "hen"];
    vec![
        ("sentences", lines(&|at| format!("the quick brown {} jumps over the lazy dog", animals[at % 4]))),
        ("one word each", lines(&|_| "sea".into())),
        ("one word, twice", lines(&|_| "sea sea".into())),
        ("a word of its own each", lines(&|at| ["alpha", "bravo", "coin", "delta"][at % 4].into())),
        ("all empty but the last", lines(&|at| if at + 1 == documents { "ship at sea" } else { "" }.into())),
        ("every second empty", lines(&|at| if at % 2 == 0 { "log mast sail" } else { "" }.into())),
        ("one long document", lines(&|at| if at == 0 { "ship sea log ".repeat(400) } else { "sea".into() })),
    ]
}

#[test]
fn small_corpora_end_with_a_number_or_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (mut fitted, mut refused, mut held_out, mut tried) = (0, 0, 0, 0);
    for (turn, documents) in [1, 2, 3, 5, 12, 24, 31, 60].into_iter().enumerate() {
        for (at, (name, text)) in corpora(documents).into_iter().enumerate() {
            write(folder, "notes.txt", &text);
            let (some, others) = (
                ["", "--topics 2 --epochs 4 --coherence", "--test split --target 1.5 --topics 2"],
                [
                    "--topics 1",
                    "--validation 0.6 --topics 3",
                    "--validation none --fixed-priors --evaluate-every 1",
                ],
            );
            for options in [in_turn(some, turn + at), in_turn(others, turn + at / 3)].concat() {
                tried += 1;
                let line = format!("fit notes.txt --json --workers 1 {options}");
                let (status, out, err) = ran(folder, &line);
                let case = format!("{documents} documents, {name}, {options}: {status:?} {out}{err}");
                match status {
                    Some(0 | 3) => {
                        let report: Value = serde_json::from_str(&out).expect(&case);
                        assert!(report["metric"]["value"].as_f64().is_some_and(f64::is_finite), "{case}");
                        assert_ne!(report["ending"], "diverged", "{case}");
                        let results = report["results"].as_object().unwrap();
                        assert!(results.values().all(|value| !value.is_null()), "{case}");
                        fitted += 1;
                        held_out += usize::from(results.contains_key("validation_perplexity"));
                    }
                    Some(2) => {
                        let sentence = err.lines().last().unwrap_or_default();
                        assert!(sentence.starts_with("lda: error: ") && sentence.contains(": "), "{case}");
                        refused += 1;
                    }
                    _ => panic!("{case}"),
                }
            }
        }
    }
    assert!(
        5 * fitted > 3 * tried && 60 * refused > tried && 5 * held_out > tried,
        "{fitted} fitted, {refused} refused, {held_out} held out of {tried}"
    );
}

#[test]
fn a_first_try_holds_out_a_document_or_says_that_it_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let lines = (1..=24).map(|n| format!("the quick brown fox jumps over the lazy dog number {n}"));
    write(folder, "notes.txt", &lines.collect::<Vec<_>>().join("\n"));
    let (out, _) = ends(folder, "fit notes.txt --topics 2 --epochs 20", 0);
    assert!(out.contains("perplexity") && out.contains("on validation documents"), "{out}");
    assert!(!out.contains("no document is held out"), "{out}");
    write(folder, "one.txt", "the ship at sea\n");
    let (out, _) = ends(folder, "fit one.txt --topics 2 --epochs 20", 0);
    assert!(out.contains("no document is held out: ") && out.contains("on training data"), "{out}");
    // A user who asks for none gets no note.
    let (out, _) = ends(folder, "fit one.txt --topics 2 --epochs 20 --validation none", 0);
    assert!(!out.contains("no document is held out"), "{out}");
    let (_, err) = ends(folder, "fit one.txt --test split", 2);
    assert!(err.contains("nothing to score among the test documents"), "{err}");
}

#[test]
fn counts_beyond_what_can_be_held_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let most = (1u64 << 24) - 1;
    for (count, why) in [
        (9_223_372_036_854_775_807, "d.txt:4: the count 9223372036854775807: at most 4294967295"),
        (1_099_511_627_776, "d.txt:4: the count 1099511627776: at most 4294967295"),
        (4_294_967_296, "d.txt:4: the count 4294967296: at most 4294967295"),
        (4_294_967_295, "has 4294967296 tokens, but fewer than 16777216 can be counted: leave it out"),
        (most + 1, "has 16777217 tokens, but fewer than 16777216 can be counted: leave it out"),
    ] {
        write(folder, "d.txt", &format!("3\n4\n5\n1 1 {count}\n1 2 1\n2 3 4\n3 1 1\n3 4 2\n"));
        let (_, err) = ends(folder, "fit d.txt", 2);
        assert!(err.contains(why), "{count}: {err}");
    }
    // Each word can be counted, but not all of them in one document.
    let entries = (1..=2_000).map(|word| format!("1 {word} {most}\n")).collect::<String>();
    write(folder, "many.txt", &format!("2\n2001\n2001\n{entries}2 2001 1\n"));
    let (_, err) = ends(folder, "fit many.txt --validation none", 2);
    assert!(err.contains("many.txt") || err.contains("a document has 33554430000 tokens"), "{err}");
}
