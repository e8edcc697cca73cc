//! A fit is a pure function of corpus, parameters and seed: its bytes are the same however it is carried out.

use std::sync::LazyLock;

use raddle::{Engine, replay};
use raddle_datasets::embedded;
use raddle_lda::{Fit, HoldOut, Lda, LdaProgram, Preparation, Problem, SyncInterval};

use crate::combinations::{all_combinations, in_turn};
use crate::leaving;

/// Read once: that takes as long as a fit.
static PROBLEM: LazyLock<Problem> = LazyLock::new(|| {
    let preparation =
        Preparation { validation: HoldOut::Fraction(0.1), shards: Some(6), ..Preparation::default() };
    Problem::new(&embedded::pydoc(), &preparation).unwrap()
});

fn problem() -> Problem {
    PROBLEM.clone()
}

const SYNCS: [SyncInterval; 3] = [SyncInterval::Epoch, SyncInterval::Round, SyncInterval::Token];

/// Staged, annealed and optimised, so that every part of the course has its turn.
fn lda(sync: SyncInterval) -> Lda {
    Lda::params().topics(12).epochs(9).evaluate_every(2).sync(sync).seed(3)
}

fn fit(lda: &Lda, set: impl FnOnce(Engine<LdaProgram>) -> Engine<LdaProgram>) -> Fit {
    lda.clone().fit_with(problem(), set).unwrap()
}

/// Everything of a fit that may not depend on how it was carried out, as bits.
#[derive(Debug, PartialEq)]
struct Bits {
    words: raddle_lda::TopicWords,
    documents: Vec<Vec<(u32, u32)>>,
    alpha: Vec<u64>,
    beta: u64,
    evaluations: Vec<(u64, Vec<u64>, u64)>,
    count_drift: u64,
}

fn bits(fit: &Fit) -> Bits {
    let rows = fit.document_topics();
    let evaluation = |one: &raddle_lda::Evaluation| {
        (one.epoch, one.held_out().map(|(_, value)| value.to_bits()).collect(), one.joint.to_bits())
    };
    Bits {
        words: fit.topic_words(),
        documents: (0..fit.documents()).map(|document| rows.of(document)).collect(),
        alpha: fit.alpha().iter().map(|alpha| alpha.to_bits()).collect(),
        beta: fit.beta().to_bits(),
        evaluations: fit.evaluations().iter().map(evaluation).collect(),
        count_drift: fit.count_drift().to_bits(),
    }
}

#[test]
fn any_number_of_workers_gives_the_same_bytes() {
    for (turn, sync) in SYNCS.into_iter().enumerate() {
        let plain = bits(&fit(&lda(sync), |engine| engine));
        assert!(plain.evaluations.len() >= 4 && plain.words.counts.len() > 1000, "nothing to replay");
        for (at, workers) in [1, 2, 3, 4, 7].into_iter().enumerate() {
            for serialized in in_turn([false, true], turn + at) {
                let other = fit(&lda(sync), |engine| {
                    engine.workers(workers).threads(workers.min(4)).serialized(serialized)
                });
                assert_eq!(other.report.bytes_on_wire > 0, serialized);
                assert!(bits(&other) == plain, "{sync:?}: {workers} workers, serialized {serialized}");
            }
        }
        let other = fit(&lda(sync), |engine| engine.workers(2).threads(4).rescale(&[(2, 4), (5, 1)]));
        assert_eq!(other.report.generations.len(), 3);
        assert!(bits(&other) == plain, "{sync:?}: rescaled");
    }
}

#[test]
fn a_fit_resumed_from_a_checkpoint_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let plain = bits(&fit(&lda(SyncInterval::Epoch), |engine| engine));
    for stopped_after in [1, 2, 5, 8] {
        let file = folder.path().join("checkpoint");
        let stopped = fit(&lda(SyncInterval::Epoch), |engine| {
            engine.workers(3).epochs(stopped_after).checkpoint(1, &file).identity("this run")
        });
        assert_eq!(stopped.report.epochs, stopped_after);
        let resumed = fit(&lda(SyncInterval::Epoch), |engine| engine.resume(&file).identity("this run"));
        assert!(bits(&resumed) == plain, "after {stopped_after}");
    }
}

#[test]
fn a_fit_that_reached_its_target_goes_on_to_a_tighter_one_as_if_begun_with_it() {
    let folder = tempfile::tempdir().unwrap();
    for (turn, sync) in SYNCS.into_iter().enumerate() {
        let lda = lda(sync);
        let found: Vec<f64> = fit(&lda, |engine| engine)
            .evaluations()
            .iter()
            .filter_map(|one| one.held_out().next().map(|(_, perplexity)| perplexity))
            .collect();
        let (loose, tight) = (found[0], found.iter().copied().fold(f64::INFINITY, f64::min));
        assert!(tight < loose, "{found:?}");
        let whole = fit(&lda.clone().target(tight), |engine| engine);
        assert!(whole.report.metric.is_reached() && whole.report.epochs > 2);
        let file = folder.path().join("checkpoint");
        for workers in in_turn([2, 3, 1], turn) {
            let on = |engine: Engine<LdaProgram>| engine.workers(workers).identity("this run");
            let early = fit(&lda.clone().target(loose), |engine| on(engine).checkpoint(1, &file));
            assert_eq!((early.report.metric.is_reached(), early.report.epochs), (true, 2));
            let resumed = fit(&lda.clone().target(tight), |engine| on(engine).resume(&file));
            assert!(bits(&resumed) == bits(&whole), "{sync:?}, {workers} workers");
        }
    }
}

#[test]
fn the_engines_own_check_finds_nothing() {
    for sync in SYNCS {
        replay::check(|| lda(sync).epochs(4).engine(problem()).unwrap()).unwrap();
    }
    replay::check(|| lda(SyncInterval::Epoch).topics(300).epochs(3).engine(problem()).unwrap()).unwrap();
}

/// (word, topic, tokens) of a model.
pub(crate) fn counts(model: &raddle_lda::TopicWords) -> Vec<(u32, u32, u32)> {
    let topics = model.starts.windows(2).zip(0..);
    let of = |(ends, topic): (&[u64], u32)| {
        let words = ends[0] as usize..ends[1] as usize;
        words.map(move |at| (model.indices[at], topic, model.counts[at])).collect::<Vec<_>>()
    };
    topics.flat_map(of).collect()
}

/// `RADDLE_LEAVES=10` lets it leave at each of the first ten boundaries, on 2x1, 3x1 and 2x2.
#[test]
fn the_first_process_may_leave_at_any_boundary() {
    let mut lines: Vec<(String, Lda)> = SYNCS.map(|sync| (format!("{sync:?}"), lda(sync).epochs(12))).into();
    let small = || lda(SyncInterval::Epoch).epochs(11);
    lines.push(("all documents from the start".into(), small().progressive(false)));
    lines.push(("few words a topic".into(), small().topics(300)));
    let begun = fit(&small().epochs(2), |engine| engine).topic_words();
    lines.push(("from a model".into(), small().init(counts(&begun))));
    let mut left = 0;
    for (name, lda) in &lines {
        left += leaving::check(name, left, &|| lda.engine(problem()).unwrap());
    }
    println!("the first process left {left} times");
}

/// Dense rows in lockstep of every kind of width, and sparse ones.
const TOPICS: [usize; 7] = [20, 64, 100, 113, 200, 208, 300];

#[test]
fn any_number_of_topics_replays() {
    let folder = tempfile::tempdir().unwrap();
    for (turn, topics) in TOPICS.into_iter().enumerate() {
        let lda = Lda::params().topics(topics).epochs(5).evaluate_every(2).seed(3);
        let plain = bits(&fit(&lda, |engine| engine));
        for workers in in_turn([2, 3, 7], turn) {
            let other = fit(&lda, |engine| engine.workers(workers).threads(workers.min(4)));
            assert!(bits(&other) == plain, "{topics} topics: {workers} workers");
        }
        let other = fit(&lda, |engine| engine.workers(2).rescale(&[(1, 3), (3, 1)]));
        assert!(bits(&other) == plain, "{topics} topics: rescaled");
        let file = folder.path().join(format!("checkpoint-{topics}"));
        let stopped =
            fit(&lda, |engine| engine.workers(3).epochs(3).checkpoint(1, &file).identity("this run"));
        assert_eq!(stopped.report.epochs, 3);
        let resumed = fit(&lda, |engine| engine.resume(&file).identity("this run"));
        assert!(bits(&resumed) == plain, "{topics} topics: resumed");
    }
}

#[test]
fn the_seed_and_the_interval_matter() {
    // Otherwise the tests above would show nothing.
    let plain = bits(&fit(&lda(SyncInterval::Epoch), |engine| engine)).words;
    assert!(bits(&fit(&lda(SyncInterval::Epoch).seed(4), |engine| engine)).words != plain);
    assert!(bits(&fit(&lda(SyncInterval::Round), |engine| engine)).words != plain);
    assert!(bits(&fit(&lda(SyncInterval::Token), |engine| engine)).words != plain);
}

#[test]
fn the_vector_forms_of_the_kernels_give_the_same_model() {
    let digest = |level: &str, topics: usize| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_lda"));
        let topics = topics.to_string();
        let options = ["fit", "pydoc", "--topics", &topics, "--epochs", "5", "--quiet", "--json"];
        let output = command.args(options).env("RADDLE_LEVEL", level).output().unwrap();
        assert!(output.status.success(), "{level}: {}", String::from_utf8_lossy(&output.stderr));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(level.is_empty() || report["results"]["level"] == level);
        report["model_digest"].as_str().unwrap().to_owned()
    };
    // Dense rows of every width, and sparse ones.
    for topics in TOPICS.into_iter().chain([7, 30, 150, 2000]) {
        let mut levels = raddle::simd_level::SimdLevel::available().into_iter();
        let portable = digest(levels.next().unwrap().name(), topics);
        for level in levels {
            assert_eq!(digest(level.name(), topics), portable, "{topics} topics: {}", level.name());
        }
        // Without a word about it the widest is taken.
        if topics == 7 || all_combinations() {
            assert_eq!(digest("", topics), portable, "{topics} topics");
        }
    }
}
