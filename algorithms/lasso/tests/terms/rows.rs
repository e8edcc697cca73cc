//! Weights and offsets.

use raddle_lasso::{Choice, Lasso, LassoError, Loss, Preparation, Problem};

use raddle_common::testing::pairs;

use super::oracle::{Naive, Terms};
use super::{LOSSES, apart, data, exported, offsets, problem, whole_weights};
use crate::common::{dense, sparse};

/// Repeats each row as often as its weight says.
fn repeated<T: Copy>(values: &[T], weights: &[f64]) -> Vec<T> {
    let times = values.iter().zip(weights);
    times.flat_map(|(&value, &weight)| std::iter::repeat_n(value, weight as usize)).collect()
}

fn repeated_columns(x: &[Vec<f64>], weights: &[f64]) -> Vec<Vec<f64>> {
    x.iter().map(|column| repeated(column, weights)).collect()
}

const PREPARATIONS: [(bool, bool); 4] = [(true, true), (true, false), (false, true), (false, false)];

#[test]
fn a_weight_of_2_is_the_row_twice_and_of_0_the_row_gone() {
    for loss in LOSSES {
        for (rows, columns) in [(60, 12), (30, 50)] {
            let (x, y) = data(loss, rows, columns, 3);
            let (weights, offset) = (whole_weights(rows), offsets(rows, 5));
            let (more, y_more) = (repeated_columns(&x, &weights), repeated(&y, &weights));
            let offset_more = repeated(&offset, &weights);
            for make in [dense, sparse] {
                for (intercept, standardize) in PREPARATIONS {
                    for with_offset in [false, true] {
                        let mut weighted = problem(make(&x), &y, intercept, standardize);
                        let mut twice = problem(make(&more), &y_more, intercept, standardize);
                        if with_offset {
                            weighted = weighted.offset(offset.clone()).unwrap();
                            twice = twice.offset(offset_more.clone()).unwrap();
                        }
                        let weighted = weighted.weights(weights.clone()).unwrap();
                        for l1_ratio in [1.0, 0.6] {
                            let lasso =
                                || Lasso::params().loss(loss).l1_ratio(l1_ratio).ratio(15.0).tolerance(1e-12);
                            let (a, b) = (lasso().fit(&weighted).unwrap(), lasso().fit(&twice).unwrap());
                            let context = format!(
                                "{loss:?} {rows} x {columns} {intercept} {standardize} {with_offset} \
                                 {l1_ratio}"
                            );
                            assert!(
                                a.report.metric.is_reached() && b.report.metric.is_reached(),
                                "{context}"
                            );
                            assert!(a.coefficients.len() >= 3, "{context}: nothing to compare");
                            assert!((a.lambda_max - b.lambda_max).abs() <= 1e-12 * b.lambda_max, "{context}");
                            let off = apart(&exported(&a, columns), &exported(&b, columns));
                            assert!(off < 1e-6, "{context}: {off:e}");
                            let (p, q) = (a.report.objective.unwrap(), b.report.objective.unwrap());
                            assert!((p - q).abs() <= 1e-9 * q, "{context}: {p} {q}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn rounds_and_paths_are_weighted_too() {
    for loss in LOSSES {
        let (x, y) = data(loss, 50, 9, 8);
        let weights = whole_weights(50);
        let (more, y_more) = (repeated_columns(&x, &weights), repeated(&y, &weights));
        for make in [dense, sparse] {
            let weighted = problem(make(&x), &y, true, true).weights(weights.clone()).unwrap();
            let twice = problem(make(&more), &y_more, true, true);
            for schedule in [Choice::Cyclic, Choice::Shuffled, Choice::Priority] {
                let lasso = |tolerance| {
                    Lasso::params()
                        .loss(loss)
                        .ratio(10.0)
                        .tolerance(tolerance)
                        .schedule(schedule)
                        .parallelism(3)
                };
                let (a, b) = (lasso(1e-12).fit(&weighted).unwrap(), lasso(1e-12).fit(&twice).unwrap());
                assert!(
                    a.report.metric.value < 1e-11 && b.report.metric.value < 1e-11,
                    "{loss:?} {schedule:?}"
                );
                let off = apart(&exported(&a, 9), &exported(&b, 9));
                assert!(off < 1e-5, "{loss:?} {schedule:?}: {off:e}");
            }
            let path = || Lasso::params().loss(loss).path(12, 50.0).tolerance(1e-12);
            let (a, b) = (path().fit(&weighted).unwrap(), path().fit(&twice).unwrap());
            assert_eq!((a.points.len(), b.points.len()), (12, 12));
            for (a, b) in pairs(&a.points, &b.points) {
                let all = |of: &[(u32, f64)]| {
                    let mut all = vec![0.0; 9];
                    of.iter().for_each(|&(j, value)| all[j as usize] = value);
                    all
                };
                let off = apart(&(a.intercept, all(&a.coefficients)), &(b.intercept, all(&b.coefficients)));
                assert!(off < 1e-6, "{loss:?} at {}: {off:e}", a.lambda);
            }
        }
    }
}

#[test]
fn fits_are_those_of_the_definition() {
    for loss in LOSSES {
        let (x, y) = data(loss, 45, 6, 11);
        let mut weights = offsets(45, 12);
        weights.iter_mut().for_each(|weight| *weight = 3.0 * (*weight + 0.5));
        for (with_weights, with_offset) in [(true, false), (false, true), (true, true)] {
            for make in [dense, sparse] {
                let mut problem = problem(make(&x), &y, true, true);
                let lambda = 0.02;
                let mut terms = Terms { l1_ratio: 0.8, ..Terms::plain(loss, lambda, 45, 6) };
                if with_weights {
                    problem = problem.weights(weights.clone()).unwrap();
                    terms.weights.clone_from(&weights);
                }
                if with_offset {
                    problem = problem.offset(offsets(45, 13)).unwrap();
                    terms.offset = offsets(45, 13);
                }
                let lasso = Lasso::params().loss(loss).l1_ratio(0.8).lambda(lambda).tolerance(1e-12);
                let fit = exported(&lasso.fit(&problem).unwrap(), 6);
                let naive = Naive::new(&make(&x), &y, terms);
                let off = apart(&naive.solve(), &fit);
                assert!(off < 1e-6, "{loss:?} {with_weights} {with_offset}: {off:e}");
                assert!(naive.violation(&fit) < 1e-6, "{loss:?}");
            }
        }
    }
}

#[test]
fn equal_weights_change_no_bit() {
    for loss in LOSSES {
        let (x, y) = data(loss, 40, 12, 21);
        let lasso = || Lasso::params().loss(loss).ratio(20.0);
        let plain = lasso().fit(&problem(dense(&x), &y, true, true)).unwrap();
        let weighted = problem(dense(&x), &y, true, true).weights(vec![0.3; 40]).unwrap();
        let weighted = lasso().fit(&weighted).unwrap();
        assert_eq!(plain.coefficients, weighted.coefficients, "{loss:?}");
        assert_eq!(plain.intercept.to_bits(), weighted.intercept.to_bits());
    }
}

#[test]
fn folds_are_weighted() {
    for loss in LOSSES {
        let (x, y) = data(loss, 60, 7, 31);
        let weights: Vec<f64> = (0..60).map(|row| f64::from(1 + u8::from(row % 3 == 0))).collect();
        let offset = offsets(60, 32);
        let lasso = || Lasso::params().loss(loss).tolerance(1e-12);
        let cv = lasso().cv().folds(3).path(6, 20.0).rows(Some(weights.clone()), Some(offset.clone()));
        let mut folds = cv.start(dense(&x), y.clone(), Preparation::default()).unwrap();
        let (mut errors, mut total) = (vec![0.0; 6], 0.0);
        for number in 0..3 {
            let held_out = folds.held_out(number).to_vec();
            let fold = folds.fold(number).unwrap();
            let outcome = folds.engine(&fold, 0).unwrap().run().unwrap();
            let scores = folds.score(&fold, 0, outcome).unwrap();
            folds.add(scores).unwrap();
            // Weights as repeated rows.
            let kept: Vec<usize> = (0..60).filter(|row| !held_out.contains(row)).collect();
            let of = |values: &[f64], rows: &[usize]| {
                rows.iter().flat_map(|&row| vec![values[row]; weights[row] as usize]).collect::<Vec<f64>>()
            };
            let columns =
                |rows: &[usize]| dense(&x.iter().map(|column| of(column, rows)).collect::<Vec<_>>());
            let twice = Problem::new(columns(&kept), of(&y, &kept), Preparation::default()).unwrap();
            let twice = twice.offset(of(&offset, &kept)).unwrap();
            let (test, responses, starts) = (columns(&held_out), of(&y, &held_out), of(&offset, &held_out));
            for (error, &lambda) in errors.iter_mut().zip(folds.lambdas(0)) {
                let fit = lasso().lambda(lambda).fit(&twice).unwrap();
                let scores = fit.predict(&test).into_iter().zip(&starts).map(|(score, start)| score + start);
                let classes = (loss == Loss::Logistic).then_some([-1.0, 1.0]);
                *error +=
                    scores.zip(&responses).map(|(score, &y)| loss.deviance(y, score, classes)).sum::<f64>();
            }
            total += responses.len() as f64;
        }
        for (point, error) in pairs(folds.curves().unwrap()[0].points.iter(), errors) {
            let expected = error / total;
            assert!((point.mean - expected).abs() < 1e-6 * expected, "{loss:?}: {} {expected}", point.mean);
        }
    }
}

#[test]
fn rows_without_weight_may_hold_what_the_loss_refuses() {
    let (x, mut y) = data(Loss::Poisson, 30, 4, 41);
    let mut weights = vec![1.0; 30];
    (y[3], weights[3]) = (-5.0, 0.0);
    let given = || problem(dense(&x), &y, true, true);
    let refused = Lasso::params().loss(Loss::Poisson).fit(&given()).unwrap_err();
    assert!(matches!(refused, LassoError::Count { row: 4, .. }));
    let fit = Lasso::params().loss(Loss::Poisson).fit(&given().weights(weights).unwrap()).unwrap();
    assert!(fit.report.metric.is_reached());
}

#[test]
fn what_is_no_weight_or_offset_is_refused() {
    let (x, y) = data(Loss::Squared, 10, 2, 51);
    let given = || problem(dense(&x), &y, true, true);
    for (weight, why) in [
        (f64::NAN, "the weight is NaN in row 4"),
        (f64::INFINITY, "the weight is inf in row 4"),
        (-1.0, "the weight is -1 in row 4"),
    ] {
        let mut weights = vec![1.0; 10];
        weights[3] = weight;
        let refused = given().weights(weights).unwrap_err().to_string();
        assert!(refused.contains(why) && refused.contains("numbers of at least 0"), "{refused}");
    }
    let refused = given().weights(vec![0.0; 10]).unwrap_err().to_string();
    assert!(refused.contains("all weights are 0"), "{refused}");
    let refused = given().weights(vec![1.0; 9]).unwrap_err().to_string();
    assert!(refused.contains("10 rows, but there are 9 weights"), "{refused}");
    let mut offset = vec![0.0; 10];
    offset[9] = f64::INFINITY;
    let refused = given().offset(offset).unwrap_err().to_string();
    assert!(refused.contains("the offset is not finite in row 10"), "{refused}");
    assert!(given().offset(vec![]).is_err());
    // Classes of rows that count.
    let (x, y) = data(Loss::Logistic, 10, 2, 52);
    let one: Vec<f64> = y.iter().map(|&y| f64::from(u8::from(y > 0.0))).collect();
    let one = problem(dense(&x), &y, true, true).weights(one).unwrap();
    assert!(matches!(Lasso::params().loss(Loss::Logistic).fit(&one), Err(LassoError::Classes { count: 1 })));
}
