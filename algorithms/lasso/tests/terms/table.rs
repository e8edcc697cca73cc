//! Every loss with every penalty, bound and weighting, compared with a naive method.

use raddle_lasso::{Choice, Lasso, Loss, Preparation, Problem};

use super::oracle::{Naive, Terms};
use super::{LOSSES, apart, data, exported, whole_weights};
use crate::common::options::{PREPARED, kinds, solved};
use crate::common::{dense, in_turn, sparse};

const ROWS: usize = 48;
const COLUMNS: usize = 7;

#[test]
fn every_loss_penalty_bound_and_weight() {
    let (mut fits, mut met) = (0, 0);
    for (of_loss, loss) in LOSSES.into_iter().enumerate() {
        let (x, y) = data(loss, ROWS, COLUMNS, 5);
        for (of_kind, (name, factors, bounds)) in kinds::<COLUMNS>().into_iter().enumerate() {
            for (of_ratio, l1_ratio) in [1.0, 0.5].into_iter().enumerate() {
                for weighted in [false, true] {
                    let turn = of_loss + of_kind + of_ratio + 2 * usize::from(weighted);
                    for (intercept, standardize) in in_turn(PREPARED, turn) {
                        let context = format!(
                            "{loss:?}, {name}, {l1_ratio}, weighted {weighted}, {intercept}, {standardize}"
                        );
                        let mut terms = Terms {
                            l1_ratio,
                            intercept,
                            standardize,
                            factors: factors.clone(),
                            bounds: bounds.clone(),
                            ..Terms::plain(loss, 0.03, ROWS, COLUMNS)
                        };
                        if weighted {
                            terms.weights = whole_weights(ROWS);
                        }
                        let naive = Naive::new(&dense(&x), &y, terms);
                        let expected = naive.solve();
                        for (make, schedule, near) in solved(turn) {
                            let context = format!("{context}, {schedule:?}");
                            let preparation = Preparation::Standard { intercept, standardize };
                            let mut problem = Problem::new(make(&x), y.clone(), preparation).unwrap();
                            if weighted {
                                problem = problem.weights(whole_weights(ROWS)).unwrap();
                            }
                            let lasso = Lasso::params().loss(loss).l1_ratio(l1_ratio).lambda(0.03);
                            let lasso = lasso.factors(factors.clone()).bounds(bounds.clone()).parallelism(2);
                            // As exact as rounding permits: within a gap of 1e-12 coefficients differ by
                            // 1e-6.
                            let fit = lasso.tolerance(1e-14).schedule(schedule).fit(&problem).unwrap();
                            let gap = fit.report.metric.value;
                            assert!(gap <= 1e-10, "{context}: {gap:e}");
                            let fit = exported(&fit, COLUMNS);
                            let off = apart(&expected, &fit);
                            assert!(off < near, "{context}: {off:e}\n{expected:?}\n{fit:?}");
                            let violation = naive.violation(&fit);
                            assert!(violation < near, "{context}: {violation:e}");
                            fits += 1;
                            for (value, bound) in fit.1.iter().zip(&bounds) {
                                met += usize::from(*value != 0.0 && (*value == bound.0 || *value == bound.1));
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(5 * met > fits, "bounds that are never met show nothing: {met} in {fits} fits");
}

/// More columns than rows, where the working set grows, and many bounds hold.
#[test]
fn large_sets_with_bounds_are_certified() {
    for loss in LOSSES {
        let (x, y) = data(loss, 60, 150, 15);
        for make in [dense, sparse] {
            let problem = Problem::new(make(&x), y.clone(), Preparation::default()).unwrap();
            let bounds: Vec<(f64, f64)> =
                (0..150).map(|j| if j % 2 == 0 { (0.0, f64::INFINITY) } else { (-0.05, 0.02) }).collect();
            let factors: Vec<f64> = (0..150).map(|j| 0.5 + f64::from(j % 5)).collect();
            let lasso = || Lasso::params().loss(loss).factors(factors.clone()).bounds(bounds.clone());
            let fit = lasso().ratio(30.0).tolerance(1e-9).fit(&problem).unwrap();
            assert!(fit.report.metric.is_reached(), "{loss:?}: {:e}", fit.report.metric.value);
            let terms = Terms {
                factors: factors.clone(),
                bounds: bounds.clone(),
                ..Terms::plain(loss, fit.lambda, 60, 150)
            };
            let naive = Naive::new(&make(&x), &y, terms);
            let violation = naive.violation(&exported(&fit, 150));
            assert!(violation < 1e-4, "{loss:?}: {violation:e}");
            let path = lasso().path(15, 30.0).fit(&problem).unwrap();
            assert_eq!(path.points.len(), 15, "{loss:?}");
            // At lambda_max nothing is chosen, just below something is.
            assert!(
                path.points[0].coefficients.is_empty() && !path.points[2].coefficients.is_empty(),
                "{loss:?}"
            );
            let last = path.points.last().unwrap();
            assert!((last.lambda - fit.lambda).abs() < 1e-9 * fit.lambda);
        }
    }
}

/// A factor has the effect of dividing the column by it.
#[test]
fn factors_scale_columns() {
    let (x, y) = data(Loss::Squared, 50, 120, 25);
    let factors: Vec<f64> = (0..120).map(|j| 0.25 * f64::from(1 + j % 7)).collect();
    let divided: Vec<Vec<f64>> =
        x.iter().zip(&factors).map(|(column, factor)| column.iter().map(|x| x / factor).collect()).collect();
    let preparation = Preparation::Standard { intercept: true, standardize: false };
    let problem = |x: &[Vec<f64>]| Problem::new(dense(x), y.clone(), preparation).unwrap();
    let lasso = || Lasso::params().ratio(20.0).tolerance(1e-12);
    let factored = lasso().factors(factors.clone()).fit(&problem(&x)).unwrap();
    let plain = lasso().fit(&problem(&divided)).unwrap();
    assert!((factored.lambda_max - plain.lambda_max).abs() < 1e-12 * plain.lambda_max);
    let (factored, mut plain) = (exported(&factored, 120), exported(&plain, 120));
    plain.1.iter_mut().zip(&factors).for_each(|(value, factor)| *value /= factor);
    assert!(apart(&plain, &factored) < 1e-7);
}

#[test]
fn starts_are_brought_within_bounds() {
    let (x, y) = data(Loss::Squared, 50, 10, 35);
    let problem = Problem::new(dense(&x), y, Preparation::default()).unwrap();
    let lasso = || Lasso::params().bounds(vec![(0.0, 0.05); 10]).factors(vec![2.0; 10]).tolerance(1e-10);
    let cold = lasso().fit(&problem).unwrap();
    let warm = lasso()
        .init((0..10).map(|j| (j, if j % 2 == 0 { -3.0 } else { 4.0 })).collect())
        .fit(&problem)
        .unwrap();
    assert!(warm.report.metric.is_reached());
    assert!(apart(&exported(&cold, 10), &exported(&warm, 10)) < 1e-6);
}

#[test]
fn what_is_no_factor_or_bound_is_refused() {
    let (x, y) = data(Loss::Squared, 20, 3, 45);
    let problem = Problem::new(dense(&x), y, Preparation::default()).unwrap();
    let refused = |lasso: Lasso| lasso.fit(&problem).unwrap_err().to_string();
    let said = refused(Lasso::params().factors(vec![1.0, 0.0, 1.0]).bounds(vec![(0.0, f64::INFINITY); 3]));
    assert!(said.contains("column 2 has bounds and no penalty"), "{said}");
    for factor in [-1.0, f64::NAN, f64::INFINITY, 1e-200] {
        let said = refused(Lasso::params().factors(vec![1.0, factor, 1.0]));
        assert!(said.contains("the factor of column 2"), "{said}");
    }
    for bounds in [(1.0, 2.0), (-2.0, -1.0), (1.0, -1.0), (f64::NAN, 1.0), (0.0, f64::NAN)] {
        let said = refused(Lasso::params().bounds(vec![(-1.0, 1.0), (0.0, 0.0), bounds]));
        assert!(said.contains("the bounds of column 3"), "{said}");
    }
    assert!(refused(Lasso::params().factors(vec![1.0])).contains("3 columns, but there are 1 factors"));
    assert!(refused(Lasso::params().bounds(vec![(0.0, 1.0)])).contains("1 pairs of bounds"));
}

/// lambda_max is that of the fit of the unpenalized columns, which alone have coefficients there; there are
/// up to as many of them as rows, and some depend on each other.
#[test]
fn unpenalized_columns_are_always_fitted() {
    for loss in LOSSES {
        let (mut x, y) = data(loss, 50, 120, 55);
        x[3] = x[2].iter().map(|value| 2.0 * value).collect();
        x[4] = vec![1.0; 50];
        let factors: Vec<f64> = (0..120).map(|j| f64::from(u8::from(j > 4))).collect();
        for make in [dense, sparse] {
            let problem = Problem::new(make(&x), y.clone(), Preparation::default()).unwrap();
            let lasso = || Lasso::params().loss(loss).factors(factors.clone()).tolerance(1e-9);
            let path = lasso().path(10, 20.0).fit(&problem).unwrap();
            assert_eq!(path.points.len(), 10, "{loss:?}");
            let first = &path.points[0];
            assert!(first.coefficients.iter().all(|&(j, _)| j <= 2), "{loss:?}: {:?}", first.coefficients);
            assert_eq!(first.coefficients.len(), 3, "{loss:?}: {:?}", first.coefficients);
            assert!(path.points[3].coefficients.len() > 3, "{loss:?}");
            // A fit of only these columns, with hardly any penalty.
            let alone = Problem::new(make(&x[..3]), y.clone(), Preparation::default()).unwrap();
            let alone = Lasso::params().loss(loss).lambda(1e-12).tolerance(1e-11).fit(&alone).unwrap();
            let of = |fit: &[(u32, f64)]| {
                let mut all = vec![0.0; 3];
                fit.iter().for_each(|&(j, value)| all[j as usize] = value);
                all
            };
            let off = apart(
                &(alone.intercept, of(&alone.coefficients)),
                &(first.intercept, of(&first.coefficients)),
            );
            assert!(off < 1e-5, "{loss:?}: {off:e}");
            // Certified by the definition: no slope is above lambda, and those of the unpenalized columns are
            // zero.
            let last = path.points.last().unwrap();
            let mut all = vec![0.0; 120];
            last.coefficients.iter().for_each(|&(j, value)| all[j as usize] = value);
            let mut kept = x.clone();
            kept.truncate(120);
            let terms = Terms { factors: factors.clone(), ..Terms::plain(loss, last.lambda, 50, 120) };
            // A constant column has no deviation to be divided by.
            let (mut terms, mut all) = (terms, all);
            kept.remove(4);
            terms.factors.remove(4);
            terms.bounds.remove(4);
            assert_eq!(all.remove(4), 0.0);
            let violation = Naive::new(&make(&kept), &y, terms).violation(&(last.intercept, all));
            assert!(violation < 1e-4, "{loss:?}: {violation:e}");
        }
    }
}

#[test]
fn unpenalized_columns_that_fit_without_limit_are_refused() {
    let (mut x, y) = data(Loss::Logistic, 40, 5, 65);
    x[1].clone_from(&y);
    let problem = Problem::new(dense(&x), y, Preparation::default()).unwrap();
    let lasso = || Lasso::params().loss(Loss::Logistic);
    let said = lasso().factors(vec![1.0, 0.0, 1.0, 1.0, 1.0]).fit(&problem).unwrap_err().to_string();
    assert!(said.contains("the columns without a penalty fit the response without limit"), "{said}");
    // A response that the free columns explain leaves nothing to certify.
    let (x, _) = data(Loss::Squared, 40, 5, 66);
    let y: Vec<f64> = x[2].iter().map(|value| 3.0 * value - 1.0).collect();
    let problem = Problem::new(dense(&x), y, Preparation::default()).unwrap();
    let fit = Lasso::params().lambda(0.1).factors(vec![1.0, 1.0, 0.0, 1.0, 1.0]).fit(&problem).unwrap();
    assert!(fit.report.metric.is_reached());
    assert_eq!(fit.coefficients.len(), 1);
    assert!((fit.coefficients[0].1 - 3.0).abs() < 1e-9 && (fit.intercept + 1.0).abs() < 1e-9);
}

/// Groups of several sizes, whose columns are not adjacent: coefficients are those of the definition, and all
/// columns of a group are chosen or none.
#[test]
fn groups_are_chosen_together() {
    let groups: Vec<u32> = vec![5, 1, 5, 0, 1, 5, 2, 1];
    for loss in LOSSES {
        let (x, y) = data(loss, ROWS, 8, 75);
        for l1_ratio in [1.0, 0.6] {
            for (weighted, factored) in [(false, false), (true, false), (false, true), (true, true)] {
                for (intercept, lambda) in [(true, 0.05), (true, 0.2), (false, 0.05)] {
                    let factors: Vec<f64> = groups
                        .iter()
                        .map(|&group| if !factored { 1.0 } else { [0.0, 0.5, 1.5][group as usize % 3] })
                        .collect();
                    let mut terms = Terms {
                        l1_ratio,
                        intercept,
                        factors: factors.clone(),
                        groups: groups.iter().map(|&group| group as usize).collect(),
                        ..Terms::plain(loss, lambda, ROWS, 8)
                    };
                    if weighted {
                        terms.weights = whole_weights(ROWS);
                    }
                    let context =
                        format!("{loss:?}, {l1_ratio}, {weighted}, {factored}, {intercept}, {lambda}");
                    let naive = Naive::new(&dense(&x), &y, terms);
                    let expected = naive.solve();
                    for make in [dense, sparse] {
                        let preparation = Preparation::Standard { intercept, standardize: true };
                        let mut problem = Problem::new(make(&x), y.clone(), preparation).unwrap();
                        if weighted {
                            problem = problem.weights(whole_weights(ROWS)).unwrap();
                        }
                        let lasso =
                            Lasso::params().loss(loss).l1_ratio(l1_ratio).lambda(lambda).tolerance(1e-14);
                        let lasso = lasso.groups(groups.clone()).factors(factors.clone());
                        let fit = lasso.fit(&problem).unwrap();
                        assert!(fit.report.metric.value <= 1e-11, "{context}: {:e}", fit.report.metric.value);
                        let fit = exported(&fit, 8);
                        let off = apart(&expected, &fit);
                        assert!(off < 1e-6, "{context}: {off:e}\n{expected:?}\n{fit:?}");
                        assert!(naive.violation(&fit) < 1e-6, "{context}: {:e}", naive.violation(&fit));
                        for (j, value) in fit.1.iter().enumerate() {
                            let all = (0..8).filter(|&i| groups[i] == groups[j]).all(|i| fit.1[i] != 0.0);
                            assert_eq!(*value != 0.0, all, "{context}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn large_sets_of_groups_are_certified() {
    for loss in LOSSES {
        let (x, y) = data(loss, 60, 160, 85);
        for make in [dense, sparse] {
            let problem = Problem::new(make(&x), y.clone(), Preparation::default()).unwrap();
            let groups: Vec<u32> = (0..160).map(|j| j % 45).collect();
            let lasso = || Lasso::params().loss(loss).groups(groups.clone()).ratio(20.0);
            let fit = lasso().tolerance(1e-8).fit(&problem).unwrap();
            assert!(fit.report.metric.is_reached(), "{loss:?}: {:e}", fit.report.metric.value);
            let groups_of = groups.iter().map(|&group| group as usize).collect();
            let terms = Terms { groups: groups_of, ..Terms::plain(loss, fit.lambda, 60, 160) };
            let violation = Naive::new(&make(&x), &y, terms).violation(&exported(&fit, 160));
            assert!(violation < 1e-3, "{loss:?}: {violation:e}");
            let path =
                Lasso::params().loss(loss).groups(groups.clone()).path(10, 20.0).fit(&problem).unwrap();
            assert_eq!(path.points.len(), 10, "{loss:?}");
            assert!(
                path.points[0].coefficients.is_empty() && !path.points[2].coefficients.is_empty(),
                "{loss:?}"
            );
        }
    }
}

#[test]
fn what_groups_are_not_offered_with_is_refused_by_name() {
    let (x, y) = data(Loss::Squared, 20, 3, 95);
    let problem = Problem::new(dense(&x), y, Preparation::default()).unwrap();
    let refused = |lasso: Lasso| lasso.groups(vec![7, 7, 1]).fit(&problem).unwrap_err().to_string();
    let said = refused(Lasso::params().bounds(vec![(0.0, 1.0); 3]));
    assert!(said.contains("groups cannot have bounds"), "{said}");
    let said = refused(Lasso::params().schedule(Choice::Cyclic));
    assert!(said.contains("schedule is of rounds") && said.contains("groups"), "{said}");
    let said = refused(Lasso::params().factors(vec![1.0, 2.0, 1.0]));
    assert!(said.contains("column 2 has another factor than others of its group"), "{said}");
    let said = Lasso::params().groups(vec![1]).fit(&problem).unwrap_err().to_string();
    assert!(said.contains("3 columns, but there are 1 groups"), "{said}");
}
