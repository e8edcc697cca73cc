//! Tests of pools by real time.

use proptest::prelude::*;
use raddle_pool::pool::{
    Action, Boundary, Carried, End, Event, EventKind, Phase, Pool, Request, Settings, by_wall,
};

use super::played::{Kept, Kill, Part, Played, config, figures, new, parts, replayed, settings};

fn end(pool: &Pool, job: &str) -> Phase {
    pool.fit(job).unwrap().phase.clone()
}

fn done() -> Phase {
    Phase::Over(End::Done { status: 0 })
}

/// The pool and its stored lines, after it was run to its end.
fn carried(settings: &Settings, parts: &[Part], outside: Vec<(f64, EventKind)>) -> (Pool, Kill) {
    let mut pool = Pool::new(settings.clone()).unwrap();
    let mut runs = Played::new(parts, true, 1);
    runs.outside = outside;
    let mut keep = Kill::default();
    let news = new(&pool, parts);
    assert_eq!(by_wall(&mut pool, news, &mut runs, &mut keep), Ok(Carried::Over));
    (pool, keep)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_job_ends_once_whenever_the_pool_is_killed(
        settings in settings(),
        parts in parts(),
        kills in prop::collection::vec(0..12usize, 0..6),
        losses in prop::sample::select(vec![0.0, 0.02]),
        returns in prop::sample::select(vec![0.0, 0.3]),
        seed in 0..1000u64,
    ) {
        let mut runs = Played::new(&parts, true, seed);
        (runs.losses, runs.returns) = (losses, returns);
        let mut keep = Kill::default();
        for kill in kills {
            keep.after = Some(keep.kept.len() + kill);
            let mut pool = replayed(&settings, &keep.kept).pool;
            let news = new(&pool, &parts);
            let is_over = by_wall(&mut pool, news, &mut runs, &mut keep).is_ok();
            prop_assert_eq!(figures(&replayed(&settings, &keep.kept).pool), figures(&pool));
            if is_over {
                break;
            }
            runs.kill();
        }
        keep.after = None;
        let mut pool = replayed(&settings, &keep.kept).pool;
        let news = new(&pool, &parts);
        prop_assert_eq!(by_wall(&mut pool, news, &mut runs, &mut keep), Ok(Carried::Over));
        for fit in pool.fits() {
            let part = parts.iter().find(|part| part.request.name == fit.name()).unwrap();
            let may_fail = part.status == 1 || !fit.request.after.is_empty() || losses > 0.0;
            prop_assert!(fit.phase == done() || may_fail, "{:?}", fit);
            let is_end = |line: &&Kept| matches!(line, Kept::Event(event)
                if matches!(&event.what, EventKind::Ended { job, status: 0, .. } if job == fit.name()));
            let ends = keep.kept.iter().filter(is_end).count();
            prop_assert_eq!(ends, usize::from(fit.phase == done()));
        }
    }

    #[test]
    fn a_replay_of_any_beginning_is_the_pool_of_that_time(settings in settings(), parts in parts()) {
        let (pool, keep) = carried(&settings, &parts, Vec::new());
        let mut again = Pool::new(settings.clone()).unwrap();
        let mut actions = Vec::new();
        for (at, line) in keep.kept.iter().enumerate() {
            let Kept::Event(event) = line else { unreachable!() };
            actions.extend(again.apply(event));
            prop_assert_eq!(figures(&again), figures(&replayed(&settings, &keep.kept[..=at]).pool));
        }
        prop_assert_eq!(figures(&again), figures(&pool));
        // The restored pool returns the same actions.
        prop_assert_eq!(actions, keep.actions);
        prop_assert_eq!(again.changes(), pool.changes());
    }
}

#[test]
fn a_process_that_was_lost_and_is_back_is_told_again() {
    let parts = [Part::new("a", 0.0, 2, vec![8.0; 4]), Part::new("b", 0.0, 2, vec![8.0])];
    let mut pool = Pool::new(Settings { alive: 1, ..Settings::new(2, "greedy") }).unwrap();
    let at = |at, what| Event { at, what };
    let boundary = |epoch, is_last| {
        EventKind::Boundary(Boundary {
            job: "a".into(),
            epoch,
            cost: 8.0,
            seconds: 4.0,
            workers: 2,
            metric: None,
            target: None,
            epochs: None,
            wanted: None,
            is_last,
        })
    };
    let (go_on, pause) = (Action::GoOn { job: "a".into(), workers: 2 }, Action::Pause { job: "a".into() });
    let start = Action::Start { job: "a".into(), workers: 2 };
    assert_eq!(pool.apply(&at(0.0, EventKind::Submitted(new(&pool, &parts[..1])))), [start]);
    assert_eq!(pool.apply(&at(4.0, boundary(4, true))), []);
    assert_eq!(end(&pool, "a"), Phase::Ending);
    // The process was lost before it wrote its model: it is back, and continues.
    assert_eq!(pool.apply(&at(5.0, boundary(2, false))), [go_on]);
    assert_eq!(pool.apply(&at(6.0, EventKind::Interrupted)), []);
    assert_eq!(pool.apply(&at(9.0, boundary(3, false))), std::slice::from_ref(&pause));
    // The process was lost before it received the request to pause.
    assert_eq!(pool.apply(&at(10.0, boundary(2, false))), [pause]);
    let ended = EventKind::Ended { job: "a".into(), status: 130, cost: 0.0, said: String::new() };
    assert_eq!(pool.apply(&at(11.0, ended)), []);
    assert!(pool.is_over() && end(&pool, "a") == Phase::Queued);
}

#[test]
fn a_job_grows_and_shrinks_at_its_own_boundary() {
    let parts = [Part::new("a", 0.0, 4, vec![8.0; 5]), Part::new("b", 1.0, 4, vec![8.0; 2])];
    let (pool, _) = carried(&Settings::new(4, "drf"), &parts, Vec::new());
    let changes: Vec<(f64, usize, u32)> =
        pool.changes().iter().map(|change| (change.at, change.job, change.workers)).collect();
    // Job b arrives at 1 and waits until the epoch of a ends at 2. Then they share the workers, and a grows
    // at its next boundary after the end of b.
    assert_eq!(changes, [(0.0, 0, 4), (2.0, 0, 2), (2.0, 1, 2), (10.0, 1, 0), (14.0, 0, 4), (16.0, 0, 0)]);
    assert_eq!(pool.fit("a").unwrap().service + pool.fit("b").unwrap().service, 56.0);
}

#[test]
fn a_job_is_paused_only_where_another_would_be_one_too_many() {
    let parts = [Part::new("a", 0.0, 2, vec![10.0; 20]), Part::new("b", 50.0, 2, vec![2.0; 2])];
    let paused = |alive| {
        let settings = Settings { alive, ..Settings::new(2, "greedy") };
        let (pool, keep) = carried(&settings, &parts, Vec::new());
        assert_eq!((end(&pool, "a"), end(&pool, "b")), (done(), done()));
        assert!(pool.fit("b").unwrap().ended < pool.fit("a").unwrap().ended);
        keep.actions.iter().filter(|action| matches!(action, Action::Pause { .. })).count()
    };
    assert_eq!((paused(2), paused(1)), (0, 1));
}

#[test]
fn an_interrupted_pool_pauses_everybody_and_goes_on_another_time() {
    let parts = [Part::new("a", 0.0, 2, vec![10.0; 5]), Part::new("b", 0.0, 2, vec![10.0; 5])];
    let settings = Settings::new(3, "drf");
    let mut pool = Pool::new(settings).unwrap();
    let mut runs = Played::new(&parts, true, 1);
    runs.outside = vec![(12.0, EventKind::Interrupted)];
    let mut keep = Kill::default();
    let news = new(&pool, &parts);
    assert_eq!(by_wall(&mut pool, news, &mut runs, &mut keep), Ok(Carried::Interrupted));
    assert!(pool.fits().iter().all(|fit| fit.phase == Phase::Queued && fit.epoch > 0), "{:?}", pool.fits());
    assert_eq!(by_wall(&mut pool, Vec::new(), &mut runs, &mut keep), Ok(Carried::Over));
    assert_eq!((end(&pool, "a"), end(&pool, "b")), (done(), done()));
    assert_eq!(runs.starts["a"], 2);
}

#[test]
fn a_job_that_is_lost_three_times_without_a_new_epoch_has_failed() {
    let parts = [Part::new("a", 0.0, 2, vec![10.0; 5]), Part::new("b", 0.0, 2, vec![10.0; 5])];
    let mut pool = Pool::new(Settings::new(4, "drf")).unwrap();
    let mut runs = Played::new(&parts, true, 1);
    runs.losses = 1.0;
    let mut keep = Kill::default();
    let news = new(&pool, &parts);
    assert_eq!(by_wall(&mut pool, news, &mut runs, &mut keep), Ok(Carried::Over));
    for job in ["a", "b"] {
        let Phase::Over(End::Failed { why }) = end(&pool, job) else { panic!("{:?}", end(&pool, job)) };
        assert!(why.contains("lost 3 times"), "{why}");
        assert_eq!(runs.starts[job], 3);
    }
}

#[test]
fn who_comes_after_a_job_that_fails_fails_by_its_name() {
    let mut parts = vec![
        Part::new("a", 0.0, 1, vec![1.0]),
        Part::new("b", 0.0, 1, vec![1.0]),
        Part::new("c", 0.0, 1, vec![1.0]),
        Part::new("d", 0.0, 1, vec![5.0]),
        Part::new("e", 0.0, 1, vec![1.0]),
    ];
    parts[0].status = 1;
    parts[1].request.after = vec!["a".into()];
    parts[2].request.after = vec!["b".into(), "d".into()];
    parts[3].status = 3;
    parts[4].request.after = vec!["d".into()];
    let (pool, _) = carried(&Settings::new(4, "fifo"), &parts, Vec::new());
    let why = |job| match end(&pool, job) {
        Phase::Over(End::Failed { why }) => why,
        other => panic!("{job}: {other:?}"),
    };
    assert_eq!(why("a"), "exit status 1: the last line");
    assert!(why("b").contains("comes after a") && why("c").contains("comes after b"));
    assert_eq!((end(&pool, "d"), end(&pool, "e")), (Phase::Over(End::Done { status: 3 }), done()));
    assert_eq!(pool.fit("e").unwrap().arrived, Some(5.0));
}

#[test]
fn what_cannot_be_held_keeps_its_workers_and_begins_anew_after_an_interruption() {
    let mut parts = [Part::new("cv", 0.0, 2, vec![20.0]), Part::new("b", 1.0, 2, vec![2.0; 3])];
    parts[0].request.elastic = false;
    parts[0].request.least = 2;
    let mut pool = Pool::new(Settings::new(2, "drf")).unwrap();
    let at = |at, what| raddle_pool::pool::Event { at, what };
    pool.apply(&at(0.0, EventKind::Submitted(new(&pool, &parts))));
    assert_eq!(pool.apply(&at(1.0, EventKind::Time)), []);
    assert_eq!(pool.fit("cv").unwrap().workers(), 2);
    assert_eq!(pool.apply(&at(2.0, EventKind::Interrupted)), [Action::Cancel { job: "cv".into() }]);
    let ended = EventKind::Ended { job: "cv".into(), status: 130, cost: 0.0, said: String::new() };
    assert_eq!(pool.apply(&at(3.0, ended)), []);
    assert!(pool.is_over() && end(&pool, "cv") == Phase::Queued);
    let start = Action::Start { job: "cv".into(), workers: 2 };
    assert_eq!(pool.apply(&at(9.0, EventKind::Reopened)), [start]);
}

#[test]
fn workers_of_a_silent_job_count_as_taken() {
    let parts = [Part::new("a", 0.0, 2, vec![8.0; 4]), Part::new("b", 1.0, 2, vec![8.0])];
    let mut pool = Pool::new(Settings::new(2, "greedy")).unwrap();
    let at = |at, what| raddle_pool::pool::Event { at, what };
    pool.apply(&at(0.0, EventKind::Submitted(new(&pool, &parts))));
    assert_eq!(pool.apply(&at(1.0, EventKind::Silent { job: "a".into() })), []);
    assert!(pool.fit("a").unwrap().silent);
    assert_eq!(pool.apply(&at(100.0, EventKind::Time)), []);
    assert_eq!(pool.fit("a").unwrap().workers(), 2);
}

#[test]
fn what_pdors_cannot_promise_is_refused_with_the_earliest_end() {
    let job = |name: &str, costs: Vec<f64>, deadline| {
        let mut part = Part::new(name, 0.0, 2, costs);
        part.request = Request { value: Some(5.0), deadline: Some(deadline), ..part.request };
        let text = format!(
            r#"{{"name": "{name}", "epochs": {}, "speeds": [[1, 0.1], [2, 0.2]]}}"#,
            part.costs.len()
        );
        part.request.profile = Some(serde_json::from_str(&text).unwrap());
        part
    };
    let parts = [job("a", vec![10.0; 20], 400.0), job("b", vec![10.0; 20], 105.0)];
    let (pool, _) = carried(&Settings::new(2, "pdors"), &parts, Vec::new());
    assert_eq!(end(&pool, "a"), done());
    assert!(pool.fit("a").unwrap().ended.unwrap() <= 400.0);
    let Phase::Over(End::Refused { why }) = end(&pool, "b") else { panic!("{:?}", end(&pool, "b")) };
    assert!(why.contains("earliest end that could be promised is"), "{why}");
    assert_eq!(pool.fit("b").unwrap().began, None);
}
