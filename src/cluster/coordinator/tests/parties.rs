//! Parties: a run begins with all of them, each keeps its place and its shards, and all have the outcome
//! before one writes it.

use super::super::known_parties::{OnLeave, Parties};
use super::super::*;
use super::{config, ended_report, exited, identity, numbered, report};
use crate::base::identity::Identity;
use crate::base::process::machine;
use crate::cluster::protocol::{AdminRequest, AdminResponse, MemberReport};
use crate::parties::{Keyring, PrivateKey};

/// A coordinator of four parties.
fn of_parties(on_leave: OnLeave) -> Coordinator {
    let key = || PrivateKey::new().unwrap();
    let (coordinator, names) = (key(), ["east", "north", "south", "west"]);
    let parties = names.map(|name| (name.to_owned(), key().public())).into();
    let keyring = Some(Keyring::new(coordinator.public(), &parties, None, coordinator).unwrap());
    let parties = Parties::new(on_leave);
    let config = CoordinatorConfig { processes: 0, wait_for: 4, may_resume: false, ..config() };
    Coordinator::new(CoordinatorConfig { keyring, parties, wait: f64::INFINITY, ..config })
}

fn join(of: u32) -> Event {
    Event::Asked { admin: 0, request: AdminRequest::Join { workers: None, rank: Some(of) } }
}

/// The report of a party that is ready, with data of this digest.
fn ready(from: u32, data: &str, is_pinned: bool) -> Event {
    let registration = Registration {
        identity: Identity { costs: vec![1; 8], ..identity() },
        data: data.into(),
        is_pinned,
        blocks: 0,
        rescale: Vec::new(),
        cores: 2,
        machine: machine(),
        proof: None,
    };
    let registration = Box::new(registration);
    report(from, MemberReport::Ready { registration, address: format!("at {from}") })
}

/// Lets these parties join and be ready; returns the actions.
fn gather(coordinator: &mut Coordinator, parties: &[u32]) -> Vec<Action> {
    let events = parties.iter().flat_map(|&of| [join(of), ready(of, &format!("data {of}"), true)]);
    events.flat_map(|event| coordinator.on(event, 0.0)).collect()
}

fn is_begun(actions: &[Action]) -> bool {
    actions.iter().any(|action| matches!(action, Action::Number(_)))
}

fn refusal(actions: &[Action]) -> &str {
    fn why(action: &Action) -> Option<&str> {
        match action {
            Action::Send { order: Order::Refuse { why }, .. }
            | Action::AdminResponse { answer: AdminResponse::Refused(why), .. } => Some(why),
            _ => None,
        }
    }
    actions.iter().find_map(why).unwrap_or_default()
}

/// A run of four parties that is over, as its first one has reported.
fn ending() -> Coordinator {
    let mut coordinator = of_parties(OnLeave::Wait);
    gather(&mut coordinator, &[1, 2, 3, 4]);
    coordinator.on(numbered(1), 0.0);
    let end = |from: u32| {
        let (checkpoint_need, block_at) = (CheckpointNeed::None, Vec::new());
        let end = GenerationEnd { epoch: 3, over: true, block_at, checkpoint_need, change: None };
        report(from, ended_report(1, Some(end).filter(|_| from == 1)))
    };
    (1..5).for_each(|from| drop(coordinator.on(end(from), 1.0)));
    coordinator.on(numbered(2), 1.0);
    coordinator
}

#[test]
fn a_run_begins_with_all_parties_and_each_has_its_own_shards() {
    let mut coordinator = of_parties(OnLeave::Wait);
    assert!(!is_begun(&gather(&mut coordinator, &[4, 2, 1])));
    let waits = coordinator.on(Event::Tick, 9.0);
    assert!(
        !waits.iter().any(|action| matches!(action, Action::Over { .. } | Action::Number(_))),
        "{waits:?}"
    );
    assert!(is_begun(&gather(&mut coordinator, &[3])));
    let plan = coordinator.plan.clone().unwrap();
    assert!(plan.is_sound(8, 0) && plan.is_pinned);
    let ids: Vec<u32> = plan.participants.iter().map(|party| party.id).collect();
    let of_shards = (0..8).map(|shard| ids[plan.shard_process(shard) as usize]);
    assert_eq!(of_shards.collect::<Vec<_>>(), [1, 1, 2, 2, 3, 3, 4, 4]);
    let end = GenerationPlan::end(2, &plan);
    assert!(end.last && end.is_sound(8, 0) && end.shard_at == plan.shard_at);
    assert_eq!((end.participants, end.previous), (plan.participants.clone(), plan.participants));
}

#[test]
fn programs_whose_shards_cross_and_parties_with_other_data_are_refused() {
    let mut coordinator = of_parties(OnLeave::Wait);
    coordinator.on(join(1), 0.0);
    let said = coordinator.on(ready(1, "data 1", false), 0.0);
    assert!(refusal(&said).contains("the program of parties is linear fit --by sums"), "{said:?}");
    gather(&mut coordinator, &[1, 2, 3, 4]);
    coordinator.on(numbered(1), 0.0);
    let lost = coordinator.on(exited(3, 137, true), 1.0);
    let closed = coordinator.on(Event::Closed { of: 3, damaged: false }, 1.0);
    assert!(lost.iter().chain(&closed).any(|action| matches!(action, Action::Lost { who: 3, .. })));
    // The next attempt knows the digests of the one before.
    let config = CoordinatorConfig { parties: coordinator.parties(), ..coordinator.config.clone() };
    let mut next = Coordinator::new(config);
    next.on(join(3), 0.0);
    let said = next.on(ready(3, "other", true), 0.0);
    assert!(refusal(&said).contains("its data have the digest other, and had data 3"), "{said:?}");
    assert!(is_begun(&gather(&mut next, &[3, 1, 2, 4])));
    // A party alone, without parties: nothing would keep its rows there.
    let mut shared = Coordinator::new(CoordinatorConfig { processes: 2, ..super::config() });
    let said = shared.on(ready(0, "", true), 0.0);
    assert!(refusal(&said).contains("start it with raddle launch --parties"), "{said:?}");
}

#[test]
fn a_run_goes_on_without_the_parties_that_it_has_lost_as_long_as_three_are_left() {
    let mut coordinator = of_parties(OnLeave::Without);
    gather(&mut coordinator, &[1, 2, 3, 4]);
    coordinator.on(numbered(1), 0.0);
    let lost = coordinator.on(Event::Closed { of: 2, damaged: false }, 1.0);
    assert!(lost.iter().any(|action| matches!(action, Action::Lost { who: 2, .. })), "{lost:?}");
    assert_eq!(coordinator.parties_awaited(), 3);
    let (parties, wait_for) = (coordinator.parties(), coordinator.parties_awaited());
    let config = CoordinatorConfig { parties, wait_for, ..coordinator.config.clone() };
    let mut next = Coordinator::new(config);
    assert_eq!(
        refusal(&next.on(join(2), 0.0)),
        "the run goes on without north, which was lost: it can join the next one"
    );
    assert!(is_begun(&gather(&mut next, &[1, 3, 4])));
    let plan = next.plan.clone().unwrap();
    assert!(plan.is_sound(8, 0));
    // Shards of the lost party are empty, and with the first.
    assert_eq!(plan.shard_process(2), 0);
    next.on(numbered(1), 0.0);
    let over = next.on(Event::Closed { of: 4, damaged: false }, 1.0);
    let ends = |action: &Action| match action {
        Action::Over { code: 3, why, .. } => {
            why.as_ref().is_some_and(|why| why.contains("2 parties are left"))
        }
        _ => false,
    };
    assert!(over.iter().any(ends), "{over:?}");
}

#[test]
fn no_party_writes_before_all_have_the_outcome_and_the_last_one_ends_the_run() {
    let mut coordinator = ending();
    let mut writes = |from| {
        let actions = coordinator.on(report(from, MemberReport::MayWrite), 2.0);
        actions.iter().filter(|action| matches!(action, Action::Send { order: Order::Write, .. })).count()
    };
    assert_eq!([3, 1, 2, 3, 4].map(&mut writes), [0, 0, 0, 0, 4]);
    // One ends in order, one with a limit, one is killed, and one closes its connection first.
    for from in 1..5 {
        coordinator.on(report(from, MemberReport::Done), 3.0);
    }
    let mut over = Vec::new();
    for event in [
        exited(1, 0, false),
        Event::Closed { of: 1, damaged: false },
        Event::Closed { of: 2, damaged: false },
        exited(2, 3, false),
        Event::Closed { of: 3, damaged: false },
        Event::Closed { of: 4, damaged: false },
    ] {
        over.extend(coordinator.on(event, 4.0));
        assert!(!over.iter().any(|action| matches!(action, Action::Over { .. } | Action::Lost { .. })));
    }
    over = coordinator.on(exited(4, 0, false), 4.5);
    assert!(!over.iter().any(|action| matches!(action, Action::Over { .. })), "party 3 may still tell");
    over = coordinator.on(Event::Tick, 4.0 + 2.0 * GRACE);
    assert!(over.iter().any(|action| matches!(action, Action::Over { code: 3, why: None, .. })), "{over:?}");
    // A party that is lost before all have the outcome ends the attempt.
    let mut coordinator = ending();
    coordinator.on(report(1, MemberReport::MayWrite), 2.0);
    let mut lost = coordinator.on(Event::Closed { of: 2, damaged: false }, 2.0);
    lost.extend(coordinator.on(Event::Tick, 2.0 + 2.0 * GRACE));
    assert!(lost.iter().any(|action| matches!(action, Action::Lost { who: 2, .. })), "{lost:?}");
}
