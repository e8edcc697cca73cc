//! The coordinator's turns by table: what has happened, what happens, and what is done. Among them those that simulated runs
//! meet once in thousands.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail where a test would")]

use super::tests::{found, ready, said, terms};
use super::*;

/// An action in a few words.
fn words(action: &Action) -> String {
    match action {
        Action::Tell { to, order: Order::Begin { briefing } } => {
            let seats: Vec<u32> = briefing.plan.seats.iter().map(|seat| seat.id).collect();
            let end = if briefing.plan.last { "end" } else { "begin" };
            format!("{to}: {end} {} on {seats:?}", briefing.plan.number)
        }
        Action::Tell { to, order: Order::Refuse { .. } } => format!("{to}: refuse"),
        Action::Tell { to, order } => format!("{to}: {order:?}"),
        Action::Find { .. } => "find".into(),
        Action::Commit { epoch, .. } => format!("commit {epoch}"),
        Action::Number(number) => format!("number {number}"),
        Action::Begun => "begun".into(),
        Action::Note(text) => text.clone(),
        Action::Lost { who, why } => format!("lost {who}: {why}"),
        Action::Over { who, code, why } => format!("over {who} {code}: {}", why.as_deref().unwrap_or("")),
        Action::Answer { visitor, .. } => format!("answer {visitor}"),
        other => format!("{other:?}"),
    }
}

/// The end of a generation at the boundary after 3 epochs.
fn ended(from: u32, generation: u64, over: bool, keep: Keep) -> Event {
    let cut = Cut { epoch: 3, over, workers: None, block_at: Vec::new(), keep, change: None };
    said(from, Report::Ended { generation, cut: Some(cut).filter(|_| from == 0) })
}

fn epoch(from: u32, generation: u64, epoch: u64) -> Event {
    said(from, Report::Epoch { generation, epoch: Epoch { epoch, ..Epoch::default() } })
}

fn settled(from: u32, generation: u64, seconds: f64) -> Event {
    said(from, Report::Settled { generation, bytes: 0, seconds, memory: 0 })
}

/// Events that lead to a state, at time 0.
type State = fn() -> Vec<Event>;

fn gathering() -> Vec<Event> {
    Vec::new()
}

fn running() -> Vec<Event> {
    vec![ready(0), ready(1), found()]
}

/// The first process has come to the boundary, the second has not.
fn cutting() -> Vec<Event> {
    [running(), vec![ended(0, 1, false, Keep::Nothing)]].concat()
}

fn keeping() -> Vec<Event> {
    [running(), vec![ended(0, 1, false, Keep::Written), ended(1, 1, false, Keep::Written)]].concat()
}

fn second() -> Vec<Event> {
    [cutting(), vec![ended(1, 1, false, Keep::Nothing)]].concat()
}

/// Everything goes to the first process, which then writes the model.
fn ending() -> Vec<Event> {
    [running(), vec![ended(0, 1, true, Keep::Nothing), ended(1, 1, true, Keep::Nothing)]].concat()
}

fn writing() -> Vec<Event> {
    [ending(), vec![said(0, Report::MayWrite), said(1, Report::Done), said(0, Report::Done)]].concat()
}

/// A coordinator in this state.
fn at(state: State) -> Coordinator {
    let mut coordinator = Coordinator::new(terms());
    for event in state() {
        coordinator.on(event, 0.0);
    }
    coordinator
}

#[test]
fn whoever_is_silent_is_lost_after_the_time_that_its_state_allows() {
    let lost = |of: u32, how: &str| {
        vec!["0: Lost".into(), "1: Lost".into(), format!("lost {of}: process {of} {how}")]
    };
    // The state, the second at which somebody looks, and what is done.
    let rows: [(&str, State, f64, Vec<String>); 9] = [
        ("nobody has connected, and builds longer than the deadline", gathering, 59.0, vec![]),
        ("nobody has connected in a minute", gathering, 60.5, lost(0, "has said nothing for 60 s")),
        ("in time", running, 10.0, vec![]),
        ("too late", running, 10.5, lost(0, "has said nothing for 10 s")),
        ("both are at a cut", cutting, 10.5, lost(0, "has said nothing for 10 s")),
        ("both write parts", keeping, 10.5, lost(0, "has said nothing for 10 s")),
        ("the first one takes all", ending, 10.5, lost(0, "has said nothing for 10 s")),
        ("the first one writes the model", writing, 9.0, vec![]),
        (
            "the first one hangs while it writes the model",
            writing,
            10.5,
            lost(0, "has said nothing for 10 s before the model was written"),
        ),
    ];
    for (what, state, now, expected) in rows {
        let done: Vec<String> = at(state).on(Event::Tick, now).iter().map(words).collect();
        assert_eq!(done, expected, "{what}");
    }
}

#[test]
fn a_deadline_of_more_than_a_minute_is_one_for_connecting_too() {
    let mut coordinator = Coordinator::new(Terms { deadline: 100.0, ..terms() });
    assert_eq!(coordinator.on(Event::Tick, 99.0), []);
    assert_eq!(coordinator.on(Event::Tick, 100.5).len(), 3);
}

#[test]
fn what_is_told_of_a_generation_that_is_over_counts_no_more() {
    let mut coordinator = at(second);
    coordinator.on(epoch(0, 2, 5), 1.0);
    // Epochs and pauses of the first generation come late.
    for late in [epoch(0, 1, 3), settled(0, 1, 100.0), settled(1, 2, 100.0)] {
        assert_eq!(coordinator.on(late, 1.0), []);
        assert_eq!((coordinator.epoch(), coordinator.pauses.len()), (5, 0));
    }
    coordinator.on(settled(0, 2, 0.5), 1.0);
    assert_eq!(coordinator.pauses, [0.5]);
    // The first generation of a run has no pause: it begins.
    let mut coordinator = at(running);
    assert_eq!(coordinator.on(settled(0, 1, 0.5), 1.0), [Action::Begun]);
    assert!(coordinator.pauses.is_empty());
}
