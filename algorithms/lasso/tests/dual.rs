//! The dual point of a fit proves its gap: it is feasible, and its value is the reported one.

use raddle_common::testing::pairs;
use raddle_lasso::{Choice, Fit, Lasso, Loss, Preparation, Problem};

use crate::common::general::General;
use crate::common::{self, classes, dense, random_data, same_gap, sparse};

/// Gaps below this are rounding.
const ROUNDING: f64 = 1e-11;

/// The fit's dual point gives the gap of its report.
fn proves(general: &General, fit: &Fit, context: &str) {
    let (primal, dual, missed) = general.at_dual(fit, &fit.dual);
    let (said, found) = (fit.report.metric.value, (primal - dual) / primal);
    assert!(missed < 1e-9, "{context}: not feasible by {missed:e}");
    let same = match fit.l1_ratio < 1.0 {
        // At the same point of the rows, the oracle optimises the ridge's part of the dual.
        true => found <= 1.1 * said && found >= -ROUNDING,
        false => same_gap(said, found),
    };
    assert!(same || said.max(found.abs()) < ROUNDING, "{context}: said {said:e}, found {found:e}");
}

#[test]
fn it_is_feasible_and_gives_the_gap_for_every_loss_penalty_and_preparation() {
    let (columns, y) = random_data(60, 40, 0.4, 3);
    let usual = |intercept, standardize| Preparation::Standard { intercept, standardize };
    let mut gaps = Vec::new();
    for x in [dense(&columns), sparse(&columns)] {
        for loss in [Loss::Squared, Loss::Logistic, Loss::Poisson] {
            let y: Vec<f64> = match loss {
                Loss::Multinomial => continue,
                Loss::Squared => y.clone(),
                Loss::Logistic => classes(&y, 3.0, 5.0),
                Loss::Poisson => y.iter().map(|y| (y.abs() / 2.0).floor()).collect(),
            };
            for preparation in
                [usual(true, true), usual(true, false), usual(false, true), Preparation::SparseRaw]
            {
                let problem = Problem::new(x.clone(), y.clone(), preparation).unwrap();
                for l1_ratio in [1.0, 0.6] {
                    let general = General::new(&x, &y, preparation, loss, l1_ratio);
                    // Loose and tight, certified and cut short; one fit starts from the coefficients of
                    // another lambda.
                    for (tolerance, ratio, limit) in
                        [(0.3, 5.0, 99), (1e-3, 20.0, 99), (1e-8, 5.0, 99), (1e-9, 50.0, 1)]
                    {
                        let lasso =
                            Lasso::params().loss(loss).l1_ratio(l1_ratio).tolerance(tolerance).ratio(ratio);
                        let fit = lasso.fit_with(&problem, |engine| engine.epochs(limit)).unwrap();
                        let context = format!(
                            "{loss:?} {preparation:?} l1 {l1_ratio} tol {tolerance} sparse {}",
                            x.is_sparse()
                        );
                        proves(&general, &fit, &context);
                        gaps.push(fit.report.metric.value);
                        let rounds =
                            Lasso::params().loss(loss).l1_ratio(l1_ratio).tolerance(tolerance).ratio(ratio);
                        let rounds = rounds.schedule(Choice::Cyclic).init(fit.coefficients);
                        let fit = rounds.fit_with(&problem, |engine| engine.epochs(3)).unwrap();
                        proves(&general, &fit, &format!("{context}, rounds"));
                    }
                }
            }
        }
    }
    let apart = gaps.iter().filter(|gap| **gap > 1e-9).count();
    assert!(apart > gaps.len() / 3, "{apart} of {} gaps can be told from rounding", gaps.len());
}

#[test]
fn each_point_of_a_path_is_proven_by_its_scale() {
    let (columns, y) = random_data(50, 30, 0.5, 9);
    let x = dense(&columns);
    let problem = Problem::new(x.clone(), y.clone(), Preparation::default()).unwrap();
    let general = General::new(&x, &y, Preparation::default(), Loss::Squared, 1.0);
    let path = Lasso::params().tolerance(1e-4).path(12, 100.0).fit(&problem).unwrap();
    for point in &path.points {
        let scores = common::predictions(&x, &point.coefficients, point.intercept);
        let dual = y.iter().zip(scores).map(|(y, score)| point.dual_scale * (y - score)).collect();
        let mut fit = path.clone();
        (fit.coefficients, fit.intercept, fit.lambda) =
            (point.coefficients.clone(), point.intercept, point.lambda);
        (fit.report.metric.value, fit.dual) = (point.gap, dual);
        proves(&general, &fit, &format!("lambda {}", point.lambda));
    }
    assert_eq!(path.points.len(), 12);
    let last = path.points.last().unwrap();
    assert_eq!(last.lambda, path.lambda);
    let scores = common::predictions(&x, &last.coefficients, last.intercept);
    let largest = path.dual.iter().map(|value| value.abs()).fold(0.0, f64::max);
    for ((y, score), dual) in pairs(pairs(&y, scores), &path.dual) {
        assert!(
            (last.dual_scale * (y - score) - dual).abs() <= 1e-9 * largest,
            "the path's own is its last point's"
        );
    }
}
