//! The measures of a fit follow from their definitions, computed here from the exported counts.

use std::sync::Arc;

use raddle::random::Stream;
use raddle::{Ending, Limit};
use raddle_common::testing::{not_empty, pairs};
use raddle_datasets::{Completion, Corpus, embedded, is_test_document, registry};
use raddle_lda::{
    Fit, HoldOut, Inference, Lda, LdaError, Preparation, Problem, SyncInterval, TEST, VALIDATION, coherence,
};

fn prepared(corpus: &Corpus, validation: HoldOut, test: HoldOut) -> Problem {
    Problem::new(corpus, &Preparation { validation, test, ..Preparation::default() }).unwrap()
}

/// Returns phi, topics by words.
fn phi(fit: &Fit) -> Vec<Vec<f64>> {
    let counts = fit.topic_words();
    let (v, beta) = (counts.words as f64, fit.beta());
    let row = |topic: usize| {
        let mut row = vec![beta; counts.words];
        counts.topic(topic).for_each(|(word, count)| row[word as usize] += f64::from(count));
        let norm = fit.totals()[topic] as f64 + v * beta;
        row.into_iter().map(|weight| weight / norm).collect()
    };
    (0..fit.topics()).map(row).collect()
}

/// Returns theta from 50 dense rounds of expectation-maximisation.
fn theta(phi: &[Vec<f64>], alpha: &[f64], words: &[(u32, u32)]) -> Vec<f64> {
    let mut theta = vec![1.0 / phi.len() as f64; phi.len()];
    for _ in 0..50 {
        let mut next = alpha.to_vec();
        for &(word, count) in words {
            let all: f64 = theta.iter().zip(phi).map(|(theta, phi)| theta * phi[word as usize]).sum();
            for ((next, theta), phi) in next.iter_mut().zip(&theta).zip(phi) {
                *next += f64::from(count) * theta * phi[word as usize] / all;
            }
        }
        let norm: f64 = next.iter().sum();
        theta = next.into_iter().map(|weight| weight / norm).collect();
    }
    theta
}

/// Returns the perplexity of the test documents, by document completion.
fn perplexity(fit: &Fit, corpus: &Corpus) -> f64 {
    let (phi, mut sum, mut tokens) = (phi(fit), 0.0, 0.0);
    for document in (0..corpus.documents()).filter(|&document| is_test_document(document)).take(1000) {
        let halves = Completion::of(corpus.document(document));
        let theta = theta(&phi, fit.alpha(), &halves.observed);
        for &(word, count) in &halves.scored {
            let p: f64 = theta.iter().zip(&phi).map(|(theta, phi)| theta * phi[word as usize]).sum();
            (sum, tokens) = (sum + f64::from(count) * p.ln(), tokens + f64::from(count));
        }
    }
    (-sum / tokens).exp()
}

/// Returns log p(words, topics) per token (Griffiths and Steyvers, 2004).
fn joint(fit: &Fit) -> f64 {
    let lg = libm::lgamma;
    let (counts, beta, mut sum) = (fit.topic_words(), fit.beta(), 0.0);
    let v = counts.words as f64;
    for topic in 0..fit.topics() {
        sum += lg(v * beta) - lg(fit.totals()[topic] as f64 + v * beta);
        sum += counts.topic(topic).map(|(_, count)| lg(f64::from(count) + beta) - lg(beta)).sum::<f64>();
    }
    let (rows, all) = (fit.document_topics(), fit.alpha().iter().sum::<f64>());
    for document in 0..fit.documents() {
        let row = rows.of(document);
        let length: u32 = row.iter().map(|&(_, count)| count).sum();
        sum += lg(all) - lg(f64::from(length) + all);
        let topics = row.iter().map(|&(topic, count)| (fit.alpha()[topic as usize], f64::from(count)));
        sum += topics.map(|(alpha, count)| lg(count + alpha) - lg(alpha)).sum::<f64>();
    }
    sum / fit.totals().iter().sum::<i64>() as f64
}

#[test]
fn perplexity_and_likelihood_are_those_of_the_definitions() {
    let corpus = embedded::pydoc();
    // Fixed priors, so that the counts and the priors of the last evaluation are those of the result.
    for topics in [3, 40] {
        let lda =
            Lda::params().topics(topics).alpha(0.3).beta(0.07).fixed_priors(true).epochs(8).evaluate_every(4);
        let fit = lda.fit(prepared(&corpus, HoldOut::None, HoldOut::Split)).unwrap();
        let last = fit.evaluations().last().unwrap();
        assert_eq!((last.epoch, fit.evaluations().len()), (8, 2));
        let expected = perplexity(&fit, &corpus);
        let found = last.test.unwrap();
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
        assert_eq!((fit.report.metric.value, last.validation), (found, None));
        assert_eq!(fit.report.metric.on, "test documents");
        let expected = joint(&fit);
        assert!((last.joint - expected).abs() < 1e-6, "{} {expected}", last.joint);
    }
}

#[test]
fn counts_of_words_and_documents_are_those_of_the_corpus() {
    let corpus = embedded::pydoc();
    let fit = Lda::params()
        .topics(15)
        .epochs(6)
        .fit(prepared(&corpus, HoldOut::Fraction(0.2), HoldOut::Split))
        .unwrap();
    let (counts, rows) = (fit.topic_words(), fit.document_topics());
    let is_held = |d: usize| is_test_document(d) || raddle_datasets::is_validation_document(d, 0.2);
    let mut by_word = vec![0u64; corpus.words()];
    (0..15)
        .flat_map(|topic| counts.topic(topic).collect::<Vec<_>>())
        .for_each(|(w, c)| by_word[w as usize] += u64::from(c));
    let mut expected = vec![0u64; corpus.words()];
    for document in 0..corpus.documents() {
        let length: u64 = rows.of(document).iter().map(|&(_, count)| u64::from(count)).sum();
        assert_eq!(
            length,
            if is_held(document) { 0 } else { corpus.length(document) },
            "document {document}"
        );
        if !is_held(document) {
            corpus.document(document).for_each(|(word, count)| expected[word as usize] += u64::from(count));
        }
    }
    assert_eq!(by_word, expected);
    assert_eq!((0..15).map(|topic| counts.total(topic) as i64).collect::<Vec<_>>(), fit.totals());
    let mut row = vec![0.0; corpus.words()];
    counts.probabilities(3, &mut row);
    assert!((row.iter().map(|&p| f64::from(p)).sum::<f64>() - 1.0).abs() < 1e-4);
}

#[test]
fn optimised_priors_raise_the_likelihood_of_the_data() {
    let corpus = embedded::pydoc();
    let fit = |fixed| {
        let lda = Lda::params().topics(20).fixed_priors(fixed).epochs(60).evaluate_every(60);
        lda.fit(prepared(&corpus, HoldOut::None, HoldOut::Split)).unwrap()
    };
    let (fixed, optimised) = (fit(true), fit(false));
    assert!(fixed.alpha().iter().all(|&alpha| alpha == 2.5) && fixed.beta() == 0.01);
    assert!(
        optimised.alpha().iter().any(|&alpha| (alpha - optimised.alpha()[0]).abs() > 1e-3),
        "alpha is asymmetric"
    );
    let of = |fit: &Fit| (fit.evaluations()[0].joint, fit.evaluations()[0].held_out().next().unwrap().1);
    let ((joint, perplexity), (better, lower)) = (of(&fixed), of(&optimised));
    assert!(better > joint && lower < perplexity, "{joint} {better}, {perplexity} {lower}");
}

#[test]
fn seeded_words_lead_their_topics() {
    let corpus = embedded::pydoc();
    let number =
        |text: &str| corpus.vocabulary.as_ref().unwrap().iter().position(|word| word == text).unwrap() as u32;
    let seeds = [("socket", 4), ("turtle", 9)].map(|(word, topic)| (number(word), topic, 500.0));
    let lda = Lda::params().topics(12).epochs(40).seed(8).word_priors(seeds.to_vec());
    let fit = lda.fit(prepared(&corpus, HoldOut::None, HoldOut::None)).unwrap();
    for (word, topic, _) in seeds {
        let counts = fit.topic_words();
        let of = |topic: usize| {
            counts.topic(topic).find(|&(other, _)| other == word).map_or(0, |(_, count)| count)
        };
        let own = of(topic as usize);
        assert!((0..12).all(|other| other == topic as usize || of(other) < own), "{}", corpus.word(word));
    }
    // Sums with priors are computed differently, but give the same likelihood.
    assert_eq!(fit.topic_words().priors.len(), 2);
}

#[test]
fn a_run_ends_at_its_target_by_its_rule_or_at_its_length() {
    let corpus = embedded::pydoc();
    let problem = || prepared(&corpus, HoldOut::Fraction(0.1), HoldOut::None);
    let rule = Lda::params().topics(10).fit_with(problem(), |engine| engine.epochs(400)).unwrap();
    assert_eq!((rule.report.ending, rule.report.metric.target), (Ending::Converged, None));
    let [.., last] = rule.evaluations() else { panic!("it was evaluated") };
    let earlier = rule.evaluations().iter().rev().find(|one| one.epoch + 10 <= last.epoch).unwrap();
    let (last, earlier) = (last.validation.unwrap(), earlier.validation.unwrap());
    assert!(last > 0.999 * earlier);
    let target = Lda::params().topics(10).target(1.5 * last).evaluate_every(1).fit(problem()).unwrap();
    assert!(target.report.metric.is_reached() && target.report.epochs < rule.report.epochs);
    assert_eq!(target.report.ending, Ending::Target);
    // An unreachable target: the rule ends the run, and a note says that the target was missed.
    let vain = Lda::params().topics(10).target(1.5).fit_with(problem(), |engine| engine.epochs(400)).unwrap();
    assert_eq!(vain.report.ending, Ending::Converged);
    assert!(vain.report.metric.is_missed());
    let length = Lda::params().topics(10).epochs(7).fit(problem()).unwrap();
    assert_eq!((length.report.ending, length.report.epochs), (Ending::Converged, 7));
    let missed = Lda::params().topics(10).epochs(7).target(1.5).fit(problem()).unwrap();
    assert_eq!(missed.report.ending, Ending::Limit(Limit::Epochs));
    assert_eq!(length.evaluations().last().unwrap().epoch, 7);
}

#[test]
fn a_target_is_seen_soon_by_few_evaluations_that_are_those_of_each_epoch() {
    let corpus = embedded::pydoc();
    for (topics, seed) in [(5, 1), (10, 2), (40, 3)] {
        let lda = Lda::params().topics(topics).seed(seed).epochs(60);
        let fit = |lda: Lda| lda.fit(prepared(&corpus, HoldOut::None, HoldOut::Split)).unwrap();
        let every = fit(lda.clone().evaluate_every(1));
        let values: Vec<f64> = every.evaluations().iter().map(|one| one.test.unwrap()).collect();
        assert_eq!(values.len(), 60);
        for at in [8, 14, 23, 41] {
            let target = values[at] + 1e-9;
            let met = 1 + values.iter().position(|&value| value <= target).unwrap() as u64;
            let seldom = fit(lda.clone().target(target));
            let report = &seldom.report;
            assert_eq!(report.ending, Ending::Target, "{topics} topics, epoch {met}");
            // The perplexity fluctuates, and may leave a target again before an evaluation is due.
            let stays = 1 + values.iter().rposition(|&value| value > target).unwrap() as u64;
            assert!((met..=stays + 20).contains(&report.epochs), "{met}, {stays}: {}", report.epochs);
            for one in not_empty(seldom.evaluations().iter()) {
                assert_eq!(one.test, Some(values[one.epoch as usize - 1]), "epoch {}", one.epoch);
            }
            assert_eq!(report.metric.value, values[report.epochs as usize - 1]);
            let evaluations = seldom.evaluations().len() as u64;
            assert!(evaluations <= report.epochs / 10 + 5, "{evaluations} in {} epochs", report.epochs);
        }
    }
}

#[test]
fn an_estimate_that_is_enough_moves_no_end() {
    // Enough tokens to begin on a quarter of the documents, and then on half of them.
    let mut draw = Stream::new(&[5]);
    let mut document = |_| {
        let mut counts = std::collections::BTreeMap::new();
        let topics = [(); 4].map(|()| draw.below(300));
        for at in 0..250 {
            let word = 12 * topics[at % 4] + draw.below(16);
            *counts.entry(word as u32).or_insert(0) += 1;
        }
        counts.into_iter().collect::<Vec<(u32, u64)>>()
    };
    let corpus = Corpus::from_documents(3604, (0..3600).map(&mut document)).unwrap();
    let lda = Lda::params().topics(450).seed(2);
    let fit = |lda: &Lda, epochs| {
        let problem = prepared(&corpus, HoldOut::None, HoldOut::Split);
        lda.clone().workers(2).fit_with(problem, |engine| engine.epochs(epochs)).unwrap()
    };
    let every = fit(&lda.clone().target(1.5).evaluate_every(1), 11);
    let values: Vec<f64> = every.evaluations().iter().map(|one| one.test.unwrap()).collect();
    assert_eq!(values.len(), 11);
    let seldom = fit(&lda.target(values[10] + 1e-9), 400);
    assert_eq!((seldom.report.ending, seldom.report.epochs), (Ending::Target, 11));
    // No estimate is among the evaluations, and the trace says which is one.
    let evaluations: Vec<(u64, Option<f64>)> =
        seldom.evaluations().iter().map(|one| (one.epoch, one.test)).collect();
    assert_eq!(evaluations, [(11, Some(values[10]))]);
    let measured: Vec<_> =
        seldom.trace.iter().filter_map(|of| Some((of.epoch, of.metric.as_ref()?))).collect();
    let places: Vec<(u64, &str)> = measured.iter().map(|(epoch, of)| (*epoch, of.on.as_str())).collect();
    assert_eq!(places, [(7, "test documents, estimated"), (11, "test documents")]);
    let estimate = measured[0].1.value;
    assert!((estimate / values[6] - 1.0).abs() < 0.005 && estimate != values[6], "{estimate} {}", values[6]);
    // Estimates change no draw.
    assert_eq!(seldom.topic_words(), every.topic_words());
}

#[test]
fn a_target_out_of_reach_ends_a_run_once_ten_epochs_gain_nothing() {
    let corpus = embedded::pydoc();
    let lda = Lda::params().topics(5).target(10.0).evaluate_every(2);
    let fit = lda.fit(prepared(&corpus, HoldOut::Fraction(0.1), HoldOut::None)).unwrap();
    assert_eq!(fit.report.ending, Ending::Converged);
    assert!(fit.report.metric.is_missed() && fit.report.epochs < 2_000, "{} epochs", fit.report.epochs);
    let values: Vec<f64> = fit.evaluations().iter().map(|one| one.validation.unwrap()).collect();
    let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
    let (earlier, recent) = values.split_at(values.len() - 5);
    assert!(least(recent) >= least(earlier), "{values:?}");
    // A given number of epochs is run, whatever it gains.
    let lda = Lda::params().topics(5).target(10.0).evaluate_every(2).epochs(fit.report.epochs + 20);
    let longer = lda.fit(prepared(&corpus, HoldOut::Fraction(0.1), HoldOut::None)).unwrap();
    assert_eq!(longer.report.ending, Ending::Limit(Limit::Epochs));
    assert_eq!(longer.report.epochs, fit.report.epochs + 20);
}

#[test]
fn more_shards_and_synchronising_each_round_cost_no_quality() {
    let corpus = embedded::pydoc();
    let perplexity = |shards, sync| {
        let preparation = Preparation {
            validation: HoldOut::None,
            test: HoldOut::Split,
            shards: Some(shards),
            ..Preparation::default()
        };
        let problem = Problem::new(&corpus, &preparation).unwrap();
        let lda = Lda::params().topics(20).fixed_priors(true).sync(sync).epochs(40).evaluate_every(5);
        let fit = lda.fit(problem).unwrap();
        // The mean over the settled end of the run, as a single evaluation is noisy with 30 documents.
        let last = &fit.evaluations()[4..];
        last.iter().map(|one| one.test.unwrap()).sum::<f64>() / last.len() as f64
    };
    let plain = perplexity(4, SyncInterval::Epoch);
    for (shards, sync) in [
        (1, SyncInterval::Epoch),
        (16, SyncInterval::Epoch),
        (64, SyncInterval::Epoch),
        (4, SyncInterval::Round),
        (4, SyncInterval::Token),
    ] {
        let other = perplexity(shards, sync);
        assert!((other / plain - 1.0).abs() < 0.06, "{shards} shards, {sync:?}: {other} against {plain}");
    }
}

#[test]
fn counts_do_not_drift_with_one_shard() {
    let count_drift = |shards| {
        let preparation = Preparation { shards: Some(shards), ..Preparation::default() };
        let problem = Problem::new(&embedded::pydoc(), &preparation).unwrap();
        Lda::params().topics(20).epochs(8).fit(problem).unwrap().count_drift()
    };
    assert_eq!(count_drift(1), 0.0);
    assert!(count_drift(4) > 0.0);
}

#[test]
fn drift_counts_what_a_task_does_not_see_of_itself() {
    // With one block a task is a shard's whole epoch, so that it misses as many of its own changes as of the
    // other shards' changes.
    let drift = |sync| {
        let preparation = Preparation { shards: Some(2), blocks: Some(1), ..Preparation::default() };
        let problem = Problem::new(&embedded::pydoc(), &preparation).unwrap();
        let lda = Lda::params().topics(20).fixed_priors(true).progressive(false).beta_anneal(1.0).sync(sync);
        lda.epochs(8).fit(problem).unwrap().count_drift()
    };
    let (within, between) = (drift(SyncInterval::Epoch), drift(SyncInterval::Token));
    assert!(between > 0.0 && within > 1.4 * between && within < 2.6 * between, "{within}, {between}");
}

#[test]
fn state_is_counted_to_the_byte() {
    let corpus = Corpus::from_documents(1, [vec![(0, 3)]]).unwrap();
    let none = Preparation { validation: HoldOut::None, ..Preparation::default() };
    let fit = Lda::params().topics(2).epochs(1).fit(Problem::new(&corpus, &none).unwrap()).unwrap();
    // A visit, then three tokens with two bytes each for document and topic; a document's number, end and
    // dense row.
    let shard = 8 + 3 * (2 + 2) + 4 + 8 + 32;
    // A word's number, the start and end of its row, its length, and two topics with their counts.
    let block = 4 + 2 * 8 + 4 + 2 * (2 + 4);
    assert_eq!(fit.state_bytes(), shard + block);
}

#[test]
fn inference_is_dense_expectation_maximisation_for_any_number_of_workers() {
    let corpus = embedded::pydoc();
    let fit =
        Lda::params().topics(25).epochs(15).fit(prepared(&corpus, HoldOut::None, HoldOut::Split)).unwrap();
    let model = |alpha: &[f64]| Inference::new(&fit.topic_words(), alpha.to_vec());
    assert!(matches!(model(&[0.1; 24]), Err(LdaError::Parameter { name: "alpha", .. })));
    let (phi, model) = (phi(&fit), Arc::new(model(fit.alpha()).unwrap()));
    let corpus = Arc::new(corpus);
    let all = model.thetas(&corpus, 0..corpus.documents(), 1).unwrap();
    assert_eq!(all, model.thetas(&corpus, 0..corpus.documents(), 3).unwrap());
    for document in [0, 7, 100] {
        let words: Vec<(u32, u32)> =
            corpus.document(document).map(|(word, count)| (word, count.into())).collect();
        let expected = theta(&phi, fit.alpha(), &words);
        let row = &all[25 * document..][..25];
        assert!(pairs(row, &expected).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-5), "document {document}");
        assert_eq!(model.theta(corpus.document(document)), row);
    }
    // A document without words has the prior; a word that the model lacks is ignored.
    let prior = model.theta([(1 << 30, 3)]);
    let norm: f64 = fit.alpha().iter().sum();
    assert!(pairs(&prior, fit.alpha()).all(|(a, b)| (f64::from(*a) - b / norm).abs() < 1e-6));
}

#[test]
fn coherence_is_that_of_the_definition() {
    let documents = (0..40u32)
        .map(|d| (0..9u32).filter(|w| (d * 7 + w * w) % 5 < 2).map(|w| (w, 1 + u64::from(d % 3))).collect());
    let corpus = Corpus::from_documents(10, documents).unwrap();
    let top = vec![3u32, 0, 7, 9];
    let has = |d: usize, w: u32| corpus.document(d).any(|(word, _)| word == w);
    let count = |words: &[u32]| (0..40).filter(|&d| words.iter().all(|&w| has(d, w))).count() as f64;
    let (mut u_mass, mut npmi) = (0.0, 0.0);
    for lower in 1..4 {
        for higher in 0..lower {
            let (v, w) = (top[lower], top[higher]);
            let both = count(&[v, w]);
            u_mass += ((both + 1.0) / count(&[w]).max(1.0)).ln() / 6.0;
            npmi += if both == 0.0 {
                -1.0
            } else {
                (both * 40.0 / (count(&[v]) * count(&[w]))).ln() / -(both / 40.0).ln()
            } / 6.0;
        }
    }
    let found = coherence(&corpus, &[vec![1, 2], top])[1];
    assert!(
        (found.u_mass - u_mass).abs() < 1e-12 && (found.npmi - npmi).abs() < 1e-12,
        "{found:?} {u_mass} {npmi}"
    );
}

#[test]
fn any_number_of_topics_fits() {
    let corpus = embedded::pydoc();
    for topics in [1, 2, 16, 17, 1024, 1025, 65_536] {
        let lda = Lda::params().topics(topics).alpha(0.01).epochs(2).fixed_priors(true).evaluate_every(100);
        let fit = lda.fit(prepared(&corpus, HoldOut::None, HoldOut::None)).unwrap();
        assert_eq!(fit.totals().iter().sum::<i64>() as u64, corpus.tokens(), "{topics} topics");
    }
}

#[test]
fn odd_corpora_fit() {
    // Empty documents, a word without tokens, one document, one word, a long document.
    for documents in [
        vec![vec![], vec![(0, 3), (2, 1)], vec![], vec![(2, 70_000)]],
        vec![vec![(1, 1)]],
        vec![vec![(0, 5)]; 3],
    ] {
        let corpus = Corpus::from_documents(4, documents).unwrap();
        let fit =
            Lda::params().topics(5).epochs(4).fit(prepared(&corpus, HoldOut::None, HoldOut::None)).unwrap();
        assert_eq!(fit.totals().iter().sum::<i64>() as u64, corpus.tokens());
    }
}

#[test]
fn a_document_of_one_topic_may_be_longer_than_a_row_of_short_ones_counts() {
    const LONG: u64 = 200_000;
    let mut documents = vec![vec![(0, LONG)]];
    documents.extend((0..60).map(|document| vec![(1 + document % 3, 2_000)]));
    let corpus = Corpus::from_documents(4, documents).unwrap();
    for topics in [20, 100, 200] {
        let preparation =
            Preparation { validation: HoldOut::None, shards: Some(4), ..Preparation::default() };
        let problem = Problem::new(&corpus, &preparation).unwrap();
        // First topics are drawn with the counts of a model. The first token of a document decides: next to
        // one token of a topic, alpha is negligible.
        let init = (0..4).map(|word| (word, word, 1_000)).collect();
        let lda = Lda::params().topics(topics).alpha(1e-6).fixed_priors(true).init(init).epochs(3);
        let fit = lda.fit(problem).unwrap();
        let of_long = fit.document_topics().of(0);
        assert!(matches!(of_long[..], [(_, 200_000)]), "{topics} topics: {of_long:?}");
        assert_eq!(fit.totals().iter().sum::<i64>() as u64, corpus.tokens(), "{topics} topics");
    }
}

#[test]
fn a_corpus_of_few_documents_holds_out_one_or_none() {
    let sets = |documents: &[u64], validation: HoldOut, test: HoldOut| {
        let documents = documents.iter().map(|&tokens| vec![(0, tokens)]);
        let corpus = Corpus::from_documents(1, documents).unwrap();
        let preparation = Preparation { validation, test, ..Preparation::default() };
        let problem = Problem::new(&corpus, &preparation)
            .map(|problem| (problem.held_out().to_vec(), problem.tokens()));
        problem.map_err(|error| error.to_string())
    };
    // The hash selects none of these; the document with two tokens can be scored.
    let five = || HoldOut::Fraction(0.05);
    assert_eq!(sets(&[1, 1, 2, 1, 1], five(), HoldOut::None), Ok((vec![VALIDATION], 4)));
    assert_eq!(sets(&[9, 0, 0, 1], five(), HoldOut::None), Ok((vec![VALIDATION], 1)));
    // Nothing to score, or nothing left to train on.
    for documents in [&[1, 1, 1][..], &[7], &[0, 7, 0]] {
        let tokens = documents.iter().sum();
        assert_eq!(sets(documents, five(), HoldOut::None), Ok((vec![], tokens)), "{documents:?}");
    }
    // If the hash selects a document that can be scored, nothing is replaced.
    let many = [3; 400];
    let held = (0..400).filter(|&at| raddle_datasets::is_validation_document(at, 0.05)).count() as u64;
    assert!(held > 5);
    assert_eq!(sets(&many, five(), HoldOut::None), Ok((vec![VALIDATION], 3 * (400 - held))));
    // The test set follows its own rule: document 1, from 0, is its first.
    assert_eq!(sets(&[3, 3, 3], five(), HoldOut::Split), Ok((vec![VALIDATION, TEST], 3)));
    assert_eq!(sets(&[3, 3], five(), HoldOut::Split), Ok((vec![TEST], 3)));
    let error = sets(&[3, 1, 3], HoldOut::None, HoldOut::Split).unwrap_err();
    assert!(error.starts_with("there is nothing to score among the test documents"), "{error}");
}

#[test]
fn words_that_the_documents_lack_keep_the_counts_of_the_model_to_start_from() {
    // Words 0 to 2 occur, word 3 only in held-out documents, words 4 and 5 nowhere.
    let mut documents = vec![vec![(0, 3), (1, 2), (2, 4)]; 30];
    let held = (0..30).find(|&at| raddle_datasets::is_validation_document(at, 0.2)).unwrap();
    documents[held] = vec![(0, 1), (3, 2)];
    let corpus = Corpus::from_documents(6, documents).unwrap();
    let old = vec![(0, 0, 50), (1, 1, 60), (3, 2, 7), (4, 1, 5), (4, 0, 2), (4, 1, 1), (5, 2, 9)];
    let lda = Lda::params().topics(3).epochs(6).init(old).evaluate_every(2);
    let fit = lda.clone().fit(prepared(&corpus, HoldOut::Fraction(0.2), HoldOut::None)).unwrap();
    let counts = fit.topic_words();
    let of = |word: u32| -> Vec<(usize, u32)> {
        let topics =
            (0..3).flat_map(|topic| counts.topic(topic).map(move |(word, count)| (word, topic, count)));
        topics.filter(|&(other, ..)| other == word).map(|(_, topic, count)| (topic, count)).collect()
    };
    assert_eq!((of(3), of(4), of(5)), (vec![(2, 7)], vec![(0, 2), (1, 6)], vec![(2, 9)]));
    let problem = prepared(&corpus, HoldOut::Fraction(0.2), HoldOut::None);
    let new: u32 = (0..3).flat_map(of).map(|(_, count)| count).sum();
    assert_eq!(u64::from(new), problem.tokens(), "tokens of the documents");
    assert_eq!(fit.totals().iter().sum::<i64>() as u64, problem.tokens() + 7 + 8 + 9);
    // The totals match the counts.
    let sums: Vec<i64> = (0..3).map(|topic| counts.total(topic) as i64).collect();
    assert_eq!(sums, fit.totals());
    assert!(
        fit.evaluations()
            .iter()
            .all(|one| one.joint.is_finite() && one.validation.is_some_and(f64::is_finite))
    );
    for workers in [2, 3] {
        let other = lda
            .clone()
            .workers(workers)
            .fit(prepared(&corpus, HoldOut::Fraction(0.2), HoldOut::None))
            .unwrap();
        assert_eq!(other.topic_words(), counts, "{workers} workers");
    }
}

#[test]
fn no_count_of_a_long_document_wraps() {
    // A document of 200,000 tokens, nearly all of one topic, where 16 bits count only to 65,535.
    let documents = (0..40u32).map(|d| match d {
        7 => vec![(0, 200_000)],
        _ => (0..8).map(|w| (w * d % 50, 9)).collect(),
    });
    let corpus = Corpus::from_documents(50, documents).unwrap();
    for (topics, sync) in [
        (1, SyncInterval::Epoch),
        (5, SyncInterval::Epoch),
        (100, SyncInterval::Epoch),
        (200, SyncInterval::Epoch),
        (5, SyncInterval::Token),
    ] {
        let preparation =
            Preparation { validation: HoldOut::None, shards: Some(3), ..Preparation::default() };
        let problem = Problem::new(&corpus, &preparation).unwrap();
        // From a model in which the word has its own topic, so that its tokens stay together.
        let lda = Lda::params().topics(topics).alpha(0.001).sync(sync).fixed_priors(true).epochs(4);
        let fit = lda.init(vec![(0, 0, 1_000_000)]).fit(problem).unwrap();
        let (rows, counts) = (fit.document_topics(), fit.topic_words());
        let row = rows.of(7);
        assert_eq!(row.iter().map(|&(_, count)| count).sum::<u32>(), 200_000, "{topics} topics");
        assert!(row.iter().any(|&(_, count)| count > 65_535), "{topics} topics: {row:?}");
        let of_word: u32 = (0..topics)
            .flat_map(|topic| counts.topic(topic).collect::<Vec<_>>())
            .filter(|&(w, _)| w == 0)
            .map(|(_, c)| c)
            .sum();
        assert!(of_word >= 200_000);
        assert_eq!(fit.totals().iter().sum::<i64>() as u64, corpus.tokens());
        assert_eq!((0..topics).map(|topic| counts.total(topic) as i64).collect::<Vec<_>>(), fit.totals());
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let corpus = embedded::pydoc();
    let problem = || prepared(&corpus, HoldOut::None, HoldOut::None);
    for (lda, name) in [
        (Lda::params().topics(0), "topics"),
        (Lda::params().topics(65_537), "topics"),
        (Lda::params().alpha(0.0), "alpha"),
        (Lda::params().alpha(f64::NAN), "alpha"),
        (Lda::params().beta(-1.0), "beta"),
        (Lda::params().beta_anneal(0.5), "beta-anneal"),
        (Lda::params().target(0.5), "target"),
        (Lda::params().evaluate_every(0), "evaluate-every"),
        (Lda::params().epochs(0), "epochs"),
        (Lda::params().word_priors(vec![(9_999, 0, 1.0)]), "word-priors"),
        (Lda::params().word_priors(vec![(0, 20, 1.0)]), "word-priors"),
        (Lda::params().word_priors(vec![(0, 0, -1.0)]), "word-priors"),
        (Lda::params().init(vec![(9_999, 0, 1)]), "init"),
        (Lda::params().init(vec![(0, 20, 1)]), "init"),
        (Lda::params().init(vec![(0, 0, 0)]), "init"),
        (Lda::params().init(vec![(0, 0, 1 << 24)]), "init"),
    ] {
        let error = lda.fit(problem()).err().unwrap();
        assert!(
            matches!(error, LdaError::Parameter { .. }) && error.to_string().starts_with(name),
            "{error}"
        );
    }
    let all = Preparation { validation: HoldOut::Fraction(1.0), ..Preparation::default() };
    assert!(matches!(Problem::new(&corpus, &all), Err(LdaError::Empty { .. })));
    let other = HoldOut::Corpus(Box::new(Corpus::from_documents(5, [vec![(0, 1)]]).unwrap()));
    let preparation = Preparation { test: other, ..Preparation::default() };
    assert!(matches!(
        Problem::new(&corpus, &preparation),
        Err(LdaError::Words { words: 5, expected: 3_191 })
    ));
    let long = Corpus::from_documents(2, [vec![(0, 70_000)], vec![(1, 1)]]).unwrap();
    let error =
        Lda::params().topics(65_536).fit(prepared(&long, HoldOut::None, HoldOut::None)).err().unwrap();
    assert!(matches!(error, LdaError::Document { tokens: 70_000, most: 65_535, .. }), "{error}");
    let frequent = Corpus::from_documents(1, [vec![(0, 1 << 24)]]).unwrap();
    let none = Preparation { validation: HoldOut::None, ..Preparation::default() };
    assert!(matches!(Problem::new(&frequent, &none), Err(LdaError::Word { .. })));
    // Counts that would overflow 32 bits.
    let wraps = [vec![(0, 1 << 32), (1, 3)], vec![(1, 1)]];
    let wraps = Corpus::from_documents(2, wraps).unwrap();
    assert!(matches!(Problem::new(&wraps, &none), Err(LdaError::Word { tokens: 4_294_967_296, .. })));
    let longest = (0..20).map(|word| (word, (1 << 24) - 1)).collect();
    let longest = Corpus::from_documents(20, [longest]).unwrap();
    assert!(matches!(Problem::new(&longest, &none), Err(LdaError::Document { most: 268_435_455, .. })));
}

#[test]
fn a_public_corpus_gets_as_good_as_it_should() {
    let Some(corpus) = registry::real_corpus("ap") else { return };
    let lda = Lda::params().topics(50).fixed_priors(true).epochs(25).evaluate_every(25).workers(2);
    let fit = lda.fit(prepared(&corpus, HoldOut::None, HoldOut::Split)).unwrap();
    let last = fit.evaluations().last().unwrap();
    let expected = perplexity(&fit, &corpus);
    let found = last.test.unwrap();
    assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
    assert!(expected < 3_200.0, "{expected}");
    let tokens: i64 = fit.totals().iter().sum();
    assert!(fit.state_bytes() as i64 <= 15 * tokens, "{} bytes, {tokens} tokens", fit.state_bytes());
}
