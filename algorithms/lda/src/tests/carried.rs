//! The counts and draws with which a version of a corpus starts are those of a naive sampler.

use raddle::random::Stream;
use raddle_common::testing::pairs;
use raddle_datasets::{Corpus, is_validation_document};

use super::naive::{Documents, Fates, Naive};
use crate::data::hold_out::HoldOut;
use crate::data::problem::{Preparation, Problem};
use crate::{Carried, Fit, Lda};

fn document(draws: &mut Stream, width: usize) -> Vec<(u32, u64)> {
    let mut words = vec![0; width];
    for _ in 0..3 + draws.below(12) {
        words[draws.below(width)] += 1 + draws.below(2) as u64;
    }
    (0..).zip(words).filter(|pair| pair.1 > 0).collect()
}

/// Changes documents at random: they are retracted, inserted again, or inserted with new words; words
/// disappear, appear, or change their counts.
fn change(documents: &mut Documents, width: usize, draws: &mut Stream) {
    for _ in 0..3 {
        let (gone, back) = (draws.below(documents.len()), draws.below(documents.len()));
        documents[gone].clear();
        if documents[back].is_empty() {
            documents[back] = document(draws, width);
        }
        documents.push(document(draws, width));
    }
    for _ in 0..8 {
        let changed = draws.below(documents.len());
        let pairs = &mut documents[changed];
        let Some(at) = (!pairs.is_empty()).then(|| draws.below(pairs.len())) else { continue };
        match draws.below(4) {
            0 => pairs[at].1 += 1 + draws.below(3) as u64,
            1 => pairs[at].1 = pairs[at].1.div_ceil(2),
            2 => drop(pairs.remove(at)),
            _ => {
                let word = draws.below(width) as u32;
                if pairs.iter().all(|pair| pair.0 != word) {
                    pairs.push((word, 2));
                }
            }
        }
        pairs.sort_unstable();
    }
}

/// Asserts that all counts of a fit match the tokens of the naive sampler.
fn agree(fit: &Fit, naive: &Naive, documents: &Documents, is_trained: impl Fn(u32) -> bool) {
    let found = Naive::of(&fit.carried());
    assert_eq!((found.shards, found.blocks), (naive.shards.clone(), naive.blocks.clone()));
    assert_eq!((found.alpha, found.beta), (naive.alpha.clone(), naive.beta));
    for (found, expected) in pairs(found.topics, naive.topics.clone()) {
        assert_eq!(found, expected, "the topics of a word of a document");
    }
    assert_eq!(fit.totals(), naive.count(|_, _| true));
    let words = naive.blocks.iter().flatten().count();
    let counts = fit.topic_words();
    let mut of_words = vec![vec![0_i64; fit.topics()]; words];
    let entries = (0..fit.topics()).flat_map(|topic| counts.topic(topic).map(move |entry| (topic, entry)));
    entries.for_each(|(topic, (word, count))| of_words[word as usize][topic] = count.into());
    for (word, found) in pairs(0..words as u32, of_words) {
        assert_eq!(found, naive.count(|_, other| other == word), "word {word}");
    }
    let rows = fit.document_topics();
    let mut tokens = 0;
    for (document, pairs) in (0..).zip(documents) {
        let mut found = vec![0_i64; fit.topics()];
        for (topic, count) in rows.of(document as usize) {
            found[topic as usize] = count.into();
        }
        assert_eq!(found, naive.count(|other, _| other == document), "document {document}");
        let length: u64 = pairs.iter().map(|pair| pair.1).sum();
        let expected = if is_trained(document) { length as i64 } else { 0 };
        assert_eq!(found.iter().sum::<i64>(), expected, "document {document}");
        tokens += expected;
    }
    assert!(tokens > 0);
    assert_eq!(fit.totals().iter().sum::<i64>(), tokens);
}

/// Runs versions in a row with `epochs` epochs between them; returns the sum of the tokens' fates.
fn versions((topics, shards, blocks, workers): (usize, usize, usize, usize), epochs: u64) -> Fates {
    let (mut draws, mut width, seed) = (Stream::new(&[17, topics as u64]), 19, 5);
    let is_trained = |document: u32| !is_validation_document(document as usize, 0.1);
    let preparation = Preparation {
        validation: HoldOut::Fraction(0.1),
        shards: Some(shards),
        blocks: Some(blocks),
        ..Preparation::default()
    };
    let mut documents: Documents = (0..30).map(|_| document(&mut draws, width)).collect();
    let held_out = (0..30).find(|&document| !is_trained(document)).unwrap() as usize;
    let corpus = |documents: &Documents, width| Corpus::from_documents(width, documents.clone()).unwrap();
    let lda = Lda::params().topics(topics).seed(seed).workers(workers);
    let problem = Problem::new(&corpus(&documents, width), &preparation).unwrap();
    let mut carried: Carried = lda.clone().epochs(2).fit(problem).unwrap().carried();
    // Priors differ between topics, so that a mix-up of topics is noticed.
    carried.alpha = (0..topics).map(|topic| 0.05 + 0.1 * (topic % 7) as f64).collect();
    let mut naive = Naive::of(&carried);
    let mut sum = Fates::default();
    for version in 0..6 {
        change(&mut documents, width, &mut draws);
        // This document can be scored, so that no other one is held out in its place.
        documents[held_out] = (0..10).map(|word| (word, 2)).collect();
        if version % 2 == 1 {
            width += 2;
            documents.push(vec![(width as u32 - 1, 3), (0, 1)]);
        }
        let (next, fates) = naive.next(&documents, width, is_trained, seed);
        let run = |epochs: u64| {
            let problem = Problem::going_on(&corpus(&documents, width), &preparation, &carried).unwrap();
            let engine = lda.clone().epochs(epochs.max(1)).going_on(problem, &carried).unwrap();
            Fit::new(engine.epochs(epochs).run().unwrap(), documents.len())
        };
        agree(&run(0), &next, &documents, is_trained);
        carried = run(epochs).carried();
        // Without epochs the naive sampler continues from its own counts.
        naive = if epochs == 0 { next } else { Naive::of(&carried) };
        sum.kept += fates.kept;
        sum.gone += fates.gone;
        sum.drawn += fates.drawn;
        sum.drawn_in_new_documents += fates.drawn_in_new_documents;
    }
    sum
}

#[test]
fn a_version_begins_with_the_counts_and_draws_of_a_naive_sampler() {
    // Few topics are drawn in lockstep, many one after another.
    for sizes in [(4, 1, 1, 1), (7, 3, 5, 2), (7, 4, 2, 3), (300, 2, 4, 2)] {
        for epochs in [0, 1] {
            let Fates { kept, gone, drawn, drawn_in_new_documents } = versions(sizes, epochs);
            let fewest = kept.min(10 * gone).min(10 * drawn).min(10 * drawn_in_new_documents);
            assert!(fewest > 100, "{kept} kept, {gone} gone, {drawn} and {drawn_in_new_documents} drawn");
        }
    }
}
