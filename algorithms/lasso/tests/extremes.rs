//! Data whose squares overflow or underflow are refused by name, or fitted correctly: never a false
//! certificate, a panic, or a run without an end.

use raddle::Ending;
use raddle_common::testing::pairs;
use raddle_lasso::{Choice, Fit, Lasso, LassoError, Loss, Preparation, Problem};

use crate::common::{self, Oracle, dense, random, sparse};

const SCHEDULES: [Choice; 4] = [Choice::WorkingSet, Choice::Priority, Choice::Shuffled, Choice::Cyclic];
const PREPARATIONS: [Preparation; 5] = [
    Preparation::Standard { intercept: true, standardize: true },
    Preparation::Standard { intercept: true, standardize: false },
    Preparation::Standard { intercept: false, standardize: false },
    Preparation::DenseStd,
    Preparation::SparseRaw,
];

fn columns(scale: f64) -> Vec<Vec<f64>> {
    [[2.0, 3.0, 5.0, 4.0, 1.0], [1.0, -1.0, 1.0, -1.0, 0.5]]
        .map(|column| column.map(|x| x * scale).to_vec())
        .to_vec()
}

fn response(scale: f64) -> Vec<f64> {
    [3.0, 1.0, 6.5, 2.0, 2.5].map(|y| y * scale).to_vec()
}

/// Fits with a limit, which only keeps a failing test from hanging.
fn fit(problem: &Problem, lasso: Lasso) -> Result<Fit, LassoError> {
    let fit = lasso.fit_with(problem, |engine| engine.epochs(100_000))?;
    assert!(fit.report.epochs < 100_000, "it does not end");
    Ok(fit)
}

#[test]
fn a_response_that_overflows_or_underflows_is_refused() {
    for scale in [1e-300, 1e-200, 1e-162, 1e-155, 1e154, 1e200, 1e307] {
        let problem = Problem::new(dense(&columns(1.0)), response(scale), Preparation::default()).unwrap();
        for schedule in SCHEDULES {
            let error = fit(&problem, Lasso::params().schedule(schedule)).unwrap_err().to_string();
            assert!(error.contains("scale the response"), "{scale:e}: {error}");
        }
        let error = Lasso::params().path(5, 10.0).fit(&problem).unwrap_err().to_string();
        assert!(error.contains("scale the response"), "{scale:e}: {error}");
    }
}

#[test]
fn within_the_range_the_unit_of_the_response_does_not_matter() {
    let of = |scale: f64| {
        let problem = Problem::new(dense(&columns(1.0)), response(scale), Preparation::default()).unwrap();
        let fit = fit(&problem, Lasso::params().tolerance(1e-10)).unwrap();
        assert!(fit.report.metric.value <= 1e-10, "{scale:e}");
        fit.coefficients
    };
    let plain = of(1.0);
    assert_eq!(plain.len(), 2);
    for scale in [1e-139, 1e-100, 1e-9, 1e9, 1e100, 1e139] {
        for (&(j, value), (i, other)) in pairs(&plain, of(scale)) {
            assert!(i == j && (other / scale - value).abs() <= 1e-9 * value.abs(), "{scale:e}: {other:e}");
        }
    }
}

#[test]
fn a_column_that_overflows_or_underflows_is_refused_by_its_number() {
    for scale in [1e-300, 1e-200, 1e-150, 1e150, 1e200, 1e300] {
        for preparation in PREPARATIONS {
            for make in [dense, sparse] {
                let mut x = columns(1.0);
                x[1] = columns(scale)[1].clone();
                let error = Problem::new(make(&x), response(1.0), preparation).unwrap_err().to_string();
                assert!(
                    error.starts_with("column 2 has values of up to"),
                    "{scale:e} {preparation:?}: {error}"
                );
            }
        }
    }
    // Each fits, but their product does not.
    let without = Preparation::Standard { intercept: true, standardize: false };
    let problem = Problem::new(dense(&columns(1e100)), response(1e100), without).unwrap();
    let error = fit(&problem, Lasso::params()).unwrap_err().to_string();
    assert!(error.contains("column 1") && error.contains("scale the response or the column"), "{error}");
}

#[test]
fn the_unit_of_a_column_does_not_matter() {
    let of = |scale: f64| {
        let problem = Problem::new(dense(&columns(scale)), response(1.0), Preparation::default()).unwrap();
        fit(&problem, Lasso::params().tolerance(1e-10)).unwrap().coefficients
    };
    let plain = of(1.0);
    for scale in [1e-139, 1e-13, 1e9, 1e139] {
        let other = of(scale);
        assert_eq!(other.len(), 2, "{scale:e}");
        for ((_, value), (_, scaled)) in pairs(&plain, other) {
            assert!((scaled * scale - value).abs() <= 1e-9 * value.abs(), "{scale:e}");
        }
    }
}

#[test]
fn a_response_that_does_not_vary_is_the_intercept() {
    for value in [0.1, 1e9 + 0.1, -7.3] {
        let problem = Problem::new(dense(&columns(1.0)), vec![value; 5], Preparation::default()).unwrap();
        let fit = fit(&problem, Lasso::params()).unwrap();
        assert!(fit.coefficients.is_empty() && fit.intercept == value && fit.report.metric.value == 0.0);
    }
}

#[test]
fn a_target_below_rounding_ends_every_schedule() {
    let (x, y) = common::random_data(30, 12, 1.0, 5);
    for loss in [Loss::Squared, Loss::Logistic] {
        let y = if loss == Loss::Logistic { common::classes(&y, 0.0, 1.0) } else { y.clone() };
        let problem = Problem::new(dense(&x), y, Preparation::default()).unwrap();
        for schedule in SCHEDULES {
            let lasso = Lasso::params().loss(loss).ratio(50.0).tolerance(1e-300).schedule(schedule);
            let fit = fit(&problem, lasso).unwrap();
            // Rounding may hit an exact zero.
            assert!(fit.report.metric.value < 1e-9, "{loss:?} {schedule:?}");
        }
    }
}

/// Any mixture of magnitudes: an error that names the response, a column or a parameter, or a fit whose
/// certificate holds when it is computed by its definition.
#[test]
fn any_magnitudes_are_fitted_or_refused() {
    let extremes = [0.0, 5e-324, 1e-308, 1e-200, 1e-141, 1e-70, 1e70, 1e141, 1e154, 1e200, 1e308];
    let magnitudes = [&[1.0; 30], &extremes[..]].concat();
    let mut next = random(77);
    let mut pick = move |count: usize| (((next() + 1.0) / 2.0 * count as f64) as usize).min(count - 1);
    let (mut fitted, mut refused) = (0, 0);
    for case in 0..400 {
        let (rows, count) = (3 + pick(6), 1 + pick(3));
        let mixed = pick(3) == 0;
        let mut column = || {
            let unit = magnitudes[pick(magnitudes.len())];
            let mut value = || {
                let unit = if mixed { magnitudes[pick(magnitudes.len())] } else { unit };
                (pick(2000) as f64 / 1000.0 - 1.0) * unit
            };
            (0..rows).map(|_| value()).collect::<Vec<f64>>()
        };
        let x: Vec<Vec<f64>> = (0..count).map(|_| column()).collect();
        let y = column();
        let preparation = PREPARATIONS[pick(PREPARATIONS.len())];
        let matrix = if case % 2 == 0 { dense(&x) } else { sparse(&x) };
        let context = format!("case {case}: {preparation:?}, x {x:?}, y {y:?}");
        let told = |error: LassoError| match error {
            LassoError::Column { .. } | LassoError::Response { .. } | LassoError::Product { .. } => {}
            error => panic!("{context}: {error}"),
        };
        let problem = match Problem::new(matrix.clone(), y.clone(), preparation) {
            Ok(problem) => problem,
            Err(error) => {
                told(error);
                refused += 1;
                continue;
            }
        };
        let schedule = SCHEDULES[pick(SCHEDULES.len())];
        match fit(&problem, Lasso::params().schedule(schedule).tolerance(1e-8)) {
            Ok(fit) if fit.report.ending == Ending::Target && fit.lambda > 0.0 => {
                let oracle = Oracle::new(&matrix, &y, preparation);
                let b = oracle.coefficients(&fit);
                let slack = oracle.rounding(&b, fit.lambda);
                assert!(oracle.gap(&b, fit.lambda) <= 1e-8 + slack, "{context}: {:?}", fit.coefficients);
                fitted += 1;
            }
            Ok(_) => {}
            Err(error) => {
                told(error);
                refused += 1;
            }
        }
    }
    assert!(fitted > 30 && refused > 100, "{fitted} fitted, {refused} refused");
}
