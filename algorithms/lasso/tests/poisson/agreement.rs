//! Fits, paths and cross-validation agree with a naive method.

use raddle_lasso::{Choice, Lasso, Loss, Preparation, Problem, Rule};

use raddle_common::testing::pairs;

use super::newton::solve;
use super::{counts, matrices};

/// Returns the population deviations of the columns; about 0 if no intercept centres them.
fn deviations(x: &[Vec<f64>], standardize: bool) -> Vec<f64> {
    let deviation = |column: &Vec<f64>| {
        let n = column.len() as f64;
        let mean = column.iter().sum::<f64>() / n;
        (column.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n).sqrt()
    };
    x.iter().map(|column| if standardize { deviation(column) } else { 1.0 }).collect()
}

fn full(coefficients: &[(u32, f64)], columns: usize) -> Vec<f64> {
    let mut b = vec![0.0; columns];
    coefficients.iter().for_each(|&(j, value)| b[j as usize] = value);
    b
}

fn assert_near(a: &[f64], b: &[f64], context: &str) {
    assert_eq!(a.len(), b.len());
    for (j, (a, b)) in pairs(a, b).enumerate() {
        assert!((a - b).abs() <= 1e-6 * b.abs().max(1.0), "{context}, {j}: {a} {b}");
    }
}

#[test]
fn every_point_of_a_path_is_that_of_the_naive_method() {
    let (x, y) = counts(70, 12, 5);
    for (intercept, standardize, a) in
        [(true, true, 1.0), (true, false, 0.5), (false, true, 0.5), (false, false, 1.0)]
    {
        let preparation = Preparation::Standard { intercept, standardize };
        let scales = deviations(&x, standardize);
        for (name, matrix) in matrices(&x) {
            let problem = Problem::new(matrix, y.clone(), preparation).unwrap();
            let lasso = Lasso::params().loss(Loss::Poisson).l1_ratio(a).tolerance(1e-12);
            let path = lasso.clone().path(6, 50.0).fit(&problem).unwrap();
            assert_eq!(path.points.len(), 6, "{:?}", path.report);
            assert!(path.points[5].coefficients.len() > 4);
            for point in &path.points {
                let context = format!("{name} {preparation:?} a {a} lambda {}", point.lambda);
                let (b0, b) = solve(&x, &y, (&scales, intercept), (point.lambda, a));
                assert_near(&full(&point.coefficients, x.len()), &b, &context);
                assert_near(&[point.intercept], &[b0], &context);
                assert!(point.gap <= 1e-12, "{context}: {:e}", point.gap);
            }
            let fit = lasso.lambda(path.points[3].lambda).fit(&problem).unwrap();
            let one = full(&fit.coefficients, x.len());
            assert_near(&one, &full(&path.points[3].coefficients, x.len()), "a fit of its own");
        }
    }
}

#[test]
fn rounds_of_coordinate_updates_come_to_the_same_fit() {
    let (x, y) = counts(60, 10, 9);
    let scales = deviations(&x, true);
    for (name, matrix) in matrices(&x) {
        let problem = Problem::new(matrix, y.clone(), Preparation::default()).unwrap();
        for schedule in [Choice::Priority, Choice::Shuffled, Choice::Cyclic] {
            let lasso = Lasso::params().loss(Loss::Poisson).ratio(20.0).tolerance(1e-10);
            let fit = lasso.schedule(schedule).parallelism(2).fit(&problem).unwrap();
            assert!(fit.report.metric.is_reached(), "{name} {schedule:?}: {:?}", fit.report.metric);
            let (_, b) = solve(&x, &y, (&scales, true), (fit.lambda, 1.0));
            for (a, b) in pairs(full(&fit.coefficients, x.len()).iter(), &b) {
                assert!((a - b).abs() < 1e-4, "{name} {schedule:?}: {a} {b}");
            }
        }
    }
}

/// The mean deviance of held-out rows, fold by fold, from fits of the naive method.
#[test]
fn cross_validation_measures_the_deviance_of_the_naive_fits() {
    let (x, y) = counts(50, 6, 3);
    let lasso = Lasso::params().loss(Loss::Poisson).tolerance(1e-12);
    let cv = lasso.cv().folds(3).path(4, 30.0);
    let folds = cv.clone().start(common_dense(&x), y.clone(), Preparation::default()).unwrap();
    let (mut sums, lambdas) = (vec![0.0; 4], folds.lambdas(0).to_vec());
    for number in 0..folds.count() {
        let held_out = folds.held_out(number).to_vec();
        let of = |wanted: bool, values: &[f64]| -> Vec<f64> {
            let rows = values.iter().enumerate().filter(|(row, _)| held_out.contains(row) == wanted);
            rows.map(|(_, value)| *value).collect()
        };
        let train: Vec<Vec<f64>> = x.iter().map(|column| of(false, column)).collect();
        let scales = deviations(&train, true);
        for (sum, &lambda) in sums.iter_mut().zip(&lambdas) {
            let (b0, b) = solve(&train, &of(false, &y), (&scales, true), (lambda, 1.0));
            for &row in &held_out {
                let score = b0 + x.iter().zip(&b).map(|(column, b)| column[row] * b).sum::<f64>();
                let (y, mean) = (y[row], score.exp());
                *sum += 2.0 * (if y > 0.0 { y * (y / mean).ln() } else { 0.0 } - (y - mean));
            }
        }
    }
    let chosen = cv.fit(common_dense(&x), y.clone(), Preparation::default()).unwrap();
    for (point, sum) in pairs(&chosen.curve.points, &sums) {
        let mean = sum / y.len() as f64;
        assert!((point.mean - mean).abs() <= 1e-6 * mean, "{} {mean}", point.mean);
    }
    assert_eq!(chosen.curve.measure, "mean Poisson deviance");
    let best = sums.iter().copied().fold(f64::INFINITY, f64::min);
    let at = sums.iter().position(|sum| *sum == best).unwrap();
    assert_eq!(chosen.curve.position(Rule::Min), at);
}

fn common_dense(x: &[Vec<f64>]) -> raddle_datasets::Matrix {
    crate::common::dense(x)
}
