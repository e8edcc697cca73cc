//! The certificate is true, and certified fits are optimal: compared with an oracle on small problems of
//! every kind.

use proptest::prelude::*;
use raddle::Ending;
use raddle_datasets::{Matrix, embedded};
use raddle_lasso::{Choice, Fit, Lasso, Preparation, Problem};

use crate::common::{self, Oracle, PREPARATIONS, dense, predictions, random_data, sparse};

const SCHEDULES: [Choice; 4] = [Choice::WorkingSet, Choice::Priority, Choice::Shuffled, Choice::Cyclic];

/// Fits, and compares the fit with the oracle's own optimum.
fn certified(x: &Matrix, y: &[f64], preparation: Preparation, lasso: Lasso, context: &str) -> Fit {
    let problem = Problem::new(x.clone(), y.to_vec(), preparation).unwrap();
    let oracle = Oracle::new(x, y, preparation);
    held(&problem, &oracle, |lambda| oracle.solve(lambda, 1e-10), lasso, context)
}

/// Like [`certified`], with an oracle of the problem and its optimum at a lambda.
fn held(
    problem: &Problem,
    oracle: &Oracle,
    mut solve: impl FnMut(f64) -> (f64, f64),
    lasso: Lasso,
    context: &str,
) -> Fit {
    let fit = lasso.fit_with(problem, |engine| engine.epochs(5000)).unwrap();
    oracle.check(&fit, context);
    assert_eq!(fit.report.ending, Ending::Target, "{context}: gap {:e}", fit.report.metric.value);
    let largest = oracle.lambda_max();
    assert!((fit.lambda_max - largest).abs() <= 1e-9 * largest, "{context}: {} {largest}", fit.lambda_max);
    let (primal, _) = oracle.values(&oracle.coefficients(&fit), fit.lambda);
    let (best, dual) = solve(fit.lambda);
    assert!(best - dual <= 1e-9 * best, "{context}: the oracle itself is off, by {:e}", (best - dual) / best);
    let rounding = 1e-12 * primal;
    assert!(primal >= dual - rounding, "{context}: {primal} is below what is possible, {dual}");
    assert!(
        primal - best <= fit.report.metric.target.unwrap() * primal + rounding,
        "{context}: {primal} {best}"
    );
    fit
}

#[test]
fn every_schedule_finds_the_optimum_it_certifies() {
    let shapes = [(30, 70, 1.0), (70, 30, 1.0), (40, 90, 0.2), (90, 40, 0.2)];
    for (of_shape, (rows, columns, fill)) in shapes.into_iter().enumerate() {
        let (x, y) = random_data(rows, columns, fill, rows as u64);
        for (of_storage, x) in [dense(&x), sparse(&x)].into_iter().enumerate() {
            for (of_preparation, preparation) in PREPARATIONS.into_iter().enumerate() {
                let problem = Problem::new(x.clone(), y.clone(), preparation).unwrap();
                let oracle = Oracle::new(&x, &y, preparation);
                // All schedules have one optimum.
                let mut solved: Option<(f64, (f64, f64))> = None;
                let mut solve = |lambda: f64| {
                    let known = solved.filter(|(at, _)| *at == lambda).map(|(_, optimum)| optimum);
                    let optimum = known.unwrap_or_else(|| oracle.solve(lambda, 1e-10));
                    solved = Some((lambda, optimum));
                    optimum
                };
                let [working_set, rounds @ ..] = SCHEDULES;
                let rounds = common::in_turn(rounds, of_shape + of_storage + of_preparation);
                for schedule in rounds.into_iter().chain([working_set]) {
                    let context = format!("{rows} x {columns}, {fill}, {preparation:?}, {schedule:?}");
                    let lasso = Lasso::params().ratio(20.0).schedule(schedule).parallelism(8).shards(3);
                    let fit = held(&problem, &oracle, &mut solve, lasso, &context);
                    assert!(!fit.coefficients.is_empty(), "{context}");
                }
            }
        }
    }
}

#[test]
fn a_tight_tolerance_is_kept() {
    let (x, y) = random_data(50, 120, 1.0, 5);
    for schedule in SCHEDULES {
        let lasso = Lasso::params().ratio(30.0).tolerance(1e-10).schedule(schedule).parallelism(4);
        certified(&dense(&x), &y, Preparation::default(), lasso, &format!("{schedule:?}"));
    }
}

#[test]
fn the_intercept_makes_the_residual_sum_to_zero() {
    let (x, y) = random_data(40, 25, 0.5, 3);
    for x in [dense(&x), sparse(&x)] {
        for standardize in [true, false] {
            let preparation = Preparation::Standard { intercept: true, standardize };
            let fit = certified(&x, &y, preparation, Lasso::params().ratio(50.0), "intercept");
            let fitted = predictions(&x, &fit.coefficients, fit.intercept);
            let sum: f64 = y.iter().zip(&fitted).map(|(y, fitted)| y - fitted).sum();
            assert!(sum.abs() < 1e-10 * y.iter().map(|y| y.abs()).sum::<f64>(), "{sum}");
            // The prepared residual is the original one.
            let oracle = Oracle::new(&x, &y, preparation);
            let prepared = oracle.residual(&oracle.coefficients(&fit));
            let close = |(i, r): (usize, &f64)| (y[i] - fitted[i] - r).abs() < 1e-10;
            assert!(prepared.iter().enumerate().all(close));
        }
    }
}

#[test]
fn without_an_intercept_there_is_none() {
    let (x, y) = random_data(40, 25, 0.5, 4);
    for preparation in &PREPARATIONS[2..] {
        let problem = Problem::new(dense(&x), y.clone(), *preparation).unwrap();
        assert_eq!(Lasso::params().fit(&problem).unwrap().intercept, 0.0, "{preparation:?}");
    }
}

#[test]
fn dense_and_sparse_storage_have_the_same_optimum() {
    let (x, y) = random_data(60, 45, 0.1, 8);
    for preparation in PREPARATIONS {
        let lasso = || Lasso::params().ratio(40.0).tolerance(1e-9);
        let a = certified(&dense(&x), &y, preparation, lasso(), "dense");
        let b = certified(&sparse(&x), &y, preparation, lasso(), "sparse");
        let (a, b) = (a.report.objective.unwrap(), b.report.objective.unwrap());
        assert!((a - b).abs() <= 2e-9 * a, "{preparation:?}: {a} {b}");
    }
}

#[test]
fn diabetes_has_its_published_first_steps() {
    // Efron et al. (2004): body-mass index enters first, then the serum value s5, then blood pressure.
    let table = embedded::diabetes();
    let problem = Problem::new(table.x, table.y, Preparation::default()).unwrap();
    let support = |ratio: f64| -> Vec<u32> {
        let fit = Lasso::params().ratio(ratio).fit(&problem).unwrap();
        fit.coefficients.iter().map(|(j, _)| *j).collect()
    };
    assert_eq!(support(1.02), [2]);
    assert_eq!(support(1.3), [2, 8]);
    assert_eq!(support(2.2), [2, 3, 8]);
}

#[test]
fn at_lambda_max_and_above_the_model_is_zero_at_once() {
    let (x, y) = random_data(20, 30, 0.6, 2);
    for preparation in PREPARATIONS {
        for x in [dense(&x), sparse(&x)] {
            let problem = Problem::new(x, y.clone(), preparation).unwrap();
            for schedule in SCHEDULES {
                let largest = problem.lambda_max().unwrap();
                for lasso in [Lasso::params().ratio(1.0), Lasso::params().lambda(largest * 1.5)] {
                    let fit = lasso.schedule(schedule).fit(&problem).unwrap();
                    assert_eq!(
                        (fit.report.ending, fit.report.epochs),
                        (Ending::Target, 0),
                        "{preparation:?}"
                    );
                    assert!(fit.coefficients.is_empty() && fit.report.metric.value < 1e-15);
                    assert!((fit.lambda_max - largest).abs() <= 1e-12 * largest);
                }
            }
        }
    }
}

#[test]
fn a_response_of_zeros_is_fitted_by_zero() {
    let (x, _) = random_data(12, 9, 1.0, 6);
    for y in [vec![0.0; 12], vec![3.25; 12]] {
        for schedule in SCHEDULES {
            let problem = Problem::new(dense(&x), y.clone(), Preparation::default()).unwrap();
            let fit = Lasso::params().schedule(schedule).fit(&problem).unwrap();
            assert_eq!((fit.report.ending, fit.coefficients.len()), (Ending::Target, 0), "{schedule:?}");
            assert_eq!((fit.intercept, fit.report.metric.value), (y[0], 0.0));
        }
    }
}

#[test]
fn a_response_that_no_column_sees_is_certified_at_once() {
    let (x, y) = (vec![vec![2.5; 4], vec![0.0; 4]], vec![1.0, -2.0, 3.0, 5.0]);
    for x in [dense(&x), sparse(&x)] {
        for schedule in SCHEDULES {
            let problem = Problem::new(x.clone(), y.clone(), Preparation::default()).unwrap();
            let fit =
                Lasso::params().schedule(schedule).fit_with(&problem, |engine| engine.epochs(10)).unwrap();
            let report = fit.report;
            assert_eq!((report.ending, report.epochs, report.metric.value), (Ending::Target, 0, 0.0));
            assert_eq!((fit.lambda_max, fit.coefficients.len(), fit.intercept), (0.0, 0, 1.75));
        }
    }
}

#[test]
fn a_column_of_ones_stands_for_the_intercept_where_there_is_none() {
    let (mut x, y) = random_data(50, 6, 1.0, 9);
    x.push(vec![1.0; 50]);
    for standardize in [true, false] {
        let preparation = Preparation::Standard { intercept: false, standardize };
        for x in [dense(&x), sparse(&x)] {
            let fit = certified(&x, &y, preparation, Lasso::params().ratio(1000.0), "ones");
            assert!(
                fit.coefficients.iter().any(|&(j, value)| j == 6 && value > 1.0),
                "{:?}",
                fit.coefficients
            );
        }
    }
}

#[test]
fn a_large_constant_column_gets_no_coefficient() {
    // Its mean is rounded, so that it does not vary by exactly zero.
    for value in [0.1, 1e8 / 3.0, -1e13 / 7.0] {
        let (mut x, y) = random_data(30, 6, 1.0, 10);
        x.insert(2, vec![value; 30]);
        for x in [dense(&x), sparse(&x)] {
            let fit = certified(&x, &y, Preparation::default(), Lasso::params().ratio(1e4), "constant");
            assert!(fit.coefficients.iter().all(|(j, _)| *j != 2), "{value}: {:?}", fit.coefficients);
        }
    }
}

#[test]
fn a_support_that_outgrows_the_rows_is_certified_at_a_tiny_lambda() {
    for seed in 0..60 {
        let rows = 2 + seed as usize % 5;
        let (mut x, y) = random_data(rows, 2 * rows, 1.0, 100 + seed);
        // Exact duplicates in addition to the columns that depend on each other, and values far from 1.
        x.push(x[0].clone());
        let small: Vec<Vec<f64>> =
            x.iter().map(|column| column.iter().map(|value| value * 1e-7).collect()).collect();
        for (x, preparation) in [(&x, Preparation::default()), (&small, Preparation::SparseRaw)] {
            for ratio in [100.0, 1e4] {
                let context = format!("seed {seed}, {rows} rows, {preparation:?}, ratio {ratio}");
                let problem = Problem::new(dense(x), y.clone(), preparation).unwrap();
                let fit =
                    Lasso::params().ratio(ratio).fit_with(&problem, |engine| engine.epochs(50)).unwrap();
                // Only the oracle's checks: its coordinate descent does not converge here.
                Oracle::new(&dense(x), &y, preparation).check(&fit, &context);
                assert_eq!(fit.report.ending, Ending::Target, "{context}");
            }
        }
    }
}

#[test]
fn warm_starts_reach_the_same_optimum_and_their_own_at_once() {
    let (x, y) = random_data(40, 100, 1.0, 12);
    let (x, preparation) = (dense(&x), Preparation::default());
    let near = certified(&x, &y, preparation, Lasso::params().ratio(10.0), "cold");
    for schedule in SCHEDULES {
        let from_near =
            |ratio| Lasso::params().ratio(ratio).schedule(schedule).init(near.coefficients.clone());
        certified(&x, &y, preparation, from_near(12.0), &format!("warm, {schedule:?}"));
        let again = certified(&x, &y, preparation, from_near(10.0).tolerance(1.1e-6), "again");
        assert_eq!(again.report.epochs, 0, "{schedule:?}");
    }
}

#[test]
fn a_warm_start_is_its_own_optimum_where_penalties_have_factors() {
    let (x, y) = random_data(40, 100, 1.0, 12);
    let problem = Problem::new(dense(&x), y, Preparation::default()).unwrap();
    let factors: Vec<f64> = (0..100).map(|j| [0.5, 1.0, 3.0][j % 3]).collect();
    let params = || Lasso::params().ratio(10.0).factors(factors.clone());
    let cold = params().fit(&problem).unwrap();
    assert!(cold.report.epochs > 0 && cold.coefficients.len() > 2);
    let again = params().init(cold.coefficients.clone()).tolerance(1.1e-6).fit(&problem).unwrap();
    assert_eq!((again.report.epochs, again.report.ending), (0, Ending::Target));
}

// ---- small problems of every kind ----

#[derive(Debug, Clone, Copy)]
enum Kind {
    Random,
    Whole,
    Duplicate,
    Opposite,
    Constant,
    Empty,
    Tiny,
    Huge,
}

fn kind() -> impl Strategy<Value = Kind> {
    use Kind::*;
    prop_oneof![
        4 => Just(Random),
        2 => Just(Whole),
        2 => Just(Duplicate),
        1 => Just(Opposite),
        1 => Just(Constant),
        1 => Just(Empty),
        1 => Just(Tiny),
        1 => Just(Huge),
    ]
}

/// Columns of these kinds, and a response that is random, zero or constant.
fn small() -> impl Strategy<Value = (Vec<Vec<f64>>, Vec<f64>)> {
    let shape = (1usize..9, prop::collection::vec(kind(), 1..12), any::<u64>(), 0..8u8);
    shape.prop_map(|(rows, kinds, seed, response)| {
        let mut next = common::random(seed);
        let mut columns: Vec<Vec<f64>> = Vec::new();
        for kind in kinds {
            let last = columns.last().cloned().unwrap_or_else(|| vec![1.0; rows]);
            let mut draw = |scale: f64| (0..rows).map(|_| scale * next()).collect::<Vec<f64>>();
            columns.push(match kind {
                Kind::Random => draw(2.0),
                Kind::Whole => draw(2.0).into_iter().map(f64::round).collect(),
                Kind::Duplicate => last,
                Kind::Opposite => last.into_iter().map(|value| -value).collect(),
                Kind::Constant => vec![2.5; rows],
                Kind::Empty => vec![0.0; rows],
                Kind::Tiny => draw(1e-7),
                Kind::Huge => draw(1e7),
            });
        }
        let y = match response {
            0 => vec![0.0; rows],
            1 => vec![-4.0; rows],
            _ => (0..rows).map(|_| 10.0 * next()).collect(),
        };
        (columns, y)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if common::all_combinations() { 1000 } else { 250 }, failure_persistence: None, ..ProptestConfig::default() })]

    /// The working set reaches its target on any of these problems.
    #[test]
    fn the_working_set_certifies_small_problems(
        (x, y) in small(),
        preparation in prop::sample::select(&PREPARATIONS[..]),
        ratio in prop::sample::select(&[1.0, 1.5, 10.0, 100.0, 1e4][..]),
        stored in any::<bool>(),
        (shards, workers) in (1usize..5, 1usize..4),
    ) {
        let x = if stored { dense(&x) } else { sparse(&x) };
        let problem = Problem::new(x.clone(), y.clone(), preparation).unwrap();
        let lasso = Lasso::params().ratio(ratio).shards(shards).workers(workers);
        let fit = lasso.fit_with(&problem, |engine| engine.epochs(200)).unwrap();
        let oracle = Oracle::new(&x, &y, preparation);
        oracle.check(&fit, "working set");
        // A response that is orthogonal to all columns, up to rounding, has no meaningful gap.
        if oracle.rounding(&[], fit.lambda) < 1e-6 {
            prop_assert_eq!(fit.report.ending, Ending::Target, "gap {:e}", fit.report.metric.value);
        }
    }

    /// The rounds report truthfully how far they came, and never stop for another reason than the target, the
    /// limit, or 200 epochs without progress: equal columns that are updated together may overshoot for ever.
    #[test]
    fn rounds_certify_small_problems(
        (x, y) in small(),
        preparation in prop::sample::select(&PREPARATIONS[..]),
        ratio in prop::sample::select(&[1.0, 1.5, 10.0, 100.0][..]),
        schedule in prop::sample::select(&SCHEDULES[1..]),
        stored in any::<bool>(),
        (parallelism, shards) in (1usize..9, 1usize..4),
    ) {
        let x = if stored { dense(&x) } else { sparse(&x) };
        let problem = Problem::new(x.clone(), y.clone(), preparation).unwrap();
        let lasso = Lasso::params().ratio(ratio).schedule(schedule).parallelism(parallelism).shards(shards);
        let fit = lasso.fit_with(&problem, |engine| engine.epochs(400)).unwrap();
        let oracle = Oracle::new(&x, &y, preparation);
        oracle.check(&fit, "rounds");
        match fit.report.ending {
            Ending::Target | Ending::Limit(_) => {}
            Ending::Converged => {
                let objectives: Vec<f64> = fit.trace.iter().filter_map(|record| record.objective).collect();
                // Columns that overshoot may be worse at any one epoch than they were before.
                let least = |some: &[f64]| some.iter().copied().fold(f64::INFINITY, f64::min);
                let vain = objectives.len().checked_sub(200).filter(|&before| before > 0);
                let vain = vain.map(|before| objectives.split_at(before));
                prop_assert!(vain.is_some_and(|(before, vain)| least(vain) >= (1.0 - 1e-12) * least(before)));
            }
            other => prop_assert!(false, "{:?}", other),
        }
    }
}

#[test]
fn a_tiny_lambda_is_certified_or_said_not_to_be() {
    for (rows, columns) in [(30, 60), (60, 30)] {
        let (x, y) = random_data(rows, columns, 1.0, 14);
        let (x, preparation) = (dense(&x), Preparation::default());
        let problem = Problem::new(x.clone(), y.clone(), preparation).unwrap();
        for ratio in [1e4, 1e6, 1e9] {
            let fit = Lasso::params().ratio(ratio).fit_with(&problem, |engine| engine.epochs(100)).unwrap();
            Oracle::new(&x, &y, preparation).check(&fit, "tiny lambda");
        }
    }
}

#[test]
fn data_that_cannot_be_fitted_are_refused_by_name() {
    let (x, y) = random_data(4, 3, 1.0, 1);
    let refused = |x: &[Vec<f64>], y: &[f64]| {
        let errors =
            [dense(x), sparse(x)].map(|x| Problem::new(x, y.to_vec(), Preparation::default()).unwrap_err());
        let [a, b] = errors.map(|error| error.to_string());
        assert_eq!(a, b);
        a
    };
    assert_eq!(refused(&x, &y[..3]), "the matrix has 4 rows, the response 3 values: give one for each row");
    let mut bad = x.clone();
    bad[2][1] = f64::NAN;
    assert_eq!(refused(&bad, &y), "the matrix is not finite in row 2, column 3: remove or replace it");
    let mut bad = y.clone();
    bad[3] = f64::INFINITY;
    assert_eq!(refused(&x, &bad), "the response is not finite in row 4: remove or replace it");
    let empty = Problem::new(sparse(&[vec![]]), Vec::new(), Preparation::default()).unwrap_err();
    assert!(empty.to_string().contains("at least one of each"), "{empty}");
}

#[test]
fn parameters_out_of_range_are_refused_by_name() {
    let (x, y) = random_data(6, 4, 1.0, 1);
    let problem = Problem::new(dense(&x), y, Preparation::default()).unwrap();
    for (lasso, name) in [
        (Lasso::params().lambda(0.0).bounds(vec![(0.0, 1.0); 4]), "lambda is 0"),
        (Lasso::params().lambda(-1.0), "lambda is -1"),
        (Lasso::params().lambda(f64::NAN), "lambda is NaN"),
        (Lasso::params().ratio(0.99), "ratio is 0.99"),
        (Lasso::params().ratio(f64::INFINITY), "ratio is inf"),
        (Lasso::params().tolerance(0.0), "tol is 0"),
        (Lasso::params().tolerance(1.0), "tol is 1"),
        (Lasso::params().parallelism(0), "parallelism is 0"),
        (Lasso::params().parallelism(9).candidates(8), "candidates is 8"),
        (Lasso::params().rho(Some(1.0)), "rho is 1"),
        (Lasso::params().shards(0), "shards is 0"),
        (Lasso::params().init(vec![(4, 1.0)]), "name column 5"),
        (Lasso::params().init(vec![(1, f64::NAN)]), "name column 2"),
        (Lasso::params().workers(0), "at least 1 worker"),
    ] {
        let error = lasso.fit(&problem).unwrap_err().to_string();
        assert!(error.contains(name), "{name}: {error}");
    }
}
