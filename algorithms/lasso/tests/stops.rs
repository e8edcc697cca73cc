//! A fit that is stopped at each of its first boundaries, and killed between them, is resumed to the bytes of
//! one that was never stopped. With `RADDLE_STOPPED=20` it is stopped at each of 20 boundaries, in every way.

use std::sync::Arc;

use raddle_datasets::{Options, StoredTable};
use raddle_lasso::{Choice, Lasso, Preparation, Problem};

use crate::common::sparse;
use crate::replay::{SCHEDULES, lasso, losses, problems};
use crate::stopping::{check, epochs};
use crate::terms;

/// Stops and resumes a fit; returns how often it was stopped.
fn stop(what: &str, lasso: &Lasso, problem: &Problem) -> u64 {
    check(what, &|| lasso.engine(problem).unwrap().epochs(epochs()))
}

#[test]
fn every_schedule_goes_on_from_wherever_it_was_stopped() {
    let mut stops = 0;
    for (name, problem) in problems() {
        let mut stop = |what: &str, lasso: Lasso| stops += stop(&format!("{name}, {what}"), &lasso, &problem);
        for schedule in SCHEDULES {
            stop(&format!("{schedule:?}"), lasso(schedule).tolerance(1e-13));
        }
        stop("a path", lasso(Choice::Auto).path(25, 60.0));
        stop("stale", lasso(Choice::Shuffled).staleness(2).tolerance(1e-13));
        stop("unguarded", lasso(Choice::Shuffled).guard(false).tolerance(1e-13));
        stop("from a model", lasso(Choice::WorkingSet).path(12, 60.0).init(vec![(3, 0.5), (200, -0.1)]));
        stop("elastic net", lasso(Choice::Auto).path(12, 60.0).l1_ratio(0.5));
    }
    println!("{stops} stops");
}

#[test]
fn every_loss_goes_on_from_wherever_it_was_stopped() {
    let mut stops = 0;
    for (loss, problem) in losses() {
        let mut stop = |what: &str, lasso: Lasso| {
            stops += stop(&format!("{loss:?}, {what}"), &lasso.loss(loss), &problem);
        };
        stop("a path", lasso(Choice::WorkingSet).path(25, 60.0));
        for schedule in [Choice::WorkingSet, Choice::Priority, Choice::Shuffled, Choice::Cyclic] {
            stop(&format!("{schedule:?}"), lasso(schedule).ratio(10.0).tolerance(1e-12));
        }
    }
    println!("{stops} stops");
}

#[test]
fn every_term_goes_on_from_wherever_it_was_stopped() {
    use terms::replay::{COLUMNS, ROWS, all_options};
    let mut stops = 0;
    for (at, (name, on_problem, on_lasso)) in all_options().into_iter().enumerate() {
        let loss = terms::LOSSES[at % terms::LOSSES.len()];
        let (x, y) = terms::data(loss, ROWS, COLUMNS, 71);
        let problem = on_problem(terms::problem(sparse(&x), &y, true, true));
        let of = |lasso: Lasso| on_lasso(lasso.loss(loss).shards(7).parallelism(12));
        stops += stop(&format!("{name}, {loss:?}"), &of(Lasso::params().path(12, 30.0)), &problem);
        if name != "groups" {
            let rounds = of(Lasso::params().ratio(30.0).schedule(Choice::Priority).tolerance(1e-12));
            stops += stop(&format!("{name}, {loss:?}, priority"), &rounds, &problem);
        }
    }
    println!("{stops} stops");
}

/// Data without anything to learn.
#[test]
fn a_fit_of_which_nothing_is_left_to_do_goes_on_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let (x, y) = crate::common::random_data(40, 30, 0.5, 3);
    let nothing = || (0..30).map(|_| vec![0.0; 40]).collect::<Vec<_>>();
    let problem =
        |x: &[Vec<f64>], y: &[f64]| Problem::new(sparse(x), y.to_vec(), Preparation::default()).unwrap();
    let varied = problem(&x, &y);
    let mut stops = 0;
    for (what, problem, lasso) in [
        ("lambda is above the largest", varied.clone(), Lasso::params().lambda(1e9)),
        ("one lambda of a path", varied, Lasso::params().path(1, 10.0)),
        ("no column varies", problem(&nothing(), &y), Lasso::params().lambda(0.1)),
        ("the response does not vary", problem(&x, &[1.5; 40]), Lasso::params().lambda(0.1)),
    ] {
        for schedule in SCHEDULES {
            let lasso = lasso.clone().schedule(schedule).shards(3);
            stops += stop(&format!("{what}, {schedule:?}"), &lasso, &problem);
        }
    }
    let source = "synth:groups:n=60,p=400,g=10,s=9";
    let table = Arc::new(StoredTable::open(source, &Options::default(), folder.path()).unwrap());
    let stored = Problem::by_parts(table, Preparation::default()).unwrap();
    for (what, lasso) in [
        ("columns in a file", lasso(Choice::WorkingSet).path(12, 30.0)),
        ("columns in a file, rounds", lasso(Choice::Shuffled).tolerance(1e-12)),
    ] {
        stops += stop(what, &lasso, &stored);
    }
    println!("{stops} stops");
}
