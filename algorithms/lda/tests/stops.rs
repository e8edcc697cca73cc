//! A fit that is stopped at each of its first boundaries, and killed between them, continues to the bytes of
//! an uninterrupted one. `RADDLE_STOPPED=20` stops at each of 20 boundaries, in every way.

use raddle::random::Stream;
use raddle_datasets::Corpus;
use raddle_lda::{Fit, HoldOut, Lda, Preparation, Problem, SyncInterval};

use crate::carry::{Documents, corpus, document, preparation};
use crate::replay::counts;
use crate::stopping::{check, epochs};

const WIDTH: usize = 60;

fn documents(count: usize) -> Documents {
    let mut draws = Stream::new(&[11, count as u64]);
    (0..count).map(|_| document(&mut draws, WIDTH as u32)).collect()
}

fn small() -> Corpus {
    corpus(WIDTH, &documents(80))
}

/// Staged, annealed and optimised, so that every part of the course has its turn.
fn lda(sync: SyncInterval) -> Lda {
    Lda::params().topics(12).epochs(epochs()).evaluate_every(2).sync(sync).seed(3)
}

fn stop(what: &str, stops: &mut u64, lda: &Lda, corpus: &Corpus, preparation: &Preparation) {
    let make = || lda.engine(Problem::new(corpus, preparation).unwrap()).unwrap();
    *stops += check(what, &make);
}

#[test]
fn every_course_goes_on_from_wherever_it_was_stopped() {
    let (mut stops, corpus, held) = (0, small(), preparation());
    let plain = || lda(SyncInterval::Epoch);
    let first = plain().epochs(2).fit(Problem::new(&corpus, &held).unwrap()).unwrap();
    let mut lines: Vec<(String, Lda)> = [SyncInterval::Epoch, SyncInterval::Round, SyncInterval::Token]
        .map(|sync| (format!("{sync:?}"), lda(sync)))
        .into();
    lines.extend(
        [
            ("all documents from the start", plain().progressive(false)),
            ("few words a topic", plain().topics(300)),
            ("one topic", plain().topics(1)),
            ("full rows", plain().topics(113)),
            ("from a model", plain().init(counts(&first.topic_words()))),
            ("priors that stay", plain().fixed_priors(true)),
            ("priors of words", plain().word_priors(vec![(0, 3, 4.0), (5, 7, 2.0)])),
            ("kept to be gone on from", plain().to_carry(true)),
            ("beta is annealed", plain().beta_anneal(4.0)),
            ("a target that is missed", plain().target(1.5)),
        ]
        .map(|(name, lda)| (name.to_owned(), lda)),
    );
    for (name, lda) in &lines {
        stop(name, &mut stops, lda, &corpus, &held);
    }
    println!("{stops} stops");
}

#[test]
fn every_kind_of_corpus_goes_on_from_wherever_it_was_stopped() {
    let mut stops = 0;
    let with = |validation, test| Preparation { validation, test, shards: Some(3), ..Preparation::default() };
    let mut gaps = documents(40);
    gaps.iter_mut().step_by(3).for_each(Vec::clear);
    for (name, documents) in [
        ("documents without words", gaps),
        ("one document", documents(1)),
        ("one word", vec![vec![(0, 1)]; 6]),
    ] {
        let corpus = corpus(WIDTH, &documents);
        stop(name, &mut stops, &lda(SyncInterval::Epoch), &corpus, &with(HoldOut::None, HoldOut::None));
    }
    for (name, validation, test) in [
        ("nothing held out", HoldOut::None, HoldOut::None),
        ("a test set", HoldOut::None, HoldOut::Split),
        ("both sets", HoldOut::Fraction(0.2), HoldOut::Split),
    ] {
        stop(name, &mut stops, &lda(SyncInterval::Epoch), &small(), &with(validation, test));
    }
    println!("{stops} stops");
}

#[test]
fn a_version_that_goes_on_goes_on_from_wherever_it_was_stopped() {
    let mut stops = 0;
    for topics in [9, 300] {
        let lda = Lda::params().topics(topics).epochs(epochs()).to_carry(true);
        let mut documents = documents(60);
        let problem = Problem::new(&corpus(WIDTH, &documents), &preparation()).unwrap();
        let first = Fit::new(lda.engine(problem).unwrap().epochs(3).run().unwrap(), documents.len());
        let carried = first.carried();
        documents[7].clear();
        documents.extend(self::documents(5));
        let after = corpus(WIDTH, &documents);
        let make = || {
            let problem = Problem::going_on(&after, &preparation(), &carried).unwrap();
            lda.going_on(problem, &carried).unwrap()
        };
        stops += check(&format!("a version of {topics} topics"), &make);
    }
    println!("{stops} stops");
}
