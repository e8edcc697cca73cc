//! Mistakes that only a comparison finds: of a run with its repetition or its resumption, of replicas with
//! each other.

use raddle::schedule::{EachShard, Rotation};
use raddle::{Ending, EngineError, Visibility, replay};

use super::{cyclic, engine, priority, said, with};
use crate::programs::forms::{self, Confused};
use crate::programs::without_a_hang;

#[test]
fn a_metric_that_is_not_finite_ends_the_run_as_diverged() {
    for mistake in ["NaN", "infinite", "minus infinite"] {
        for workers in [1, 2, 3] {
            let report = engine(mistake, cyclic()).workers(workers).run().unwrap().report;
            assert_eq!((report.ending, report.epochs), (Ending::Diverged, 0), "{mistake}");
        }
    }
}

#[test]
fn what_breaks_replay_is_found_with_its_epoch_and_part() {
    let found = |mistake: &'static str| {
        let error = without_a_hang(move || replay::check(|| engine(mistake, cyclic())).err());
        match error {
            Some(EngineError::Replay { how, epoch, part, causes }) => (how, epoch, part, causes.to_owned()),
            Some(error) => panic!("{mistake}: {error}"),
            None => panic!("{mistake}: nothing was found"),
        }
    };
    let (how, epoch, part, causes) = found("a HashMap");
    assert_eq!((how.as_str(), epoch, part.as_str()), ("run once more", 0, "the change of round 0"));
    assert!(causes.contains("the order of a HashMap"));
    let (how, epoch, part, causes) = found("a thread");
    assert!(how.starts_with("on 2 workers") || how.starts_with("on 3 workers"), "{how}");
    assert!(epoch == 0 && part.starts_with("the change of round"), "{part}");
    assert!(causes.contains("a clock"));
    let (how, epoch, part, causes) = found("forgotten");
    assert!(how.starts_with("resumed on 2 workers after 1 "), "{how}");
    assert_eq!((epoch, part.as_str()), (1, "the change of round 0"));
    assert!(causes.contains("`save_state`"));
    // Many shards a round, of which one comes first.
    let error = without_a_hang(|| replay::check(|| engine("a lock", EachShard::new(3))).err()).unwrap();
    let EngineError::Replay { how, epoch, part, causes } = error else { panic!("{error}") };
    assert_eq!(
        (how.as_str(), epoch, part.as_str()),
        ("with tasks in reverse order", 0, "the change of round 0")
    );
    assert!(causes.contains("through a lock"));
    // A mistake that the run itself reports.
    let error =
        without_a_hang(|| replay::check(|| engine("a replica changed", EachShard::new(3))).err()).unwrap();
    assert!(
        error.to_string().contains("the replicas of workers 0 and 1 differ at the end of epoch"),
        "{error}"
    );
    for mistake in ["", "worse"] {
        replay::check(|| engine(mistake, cyclic())).unwrap();
        replay::check(|| engine(mistake, priority())).unwrap();
        replay::check(|| with(mistake, Visibility::AtBoundary, Rotation::new(3, 2))).unwrap();
    }
}

#[test]
fn forms_that_are_confused_are_found_and_named() {
    replay::check(|| forms::engine(Confused::Nothing)).unwrap();
    let found = |confused| match without_a_hang(move || replay::check(|| forms::engine(confused)).err()) {
        Some(EngineError::Replay { how, causes, .. }) => (how, causes),
        other => panic!("{confused:?}: {other:?}"),
    };
    for (confused, what, cause) in [
        (Confused::Schedule, "the schedule", "`Schedule::save_state` and `load_state` do"),
        (Confused::Pinned, "the pinned block", "`save_pinned` and `load_pinned` do"),
        (Confused::Shard, "a shard", "`save_state` and `load_state` do"),
        (Confused::Replica, "the replica", "its `State` leaves out"),
    ] {
        let (how, causes) = found(confused);
        assert_eq!(
            how,
            format!("handed over to another process at each boundary, of which only {what} crosses as bytes")
        );
        assert!(causes.contains(cause), "{causes}");
    }
    for (confused, resumed, cause) in [
        (Confused::KeptSchedule, "after 1 epochs", "bring back though shards are made anew"),
        // What it leaves out was there before the first epoch, too.
        (Confused::KeptPinned, "before the first epoch", "leave out and nothing makes anew"),
    ] {
        let (how, causes) = found(confused);
        assert_eq!(how, format!("resumed on 2 workers {resumed}"));
        assert!(causes.contains(cause), "{causes}");
    }
    let (how, causes) = found(Confused::Kept);
    assert_eq!(how, "with epoch 2 cancelled on 2 workers");
    assert!(causes.contains("bring back where an epoch has gone on"), "{causes}");
}

#[test]
fn builds_for_debugging_find_replicas_that_differ() {
    for text in
        said(|| engine("a replica changed", EachShard::new(3)).identity("replicas")).into_iter().skip(2)
    {
        let expected = "differ at the end of epoch 0: something changes a replica outside `commit`";
        assert!(text.contains("the replicas of workers 0 and "), "{text}");
        assert!(text.contains(expected), "{text}");
    }
}
