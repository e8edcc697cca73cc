//! Neither the order of rows, nor their cut, nor who adds them up changes a bit.

use raddle::replay;
use raddle_datasets::{Options, StoredTable};
use raddle_linear::BySums;

use super::*;
use crate::common::Data;
use crate::leaving;

/// Ends of unequal shards, as shares of the rows.
fn unequal(shards: usize) -> Vec<f64> {
    (1..=shards).map(|end| (end as f64 / shards as f64).powi(2)).collect()
}

#[test]
fn a_model_is_that_of_the_rows_in_any_order_and_any_cut() {
    let mut models = std::collections::BTreeSet::new();
    for (rows, columns) in [(400, 5), (300, 30), (120, 500)] {
        let given = Given::clouds(rows, columns, 1);
        for (loss, c) in SMOOTH.into_iter().flat_map(|loss| [0.01, 1.0, 100.0].map(|c| (loss, c))) {
            if columns == 500 && c != 1.0 {
                continue;
            }
            let sums = BySums::new(linear(loss, c));
            let pooled = sums.clone().shards(1).fit(&given.problem()).unwrap();
            assert!(pooled.gap() <= 1e-6 && pooled.report.metric.is_reached(), "{:?}", pooled.report.metric);
            for (seed, cut) in (2..).zip([1, 3, 5, 16]) {
                let problem = given.shuffled(seed).problem();
                let workers = [1, 2, 4, 3][seed as usize - 2];
                let fit = sums.clone().cut_at(unequal(cut));
                let fit = fit.fit_with(&problem, |engine| engine.workers(workers).threads(2)).unwrap();
                assert_eq!(bits(&fit), bits(&pooled), "{loss:?}, C {c}, {columns} columns, {cut} shards");
            }
            models.insert(pooled.digest());
        }
    }
    assert_eq!(models.len(), 14);
}

#[test]
fn weights_of_rows_and_classes_are_added_exactly_too() {
    let given = Given::clouds(300, 6, 4);
    for loss in SMOOTH {
        let fit = |given: &Given, shards: usize| {
            let problem = given.problem().weights(given.weights.clone()).unwrap();
            let linear = Linear::params().loss(loss).lambda(1e-3).balanced(true).tolerance(1e-8);
            BySums::new(linear).shards(shards).fit(&problem).unwrap()
        };
        let pooled = fit(&given, 1);
        for seed in 1..6 {
            assert_eq!(bits(&fit(&given.shuffled(seed), 7)), bits(&pooled), "{loss:?}, order {seed}");
        }
        // A weight of 2 is the row twice, but for rounding.
        let mut twice = given.clone();
        twice.weights.iter_mut().for_each(|weight| *weight *= 2.0);
        let twice = fit(&twice, 3);
        assert!((twice.scorers[0].intercept - pooled.scorers[0].intercept).abs() < 1e-6);
    }
}

#[test]
fn fits_by_sums_replay_to_the_bit() {
    let problem = Given::clouds(60, 5, 9).problem();
    for loss in SMOOTH {
        let sums = BySums::new(linear(loss, 10.0)).shards(5);
        replay::check(|| sums.engine(&problem).unwrap().epochs(6)).unwrap();
    }
}

#[test]
fn rows_in_a_file_and_processes_that_leave_change_nothing() {
    let data = Data::diabetes();
    let folder = tempfile::tempdir().unwrap();
    let table = StoredTable::open("diabetes", &Options::default(), folder.path()).unwrap();
    let here = data.problem(1.0);
    let stored = Problem::by_parts(&table, &data.y, 1.0).unwrap();
    let mut left = 0;
    for loss in SMOOTH {
        let sums = BySums::new(linear(loss, 1.0)).shards(9);
        assert_eq!(bits(&sums.fit(&stored).unwrap()), bits(&sums.fit(&here).unwrap()));
        let make = || sums.engine(&stored).unwrap().epochs(4);
        left += leaving::check(&format!("{loss:?} by sums"), left, &make);
    }
    println!("the first process left {left} times");
}

#[test]
fn declared_bounds_are_part_of_the_mathematics_and_change_rounding_alone() {
    let given = Given::clouds(200, 5, 2);
    let sums = BySums::new(linear(Loss::Logistic, 1.0).tolerance(1e-11));
    let fit = |bounds: Vec<f64>| sums.clone().bounds(bounds).fit(&given.problem()).unwrap();
    let (tight, loose) = (fit(vec![1e3; 5]), fit(vec![1e6; 5]));
    // The powers of two above 900 and 1000 are the same.
    assert_eq!(bits(&fit(vec![900.0; 5])), bits(&tight));
    let (one, other) = (tight.objective(), loose.objective());
    assert!((one - other).abs() <= 1e-10 * one, "{one} and {other}");
}
