//! Tests of the coordinator of a launcher that has no process of its own: all have joined.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail where a test would")]

use super::super::*;
use super::{config, ended_report, found, identity, notes, numbered, ready, report};
use crate::cluster::protocol::{AdminRequest, AdminResponse, MemberReport};
use crate::parties::{Keyring, PrivateKey};

/// A coordinator without processes of its own, two of which are asked for by `raddle join`, and their numbers
/// and who of them begins the run's folder.
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
    report(from, ended_report(1, Some(end).filter(|_| from == 1)))
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
    assert_eq!(coordinator.on(Event::Closed { of: 1, damaged: false }, 3.0), []);
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
    for event in [numbered(2), report(1, MemberReport::Done), Event::Closed { of: 1, damaged: false }] {
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
    assert_eq!(coordinator.on(Event::Closed { of: 1, damaged: false }, 0.0), []);
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
    assert_eq!(coordinator.on(Event::Closed { of: 1, damaged: false }, 0.0), []);
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

/// A process that joins is stopped for longer than the deadline while it reads its data, and runs on.
#[test]
fn a_joiner_that_was_silent_is_told_that_its_place_is_gone_however_often_it_comes() {
    let dismissed = |actions: &[Action]| {
        actions.iter().filter(|action| matches!(action, Action::Dismiss { of: 2 })).count()
    };
    let (mut coordinator, _) = without_own(CoordinatorConfig { deadline: 3.0, wait_for: 2, ..config() });
    for from in [1, 2] {
        coordinator.on(report(from, MemberReport::Alive { memory: 1 }), 0.0);
    }
    coordinator.on(report(1, MemberReport::Alive { memory: 1 }), 2.5);
    let silent = coordinator.on(Event::Tick, 3.5);
    assert_eq!(dismissed(&silent), 1, "{silent:?}");
    assert_eq!(notes(&silent), ["process 2 has sent nothing for 3 s before it joined"]);
    // It has built its program, and did not read in time that it has no place.
    let late = coordinator.on(ready(2), 3.6);
    assert_eq!(dismissed(&late), 1, "{late:?}");
    assert_eq!(coordinator.on(report(2, MemberReport::Alive { memory: 1 }), 3.7), []);
    // The run that waits for it in vain says why.
    coordinator.on(ready(1), 4.0);
    let mut over = Vec::new();
    for second in 5..80 {
        over.extend(coordinator.on(report(1, MemberReport::Alive { memory: 1 }), f64::from(second)));
    }
    let why = over.iter().find_map(|action| match action {
        Action::Over { code: 1, why, .. } => why.clone(),
        _ => None,
    });
    assert!(why.as_ref().is_some_and(|why| why.contains("process 2 has sent nothing")), "{over:?}");
}

#[test]
fn bytes_that_changed_on_the_way_are_a_loss_by_name_before_and_behind_the_begin() {
    let damaged = |of| Event::Closed { of, damaged: true };
    let (mut coordinator, _) = without_own(config());
    coordinator.on(report(2, MemberReport::Alive { memory: 1 }), 0.0);
    let said = coordinator.on(damaged(2), 0.1);
    assert_eq!(notes(&said), ["process 2 has sent what did not arrive as it was before it joined"]);
    let mut coordinator = super::tests::running(config());
    coordinator.on(damaged(1), 1.0);
    let lost = coordinator.on(Event::Tick, 1.0 + 2.0 * GRACE);
    let why = "process 1 has sent what did not arrive as it was".to_owned();
    assert!(lost.contains(&Action::Lost { who: 1, why }), "{lost:?}");
}

/// A coordinator of parties east, north and south.
fn of_parties() -> Coordinator {
    let key = || PrivateKey::new().unwrap();
    let (coordinator, names) = (key(), ["east", "north", "south"]);
    let parties = names.map(|name| (name.to_owned(), key().public())).into();
    let keyring = Keyring::new(coordinator.public(), &parties, None, coordinator).unwrap();
    let config = CoordinatorConfig { processes: 0, wait_for: 3, wait: 60.0, ..config() };
    Coordinator::new(CoordinatorConfig { keyring: Some(keyring), ..config })
}

/// Asks for a place for the party of this number; returns it, or why there is none.
fn place(coordinator: &mut Coordinator, party: Option<u32>, now: f64) -> Result<u32, String> {
    let request = AdminRequest::Join { workers: None, rank: party };
    let answer = |action| match action {
        Action::AdminResponse { answer: AdminResponse::JoinGrant { index, .. }, .. } => Some(Ok(index)),
        Action::AdminResponse { answer: AdminResponse::Refused(why), .. } => Some(Err(why)),
        _ => None,
    };
    coordinator.on(Event::Asked { admin: 0, request }, now).into_iter().find_map(answer).unwrap()
}

#[test]
fn a_party_has_its_own_place_and_no_other_and_has_it_once() {
    let mut coordinator = of_parties();
    assert_eq!(place(&mut coordinator, Some(3), 0.0), Ok(3));
    assert_eq!(place(&mut coordinator, Some(1), 0.0), Ok(1));
    let twice = "south takes part already: a party joins once".to_owned();
    assert_eq!(place(&mut coordinator, Some(3), 1.0), Err(twice));
    for nobody in [None, Some(0), Some(4)] {
        assert!(place(&mut coordinator, nobody, 1.0).unwrap_err().contains("join with --parties"));
    }
    // Others are not disturbed, and a party that is gone may come again.
    coordinator.on(report(1, MemberReport::Alive { memory: 0 }), 1.0);
    assert!(coordinator.has_member(1) && coordinator.has_member(3));
    coordinator.on(report(1, MemberReport::Failed { why: "its data".into(), of_a_peer: false }), 2.0);
    assert_eq!(place(&mut coordinator, Some(1), 3.0), Ok(1));
}
