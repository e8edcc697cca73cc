//! The logistic certificate is true, and certified fits are optimal.

use raddle::Ending;
use raddle_datasets::{Matrix, registry};
use raddle_lasso::{Choice, Lasso, LassoError, Loss, Preparation, Problem};

use raddle_common::testing::pairs;

use super::{Given, PREPARATIONS, SCHEDULES};
use crate::common::general::General;
use crate::common::{classes, dense, in_turn, predictions, random_data, sparse};

fn logistic<'a>(x: &'a Matrix, y: &'a [f64], preparation: Preparation) -> Given<'a> {
    Given { x, y, preparation, loss: Loss::Logistic, l1_ratio: 1.0 }
}

#[test]
fn every_schedule_finds_the_optimum_it_certifies() {
    let shapes = [(30, 60, 1.0), (60, 25, 1.0), (40, 70, 0.2), (80, 30, 0.2)];
    for (of_shape, (rows, columns, fill)) in shapes.into_iter().enumerate() {
        let (x, y) = random_data(rows, columns, fill, rows as u64);
        let y = classes(&y, -1.0, 1.0);
        for (of_storage, x) in [dense(&x), sparse(&x)].into_iter().enumerate() {
            for (of_preparation, preparation) in PREPARATIONS.into_iter().enumerate() {
                let [working_set, rounds @ ..] = SCHEDULES;
                let rounds = in_turn(rounds, of_shape + of_storage + of_preparation);
                for schedule in rounds.into_iter().chain([working_set]) {
                    let context = format!("{rows} x {columns}, {fill}, {preparation:?}, {schedule:?}");
                    let lasso = Lasso::params().ratio(8.0).schedule(schedule).parallelism(8).shards(3);
                    let fit = logistic(&x, &y, preparation).certified(lasso, &context);
                    assert!(!fit.coefficients.is_empty(), "{context}");
                }
            }
        }
    }
}

#[test]
fn a_tight_tolerance_is_kept() {
    let (x, y) = random_data(60, 100, 1.0, 5);
    let (x, y) = (dense(&x), classes(&y, 0.0, 1.0));
    for schedule in [Choice::WorkingSet, Choice::Priority] {
        for preparation in [Preparation::default(), Preparation::DenseStd] {
            let lasso = Lasso::params().ratio(5.0).tolerance(1e-10).schedule(schedule).parallelism(4);
            logistic(&x, &y, preparation).certified(lasso, &format!("{schedule:?}"));
        }
    }
}

#[test]
fn the_working_set_certifies_small_lambdas() {
    let (x, y) = random_data(70, 40, 0.6, 15);
    let y = classes(&y, 0.0, 1.0);
    for x in [dense(&x), sparse(&x)] {
        for preparation in PREPARATIONS {
            for ratio in [1.3, 30.0, 200.0] {
                let given = logistic(&x, &y, preparation);
                let fit = given.fit(Lasso::params().ratio(ratio).tolerance(1e-9), 200);
                let context = format!("{preparation:?}, ratio {ratio}");
                assert_eq!(fit.report.ending, Ending::Target, "{context}");
                given.oracle().check(&fit, &context);
                assert!(given.oracle().gap(&fit) <= 1.1e-9, "{context}");
            }
        }
    }
}

#[test]
fn the_residual_sums_to_zero_where_there_is_an_intercept() {
    let (x, y) = random_data(50, 25, 0.5, 3);
    let y = classes(&y, 0.0, 1.0);
    for x in [dense(&x), sparse(&x)] {
        for schedule in [Choice::WorkingSet, Choice::Shuffled] {
            let given = logistic(&x, &y, Preparation::default());
            let fit = given.certified(Lasso::params().ratio(10.0).schedule(schedule), "intercept");
            let scores = predictions(&x, &fit.coefficients, fit.intercept);
            let sum: f64 = scores.iter().zip(&y).map(|(score, y)| y - 1.0 / (1.0 + (-score).exp())).sum();
            assert!(sum.abs() < 1e-9, "{sum}");
            assert_ne!(fit.intercept, 0.0);
        }
    }
}

#[test]
fn any_two_values_are_classes_and_the_larger_is_positive() {
    let (x, y) = random_data(40, 30, 1.0, 9);
    let x = dense(&x);
    let fit = |low, high| {
        let y = classes(&y, low, high);
        let problem = Problem::new(x.clone(), y, Preparation::default()).unwrap();
        Lasso::params().loss(Loss::Logistic).fit(&problem).unwrap()
    };
    let (plain, other, far) = (fit(-1.0, 1.0), fit(0.0, 1.0), fit(3.5, 1e6));
    assert_eq!(plain.coefficients, other.coefficients);
    assert_eq!(plain.coefficients, far.coefficients);
    assert_eq!((plain.classes, far.classes), (Some([-1.0, 1.0]), Some([3.5, 1e6])));
    let flipped = fit(1.0, -1.0);
    let negated: Vec<(u32, f64)> = flipped.coefficients.iter().map(|&(j, value)| (j, -value)).collect();
    let near =
        |(a, b): (&(u32, f64), &(u32, f64))| a.0 == b.0 && (a.1 - b.1).abs() <= 1e-6 * a.1.abs().max(0.01);
    assert!(pairs(&plain.coefficients, &negated).all(near), "{:?} {negated:?}", plain.coefficients);
}

#[test]
fn a_response_that_is_no_two_classes_is_refused_with_their_number() {
    let (x, y) = random_data(12, 5, 1.0, 6);
    for (y, count) in [(vec![1.0; 12], 1), (vec![0.0; 12], 1), (y, 12)] {
        let problem = Problem::new(dense(&x), y, Preparation::default()).unwrap();
        let error = Lasso::params().loss(Loss::Logistic).fit(&problem).unwrap_err();
        assert!(matches!(error, LassoError::Classes { count: found } if found == count), "{error}");
        assert!(error.to_string().contains(&count.to_string()), "{error}");
    }
}

#[test]
fn at_lambda_max_and_above_the_model_is_zero_at_once() {
    let (x, y) = random_data(25, 30, 0.6, 2);
    let y = classes(&y, 0.0, 1.0);
    for preparation in PREPARATIONS {
        for x in [dense(&x), sparse(&x)] {
            let given = logistic(&x, &y, preparation);
            for schedule in SCHEDULES {
                let largest = given.oracle().lambda_max();
                for lasso in [Lasso::params().ratio(1.0), Lasso::params().lambda(largest * 1.5)] {
                    let fit = given.fit(lasso.schedule(schedule), 10);
                    let found = (fit.report.ending, fit.report.epochs, fit.coefficients.len());
                    assert_eq!(found, (Ending::Target, 0, 0), "{preparation:?}");
                    assert!(fit.report.metric.value < 1e-13);
                    assert!((fit.lambda_max - largest).abs() <= 1e-9 * largest);
                }
            }
            let below = given.fit(Lasso::params().lambda(given.oracle().lambda_max() * 0.97), 100);
            assert!(!below.coefficients.is_empty() && below.report.metric.is_reached());
        }
    }
}

#[test]
fn every_point_of_a_path_is_certified() {
    let (x, y) = random_data(60, 90, 0.4, 21);
    let y = classes(&y, 0.0, 1.0);
    for x in [dense(&x), sparse(&x)] {
        for preparation in [Preparation::default(), Preparation::SparseRaw] {
            let given = logistic(&x, &y, preparation);
            given.check_path();
        }
    }
}

#[test]
fn warm_starts_reach_the_same_optimum_and_their_own_at_once() {
    let (x, y) = random_data(40, 70, 1.0, 12);
    let (x, y) = (dense(&x), classes(&y, 0.0, 1.0));
    for preparation in [Preparation::default(), Preparation::DenseStd] {
        let given = logistic(&x, &y, preparation);
        let near = given.certified(Lasso::params().ratio(8.0), "cold");
        for schedule in SCHEDULES {
            let from =
                |ratio| Lasso::params().ratio(ratio).schedule(schedule).init(near.coefficients.clone());
            given.certified(from(10.0), &format!("warm, {schedule:?}"));
            let again = given.certified(from(8.0).tolerance(1.1e-6), "again");
            assert_eq!(again.report.epochs, 0, "{schedule:?}");
        }
    }
}

/// A public set in the mode in which it is compared.
fn public(name: &str, preparation: Preparation) {
    let Some(table) = registry::real(name) else { return };
    let oracle = General::new(&table.x, &table.y, preparation, Loss::Logistic, 1.0);
    let problem = Problem::new(table.x, table.y, preparation).unwrap();
    for ratio in [10.0, 100.0] {
        let fit = Lasso::params().loss(Loss::Logistic).ratio(ratio).workers(2).fit(&problem).unwrap();
        oracle.check(&fit, &format!("{name}, ratio {ratio}"));
        assert!(oracle.gap(&fit) <= 1e-6, "{name}, ratio {ratio}: {:e}", oracle.gap(&fit));
    }
}

#[test]
fn leukemia() {
    public("leukemia", Preparation::DenseStd);
}

#[test]
fn farmads() {
    public("farmads", Preparation::SparseRaw);
}

#[test]
fn cross_validation_measures_the_loss_that_is_fitted() {
    let (x, y) = random_data(90, 20, 1.0, 33);
    let (x, y) = (dense(&x), classes(&y, 0.0, 1.0));
    let lasso = || Lasso::params().loss(Loss::Logistic);
    let cv = lasso().cv().folds(4).path(12, 30.0);
    let chosen = cv.clone().fit(x.clone(), y.clone(), Preparation::default()).unwrap();
    assert!(chosen.worst_gap <= 1e-6 && chosen.fit.loss == Loss::Logistic);
    let largest = logistic(&x, &y, Preparation::default()).oracle().lambda_max();
    assert!((chosen.curve.points[0].lambda / largest - 1.0).abs() < 1e-9);
    // The first fold by hand: a fit at one lambda of the curve, and its mean deviance on the held-out rows.
    let folds = cv.start(x.clone(), y.clone(), Preparation::default()).unwrap();
    let at = 7;
    let (mut total, lambda) = (0.0, folds.lambdas(0)[at]);
    for number in 0..folds.count() {
        let held_out = folds.held_out(number).to_vec();
        let kept: Vec<usize> = (0..y.len()).filter(|row| !held_out.contains(row)).collect();
        let part = |rows: &[usize]| rows.iter().map(|&row| y[row]).collect::<Vec<f64>>();
        let problem = Problem::new(x.select_rows(&kept), part(&kept), Preparation::default()).unwrap();
        let fit = lasso().lambda(lambda).tolerance(1e-9).fit(&problem).unwrap();
        let scores = predictions(&x.select_rows(&held_out), &fit.coefficients, fit.intercept);
        let loss = |(score, y): (&f64, f64)| 2.0 * (1.0 + (-(2.0 * y - 1.0) * score).exp()).ln();
        total += scores.iter().zip(part(&held_out)).map(loss).sum::<f64>();
    }
    let mean = total / y.len() as f64;
    assert!(
        (chosen.curve.points[at].mean - mean).abs() < 1e-2 * mean,
        "{} {mean}",
        chosen.curve.points[at].mean
    );
}
