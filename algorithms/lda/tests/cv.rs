//! `lda cv`: its curve, its choice, and what it refuses.

use std::fs;
use std::path::Path;

use raddle::random::Stream;
use raddle_common::testing::pairs;
use raddle_datasets::{Corpus, embedded, registry};
use raddle_lda::{HoldOut, Lda, Preparation, Problem, fold_documents};
use serde_json::Value;

use crate::common::{ends, json, model, write};

/// The lines of a table, without its head.
fn rows(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// Checks that every row of `cv_fits.tsv` is a fit of its own of the library, on the same folds.
fn is_of_separate_fits(run: &Path, corpus: &Corpus, (folds, epochs): (usize, u64)) {
    let held_out = fold_documents(corpus, folds, 7).unwrap();
    let found = rows(&run.join("cv_fits.tsv"));
    assert_eq!(found.len(), folds * rows(&run.join("cv.tsv")).len());
    for row in found {
        let [fold, topics, documents, perplexity, _, _, digest] = &row[..] else { panic!("{row:?}") };
        let held_out = held_out[fold.parse::<usize>().unwrap() - 1].clone();
        assert_eq!(documents.parse(), Ok(held_out.len()));
        let preparation =
            Preparation { validation: HoldOut::Documents(held_out), seed: 7, ..Preparation::default() };
        let lda = Lda::params().topics(topics.parse().unwrap()).epochs(epochs).seed(7);
        let fit = lda.fit(Problem::new(corpus, &preparation).unwrap()).unwrap();
        assert_eq!(fit.digest(), *digest, "{row:?}");
        let value = fit.evaluations().last().unwrap().validation;
        assert_eq!(value, Some(perplexity.parse().unwrap()));
    }
}

#[test]
fn the_curve_is_that_of_separate_fits_and_the_model_that_of_a_fit() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let line = "--epochs 6 --seed 7 --quiet";
    ends(folder, &format!("cv pydoc --topics 9,3,6 --folds 3 --rule min {line} --out run"), 0);
    is_of_separate_fits(&folder.join("run"), &embedded::pydoc(), (3, 6));
    let report = json(&folder.join("run/report.json"));
    let (results, chosen) = (&report["results"], report["results"]["topics"].as_u64().unwrap());
    assert_eq!((&results["rule"], &results["folds"]), (&"min".into(), &3.into()));
    assert_eq!(results["topics_min"], chosen);
    ends(folder, &format!("fit pydoc --topics {chosen} {line} --out alone"), 0);
    assert_eq!(json(&folder.join("alone/report.json"))["model_digest"], report["model_digest"]);
    // Means of equal folds, each of a third of the documents.
    let fits = rows(&folder.join("run/cv_fits.tsv"));
    for point in rows(&folder.join("run/cv.tsv")) {
        let of: Vec<[f64; 2]> = fits
            .iter()
            .filter(|row| row[1] == point[0])
            .map(|row| [row[2].parse().unwrap(), row[3].parse().unwrap()])
            .collect();
        let all: f64 = of.iter().map(|[documents, _]| documents).sum();
        let mean = of.iter().map(|[documents, value]| documents * value).sum::<f64>() / all;
        let found: f64 = point[1].parse().unwrap();
        assert!((found / mean - 1.0).abs() < 1e-12 && of.len() == 3, "{point:?}: {mean}");
    }
    let summary = json(&folder.join("run/summary.json"));
    let tables = summary["tables"].as_array().unwrap();
    let curve = tables.iter().find(|table| table["title"] == "cross-validation").unwrap();
    let topics: Vec<&Value> = curve["rows"].as_array().unwrap().iter().map(|row| &row[0]).collect();
    assert_eq!(topics, [3, 6, 9]);
}

#[test]
fn curves_of_public_corpora_are_those_of_separate_fits() {
    let folder = tempfile::tempdir().unwrap();
    let sets: &[(&str, &str)] = match crate::combinations::all_combinations() {
        true => &[("ap", "20,50"), ("20ng", "20,50")],
        false => &[("ap", "10,20")],
    };
    for (set, topics) in sets {
        let Some(corpus) = registry::real_corpus(set) else { return };
        let line = "--folds 2 --epochs 3 --seed 7 --quiet";
        ends(folder.path(), &format!("cv {set} --topics {topics} {line} --out {set}"), 0);
        is_of_separate_fits(&folder.path().join(set), &corpus, (2, 3));
    }
}

#[test]
fn any_number_of_workers_and_a_resumed_run_leave_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let line = "cv pydoc --topics 3,6 --folds 2 --epochs 5 --quiet";
    ends(folder, &format!("{line} --workers 1 --out whole"), 0);
    let whole = model(&folder.join("whole"));
    let is_same = |run: &str| {
        let other = model(&folder.join(run));
        for ((name, bytes), (other, found)) in pairs(&whole, &other) {
            assert_eq!((name, bytes == found), (other, true), "{run}");
        }
    };
    for workers in [2, 3, 4, 7] {
        ends(folder, &format!("{line} --workers {workers} --out run --force"), 0);
        is_same("run");
    }
    let cut = format!("{line} --workers 2 --checkpoint-every 1");
    let (out, _) = ends(folder, &format!("{cut} --time-limit 0 --out cut"), 3);
    assert!(out.contains("so no number of topics is chosen and no model is written; --resume cut"), "{out}");
    ends(folder, &format!("{line} --workers 3 --resume cut"), 0);
    is_same("cut");
}

/// Writes a corpus that this number of topics made: `documents` documents of 100 tokens over 1000 words.
fn generated(folder: &Path, topics: usize, documents: usize, seed: u64) {
    let mut stream = Stream::new(&[seed, topics as u64]);
    // Shares by draws from a gamma distribution of a shape of 1 / n: products of powers of uniform numbers.
    let mut shares = |count: usize, shape: f64| -> Vec<f64> {
        let mut gamma = || loop {
            // Ahrens and Dieter's method for shapes below 1.
            let (u, v) = (1.0 - stream.unit(), 1.0 - stream.unit());
            let bound = 1.0 + shape / std::f64::consts::E;
            let p = bound * u;
            let x = if p <= 1.0 { p.powf(1.0 / shape) } else { -((bound - p) / shape).ln() };
            let ratio = if p <= 1.0 { (-x).exp() } else { x.powf(shape - 1.0) };
            if v <= ratio {
                break x;
            }
        };
        let drawn: Vec<f64> = (0..count).map(|_| gamma()).collect();
        let sum: f64 = drawn.iter().sum();
        drawn
            .iter()
            .scan(0.0, |end, share| {
                Some({
                    *end += share / sum;
                    *end
                })
            })
            .collect()
    };
    let words: Vec<Vec<f64>> = (0..topics).map(|_| shares(1000, 0.05)).collect();
    let mixtures: Vec<Vec<f64>> = (0..documents).map(|_| shares(topics, 0.1)).collect();
    let mut lines = Vec::new();
    for (document, mixture) in mixtures.iter().enumerate() {
        let mut counts = std::collections::BTreeMap::<usize, u32>::new();
        for _ in 0..100 {
            let mut pick = |ends: &[f64]| {
                let at = stream.unit();
                ends.partition_point(|&end| end <= at).min(ends.len() - 1)
            };
            let topic = pick(mixture);
            *counts.entry(pick(&words[topic])).or_default() += 1;
        }
        let entry = |(word, count): (&usize, &u32)| format!("{} {} {count}\n", document + 1, word + 1);
        lines.extend(counts.iter().map(entry));
    }
    write(folder, "docword.made.txt", &format!("{documents}\n1000\n{}\n{}", lines.len(), lines.concat()));
}

#[test]
fn the_number_of_topics_that_made_a_corpus_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let seeds: u64 = std::env::var("RADDLE_TOPIC_SEEDS").map_or(1, |seeds| seeds.parse().unwrap());
    let made: &[usize] = if seeds > 1 { &[10, 20, 40] } else { &[10] };
    let (mut near, mut all) = (0, 0);
    for &topics in made {
        for seed in 1..=seeds {
            generated(folder.path(), topics, if seeds > 1 { 1000 } else { 400 }, seed);
            let line = "cv docword.made.txt --topics 5,7,10,14,20,28,40,56,80 --folds 3 --json --quiet";
            let line = if seeds > 1 { line.to_owned() } else { line.replace(",28,40,56,80", "") };
            let report: Value = serde_json::from_str(&ends(folder.path(), &line, 0).0).unwrap();
            let found = report["results"]["topics"].as_f64().unwrap() / topics as f64;
            println!("{topics} topics, seed {seed}: {}", report["results"]);
            near += u32::from((1.0 / 1.5..=1.5).contains(&found));
            all += 1;
        }
    }
    assert!(15 * near >= 13 * all, "{near} of {all}");
}

#[test]
fn where_perplexity_does_not_turn_the_screen_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (out, _) = ends(folder.path(), "cv pydoc --topics 2,4 --folds 2 --epochs 20 --quiet", 0);
    assert!(out.contains("perplexity does not turn within the list: it falls up to 4 topics"), "{out}");
    let chosen = out.lines().find(|line| line.starts_with("chosen by --rule npmi: ")).unwrap();
    assert!(chosen.ends_with(" topics, whose top words occur together most"), "{chosen}");
    assert!(out.lines().any(|line| line.contains("<- npmi, chosen") || line.ends_with(", chosen")), "{out}");
}

#[test]
fn what_cannot_be_chosen_from_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "few.txt", "the ship at sea\nthe sea and a ship\nlog\n");
    write(folder.path(), "news.csv", "id,body\n1,the ship at sea\n2,the sea and a ship\n");
    for (line, why) in [
        ("cv few.txt --topics 2,3 --folds 3", "folds is 3, but only 2 documents can be held out"),
        ("cv few.txt --topics 2,3 --folds 1", "--folds is 1: there must be at least 2"),
        ("cv few.txt --topics 2", "there is nothing to choose from: name several, as in --topics 2,4"),
        ("cv few.txt --topics 2,2", "--topics: it names a number twice"),
        ("cv few.txt --topics 0,2", "--topics: it names 0: give numbers from 1 to 65536"),
        ("cv few.txt --rule best", "--rule `best` does not exist: choose min, 1se or npmi"),
        ("cv few.txt --init run", "--init has no effect in lda cv"),
        ("cv few.txt --test split", "--test has no effect in lda cv"),
        ("cv news.csv", "--text"),
    ] {
        let (_, err) = ends(folder.path(), line, 2);
        assert!(err.contains(why), "{line}: {err}");
    }
}
