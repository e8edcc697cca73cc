//! Panics of verbs and schedules end the run with an error that names the verb, its object, the epoch and
//! round, and the place in the program.

use raddle::Visibility;
use raddle::schedule::{Candidates, Next, Rotation, Schedule};

use super::fixed::{fixed, round};
use super::{cyclic, engine, priority, said, trapped, with};
use crate::programs::without_a_hang;

/// A verb, the epoch from which on it is trapped, and the words for the place in the error.
type Trap = (&'static str, u64, &'static str);

fn is_sprung<S: Schedule>(
    (verb, from, within): Trap,
    visibility: Visibility,
    schedule: impl Fn() -> S + Send + Clone + 'static,
) {
    for text in said(move || trapped(verb, from, visibility, schedule())) {
        assert!(text.starts_with(&format!("a worker ended the run: {within}")), "{text}");
        assert!(text.contains(" panicked at tests/errors/mod.rs:"), "{text}");
        assert!(text.ends_with(&format!("the trap in {verb}")), "{text}");
    }
}

#[test]
fn a_panic_in_any_verb_says_where_it_was() {
    for trap in [
        ("update", 1, "update of shard 2, epoch 1, round "),
        ("aggregate", 1, "aggregate, epoch 1, round "),
        ("commit", 1, "commit of worker "),
        ("commit_shard", 1, "commit_shard of shard 2"),
        ("evaluate", 1, "evaluate of shard 2 "),
        ("conclude", 1, "conclude, epoch 1 "),
    ] {
        is_sprung(trap, Visibility::EachRound, cyclic);
    }
    for trap in [
        ("gather", 0, "gather of shard 2, epoch 0"),
        ("relate", 0, "relate, epoch 0, round "),
        ("deltas", 1, "deltas, epoch 1, round "),
    ] {
        is_sprung(trap, Visibility::EachRound, priority);
    }
}

#[test]
fn a_panic_in_a_rotation_says_where_it_was() {
    for visibility in [Visibility::AtBoundary, Visibility::EachRound] {
        for trap in [
            ("update_block", 1, "update of shard 2, epoch 1, round "),
            ("fold", 1, "fold of shard "),
            ("aggregate", 1, "aggregate, epoch "),
            ("commit", 1, "commit of worker "),
            ("evaluate", 1, "evaluate of shard 2 "),
            ("conclude", 1, "conclude, epoch 1 "),
        ] {
            if trap.0 != "fold" || visibility == Visibility::AtBoundary {
                is_sprung(trap, visibility, || Rotation::new(3, 2));
            }
        }
    }
}

#[test]
fn a_panic_while_a_message_is_written_says_for_whom() {
    for visibility in [Visibility::AtBoundary, Visibility::EachRound] {
        for workers in [2, 3, 7] {
            let engine = with("save block", visibility, Rotation::new(3, 2));
            let engine = engine.workers(workers).threads(workers).serialized(true);
            let text = without_a_hang(move || engine.run().err().unwrap()).to_string();
            assert!(text.starts_with("a worker ended the run: save of a message to worker "), "{text}");
            assert!(text.contains(" panicked at tests/errors/mod.rs:"), "{text}");
            assert!(text.ends_with(": a value is not saved"), "{text}");
        }
    }
}

#[test]
fn a_panic_in_any_method_of_a_schedule_says_where_it_was() {
    let relate = Next::Relate(Candidates { phase: (), variables: vec![0, 1], owners: vec![(0, vec![0, 1])] });
    for (method, epoch) in [("begin_epoch", 1), ("next_round", 0), ("decide", 0), ("learn", 0)] {
        let relate = relate.clone();
        for text in said(move || engine("", fixed(relate.clone(), method))) {
            let expected = format!("a worker ended the run: the schedule's {method}, epoch {epoch}");
            assert!(text.starts_with(&expected), "{text}");
        }
    }
}

#[test]
fn a_panic_while_the_guard_goes_back_says_where_it_was() {
    for method in ["reduce_parallelism", "save", "load"] {
        for text in said(move || engine("worse", fixed(round(&[(0, &[0])]), method))) {
            assert!(
                text.contains("the schedule") && text.ends_with(&format!("the trap in {method}")),
                "{text}"
            );
        }
    }
    for (mistakes, verb) in [("worse+save_state", "save_state"), ("worse+load_state", "load_state")] {
        for text in said(move || engine(mistakes, cyclic())) {
            assert!(text.starts_with(&format!("a worker ended the run: {verb} of shard ")), "{text}");
        }
    }
}
