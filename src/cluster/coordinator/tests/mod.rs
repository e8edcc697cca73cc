//! Tests of the coordinator: repeated or late events change nothing; a timeout is noticed while others
//! report; a process leaves when others can go on; a generation whose number is not durable does not begin.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail where a test would")]

mod guests;
mod holders;
mod parties;
mod turns;

use super::*;
use crate::base::identity::Identity;
use crate::base::process::machine;
use crate::checkpoint::SubmittedParts;
use crate::cluster::protocol::{AdminRequest, AdminResponse, CheckpointResult, MemberReport, RunStatus};
use crate::run::traffic::Traffic;

pub(super) fn config() -> CoordinatorConfig {
    CoordinatorConfig {
        processes: 2,
        workers: 1,
        run: 1,
        may_resume: true,
        deadline: 10.0,
        ..CoordinatorConfig::default()
    }
}

pub(super) fn identity() -> Identity {
    let (run, schedule) = ("data".to_owned(), "each shard".to_owned());
    Identity { run, schedule, staleness: 0, guard: false, costs: vec![1; 4] }
}

pub(super) fn report(from: u32, report: MemberReport) -> Event {
    Event::Report { from, report }
}

pub(super) fn ready(from: u32) -> Event {
    planned(from, &[])
}

/// The report of a process that registers planned changes of the workers.
fn planned(from: u32, rescale: &[(u64, u64)]) -> Event {
    let registration = Registration {
        data: String::new(),
        is_pinned: false,
        identity: identity(),
        blocks: 0,
        rescale: rescale.to_vec(),
        cores: 2,
        machine: machine(),
        proof: None,
    };
    let registration = Box::new(registration);
    report(from, MemberReport::Ready { registration, address: format!("at {from}") })
}

/// Report of the end of a generation, in which the process sent nothing.
pub(super) fn ended_report(generation: u64, end: Option<GenerationEnd>) -> MemberReport {
    MemberReport::Ended { generation, end, sent: Traffic::default(), moved: 0 }
}

pub(super) fn found() -> Event {
    Event::Found { from: None, epoch: 0, warnings: Vec::new() }
}

pub(super) fn numbered(number: u64) -> Event {
    Event::Numbered { number, failed: None }
}

/// A coordinator in its first generation.
pub(super) fn running(config: CoordinatorConfig) -> Coordinator {
    let mut coordinator = Coordinator::new(config);
    let processes = coordinator.config().processes;
    for event in (0..processes).map(ready).chain([found(), numbered(1)]) {
        coordinator.on(event, 0.0);
    }
    coordinator
}

pub(super) fn notes(actions: &[Action]) -> Vec<&str> {
    fn text(action: &Action) -> Option<&str> {
        match action {
            Action::Note(text) => Some(text),
            _ => None,
        }
    }
    actions.iter().filter_map(text).collect()
}

fn status(coordinator: &mut Coordinator, now: f64) -> RunStatus {
    let asked = Event::Asked { admin: 9, request: AdminRequest::Status };
    let answer = coordinator.on(asked, now).into_iter().find_map(|action| match action {
        Action::AdminResponse { answer: AdminResponse::Status(status), .. } => Some(status),
        _ => None,
    });
    answer.unwrap()
}

fn exited(of: u32, code: i32, crashed: bool) -> Event {
    Event::Exited { of, code, crashed, how: format!("ended with status {code}") }
}

fn is_end(action: &Action) -> bool {
    matches!(action, Action::Lost { .. } | Action::Over { .. } | Action::Left { .. })
}

fn ended(from: u32, generation: u64) -> Event {
    let end = GenerationEnd {
        epoch: 3,
        over: false,
        block_at: Vec::new(),
        checkpoint_need: CheckpointNeed::PartsWritten,
        change: None,
    };
    report(from, ended_report(generation, Some(end).filter(|_| from == 0)))
}

pub(super) fn checkpoint_result(from: u32, generation: u64) -> Event {
    report(from, MemberReport::PartsSubmitted { generation, submitted: SubmittedParts::default() })
}

pub(super) fn committed(generation: u64) -> Event {
    Event::Committed {
        generation,
        checkpoint_result: CheckpointResult { cost: 0.1, bytes: 10, failed: None },
    }
}

fn begun(actions: &[Action]) -> usize {
    let begins = |action: &&Action| matches!(action, Action::Send { order: Order::Begin { .. }, .. });
    actions.iter().filter(begins).count()
}

#[test]
fn each_thing_is_heard_once_and_in_its_own_stage() {
    let mut coordinator = Coordinator::new(config());
    let mut on = |event: Event| coordinator.on(event, 0.0);
    // Too early.
    assert_eq!(on(found()), []);
    assert_eq!(on(committed(1)), []);
    assert_eq!(on(ready(0)), []);
    assert_eq!(on(ready(0)), [], "the other one is not there");
    assert_eq!(on(ready(1)), [Action::Find { identity: identity() }]);
    assert_eq!(on(ready(1)), [], "it is looked for already");
    assert_eq!(on(committed(1)), []);
    assert_eq!(on(found()), [Action::Number(1)]);
    assert_eq!(on(numbered(7)), [], "that one is not to begin");
    assert_eq!(begun(&on(numbered(1))), 2);
    // Too late.
    for event in
        [found(), Event::Unusable { why: "torn".into() }, ready(0), ready(1), committed(1), numbered(1)]
    {
        assert_eq!(on(event.clone()), [], "{event:?}");
    }
    assert_eq!(on(ended(0, 1)), []);
    // A second report of the first process carries no end of the generation.
    assert_eq!(on(report(0, ended_report(1, None))), []);
    assert_eq!(on(ended(1, 1)).len(), 2, "both are asked for their parts");
    assert_eq!(on(committed(1)), [], "nothing was handed in");
    assert_eq!(on(checkpoint_result(0, 1)), []);
    assert_eq!(on(checkpoint_result(0, 1)), [], "the other part is missing");
    let actions = on(checkpoint_result(1, 1));
    assert!(matches!(actions[..], [Action::Commit { epoch: 3, generation: 1, .. }]), "{actions:?}");
    assert_eq!(on(checkpoint_result(1, 1)), []);
    assert_eq!(on(committed(2)), [], "that one is to come");
    assert_eq!(on(committed(1)), [Action::Number(2)]);
    assert_eq!(begun(&on(numbered(2))), 2);
    for event in [committed(1), ended(0, 1), checkpoint_result(0, 1), found(), ready(0)] {
        assert_eq!(on(event.clone()), [], "{event:?}");
    }
}

#[test]
fn one_that_joins_twice_is_one() {
    let mut coordinator = Coordinator::new(config());
    coordinator.on(Event::Asked { admin: 0, request: AdminRequest::Join { workers: None, rank: None } }, 0.0);
    // Before the run has begun, and again when it has.
    for event in [ready(2), ready(2), ready(0), ready(1), found()] {
        coordinator.on(event, 0.0);
    }
    assert_eq!(begun(&coordinator.on(numbered(1), 0.0)), 3, "it runs the first generation, once");
    assert_eq!(coordinator.on(ready(2), 0.0), []);
}

#[test]
fn the_cause_of_a_loss_is_told_even_where_what_follows_from_it_is_heard_first() {
    let mut coordinator = running(config());
    let failed = |from, why: &str| report(from, MemberReport::Failed { why: why.into(), of_a_peer: true });
    let reasons =
        ["process 1 is lost: its connection has ended", "process 0 is lost: it has sent nothing for 3 s"];
    for event in [failed(0, reasons[0]), failed(1, reasons[1]), failed(0, reasons[0])] {
        assert_eq!(coordinator.on(event, 1.0), []);
    }
    let actions = coordinator.on(Event::Tick, 1.0 + GRACE);
    let why = format!("process 0: {}; process 1: {}", reasons[0], reasons[1]);
    assert_eq!(actions.last(), Some(&Action::Lost { who: 0, why }));
}

#[test]
fn silence_is_noticed_in_time_whoever_speaks_without_a_pause() {
    for request in [
        AdminRequest::Status,
        AdminRequest::Join { workers: None, rank: None },
        AdminRequest::Rescale { workers: 2 },
    ] {
        let mut coordinator = running(config());
        let mut noticed = None;
        for step in 0..2_000 {
            let now = f64::from(step) * 0.01;
            let mut actions = coordinator.on(Event::Asked { admin: 1, request: request.clone() }, now);
            if step % 100 == 0 {
                actions.extend(coordinator.on(report(0, MemberReport::Alive { memory: 1 }), now));
            }
            if let Some(end) = actions.into_iter().find(is_end) {
                noticed = Some((now, end));
                break;
            }
        }
        let (now, end) = noticed.unwrap();
        let why = "process 1 has sent nothing for 10 s".to_owned();
        assert_eq!(end, Action::Lost { who: 1, why }, "{request:?}");
        assert!((10.0..=10.1).contains(&now), "{request:?}: {now}");
    }
}

#[test]
fn a_process_that_does_not_connect_is_lost_under_polls_too() {
    let mut coordinator = Coordinator::new(config());
    let mut asked = |now| coordinator.on(Event::Asked { admin: 1, request: AdminRequest::Status }, now);
    assert!(!asked(59.9).iter().any(is_end));
    assert!(asked(60.1).iter().any(is_end));
}

#[test]
fn one_that_does_not_get_through_its_handshake_is_a_loss_and_one_that_cannot_read_a_failure() {
    for (code, crashed, is_loss) in
        [(75, true, true), (137, true, true), (1, false, false), (2, false, false)]
    {
        let mut coordinator = Coordinator::new(config());
        let mut actions = coordinator.on(exited(1, code, crashed), 0.0);
        actions.extend(coordinator.on(Event::Tick, GRACE));
        let end = actions.into_iter().find(is_end).unwrap();
        assert_eq!(matches!(end, Action::Lost { who: 1, .. }), is_loss, "{end:?}");
        assert_eq!(matches!(end, Action::Over { who: 1, .. }), !is_loss, "{end:?}");
    }
}

#[test]
fn one_that_is_asked_to_leave_while_it_reads_leaves_when_the_run_has_begun() {
    // The first of all, and before and after it is ready.
    for (who, is_ready) in [(0, false), (1, false), (0, true)] {
        let mut coordinator = Coordinator::new(config());
        if is_ready {
            coordinator.on(ready(who), 0.0);
        }
        let actions = coordinator.on(report(who, MemberReport::Leaving), 0.0);
        assert!(notes(&actions)[0].contains("no other process is ready yet"), "{actions:?}");
        assert_eq!(coordinator.on(report(who, MemberReport::Leaving), 0.0), [], "it is said once");
        for event in [ready(0), ready(1), found()] {
            coordinator.on(event, 0.0);
        }
        let actions = coordinator.on(numbered(1), 0.0);
        assert_eq!(begun(&actions), 2);
        let end = Action::Send { to: 0, order: Order::EndGeneration { generation: 1 } };
        assert_eq!(actions.last(), Some(&end), "behind the beginning");
        coordinator.on(ended(0, 1), 0.0);
        for event in [ended(1, 1), checkpoint_result(0, 1), checkpoint_result(1, 1), committed(1)] {
            coordinator.on(event, 0.0);
        }
        let actions = coordinator.on(numbered(2), 0.0);
        let participants = actions.iter().find_map(|action| match action {
            Action::Send { order: Order::Begin { start }, .. } => Some(&start.plan.participants),
            _ => None,
        });
        let participants: Vec<u32> = participants.unwrap().iter().map(|participant| participant.id).collect();
        assert_eq!(participants, [1 - who]);
    }
}

#[test]
fn the_last_one_stays_and_is_told_why() {
    let mut coordinator = Coordinator::new(CoordinatorConfig { processes: 1, ..config() });
    let actions = coordinator.on(report(0, MemberReport::Leaving), 0.0);
    assert!(notes(&actions)[0].contains("and stays: the run would have no process of its own left"));
    // Where all are asked, too.
    let mut coordinator = Coordinator::new(config());
    for event in
        [report(0, MemberReport::Leaving), report(1, MemberReport::Leaving), ready(0), ready(1), found()]
    {
        coordinator.on(event, 0.0);
    }
    let status = status(&mut coordinator, 0.0);
    assert!(
        status.notes.iter().any(|note| note.contains("process 1 was asked to leave, and stays")),
        "{status:?}"
    );
}

#[test]
fn one_that_ends_on_request_before_it_can_say_so_leaves_the_run_to_the_others() {
    for (code, crashed) in [(130, false), (143, true)] {
        for who in [0, 1] {
            let mut coordinator = Coordinator::new(config());
            let actions = coordinator.on(exited(who, code, crashed), 0.0);
            assert!(
                matches!(actions.last(), Some(Action::Left { who: left, .. }) if *left == who),
                "{actions:?}"
            );
        }
        // No process remains.
        let mut coordinator = Coordinator::new(CoordinatorConfig { processes: 1, ..config() });
        let actions = coordinator.on(exited(0, code, crashed), 0.0);
        assert_eq!(actions.last(), Some(&Action::Over { who: 0, code: 130, why: None }));
    }
}

#[test]
fn a_generation_begins_when_its_number_is_noted_and_not_before() {
    let mut coordinator = Coordinator::new(config());
    for event in [ready(0), ready(1), found()] {
        coordinator.on(event, 0.0);
    }
    let failed = |number| Event::Numbered { number, failed: Some("no space left".into()) };
    let actions = coordinator.on(failed(1), 0.0);
    assert!(matches!(&actions[..], [Action::Note(why)] if why.contains("no space left")), "{actions:?}");
    // Writing is tried every second, and noted once; requests meanwhile wait for the beginning.
    assert_eq!(coordinator.on(Event::Tick, 0.9), []);
    assert_eq!(coordinator.on(Event::Tick, 1.0), [Action::Number(1)]);
    assert_eq!(coordinator.on(failed(1), 1.0), []);
    assert_eq!(
        coordinator.on(Event::Asked { admin: 1, request: AdminRequest::Rescale { workers: 4 } }, 1.5).len(),
        1
    );
    assert_eq!(coordinator.on(Event::Stop, 1.5), []);
    assert_eq!(coordinator.on(Event::Tick, 2.0), [Action::Number(1)]);
    let actions = coordinator.on(numbered(1), 2.0);
    assert_eq!(begun(&actions[..2]), 2);
    let order = |order| Action::Send { to: 0, order };
    assert_eq!(actions[2..], [order(Order::EndGeneration { generation: 1 }), order(Order::Stop)]);
    assert_eq!(coordinator.on(Event::Tick, 5.0), []);
}

#[test]
fn who_is_turned_away_has_no_place_and_is_told_of() {
    let mut coordinator = running(config());
    coordinator.on(Event::Asked { admin: 0, request: AdminRequest::Join { workers: None, rank: None } }, 0.0);
    assert_eq!(status(&mut coordinator, 0.0).members.len(), 3);
    let rejection = |of: Option<u32>, why: &str| Event::TurnedAway { of, why: why.into() };
    let actions = coordinator.on(rejection(Some(2), "process 2 is another build"), 0.0);
    assert_eq!(notes(&actions), ["process 2 is another build"]);
    // A process of the launcher stays a member, whatever connection claims its number.
    coordinator.on(rejection(Some(1), "process 1 is another build"), 0.0);
    let told = status(&mut coordinator, 0.0);
    assert_eq!(told.members.iter().map(|member| member.process).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(told.notes, ["process 2 is another build", "process 1 is another build"]);
    // Strangers do not fill the screen.
    let mut said = 0;
    for stranger in 0..100 {
        said += coordinator.on(rejection(None, &format!("somebody at {stranger}")), 0.0).len();
        said += coordinator.on(rejection(None, &format!("somebody at {stranger}")), 0.0).len();
    }
    assert_eq!(said, 6);
    assert_eq!(status(&mut coordinator, 0.0).notes.len(), 8);
}

#[test]
fn a_guest_that_cannot_join_says_why_and_the_run_goes_on() {
    let mut coordinator = running(config());
    coordinator.on(Event::Asked { admin: 0, request: AdminRequest::Join { workers: None, rank: None } }, 0.0);
    let failed =
        |from| report(from, MemberReport::Failed { why: "a.csv: no such file".into(), of_a_peer: false });
    assert_eq!(notes(&coordinator.on(failed(2), 0.0)), ["process 2 does not join: a.csv: no such file"]);
    assert_eq!(coordinator.on(Event::Closed { of: 2, damaged: false }, 0.0), []);
    // A process that leaves before it has joined is released at once.
    coordinator.on(Event::Asked { admin: 0, request: AdminRequest::Join { workers: None, rank: None } }, 0.0);
    let actions = coordinator.on(report(3, MemberReport::Leaving), 0.0);
    assert_eq!(actions[0], Action::Send { to: 3, order: Order::End });
    assert!(matches!(coordinator.on(failed(1), 0.0).last(), Some(Action::Over { who: 1, code: 1, .. })));
}

#[test]
fn the_status_has_the_memory_that_was_last_told() {
    let mut coordinator = running(config());
    for memory in [7, 9] {
        coordinator.on(report(1, MemberReport::Alive { memory }), 0.0);
        assert_eq!(status(&mut coordinator, 0.0).members[1].peak_memory_bytes, memory);
    }
}

#[test]
fn the_plan_of_workers_holds_from_its_epochs_on_wherever_a_run_begins() {
    let rescale = [(7, 1), (0, 3), (3, 4)];
    // Epochs completed at the beginning of the run, its workers, and those after a boundary at epoch 3.
    for (epoch, first, then) in [(0, 3, 4), (2, 3, 4), (3, 4, 4), (6, 4, 4), (7, 1, 4), (9, 1, 4)] {
        let mut coordinator = Coordinator::new(config());
        coordinator.on(planned(0, &rescale), 0.0);
        coordinator.on(planned(1, &rescale), 0.0);
        coordinator.on(Event::Found { from: None, epoch, warnings: Vec::new() }, 0.0);
        assert_eq!(coordinator.plan.as_ref().map(|plan| plan.asked), Some(first), "from epoch {epoch}");
        for event in [
            numbered(1),
            ended(0, 1),
            ended(1, 1),
            checkpoint_result(0, 1),
            checkpoint_result(1, 1),
            committed(1),
        ] {
            coordinator.on(event, 0.0);
        }
        assert_eq!(coordinator.plan.as_ref().map(|plan| (plan.number, plan.asked)), Some((2, then)));
    }
}

/// A grant to join, and the process that has it is ready.
fn joins(of: u32) -> [Event; 2] {
    [Event::Asked { admin: 0, request: AdminRequest::Join { workers: Some(3), rank: None } }, ready(of)]
}

#[test]
fn the_first_epoch_waits_for_as_many_processes_as_it_is_told_to_and_no_longer_than_that() {
    let config = || CoordinatorConfig { wait_for: 4, wait: 30.0, ..config() };
    let finds = |actions: &[Action]| actions.iter().any(|action| matches!(action, Action::Find { .. }));
    let mut coordinator = Coordinator::new(config());
    let mut on = |event: Event, now: f64| coordinator.on(event, now);
    // One that joins is ready before those of the launcher, one after them.
    for event in joins(2).into_iter().chain([ready(0), ready(1)]) {
        assert!(!finds(&on(event, 1.0)));
    }
    assert!(!finds(&on(Event::Tick, 5.0)));
    let [asks, is_ready] = joins(3);
    assert!(!finds(&on(asks, 6.0)));
    assert!(finds(&on(is_ready, 6.0)));
    on(found(), 7.0);
    assert_eq!(begun(&on(numbered(1), 7.0)), 4, "all of them run the first generation");
    let plan = coordinator.plan.clone().unwrap();
    let workers = |of: u32| plan.process_of.iter().filter(|&&process| process == of).count();
    // Four shards are four workers at most: of eight, three of each that joined.
    assert_eq!((plan.asked, [0, 1, 2, 3].map(workers).iter().sum::<usize>()), (8, 4));

    // Nobody comes.
    let mut coordinator = Coordinator::new(config());
    coordinator.on(ready(0), 1.0);
    coordinator.on(ready(1), 2.0);
    let alive = |of: u32| report(of, MemberReport::Alive { memory: 0 });
    for now in [9.0, 18.0, 27.0] {
        assert_eq!(coordinator.on(alive(0), now), []);
        assert_eq!(coordinator.on(alive(1), now), []);
    }
    let ended = coordinator.on(Event::Tick, 32.5);
    let why = ended.iter().find_map(|action| match action {
        Action::Over { code: 1, why, .. } => why.clone(),
        _ => None,
    });
    assert!(why.as_ref().is_some_and(|why| why.contains("--wait-for 4: 2 of them are there")), "{why:?}");
}

#[test]
fn a_machine_that_does_not_come_ends_a_run_that_has_not_begun() {
    let not_coming = || Event::NotComing { code: 2, why: "far: no such host".into() };
    let mut coordinator = Coordinator::new(config());
    let ended = coordinator.on(not_coming(), 1.0);
    assert!(
        ended.contains(&Action::Over { who: 0, code: 2, why: Some("far: no such host".into()) }),
        "{ended:?}"
    );
    let mut coordinator = running(config());
    assert_eq!(notes(&coordinator.on(not_coming(), 1.0)), ["far: no such host"]);
}

#[test]
fn a_checkpoint_that_is_asked_for_is_of_the_next_boundary_alone() {
    let mut coordinator = running(config());
    let asks_to_end = |actions: &[Action]| {
        actions.iter().any(|action| matches!(action, Action::Send { order: Order::EndGeneration { .. }, .. }))
    };
    let anew = |actions: &[Action]| {
        let parts = |action: &&Action| {
            matches!(action, Action::Send { order: Order::SubmitParts { anew: true, .. }, .. })
        };
        actions.iter().filter(parts).count()
    };
    let end = |from: u32, generation: u64| {
        let end = GenerationEnd {
            epoch: 3,
            over: false,
            block_at: Vec::new(),
            checkpoint_need: CheckpointNeed::None,
            change: None,
        };
        report(from, ended_report(generation, Some(end).filter(|_| from == 0)))
    };
    assert!(asks_to_end(&coordinator.on(Event::CheckpointAsked, 1.0)));
    coordinator.on(end(0, 1), 1.0);
    assert_eq!(anew(&coordinator.on(end(1, 1), 1.0)), 2);
    for event in [checkpoint_result(0, 1), checkpoint_result(1, 1), committed(1)] {
        coordinator.on(event, 1.0);
    }
    coordinator.on(numbered(2), 1.0);
    // The next generation ends for another reason.
    coordinator.on(end(0, 2), 2.0);
    assert_eq!(anew(&coordinator.on(end(1, 2), 2.0)), 0);
    // Asked for before the first generation, it ends that one.
    let mut coordinator = Coordinator::new(config());
    coordinator.on(Event::CheckpointAsked, 0.0);
    for event in [ready(0), ready(1), found()] {
        coordinator.on(event, 0.0);
    }
    assert!(asks_to_end(&coordinator.on(numbered(1), 0.0)));
}
