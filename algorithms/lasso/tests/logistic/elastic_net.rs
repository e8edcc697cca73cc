//! The elastic net, for both losses.

use raddle::Ending;
use raddle_lasso::{Lasso, LassoError, Loss, Problem};

use super::{Given, PREPARATIONS, SCHEDULES};
use crate::common::{classes, dense, random_data, sparse};

#[test]
fn every_schedule_finds_the_optimum_it_certifies() {
    for (rows, columns, fill) in [(30, 60, 1.0), (70, 25, 0.3)] {
        let (x, y) = random_data(rows, columns, fill, rows as u64);
        for x in [dense(&x), sparse(&x)] {
            for (loss, y) in [(Loss::Squared, y.clone()), (Loss::Logistic, classes(&y, 0.0, 1.0))] {
                for preparation in PREPARATIONS {
                    for (schedule, l1_ratio) in SCHEDULES.into_iter().zip([0.5, 0.9, 0.2, 0.7]) {
                        let context = format!("{rows} x {columns}, {loss:?}, {preparation:?}, {schedule:?}");
                        let given = Given { x: &x, y: &y, preparation, loss, l1_ratio };
                        let lasso = Lasso::params().ratio(10.0).schedule(schedule).parallelism(4).shards(3);
                        given.certified(lasso, &context);
                    }
                }
            }
        }
    }
}

#[test]
fn more_columns_than_rows_may_have_coefficients() {
    let (x, y) = random_data(20, 90, 1.0, 4);
    for (loss, y) in [(Loss::Squared, y.clone()), (Loss::Logistic, classes(&y, 0.0, 1.0))] {
        let x = dense(&x);
        let given = Given { x: &x, y: &y, preparation: PREPARATIONS[0], loss, l1_ratio: 0.02 };
        let fit = given.fit(Lasso::params().ratio(20.0), 1000);
        given.oracle().check(&fit, "dense model");
        assert_eq!(fit.report.ending, Ending::Target, "{loss:?}: {:e}", fit.report.metric.value);
        assert!(fit.coefficients.len() > 40, "{loss:?}: {}", fit.coefficients.len());
    }
}

#[test]
fn every_point_of_a_path_is_certified() {
    let (x, y) = random_data(60, 90, 0.4, 22);
    for (loss, y) in [(Loss::Squared, y.clone()), (Loss::Logistic, classes(&y, 0.0, 1.0))] {
        for x in [dense(&x), sparse(&x)] {
            let given = Given { x: &x, y: &y, preparation: PREPARATIONS[0], loss, l1_ratio: 0.5 };
            given.check_path();
        }
    }
}

#[test]
fn duplicate_columns_share_their_coefficient() {
    let (mut x, y) = random_data(40, 12, 1.0, 8);
    x.insert(1, x[0].clone());
    let given =
        Given { x: &dense(&x), y: &y, preparation: PREPARATIONS[0], loss: Loss::Squared, l1_ratio: 0.5 };
    let fit = given.fit(Lasso::params().ratio(50.0).tolerance(1e-10), 1000);
    let of = |column| fit.coefficients.iter().find(|(j, _)| *j == column).map(|(_, value)| *value);
    let (a, b) = (of(0).unwrap(), of(1).unwrap());
    assert!((a - b).abs() <= 1e-4 * a.abs(), "{a} {b}");
}

#[test]
fn a_share_outside_its_range_is_refused() {
    let (x, y) = random_data(12, 5, 1.0, 6);
    let problem = Problem::new(dense(&x), y, PREPARATIONS[0]).unwrap();
    for l1_ratio in [0.0, -0.5, 1.5, f64::NAN] {
        let error = Lasso::params().l1_ratio(l1_ratio).fit(&problem).unwrap_err();
        assert!(matches!(error, LassoError::Parameter { name: "l1-ratio", .. }), "{error}");
    }
}
