//! Every penalty, bound and weighting, compared with a naive method.

use raddle_lasso::{Lasso, Loss, Preparation, Problem};

use super::oracle::{Naive, Terms};
use super::{apart, data, exported, whole_weights};
use crate::common::options::{PREPARED, kinds, solved};
use crate::common::{dense, in_turn, sparse};

const ROWS: usize = 48;
const COLUMNS: usize = 6;

#[test]
fn every_penalty_bound_and_weight() {
    let (x, y) = data(3, ROWS, COLUMNS, 5);
    let (mut fits, mut met, mut chosen) = (0, 0, 0);
    for (of_kind, (name, factors, bounds)) in kinds::<COLUMNS>().into_iter().enumerate() {
        for (of_ratio, l1_ratio) in [1.0, 0.5].into_iter().enumerate() {
            for weighted in [false, true] {
                let turn = of_kind + of_ratio + 2 * usize::from(weighted);
                for (intercept, standardize) in in_turn(PREPARED, turn) {
                    let context =
                        format!("{name}, {l1_ratio}, weighted {weighted}, {intercept}, {standardize}");
                    let mut terms = Terms {
                        l1_ratio,
                        intercept,
                        standardize,
                        factors: factors.clone(),
                        bounds: bounds.clone(),
                        ..Terms::plain(3, 0.03, ROWS, COLUMNS)
                    };
                    if weighted {
                        terms.weights = whole_weights(ROWS);
                    }
                    let naive = Naive::new(&x, &y, terms);
                    let expected = naive.solve();
                    for (make, schedule, near) in solved(turn) {
                        let context = format!("{context}, {schedule:?}");
                        let preparation = Preparation::Standard { intercept, standardize };
                        let mut problem = Problem::new(make(&x), y.clone(), preparation).unwrap();
                        if weighted {
                            problem = problem.weights(whole_weights(ROWS)).unwrap();
                        }
                        let lasso = Lasso::params().loss(Loss::Multinomial).l1_ratio(l1_ratio).lambda(0.03);
                        let lasso = lasso.factors(factors.clone()).bounds(bounds.clone()).parallelism(2);
                        let fit = lasso.tolerance(1e-14).schedule(schedule).fit(&problem).unwrap();
                        let gap = fit.report.metric.value;
                        assert!(gap <= 1e-10, "{context}: {gap:e}");
                        let fit = exported(&fit, COLUMNS);
                        let off = apart(&expected, &fit);
                        assert!(off < near, "{context}: {off:e}\n{expected:?}\n{fit:?}");
                        let violation = naive.violation(&fit);
                        assert!(violation < 10.0 * near, "{context}: {violation:e}");
                        fits += 1;
                        for (value, bound) in fit.iter().flat_map(|(_, b)| b.iter().zip(&bounds)) {
                            chosen += usize::from(*value != 0.0);
                            met += usize::from(*value != 0.0 && (*value == bound.0 || *value == bound.1));
                        }
                    }
                }
            }
        }
    }
    assert!(
        5 * met > fits && chosen > 2 * fits,
        "bounds that are never met show nothing: {met}, {chosen} in {fits} fits"
    );
}

/// More columns than rows, several numbers of classes, along a path.
#[test]
fn large_sets_are_certified_along_a_path() {
    for classes in [2, 3, 5] {
        let (x, y) = data(classes, 70, 120, 15);
        for make in [dense, sparse] {
            for l1_ratio in [1.0, 0.7] {
                let problem = Problem::new(make(&x), y.clone(), Preparation::default()).unwrap();
                let lasso = Lasso::params().loss(Loss::Multinomial).l1_ratio(l1_ratio).tolerance(1e-8);
                let path = lasso.clone().path(12, 30.0).fit(&problem).unwrap();
                let context = format!("{classes} classes, {l1_ratio}");
                assert_eq!(path.points.len(), 12, "{context}");
                assert!(path.points[0].coefficients.is_empty() && !path.points[2].coefficients.is_empty());
                let fit = lasso.ratio(30.0).fit(&problem).unwrap();
                assert!((path.lambda - fit.lambda).abs() < 1e-9 * fit.lambda, "{context}");
                let terms = Terms { l1_ratio, ..Terms::plain(classes, fit.lambda, 70, 120) };
                let naive = Naive::new(&x, &y, terms);
                for fit in [&path, &fit] {
                    let violation = naive.violation(&exported(fit, 120));
                    assert!(violation < 1e-2, "{context}: {violation:e}");
                }
            }
        }
    }
}

/// Two classes are those of a logistic fit, at half the coefficients each: |b_1| + |b_2| is the same for all
/// coefficients with the same difference, so that only differences are determined.
#[test]
fn two_classes_are_those_of_a_logistic_fit() {
    let (x, y) = data(2, 80, 10, 25);
    let problem = Problem::new(dense(&x), y, Preparation::default()).unwrap();
    let fit = |loss| Lasso::params().loss(loss).lambda(0.02).tolerance(1e-12).fit(&problem).unwrap();
    let (both, one) = (fit(Loss::Multinomial), fit(Loss::Logistic));
    assert!((both.lambda_max - one.lambda_max).abs() < 1e-12);
    let both = exported(&both, 10);
    assert!((both[1].0 - both[0].0 - one.intercept).abs() < 1e-6);
    let mut all = [0.0; 10];
    one.coefficients.iter().for_each(|&(j, value)| all[j as usize] = value);
    for (j, expected) in all.iter().enumerate() {
        assert!((both[1].1[j] - both[0].1[j] - expected).abs() < 1e-6);
    }
}

/// A row of weight 2 counts as two rows, one of weight 0 as none; equal weights change nothing.
#[test]
fn weights_count_rows() {
    let (x, y) = data(3, 60, 12, 35);
    let weights = whole_weights(60);
    let more = |values: &[f64]| -> Vec<f64> {
        let times = values.iter().zip(&weights);
        times.flat_map(|(&value, &weight)| std::iter::repeat_n(value, weight as usize)).collect()
    };
    let repeated: Vec<Vec<f64>> = x.iter().map(|column| more(column)).collect();
    for make in [dense, sparse] {
        let weighted = Problem::new(make(&x), y.clone(), Preparation::default()).unwrap();
        let same = weighted.clone().weights(vec![3.0; 60]).unwrap();
        let lasso = || Lasso::params().loss(Loss::Multinomial).ratio(10.0).tolerance(1e-12);
        assert_eq!(lasso().fit(&same).unwrap().digest(), lasso().fit(&weighted).unwrap().digest());
        let weighted = weighted.weights(weights.clone()).unwrap();
        let twice = Problem::new(make(&repeated), more(&y), Preparation::default()).unwrap();
        let (a, b) = (lasso().fit(&weighted).unwrap(), lasso().fit(&twice).unwrap());
        assert!(a.coefficients.len() > 3);
        assert!(apart(&exported(&a, 12), &exported(&b, 12)) < 1e-6);
    }
}

#[test]
fn a_fit_starts_from_coefficients_of_all_classes() {
    let (x, y) = data(4, 80, 30, 45);
    let problem = Problem::new(dense(&x), y, Preparation::default()).unwrap();
    let lasso = || Lasso::params().loss(Loss::Multinomial).ratio(20.0).tolerance(1e-8);
    let cold = lasso().fit(&problem).unwrap();
    let warm = lasso().init(cold.coefficients.clone()).fit(&problem).unwrap();
    assert!(
        cold.report.epochs > 2 && warm.report.epochs <= 2,
        "{} {}",
        cold.report.epochs,
        warm.report.epochs
    );
    assert!(apart(&exported(&cold, 30), &exported(&warm, 30)) < 1e-4);
}
