//! Pools by counted cost have the same results, whatever happens to their processes.

use proptest::prelude::*;
use raddle_pool::pool::speedup::{Amdahl, known_share};
use raddle_pool::pool::{Carried, Change, End, EventKind, Fit, Phase, Pool, Settings, by_count};

use super::played::{Kept, Kill, Part, Played, config, figures, new, parts, replayed, settings};

/// Runs a pool to its end; its process is killed after each of these numbers of stored lines.
fn carried(
    settings: &Settings,
    parts: &[Part],
    seed: u64,
    (losses, returns): (f64, f64),
    kills: &[usize],
) -> (Pool, Vec<Kept>) {
    let mut runs = Played::new(parts, false, seed);
    (runs.losses, runs.returns) = (losses, returns);
    let mut keep = Kill::default();
    for kill in kills {
        keep.after = Some(keep.kept.len() + kill);
        let mut replay = replayed(settings, &keep.kept);
        let news = new(&replay.pool, parts);
        let end = by_count(&mut replay, news, &mut runs, &mut keep);
        let again = replayed(settings, &keep.kept);
        assert_eq!(figures(&again.pool), figures(&replay.pool), "a replay is another pool");
        if end.is_ok() {
            break;
        }
        runs.kill();
    }
    keep.after = None;
    let mut replay = replayed(settings, &keep.kept);
    let news = new(&replay.pool, parts);
    assert_eq!(by_count(&mut replay, news, &mut runs, &mut keep), Ok(Carried::Over));
    (replay.pool, keep.kept)
}

/// Cost that a job has done by its changes of workers and the speed-up of its program.
fn work(pool: &Pool, fit: &Fit) -> f64 {
    let law = Amdahl::of_share(known_share(&fit.request));
    let own = |change: &&Change| pool.fits()[change.job].name() == fit.name();
    let changes: Vec<&Change> = pool.changes().iter().filter(own).collect();
    let done = |two: &[&Change]| match two[0].workers {
        0 => 0.0,
        workers => (two[1].at - two[0].at) / law.seconds(workers),
    };
    changes.windows(2).map(done).sum()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_job_ends_once_with_the_same_figures_whatever_is_killed(
        settings in settings(),
        parts in parts(),
        seeds in (0..1000u64, 0..1000u64),
        kills in prop::collection::vec(0..12usize, 1..6),
        returns in prop::sample::select(vec![0.1, 0.3]),
    ) {
        let settings = settings.counted();
        let (pool, _) = carried(&settings, &parts, seeds.0, (0.0, 0.0), &[]);
        for fit in pool.fits() {
            let part = parts.iter().find(|part| part.request.name == fit.name()).unwrap();
            let is_done = matches!(fit.phase, Phase::Over(End::Done { .. }));
            let fails = part.status == 1 || !fit.request.after.is_empty();
            prop_assert!(is_done || fails, "{:?}", fit);
            if is_done {
                let (cost, done) = (part.costs.iter().sum::<f64>(), work(&pool, fit));
                prop_assert!((done - cost).abs() < 1e-6 * cost, "{done} of {cost}");
            }
        }
        let (other, _) = carried(&settings, &parts, seeds.1, (0.0, returns), &kills);
        prop_assert_eq!(figures(&pool), figures(&other));
        prop_assert_eq!(pool.changes(), other.changes());
    }

    #[test]
    fn a_loss_now_and_then_changes_no_figure(settings in settings(), parts in parts(), seed in 0..1000u64) {
        let settings = settings.counted();
        let (pool, _) = carried(&settings, &parts, seed, (0.0, 0.0), &[]);
        let (other, kept) = carried(&settings, &parts, seed, (0.02, 0.0), &[]);
        let is_lost = |line: &Kept| matches!(line, Kept::Event(event) if matches!(event.what, EventKind::Lost { .. }));
        // Three losses in a row are to fail a job.
        let failed = other.fits().iter().any(|fit| format!("{:?}", fit.phase).contains("lost 3 times"));
        prop_assume!(kept.iter().any(is_lost) && !failed);
        prop_assert_eq!(figures(&pool), figures(&other));
    }
}

/// Jobs of which the first is long.
fn long_first() -> Vec<Part> {
    vec![
        Part::new("topics", 0.0, 4, vec![4.0; 60]),
        Part::new("factors", 1.0, 4, vec![2.0; 20]),
        Part::new("lasso", 2.0, 4, vec![1.0; 8]),
    ]
}

fn mean(policy: &str) -> f64 {
    let (pool, _) = carried(&Settings::new(4, policy).counted(), &long_first(), 1, (0.0, 0.0), &[]);
    let all: f64 = pool.fits().iter().map(|fit| fit.completion().unwrap()).sum();
    all / pool.fits().len() as f64
}

#[test]
fn short_jobs_behind_a_long_one_end_sooner_than_first_come_first_served() {
    let fifo = mean("fifo");
    // A unit of cost takes 4 workers 0.1 + 0.9 / 4 seconds.
    assert!((fifo - (78.0 + 90.0 + 91.6) / 3.0).abs() < 1e-9, "{fifo}");
    let greedy = mean("greedy");
    assert!(1.5 * greedy <= fifo, "{greedy}, fifo {fifo}");
}

#[test]
fn an_interrupted_pool_goes_on_to_the_same_figures() {
    let settings = Settings::new(4, "greedy").counted();
    let (pool, _) = carried(&settings, &long_first(), 1, (0.0, 0.0), &[]);
    let mut other = replayed(&settings, &[]);
    let mut runs = Played::new(&long_first(), false, 5);
    let mut keep = Kill::default();
    let mut interrupted = 0;
    loop {
        runs.outside = vec![(0.0, EventKind::Interrupted)];
        let news = new(&other.pool, &long_first());
        let end = by_count(&mut other, news, &mut runs, &mut keep);
        if end == Ok(Carried::Over) {
            break;
        }
        interrupted += 1;
        assert_eq!(end, Ok(Carried::Interrupted));
        other = replayed(&settings, &keep.kept);
    }
    assert!(interrupted > 1, "it was never interrupted");
    assert_eq!(figures(&pool), figures(&other.pool));
}

#[test]
fn a_job_that_is_cancelled_ends_at_once_and_is_not_asked_again() {
    let parts = long_first();
    let settings = Settings::new(4, "greedy").counted();
    for seed in 0..40 {
        let mut replay = replayed(&settings, &[]);
        let mut runs = Played::new(&parts, false, seed);
        runs.outside = vec![(0.0, EventKind::Cancelled { job: "topics".into() })];
        let mut keep = Kill::default();
        let news = new(&replay.pool, &parts);
        assert_eq!(by_count(&mut replay, news, &mut runs, &mut keep), Ok(Carried::Over));
        let ends: Vec<&Phase> = replay.pool.fits().iter().map(|fit| &fit.phase).collect();
        let done = Phase::Over(End::Done { status: 0 });
        assert_eq!(ends, [&Phase::Over(End::Cancelled), &done, &done]);
    }
}
