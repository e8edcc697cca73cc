//! Folds of given training and test rows: equal to those of K folds to the bit, and others compared with
//! single fits and sums over rows.

use raddle_datasets::{Filled, Matrix};
use raddle_lasso::{
    Criterion, CrossValidated, CrossValidation, Lasso, LassoError, Loss, Preparation, Problem, Rule, Split,
};

use crate::common::{classes, dense, predictions, random_data, sparse};

const LOSSES: [Loss; 4] = [Loss::Squared, Loss::Logistic, Loss::Multinomial, Loss::Poisson];

/// A response that suits the loss.
fn response(loss: Loss, y: &[f64]) -> Vec<f64> {
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    match loss {
        Loss::Squared => y.to_vec(),
        Loss::Logistic => classes(y, -1.0, 4.0),
        Loss::Multinomial => {
            y.iter().enumerate().map(|(i, y)| if i % 7 == 2 { 9.0 } else { f64::from(*y > mean) }).collect()
        }
        Loss::Poisson => y.iter().map(|y| (y.abs() / 4.0).floor()).collect(),
    }
}

/// Everything in the result, as bits.
fn bits(of: &CrossValidated) -> Vec<u64> {
    let curve = of.curves.iter().flat_map(|curve| &curve.points);
    let mut bits: Vec<u64> = curve
        .flat_map(|point| [point.lambda, point.mean, point.se, point.nonzeros].map(f64::to_bits))
        .collect();
    bits.extend(of.fit.coefficients.iter().flat_map(|&(j, value)| [u64::from(j), value.to_bits()]));
    bits.extend([of.fit.intercept, of.fit.lambda, of.worst_gap].map(f64::to_bits));
    bits.extend(of.folds.iter().map(|run| run.epochs));
    bits
}

/// Splits equal to the folds, with sides and rows in reverse order.
fn same_splits(cv: CrossValidation, x: &Matrix, y: &[f64]) -> Vec<Split> {
    let folds = cv.start(x.clone(), y.to_vec(), Preparation::default()).unwrap();
    let split = |number| {
        let test: Vec<usize> = folds.held_out(number).iter().rev().copied().collect();
        Split::from(((0..y.len()).rev().filter(|row| !test.contains(row)).collect(), test))
    };
    (0..folds.count()).map(split).collect()
}

#[test]
fn splits_of_what_folds_hold_out_give_their_bits() {
    let (columns, y) = random_data(57, 9, 0.7, 41);
    let weights: Vec<f64> = (0..57).map(|row| [1.0, 0.5, 3.0, 0.0, 2.0][row % 5]).collect();
    let offset: Vec<f64> = (0..57).map(|row| (row % 4) as f64 / 8.0).collect();
    for loss in LOSSES {
        let y = response(loss, &y);
        for (x, weights, offset) in [
            (dense(&columns), None, None),
            (sparse(&columns), Some(&weights), None),
            (dense(&columns), Some(&weights), Some(&offset).filter(|_| loss != Loss::Multinomial)),
        ] {
            let cv = || {
                let lasso = Lasso::params().loss(loss).workers(2);
                let cv = lasso.cv().folds(4).path(8, 20.0).l1_ratios(vec![1.0, 0.5]).rule(Rule::OneSe);
                cv.rows(weights.cloned(), offset.cloned())
            };
            let by = |cv: CrossValidation| cv.fit(x.clone(), y.clone(), Preparation::default()).unwrap();
            let splits = same_splits(cv(), &x, &y);
            // The number of folds is that of the splits.
            assert_eq!(bits(&by(cv())), bits(&by(cv().folds(1).splits(splits))), "{loss:?}");
        }
    }
}

#[test]
fn splits_fill_missing_values_as_folds_do() {
    let (mut columns, y) = random_data(30, 5, 1.0, 42);
    let rows = vec![3u32, 11, 12, 29];
    rows.iter().for_each(|&row| columns[2][row as usize] = 0.25);
    let x = dense(&columns);
    let cv = || {
        let filled = Filled { feature: 2, rows: rows.clone() };
        Lasso::params().cv().folds(3).path(6, 10.0).filled(vec![filled])
    };
    let by = |cv: CrossValidation| bits(&cv.fit(x.clone(), y.clone(), Preparation::default()).unwrap());
    assert_eq!(by(cv()), by(cv().splits(same_splits(cv(), &x, &y))));
}

/// Returns the weighted mean of the rows' costs.
fn mean(weights: &[f64], costs: impl Iterator<Item = f64>) -> f64 {
    costs.zip(weights).map(|(cost, weight)| weight * cost).sum::<f64>() / weights.iter().sum::<f64>()
}

/// Returns the deviance of a row by the definition of its loss; with classes, from the scores of each.
fn deviance(loss: Loss, y: f64, labels: &[f64], scores: &[f64]) -> f64 {
    match loss {
        Loss::Squared => (y - scores[0]).powi(2),
        Loss::Logistic => 2.0 * (if y == labels[1] { -scores[0] } else { scores[0] }).exp().ln_1p(),
        Loss::Poisson => {
            let score = scores[0];
            2.0 * (if y > 0.0 { y * (y.ln() - score) } else { 0.0 } - (y - score.exp()))
        }
        Loss::Multinomial => {
            let own = labels.iter().position(|label| *label == y).unwrap();
            2.0 * (scores.iter().map(|score| score.exp()).sum::<f64>().ln() - scores[own])
        }
    }
}

#[test]
fn splits_that_are_no_complements_are_measured_row_by_row() {
    let (columns, y) = random_data(48, 6, 0.9, 43);
    // A time series, the rows of a group, a second round of the first rows; rows 45 to 47 are in no test set.
    let splits: Vec<(Vec<usize>, Vec<usize>)> = vec![
        ((0..20).collect(), (20..30).collect()),
        ((0..30).collect(), (30..45).collect()),
        ((10..48).filter(|row| row % 2 == 0).collect(), (0..10).chain([11, 13, 21]).collect()),
        ((12..40).collect(), (0..12).collect()),
    ];
    let weights: Vec<f64> = (0..48).map(|row| [1.0, 0.5, 2.0][row % 3]).collect();
    let all_offsets: Vec<f64> = (0..48).map(|row| (row % 5) as f64 / 10.0).collect();
    for loss in LOSSES {
        let y = response(loss, &y);
        let offset = if loss == Loss::Multinomial { vec![0.0; 48] } else { all_offsets.clone() };
        let lasso = Lasso::params().loss(loss).tolerance(1e-11);
        let cv = lasso.clone().cv().path(5, 15.0).rows(Some(weights.clone()), Some(offset.clone()));
        let cv = cv.splits(splits.iter().cloned().map(Split::from).collect());
        let found = cv.fit(dense(&columns), y.clone(), Preparation::default()).unwrap();
        let of = |values: &[f64], rows: &[usize]| rows.iter().map(|&row| values[row]).collect::<Vec<f64>>();
        let select =
            |rows: &[usize]| dense(&columns.iter().map(|column| of(column, rows)).collect::<Vec<_>>());
        let labels = Problem::new(dense(&columns), y.clone(), Preparation::default()).unwrap().labels();
        for (at, point) in found.curve.points.iter().enumerate() {
            let (mut errors, mut sizes) = (Vec::new(), Vec::new());
            for (train, test) in &splits {
                let problem = Problem::new(select(train), of(&y, train), Preparation::default()).unwrap();
                let problem = problem.weights(of(&weights, train)).unwrap();
                let problem = problem.offset(of(&offset, train)).unwrap();
                let fit = lasso.clone().lambda(point.lambda).fit(&problem).unwrap();
                let count = if loss == Loss::Multinomial { labels.len() } else { 1 };
                let scores: Vec<Vec<f64>> = (0..count)
                    .map(|class| {
                        let (intercept, coefficients) = fit.of_class(class);
                        predictions(&select(test), &coefficients, intercept)
                    })
                    .collect();
                let row = |(place, &row): (usize, &usize)| {
                    let scores: Vec<f64> = scores.iter().map(|scores| scores[place] + offset[row]).collect();
                    deviance(loss, y[row], &labels, &scores)
                };
                let weights = of(&weights, test);
                errors.push(mean(&weights, test.iter().enumerate().map(row)));
                sizes.push(weights.iter().sum::<f64>());
            }
            let expected = mean(&sizes, errors.iter().copied());
            let se = (mean(&sizes, errors.iter().map(|error| (error - expected).powi(2))) / 3.0).sqrt();
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-5 * b.abs().max(1e-6);
            let context = format!("{loss:?} point {at}: {} {expected}, {} {se}", point.mean, point.se);
            assert!(near(point.mean, expected) && (point.se - se).abs() < 1e-5, "{context}");
        }
        // The lambdas are those of all rows.
        let first = lasso.ratio(1.0).fit(&{
            let problem = Problem::new(dense(&columns), y.clone(), Preparation::default()).unwrap();
            problem.weights(weights.clone()).unwrap().offset(offset.clone()).unwrap()
        });
        assert!((found.curve.points[0].lambda / first.unwrap().lambda - 1.0).abs() < 1e-9, "{loss:?}");
    }
}

#[test]
fn a_single_split_has_a_mean_and_no_standard_error() {
    let (columns, y) = random_data(30, 5, 1.0, 44);
    let split = Split { train: (0..20).collect(), test: (20..30).collect() };
    let cv = |rule| Lasso::params().cv().path(6, 10.0).rule(rule).splits(vec![split.clone()]);
    let fit = |rule| cv(rule).fit(dense(&columns), y.clone(), Preparation::default()).unwrap();
    let (min, simple) = (fit(Rule::Min), fit(Rule::OneSe));
    assert!(min.curve.points.iter().all(|point| point.mean.is_finite() && point.se.is_nan()));
    assert_eq!(min.fit.lambda, simple.fit.lambda);
}

#[test]
fn splits_that_make_no_sense_are_refused_by_number_and_row() {
    let (columns, y) = random_data(20, 4, 1.0, 45);
    let good = || Split { train: (5..20).collect(), test: (0..5).collect() };
    let split = |train: &[usize], test: &[usize]| Split { train: train.to_vec(), test: test.to_vec() };
    let refused = |cv: CrossValidation, y: &[f64]| {
        cv.fit(dense(&columns), y.to_vec(), Preparation::default()).unwrap_err().to_string()
    };
    let squared = || Lasso::params().cv();
    for (bad, why) in [
        (split(&[0, 1, 2, 1], &[3]), "split 2 names row 1, counted from 0, twice on one side"),
        (split(&[0, 1], &[3, 4, 3]), "split 2 names row 3, counted from 0, twice on one side"),
        (split(&[0, 1, 7], &[3, 7]), "split 2 names row 7, counted from 0, both in training and in test"),
        (split(&[0, 20], &[3]), "split 2 names row 20, counted from 0, which the data does not have"),
        (split(&[0, 1], &[usize::MAX]), "counted from 0, which the data does not have"),
        (split(&[], &[3]), "split 2 has no training rows"),
        (split(&[3], &[]), "split 2 has no test rows"),
    ] {
        let error = refused(squared().splits(vec![good(), bad]), &y);
        assert!(error.contains(why), "{error}");
    }
    assert!(refused(squared().splits(Vec::new()), &y).contains("splits is 0"));
    let groups = squared().groups(vec![0; 20]).splits(vec![good()]);
    assert!(refused(groups, &y).contains("splits with groups is not offered"));
    let logistic = || Lasso::params().loss(Loss::Logistic).cv();
    let halves: Vec<f64> = (0..20).map(|row| f64::from(row >= 10)).collect();
    assert!(refused(logistic().stratify(false).splits(vec![good()]), &halves).contains("splits with strata"));
    let one_class = split(&[10, 11, 12, 13], &[0, 14]);
    let error = refused(logistic().splits(vec![good(), one_class.clone()]), &halves);
    assert!(
        error.contains("split 2 of 2: on its training rows, the response has 1 distinct value"),
        "{error}"
    );
    let error = refused(logistic().criterion(Criterion::Auc).splits(vec![good()]), &halves);
    assert!(error.contains("fold 1 of 1 holds out no row of the class 1"), "{error}");
    let multinomial = Lasso::params().loss(Loss::Multinomial).cv().splits(vec![good(), one_class]);
    let error = multinomial.fit(dense(&columns), halves, Preparation::default()).unwrap_err();
    assert!(matches!(error, LassoError::InSplit { split: 2, splits: 2, .. }), "{error}");
    let weights = (0..20).map(|row| f64::from(row >= 5)).collect();
    assert!(
        refused(squared().splits(vec![good()]).rows(Some(weights), None), &y).contains("all weights are 0")
    );
}
