//! Tests of the coordinator by table: state, events, and actions. Among them cases that simulated runs meet
//! once in thousands.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail where a test would")]

use super::super::*;
use super::{checkpoint_result, committed, config, ended_report, found, numbered, ready, report};
use crate::cluster::protocol::{AdminRequest, MemberReport};

/// Short text of an action.
fn words(action: &Action) -> String {
    match action {
        Action::Send { to, order: Order::Begin { start } } => {
            let participants: Vec<u32> =
                start.plan.participants.iter().map(|participant| participant.id).collect();
            let end = if start.plan.last { "end" } else { "begin" };
            format!("{to}: {end} {} on {participants:?}", start.plan.number)
        }
        Action::Send { to, order: Order::Refuse { .. } } => format!("{to}: refuse"),
        Action::Send { to, order } => format!("{to}: {order:?}"),
        Action::Find { .. } => "find".into(),
        Action::Commit { epoch, .. } => format!("commit {epoch}"),
        Action::Number(number) => format!("number {number}"),
        Action::Begun => "begun".into(),
        Action::Note(text) => text.clone(),
        Action::Lost { who, why } => format!("lost {who}: {why}"),
        Action::Over { who, code, why } => format!("over {who} {code}: {}", why.as_deref().unwrap_or("")),
        Action::AdminResponse { admin, .. } => format!("answer {admin}"),
        Action::Left { who, .. } => format!("left {who}"),
        Action::Dismiss { of } => format!("dismiss {of}"),
    }
}

/// The end of a generation at the boundary after 3 epochs.
fn ended(from: u32, generation: u64, over: bool, checkpoint_need: CheckpointNeed) -> Event {
    let end = GenerationEnd { epoch: 3, over, block_at: Vec::new(), checkpoint_need, change: None };
    report(from, ended_report(generation, Some(end).filter(|_| from == 0)))
}

fn epoch(from: u32, generation: u64, epoch: u64) -> Event {
    report(from, MemberReport::Epoch { generation, epoch: Epoch { epoch, ..Epoch::default() } })
}

fn settled(from: u32, generation: u64, seconds: f64) -> Event {
    report(from, MemberReport::Settled { generation, bytes: 0, seconds, memory: 0 })
}

fn crashed(of: u32) -> Event {
    Event::Exited { of, code: 137, crashed: true, how: "was killed".into() }
}

/// Events that lead to a state, at time 0.
type State = fn() -> Vec<Event>;

fn gathering() -> Vec<Event> {
    Vec::new()
}

fn running() -> Vec<Event> {
    vec![ready(0), ready(1), found(), numbered(1)]
}

/// The first process has ended the generation, the second has not.
fn ending_generation() -> Vec<Event> {
    [running(), vec![ended(0, 1, false, CheckpointNeed::None)]].concat()
}

fn checkpointing() -> Vec<Event> {
    [
        running(),
        vec![
            ended(0, 1, false, CheckpointNeed::PartsWritten),
            ended(1, 1, false, CheckpointNeed::PartsWritten),
        ],
    ]
    .concat()
}

fn second() -> Vec<Event> {
    [ending_generation(), vec![ended(1, 1, false, CheckpointNeed::None), numbered(2)]].concat()
}

/// Everything goes to the first process, which then writes the model.
fn ending() -> Vec<Event> {
    [
        running(),
        vec![ended(0, 1, true, CheckpointNeed::None), ended(1, 1, true, CheckpointNeed::None), numbered(2)],
    ]
    .concat()
}

fn writing() -> Vec<Event> {
    [
        ending(),
        vec![report(0, MemberReport::MayWrite), report(1, MemberReport::Done), report(0, MemberReport::Done)],
    ]
    .concat()
}

/// A coordinator in this state.
fn at(state: State) -> Coordinator {
    let mut coordinator = Coordinator::new(config());
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
    // The state, the time in seconds, and the actions.
    let rows: [(&str, State, f64, Vec<String>); 9] = [
        ("nobody has connected, and builds longer than the deadline", gathering, 59.0, vec![]),
        ("nobody has connected in a minute", gathering, 60.5, lost(0, "has sent nothing for 60 s")),
        ("in time", running, 10.0, vec![]),
        ("too late", running, 10.5, lost(0, "has sent nothing for 10 s")),
        ("both are at a boundary", ending_generation, 10.5, lost(0, "has sent nothing for 10 s")),
        ("both write parts", checkpointing, 10.5, lost(0, "has sent nothing for 10 s")),
        ("the first one takes all", ending, 10.5, lost(0, "has sent nothing for 10 s")),
        ("the first one writes the model", writing, 9.0, vec![]),
        (
            "the first one hangs while it writes the model",
            writing,
            10.5,
            lost(0, "has sent nothing for 10 s before the model was written"),
        ),
    ];
    for (what, state, now, expected) in rows {
        let done: Vec<String> = at(state).on(Event::Tick, now).iter().map(words).collect();
        assert_eq!(done, expected, "{what}");
    }
}

#[test]
fn a_deadline_of_more_than_a_minute_is_one_for_connecting_too() {
    let mut coordinator = Coordinator::new(CoordinatorConfig { deadline: 100.0, ..config() });
    assert_eq!(coordinator.on(Event::Tick, 99.0), []);
    assert_eq!(coordinator.on(Event::Tick, 100.5).len(), 3);
}

#[test]
fn each_event_has_its_answer_in_each_state() {
    let stays = "process 0 was asked to leave, and stays: the run would have no process of its own left: end \
                 it with Ctrl-C on the launcher";
    let rows: Vec<(&str, State, Vec<Event>, Vec<&str>)> = vec![
        ("stop before anything runs", gathering, vec![Event::Stop], vec!["0: End", "1: End", "over 0 130: "]),
        ("stop", running, vec![Event::Stop], vec!["0: Stop"]),
        (
            "stop while a boundary is under way: the next generation is told",
            ending_generation,
            vec![Event::Stop, ended(1, 1, false, CheckpointNeed::None), numbered(2)],
            vec!["number 2", "0: begin 2 on [0, 1]", "1: begin 2 on [0, 1]", "0: Stop"],
        ),
        (
            "stop while a checkpoint is made",
            checkpointing,
            vec![Event::Stop, checkpoint_result(0, 1), checkpoint_result(1, 1), committed(1), numbered(2)],
            vec!["commit 3", "number 2", "0: begin 2 on [0, 1]", "1: begin 2 on [0, 1]", "0: Stop"],
        ),
        (
            "an epoch is cancelled: the others end their work on it, too",
            running,
            vec![report(0, MemberReport::Cancelled { generation: 1 })],
            vec!["1: Cancel { generation: 1 }"],
        ),
        (
            "an epoch of a generation that is over was cancelled",
            second,
            vec![report(0, MemberReport::Cancelled { generation: 1 })],
            vec![],
        ),
        (
            "leave: at the next boundary",
            running,
            vec![report(1, MemberReport::Leaving)],
            vec!["process 1 leaves after this epoch", "0: EndGeneration { generation: 1 }"],
        ),
        (
            "leave while a boundary is under way: it has no seat in what follows, which is not cut for it",
            ending_generation,
            vec![report(1, MemberReport::Leaving), ended(1, 1, false, CheckpointNeed::None), numbered(2)],
            vec!["process 1 leaves after this epoch", "number 2", "0: begin 2 on [0]", "1: begin 2 on [0]"],
        ),
        (
            "the first one leaves: the other is the first",
            ending_generation,
            vec![report(0, MemberReport::Leaving), ended(1, 1, false, CheckpointNeed::None), numbered(2)],
            vec!["process 0 leaves after this epoch", "number 2", "1: begin 2 on [1]", "0: begin 2 on [1]"],
        ),
        (
            "the last one stays",
            running,
            vec![report(1, MemberReport::Leaving), report(0, MemberReport::Leaving)],
            vec!["process 1 leaves after this epoch", "0: EndGeneration { generation: 1 }", stays],
        ),
        (
            "join: at the next boundary",
            running,
            vec![
                Event::Asked { admin: 9, request: AdminRequest::Join { workers: None, rank: None } },
                ready(2),
            ],
            vec!["answer 9", "0: EndGeneration { generation: 1 }"],
        ),
        (
            "join while a boundary is under way: it has a seat in what follows, which is not cut for it",
            ending_generation,
            vec![
                Event::Asked { admin: 9, request: AdminRequest::Join { workers: None, rank: None } },
                ready(2),
                ended(1, 1, false, CheckpointNeed::None),
                numbered(2),
            ],
            vec![
                "answer 9",
                "number 2",
                "0: begin 2 on [0, 1, 2]",
                "1: begin 2 on [0, 1, 2]",
                "2: begin 2 on [0, 1, 2]",
            ],
        ),
        (
            "leave before it has a part in a generation: it may go at once",
            running,
            vec![
                Event::Asked { admin: 9, request: AdminRequest::Join { workers: None, rank: None } },
                ready(2),
                report(2, MemberReport::Leaving),
            ],
            vec!["answer 9", "0: EndGeneration { generation: 1 }", "2: End"],
        ),
        (
            "the model may be written at the end",
            ending,
            vec![report(0, MemberReport::MayWrite)],
            vec!["0: Write"],
        ),
        ("by the first one alone", ending, vec![report(1, MemberReport::MayWrite)], vec![]),
        ("and not before", second, vec![report(0, MemberReport::MayWrite)], vec![]),
        ("a crash whose last words are on their way", running, vec![crashed(1)], vec![]),
        (
            "a crash after the last word",
            running,
            vec![Event::Closed { of: 1, damaged: false }, crashed(1)],
            vec!["0: Lost", "1: Lost", "lost 1: process 1 was killed"],
        ),
        (
            "a crash before the last word",
            running,
            vec![crashed(1), Event::Closed { of: 1, damaged: false }],
            vec!["0: Lost", "1: Lost", "lost 1: process 1 was killed"],
        ),
        (
            "a crash of one that was released",
            writing,
            vec![crashed(1), Event::Closed { of: 1, damaged: false }],
            vec![],
        ),
    ];
    for (what, state, events, expected) in rows {
        let mut coordinator = at(state);
        let done: Vec<String> = events
            .into_iter()
            .flat_map(|event| coordinator.on(event, 1.0))
            .map(|action| words(&action))
            .collect();
        assert_eq!(done, expected, "{what}");
    }
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
