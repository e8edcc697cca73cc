//! The gaps printed are those of the exported model, recomputed from the definition; bad counts are refused;
//! bits do not depend on workers, vector forms or checkpoints.

use raddle_lasso::{Choice, Lasso, LassoError, Loss, Preparation, Problem};

use super::{counts, matrices};
use crate::common::general::General;
use crate::common::{PREPARATIONS, dense, random_data};

#[test]
fn the_gap_is_that_of_what_is_exported() {
    // Also more columns than rows.
    for (rows, columns) in [(60, 15), (40, 90)] {
        let (x, y) = counts(rows, columns, 31);
        for (name, matrix) in matrices(&x) {
            for preparation in PREPARATIONS {
                for (a, ratio) in [(1.0, 5.0), (1.0, 50.0), (0.4, 20.0)] {
                    let context = format!("{name} {rows} x {columns} {preparation:?} a {a} ratio {ratio}");
                    let problem = Problem::new(matrix.clone(), y.clone(), preparation).unwrap();
                    let lasso = Lasso::params().loss(Loss::Poisson).l1_ratio(a).ratio(ratio).tolerance(1e-8);
                    let fit = lasso.fit_with(&problem, |engine| engine.epochs(500)).unwrap();
                    let oracle = General::new(&matrix, &y, preparation, Loss::Poisson, a);
                    oracle.check(&fit, &context);
                    assert!(fit.report.metric.is_reached(), "{context}: {:?}", fit.report.metric);
                    let largest = oracle.lambda_max();
                    assert!((fit.lambda_max - largest).abs() <= 1e-9 * largest, "{context}");
                    let (primal, dual) = oracle.of(&fit.coefficients, fit.intercept, fit.lambda);
                    assert!(primal > 0.0 && dual >= 0.0 && dual <= primal, "{context}: {primal} {dual}");
                }
            }
        }
    }
}

#[test]
fn an_early_gap_is_true_as_well() {
    let (x, y) = counts(40, 90, 8);
    let problem = Problem::new(dense(&x), y.clone(), Preparation::default()).unwrap();
    let oracle = General::new(&dense(&x), &y, Preparation::default(), Loss::Poisson, 1.0);
    for schedule in [Choice::WorkingSet, Choice::Priority, Choice::Cyclic] {
        for epochs in 1..4 {
            let lasso = Lasso::params().loss(Loss::Poisson).ratio(100.0).tolerance(1e-12).schedule(schedule);
            let fit = lasso.fit_with(&problem, |engine| engine.epochs(epochs)).unwrap();
            oracle.check(&fit, &format!("{schedule:?} after {epochs}"));
        }
    }
}

#[test]
fn counts_of_every_size_are_certified() {
    for size in [1e-3, 1.0, 1e3, 1e6] {
        let (x, noise) = random_data(50, 8, 1.0, 17);
        let count = |i: usize| (size * (0.3 * x[0][i] + 0.2 * noise[i].cos()).exp()).max(0.0);
        let y: Vec<f64> = (0..50).map(count).collect();
        let problem = Problem::new(dense(&x), y, Preparation::default()).unwrap();
        let fit = Lasso::params().loss(Loss::Poisson).ratio(100.0).fit(&problem).unwrap();
        assert!(fit.report.metric.is_reached(), "{size:e}: {:?}", fit.report.metric);
    }
}

#[test]
fn the_model_does_not_depend_on_workers_or_shards() {
    let (x, y) = counts(60, 90, 12);
    for (name, matrix) in matrices(&x) {
        let problem = Problem::new(matrix, y.clone(), Preparation::default()).unwrap();
        for schedule in [Choice::WorkingSet, Choice::Priority] {
            let fit = |workers: usize| {
                let lasso = Lasso::params().loss(Loss::Poisson).ratio(30.0).schedule(schedule);
                let fit = lasso.shards(6).workers(workers).fit_with(&problem, |engine| engine.epochs(8));
                let fit = fit.unwrap();
                let bits = fit.coefficients.iter().map(|&(j, value)| (j, value.to_bits()));
                (bits.collect::<Vec<_>>(), fit.intercept.to_bits(), fit.report.metric.value.to_bits())
            };
            assert_eq!(fit(1), fit(3), "{name} {schedule:?}");
        }
    }
}

#[test]
fn what_counts_nothing_is_refused_and_a_response_that_does_not_vary_is_fitted() {
    let (x, mut y) = counts(30, 4, 2);
    let fit = |y: &[f64], intercept: bool| {
        let preparation = Preparation::Standard { intercept, standardize: true };
        let problem = Problem::new(dense(&x), y.to_vec(), preparation).unwrap();
        Lasso::params().loss(Loss::Poisson).lambda(0.5).fit(&problem)
    };
    let zeros = vec![0.0; 30];
    assert!(matches!(fit(&zeros, true), Err(LassoError::NoCounts)));
    assert!(fit(&zeros, false).unwrap().report.metric.is_reached());
    for bad in [-1.0, -1e-300, 1e-310, 1e16] {
        y[6] = bad;
        let error = fit(&y, true).unwrap_err();
        assert!(error.to_string().contains("in row 7") && error.to_string().contains("counts"), "{error}");
    }
    for constant in [1.0, 3.0, 7.3e5] {
        let fit = fit(&[constant; 30], true).unwrap();
        assert!(fit.report.metric.is_reached(), "{constant}: {:?}", fit.report.metric);
        assert!((fit.intercept - constant.ln()).abs() < 1e-9 && fit.coefficients.is_empty());
    }
}
