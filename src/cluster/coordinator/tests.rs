//! What comes twice, or late, changes nothing.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail where a test would")]

use super::*;
use crate::checkpoint::Drafted;
use crate::cluster::protocol::{Kept, Question};
use crate::identity::Identity;

fn terms() -> Terms {
    Terms {
        processes: 2,
        workers: 1,
        balance: false,
        line: Vec::new(),
        run: 1,
        after: 0,
        proof: None,
        keeps: true,
        deadline: 10.0,
    }
}

fn identity() -> Identity {
    let (run, schedule) = ("data".to_owned(), "each shard".to_owned());
    Identity { run, schedule, staleness: 0, guard: false, costs: vec![1; 4] }
}

fn said(from: u32, report: Report) -> Event {
    Event::Said { from, report }
}

fn ready(from: u32) -> Event {
    let facts = Facts { identity: identity(), blocks: 0, workers: None, cores: 2, proof: None };
    said(from, Report::Ready { facts, address: format!("at {from}") })
}

fn found() -> Event {
    Event::Found { from: None, warnings: Vec::new() }
}

fn ended(from: u32, generation: u64) -> Event {
    let cut =
        Cut { epoch: 3, over: false, workers: None, block_at: Vec::new(), keep: Keep::Written, change: None };
    said(from, Report::Ended { generation, cut: Some(cut).filter(|_| from == 0) })
}

fn kept(from: u32, generation: u64) -> Event {
    said(from, Report::Kept { generation, drafted: Drafted::default() })
}

fn committed(generation: u64) -> Event {
    Event::Committed { generation, kept: Kept { cost: 0.1, bytes: 10, failed: None } }
}

fn begun(actions: &[Action]) -> usize {
    let begins = |action: &&Action| matches!(action, Action::Tell { order: Order::Begin { .. }, .. });
    actions.iter().filter(begins).count()
}

#[test]
fn each_thing_is_heard_once_and_in_its_own_stage() {
    let mut coordinator = Coordinator::new(terms());
    let mut on = |event: Event| coordinator.on(event, 0.0);
    // Too early.
    assert_eq!(on(found()), []);
    assert_eq!(on(committed(1)), []);
    assert_eq!(on(ready(0)), []);
    assert_eq!(on(ready(0)), [], "the other one is not there");
    assert_eq!(on(ready(1)), [Action::Find { identity: identity() }]);
    assert_eq!(on(ready(1)), [], "it is looked for already");
    assert_eq!(on(committed(1)), []);
    assert_eq!(begun(&on(found())), 2);
    // Too late.
    for event in [found(), Event::Unusable { why: "torn".into() }, ready(0), ready(1), committed(1)] {
        assert_eq!(on(event.clone()), [], "{event:?}");
    }
    assert_eq!(on(ended(0, 1)), []);
    // The second one of the same process says nothing of the cut.
    assert_eq!(on(said(0, Report::Ended { generation: 1, cut: None })), []);
    assert_eq!(on(ended(1, 1)).len(), 2, "both are asked for their parts");
    assert_eq!(on(committed(1)), [], "nothing was handed in");
    assert_eq!(on(kept(0, 1)), []);
    assert_eq!(on(kept(0, 1)), [], "the other part is missing");
    let actions = on(kept(1, 1));
    assert!(matches!(actions[..], [Action::Commit { epoch: 3, generation: 1, .. }]), "{actions:?}");
    assert_eq!(on(kept(1, 1)), []);
    assert_eq!(on(committed(2)), [], "that one is to come");
    assert_eq!(begun(&on(committed(1))), 2);
    for event in [committed(1), ended(0, 1), kept(0, 1), found(), ready(0)] {
        assert_eq!(on(event.clone()), [], "{event:?}");
    }
}

#[test]
fn one_that_joins_twice_is_one() {
    let mut coordinator = Coordinator::new(terms());
    coordinator.on(Event::Asked { visitor: 0, question: Question::Join }, 0.0);
    // Before the run has begun, and again when it has.
    for event in [ready(2), ready(2), ready(0), ready(1), found()] {
        coordinator.on(event, 0.0);
    }
    assert_eq!(coordinator.on(ready(2), 0.0), []);
    coordinator.on(ended(0, 1), 0.0);
    coordinator.on(ended(1, 1), 0.0);
    coordinator.on(kept(0, 1), 0.0);
    coordinator.on(kept(1, 1), 0.0);
    assert_eq!(begun(&coordinator.on(committed(1), 0.0)), 3);
}

#[test]
fn the_cause_of_a_loss_is_told_even_where_what_follows_from_it_is_heard_first() {
    let mut coordinator = Coordinator::new(terms());
    for event in [ready(0), ready(1), found()] {
        coordinator.on(event, 0.0);
    }
    let failed = |from, why: &str| said(from, Report::Failed { why: why.into(), of_a_peer: true });
    let reasons =
        ["process 1 is lost: its connection has ended", "process 0 is lost: it has said nothing for 3 s"];
    for event in [failed(0, reasons[0]), failed(1, reasons[1]), failed(0, reasons[0])] {
        assert_eq!(coordinator.on(event, 1.0), []);
    }
    let actions = coordinator.on(Event::Tick, 1.0 + GRACE);
    let why = format!("process 0: {}; process 1: {}", reasons[0], reasons[1]);
    assert_eq!(actions.last(), Some(&Action::Lost { who: 0, why }));
}
