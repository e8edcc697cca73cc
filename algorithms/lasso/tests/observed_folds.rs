//! Folds that run side by side, observed and ended from one place.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "it tells threads apart, and gathers from them"
)]

use std::ops::ControlFlow;
use std::sync::Mutex;

use raddle::{Ending, Stop};
use raddle_lasso::{CrossValidation, FoldRun, Lasso, LassoError, Preparation};

use crate::common::{dense, random_data};

fn data() -> (raddle_datasets::Matrix, Vec<f64>) {
    let (columns, y) = random_data(60, 40, 0.8, 51);
    (dense(&columns), y)
}

fn cv(workers: usize) -> CrossValidation {
    Lasso::params().workers(workers).cv().folds(4).path(12, 50.0).l1_ratios(vec![1.0, 0.5])
}

#[test]
fn records_of_all_runs_come_to_the_callers_thread_and_change_nothing() {
    let (x, y) = data();
    let plain = cv(1).fit(x.clone(), y.clone(), Preparation::default()).unwrap();
    for workers in [1, 2, 3] {
        let here = std::thread::current().id();
        let mut seen: Vec<(FoldRun, u64)> = Vec::new();
        let observed =
            cv(workers).fit_observed(x.clone(), y.clone(), Preparation::default(), |run, record| {
                assert_eq!(std::thread::current().id(), here);
                seen.push((run, record.epoch));
                ControlFlow::Continue(())
            });
        let observed = observed.unwrap();
        assert_eq!(observed.curves, plain.curves);
        assert_eq!(
            (&observed.fit.coefficients, observed.fit.digest()),
            (&plain.fit.coefficients, plain.fit.digest())
        );
        let epochs = |fold, l1_ratio| -> Vec<u64> {
            seen.iter()
                .filter(|(run, _)| *run == FoldRun { fold, l1_ratio })
                .map(|(_, epoch)| *epoch)
                .collect()
        };
        // Each run from its first record to its last, in order.
        for (number, run) in observed.folds.iter().enumerate() {
            let of = epochs(Some(number / 2), [1.0, 0.5][number % 2]);
            assert!(
                of.is_sorted() && of.last() == Some(&run.epochs),
                "{workers} workers, run {number}: {of:?}"
            );
        }
        assert_eq!(epochs(None, observed.fit.l1_ratio).last(), Some(&observed.fit.report.epochs));
    }
}

#[test]
fn a_break_ends_every_fold_and_a_second_fit_is_as_ever() {
    let (x, y) = data();
    for workers in [1, 2, 3] {
        for calls in [1, 2, 30] {
            let mut seen = 0;
            let ended = cv(workers).fit_observed(x.clone(), y.clone(), Preparation::default(), |_, _| {
                seen += 1;
                if seen == calls { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            let Err(LassoError::Interrupted { fold: 1..=4, folds: 4 }) = ended else {
                panic!("{workers} workers, {calls} calls: {ended:?}")
            };
            assert_eq!(seen, calls, "it is called no more");
        }
    }
    let again = |workers| cv(workers).fit(x.clone(), y.clone(), Preparation::default()).unwrap().fit.digest();
    assert_eq!(again(2), again(1));
}

#[test]
fn a_break_in_the_last_fit_gives_what_it_came_to() {
    let (x, y) = data();
    let mut is_last = false;
    let ended = cv(2).fit_observed(x, y, Preparation::default(), |run, _| {
        is_last |= run.fold.is_none();
        if is_last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let fit = ended.unwrap().fit;
    assert!(
        is_last && [Ending::Interrupted, Ending::Target].contains(&fit.report.ending),
        "{:?}",
        fit.report.ending
    );
}

#[test]
fn engines_are_set_run_by_run_and_one_stop_ends_all() {
    let (x, y) = data();
    let runs = Mutex::new(Vec::new());
    let done = cv(2).fit_with(x.clone(), y.clone(), Preparation::default(), |run, engine| {
        runs.lock().unwrap().push((run.fold, run.l1_ratio));
        engine
    });
    let mut runs = runs.into_inner().unwrap();
    runs.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let folds = (0..4).flat_map(|fold| [(Some(fold), 0.5), (Some(fold), 1.0)]);
    assert_eq!(runs, [(None, done.unwrap().fit.l1_ratio)].into_iter().chain(folds).collect::<Vec<_>>());

    let stop = Stop::default();
    stop.request();
    let stopped =
        cv(3).fit_with(x.clone(), y.clone(), Preparation::default(), |_, engine| engine.stop(stop.clone()));
    assert!(matches!(stopped, Err(LassoError::Interrupted { fold: 1, folds: 4 })), "{stopped:?}");
    let limited = cv(2).fit_with(x, y, Preparation::default(), |run, engine| match run.fold {
        Some(2) => engine.epochs(1),
        _ => engine,
    });
    assert!(
        matches!(limited, Err(LassoError::Fold { fold: 3, certified: 0..12, points: 12 })),
        "{limited:?}"
    );
}
