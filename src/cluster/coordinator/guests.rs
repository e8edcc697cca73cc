//! Tests of the coordinator of a launcher that has no process of its own: all have joined.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail where a test would")]

use super::tests::{config, found, identity, notes, numbered, ready, report};
use super::*;
use crate::cluster::protocol::{AdminRequest, AdminResponse, MemberReport};

/// A coordinator without processes of its own, two of which are asked for by `raddle join`, and their numbers and who of
/// them begins the run's folder.
fn without_own(config: CoordinatorConfig) -> (Coordinator, Vec<(u32, bool)>) {
    let mut coordinator = Coordinator::new(CoordinatorConfig {
        processes: 0,
        wait_for: config.wait_for.max(1),
        wait: 60.0,
        ..config
    });
    let grants = [None, Some(0)].map(|rank| {
        let request = AdminRequest::Join { workers: None, rank };
        let answer =
            coordinator.on(Event::Asked { admin: 0, request }, 0.0).into_iter().find_map(
                |action| match action {
                    Action::AdminResponse {
                        answer: AdminResponse::JoinGrant { index, begins, .. }, ..
                    } => Some((index, begins)),
                    _ => None,
                },
            );
        answer.unwrap()
    });
    (coordinator, grants.to_vec())
}

/// The end of the run, of which the first process tells how.
fn ended(from: u32) -> Event {
    let end = GenerationEnd {
        epoch: 3,
        over: true,
        block_at: Vec::new(),
        checkpoint_need: CheckpointNeed::None,
        change: None,
    };
    report(from, MemberReport::Ended { generation: 1, end: Some(end).filter(|_| from == 1) })
}

fn exited(process: u32, code: i32) -> Event {
    let how = format!("ended with status {code}");
    Event::Asked { admin: 0, request: AdminRequest::Exited { run: 1, process, code, crashed: false, how } }
}

#[test]
fn a_launcher_without_processes_begins_with_those_that_join_and_ends_as_the_first_of_them() {
    let (mut coordinator, grants) = without_own(config());
    // Number 0 is of a launcher's own.
    assert_eq!(grants, [(1, true), (2, false)]);
    // Who begins the folder makes it anew: no other one begins before.
    assert_eq!(coordinator.on(ready(2), 1.0), []);
    assert_eq!(coordinator.on(ready(1), 1.0), [Action::Find { identity: identity() }]);
    coordinator.on(found(), 1.0);
    let begun = coordinator.on(numbered(1), 1.0);
    let first = |action: &Action| match action {
        Action::Send { order: Order::Begin { start }, .. } => Some(start.plan.participants[0].id),
        _ => None,
    };
    // Who begins the folder is the first, and shows the progress.
    let firsts: Vec<u32> = begun.iter().filter_map(first).collect();
    assert!(!firsts.is_empty() && firsts.iter().all(|&first| first == 1), "{begun:?}");
    for from in [1, 2] {
        coordinator.on(ended(from), 2.0);
    }
    coordinator.on(numbered(2), 2.0);
    coordinator.on(report(1, MemberReport::Done), 2.0);
    // Its connection ends first: its status follows.
    assert_eq!(coordinator.on(Event::Closed { of: 1 }, 3.0), []);
    let over = coordinator.on(exited(1, 3), 3.5);
    assert!(over.contains(&Action::Over { who: 1, code: 3, why: None }), "{over:?}");
}

#[test]
fn a_first_process_that_is_gone_without_a_status_is_lost() {
    let (mut coordinator, _) = without_own(config());
    for event in [ready(1), found(), numbered(1)] {
        coordinator.on(event, 0.0);
    }
    coordinator.on(ended(1), 1.0);
    for event in [numbered(2), report(1, MemberReport::Done), Event::Closed { of: 1 }] {
        coordinator.on(event, 1.0);
    }
    assert_eq!(coordinator.on(Event::Tick, 2.0), []);
    let done = coordinator.on(Event::Tick, 3.5);
    assert!(done.iter().any(|action| matches!(action, Action::Lost { who: 1, .. })), "{done:?}");
}

#[test]
fn a_wrong_command_line_ends_a_run_of_those_that_join_once() {
    let (mut coordinator, _) = without_own(config());
    coordinator.on(report(1, MemberReport::Alive { memory: 1 }), 0.0);
    assert_eq!(coordinator.on(Event::Closed { of: 1 }, 0.0), []);
    let why = Some("process 1 ended with status 2 before the run began".into());
    let over = coordinator.on(exited(1, 2), 0.1);
    assert!(over.contains(&Action::Over { who: 1, code: 2, why }), "{over:?}");
    // Where it crashes, the others begin anew, with another one that begins the folder.
    let (mut coordinator, _) = without_own(config());
    coordinator.on(ready(2), 0.0);
    let how = "was killed".into();
    let killed = AdminRequest::Exited { run: 1, process: 1, code: 137, crashed: true, how };
    let done = coordinator.on(Event::Asked { admin: 0, request: killed }, 0.0);
    assert!(done.iter().any(|action| matches!(action, Action::Lost { who: 1, .. })), "{done:?}");
    // With what it said, if it did.
    let (mut coordinator, _) = without_own(config());
    let failed = MemberReport::Failed { why: "no such file".into(), of_a_peer: false };
    assert_eq!(coordinator.on(report(1, failed), 0.0), []);
    assert_eq!(coordinator.on(Event::Closed { of: 1 }, 0.0), []);
    let why = Some("process 1 failed: no such file".into());
    let over = coordinator.on(exited(1, 2), 0.1);
    assert!(over.contains(&Action::Over { who: 1, code: 2, why }), "{over:?}");
    // Of another attempt nothing counts; nobody begins a run anew that goes on.
    let (mut coordinator, grants) = without_own(CoordinatorConfig { run: 2, goes_on: true, ..config() });
    assert_eq!(grants, [(1, false), (2, false)]);
    let accepted = Action::AdminResponse { admin: 0, answer: AdminResponse::Accepted };
    assert_eq!(coordinator.on(exited(1, 2), 0.1), [accepted]);
}

#[test]
fn the_last_process_of_a_launcher_without_any_stays() {
    let (mut coordinator, _) = without_own(CoordinatorConfig { wait_for: 2, ..config() });
    for event in [ready(1), ready(2), found(), numbered(1)] {
        coordinator.on(event, 0.0);
    }
    let left = coordinator.on(report(1, MemberReport::Leaving), 0.0);
    assert_eq!(notes(&left), ["process 1 leaves after this epoch"]);
    let stays = coordinator.on(report(2, MemberReport::Leaving), 0.0);
    assert!(notes(&stays)[0].starts_with("process 2 was asked to leave, and stays"), "{stays:?}");
    // Before the run begins it has nothing to hand over.
    let (mut coordinator, _) = without_own(CoordinatorConfig { wait_for: 3, ..config() });
    coordinator.on(ready(1), 0.0);
    coordinator.on(ready(2), 0.0);
    let left = coordinator.on(report(2, MemberReport::Leaving), 0.0);
    assert!(left.contains(&Action::Send { to: 2, order: Order::End }), "{left:?}");
    let left = coordinator.on(report(1, MemberReport::Leaving), 0.0);
    assert!(left.iter().any(|action| matches!(action, Action::Lost { who: 1, .. })), "{left:?}");
}
