//! The gap is that of the exported coefficients and the exported dual point, by their definition.

use raddle_lasso::{Lasso, Loss, Preparation, Problem};

use raddle_common::testing::pairs;

use super::oracle::{Naive, Terms};
use super::{data, exported, whole_weights};
use crate::common::{dense, sparse};

#[test]
fn the_gap_is_that_of_the_exported_dual_point() {
    for (classes, columns) in [(2, 30), (3, 90), (6, 40)] {
        let (x, y) = data(classes, 60, columns, 81);
        for make in [dense, sparse] {
            for (l1_ratio, weighted, intercept, tolerance) in [
                (1.0, false, true, 1e-2),
                (1.0, true, true, 1e-5),
                (1.0, false, false, 1e-8),
                (0.6, true, true, 1e-4),
                (0.6, false, false, 1e-7),
            ] {
                let preparation = Preparation::Standard { intercept, standardize: true };
                let mut problem = Problem::new(make(&x), y.clone(), preparation).unwrap();
                if weighted {
                    problem = problem.weights(whole_weights(60)).unwrap();
                }
                let factors: Vec<f64> = (0..columns).map(|j| [1.0, 0.5, 2.0][j % 3]).collect();
                let lasso = Lasso::params().loss(Loss::Multinomial).l1_ratio(l1_ratio).ratio(15.0);
                let fit = lasso.factors(factors.clone()).tolerance(tolerance).fit(&problem).unwrap();
                let mut terms =
                    Terms { l1_ratio, intercept, factors, ..Terms::plain(classes, fit.lambda, 60, columns) };
                if weighted {
                    terms.weights = whole_weights(60);
                }
                let naive = Naive::new(&x, &y, terms);
                let primal = naive.primal(&exported(&fit, columns));
                let (dual, missed) = naive.dual(&fit.dual);
                let context = format!("{classes} {columns} {l1_ratio} {weighted} {intercept} {tolerance}");
                assert_eq!(fit.dual.len(), 60 * classes, "{context}");
                assert!((fit.report.objective.unwrap() - primal).abs() <= 1e-11 * primal, "{context}");
                assert!(missed <= 1e-9, "{context}: {missed:e}");
                let (gap, said) = ((primal - dual) / primal, fit.report.metric.value);
                // The dual of an elastic net at the same point may be slightly better than the reported one.
                assert!(gap <= said * 1.1 + 1e-12 && gap > -1e-12, "{context}: {gap:e} {said:e}");
                if l1_ratio == 1.0 {
                    assert!((gap - said).abs() <= 0.1 * said + 1e-12, "{context}: {gap:e} {said:e}");
                }
                assert!(said <= tolerance && fit.report.metric.is_reached(), "{context}");
            }
        }
    }
}

/// At lambda_max no column is chosen, just below it one is, and intercepts are the logarithms of the classes'
/// shares.
#[test]
fn lambda_max_is_where_the_first_coefficient_appears() {
    let (x, y) = data(3, 50, 20, 91);
    let problem = Problem::new(dense(&x), y.clone(), Preparation::default()).unwrap();
    let fit =
        |ratio| Lasso::params().loss(Loss::Multinomial).ratio(ratio).tolerance(1e-10).fit(&problem).unwrap();
    let first = fit(1.0);
    assert!(first.coefficients.is_empty());
    assert!(!fit(1.01).coefficients.is_empty());
    let share = |class: f64| (y.iter().filter(|y| **y == class).count() as f64 / 50.0).ln();
    let shares: Vec<f64> = first.labels.iter().map(|&label| share(label)).collect();
    for (found, expected) in pairs(&first.intercepts, &shares) {
        assert!((found - expected + shares.iter().sum::<f64>() / 3.0).abs() < 1e-9, "{found} {expected}");
    }
}
