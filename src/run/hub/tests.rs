//! Boundaries by table: a program's measures at each of them, and the hub's decision.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use raddle_common::testing::not_empty;

use super::guard::is_worse;
use crate::engine::{Engine, Outcome, Parts};
use crate::program::context::{Aggregate, Conclude, Evaluate, TaskOf};
use crate::program::verbs::Update;
use crate::program::verdict::{Metric, Verdict};
use crate::program::{Program, Visibility};
use crate::replay;
use crate::run::fingerprints::Component;
use crate::schedule::EachShard;

/// Values of each boundary: an objective, and a metric if it is measured there.
struct Scripted(Vec<(Option<f64>, Option<f64>)>);

impl Program for Scripted {
    crate::program!(Pinned = u64; update);
    fn aggregate(&self, _: Aggregate<'_, Self>) {}
    fn commit(&self, (): &(), (): &mut ()) {}
    fn evaluate(&self, _: Evaluate<'_, Self>) {}
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<()> {
        let (objective, metric) = self.0[at.boundary.epoch as usize];
        let verdict = match metric {
            Some(value) => Verdict::new(Metric::new("error", value, "nothing")),
            None => Verdict::unmeasured("error", "nothing"),
        };
        Verdict { objective, ..verdict }
    }
}

impl Update for Scripted {
    fn update(&self, _: TaskOf<'_, Self>) {}
}

/// The run with these values, and the boundaries of it that were rolled back.
fn run(given: &[(Option<f64>, Option<f64>)]) -> (Outcome<Scripted>, Vec<u64>) {
    let parts = Parts { shards: vec![()], blocks: Vec::new(), pinned: 0, replica: () };
    let engine = Engine::new(Scripted(given.to_vec()), EachShard::new(1), parts);
    let outcome = engine.epochs(given.len() as u64 - 1).run().unwrap();
    let undone =
        outcome.trace.iter().filter(|record| record.rolled_back).map(|record| record.epoch).collect();
    (outcome, undone)
}

#[test]
fn an_objective_that_rises_is_no_number_or_is_told_no_more_is_worse() {
    for (objective, worse) in [
        (Some(-1.0), false),
        (Some(-1.0 + 1e-10), false),
        (Some(-1.0 + 1e-8), true),
        (Some(-2.0), false),
        (Some(f64::NAN), true),
        (Some(f64::INFINITY), true),
        (None, true),
    ] {
        assert_eq!(is_worse(objective, -1.0), worse, "{objective:?}");
    }
    let given = [Some(5.0), Some(4.0), None, Some(4.5), Some(4.0), Some(3.0)].map(|given| (given, Some(1.0)));
    assert_eq!(run(&given).1, [2, 3]);
}

#[test]
fn what_was_measured_in_an_epoch_that_is_undone_is_not_shown_at_later_boundaries() {
    let given = [
        (Some(5.0), Some(0.5)),
        (Some(4.0), Some(0.4)),
        // Undone: its metric goes with it.
        (Some(9.0), Some(0.9)),
        (Some(3.0), None),
    ];
    let (outcome, undone) = run(&given);
    assert_eq!(undone, [2]);
    assert_eq!(outcome.report.metric.value, 0.4);
    let measured = outcome.trace.iter().map(|record| record.metric.as_ref().map(|metric| metric.value));
    assert_eq!(measured.collect::<Vec<_>>(), [Some(0.5), Some(0.4), Some(0.9), None]);
}

/// A program whose changes become visible at the boundary; they hold a number that replicas do not keep.
struct Impure {
    honest: bool,
    /// Number of aggregations of all runs.
    calls: Arc<AtomicU64>,
}

impl Program for Impure {
    crate::program!(Change = u64; update);
    fn visibility(&self) -> Visibility {
        Visibility::AtBoundary
    }
    fn aggregate(&self, _: Aggregate<'_, Self>) -> u64 {
        let calls = self.calls.fetch_add(1, Ordering::Relaxed);
        if self.honest { 1 } else { calls }
    }
    fn commit(&self, _: &u64, (): &mut ()) {}
    fn evaluate(&self, _: Evaluate<'_, Self>) {}
    fn conclude(&self, _: Conclude<'_, Self>) -> Verdict<u64> {
        Verdict::new(Metric::new("none", 1.0, "nothing"))
    }
}

impl Update for Impure {
    fn update(&self, _: TaskOf<'_, Self>) {}
}

#[test]
fn the_change_of_a_plan_that_is_known_ahead_is_compared_like_that_of_a_round() {
    let calls = Arc::default();
    let make = |honest| {
        let program = Impure { honest, calls: Arc::clone(&calls) };
        Engine::new(program, EachShard::new(3), Parts::new(vec![(); 3], ())).epochs(2)
    };
    let outcome = make(true).compared().run().unwrap();
    for fingerprint in not_empty(&outcome.fingerprints[1..]) {
        assert_eq!(fingerprint.parts[0].0, Component::Change(0), "epoch {}", fingerprint.epoch);
    }
    replay::check(|| make(true)).unwrap();
    let error = replay::check(|| make(false)).unwrap_err().to_string();
    assert!(error.contains("the change of round 0"), "{error}");
}
