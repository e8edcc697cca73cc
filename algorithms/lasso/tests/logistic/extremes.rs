//! Data of every kind and size: all printed numbers are true.

use proptest::prelude::*;
use raddle::Ending;
use raddle_lasso::{Lasso, Loss};

use super::{Given, PREPARATIONS, SCHEDULES};
use crate::common::{self, classes, dense, random_data, sparse};

/// Columns of several kinds, and a response of two values that both occur.
fn small() -> impl Strategy<Value = (Vec<Vec<f64>>, Vec<f64>)> {
    let shape = (2usize..10, prop::collection::vec(0u8..9, 1..12), any::<u64>());
    shape.prop_map(|(rows, kinds, seed)| {
        let mut next = common::random(seed);
        let mut columns: Vec<Vec<f64>> = Vec::new();
        for kind in kinds {
            let last = columns.last().cloned().unwrap_or_else(|| vec![1.0; rows]);
            let mut draw = |scale: f64| (0..rows).map(|_| scale * next()).collect::<Vec<f64>>();
            columns.push(match kind {
                0 => draw(2.0).into_iter().map(f64::round).collect(),
                1 => last,
                2 => last.into_iter().map(|value| -value).collect(),
                3 => vec![2.5; rows],
                4 => vec![0.0; rows],
                5 => draw(1e-7),
                6 => draw(1e7),
                _ => draw(2.0),
            });
        }
        let mut y: Vec<f64> = (0..rows).map(|_| f64::from(next() > 0.0)).collect();
        (y[0], y[rows - 1]) = (0.0, 1.0);
        (columns, y)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// The working set reports truthfully how far it came, and reaches its target unless rounding prevents
    /// it.
    #[test]
    fn the_working_set_certifies_small_problems(
        (x, y) in small(),
        preparation in prop::sample::select(&PREPARATIONS[..]),
        loss in prop::sample::select(&[Loss::Squared, Loss::Logistic][..]),
        l1_ratio in prop::sample::select(&[1.0, 0.5, 0.01][..]),
        ratio in prop::sample::select(&[1.0, 1.5, 10.0, 100.0][..]),
        stored in any::<bool>(),
        (shards, workers) in (1usize..5, 1usize..4),
    ) {
        let x = if stored { dense(&x) } else { sparse(&x) };
        let given = Given { x: &x, y: &y, preparation, loss, l1_ratio };
        let fit = given.fit(Lasso::params().ratio(ratio).shards(shards).workers(workers), 200);
        let oracle = given.oracle();
        oracle.check(&fit, "working set");
        if oracle.prepared.rounding(&[], fit.lambda * l1_ratio) < 1e-9 {
            prop_assert_eq!(fit.report.ending, Ending::Target, "gap {:e}", fit.report.metric.value);
        }
    }

    /// The rounds also report truthfully how far they came.
    #[test]
    fn rounds_certify_small_problems(
        (x, y) in small(),
        preparation in prop::sample::select(&PREPARATIONS[..]),
        loss in prop::sample::select(&[Loss::Squared, Loss::Logistic][..]),
        l1_ratio in prop::sample::select(&[1.0, 0.5][..]),
        ratio in prop::sample::select(&[1.0, 1.5, 10.0][..]),
        schedule in prop::sample::select(&SCHEDULES[1..]),
        stored in any::<bool>(),
        (parallelism, shards) in (1usize..9, 1usize..4),
    ) {
        let x = if stored { dense(&x) } else { sparse(&x) };
        let given = Given { x: &x, y: &y, preparation, loss, l1_ratio };
        let lasso = Lasso::params().ratio(ratio).schedule(schedule).parallelism(parallelism).shards(shards);
        let fit = given.fit(lasso, 100);
        given.oracle().check(&fit, "rounds");
        prop_assert!(matches!(fit.report.ending, Ending::Target | Ending::Limit(_)), "{:?}", fit.report.ending);
    }
}

/// Without a penalty the coefficients of separable classes grow without limit; a small lambda makes them
/// large.
#[test]
fn separable_classes_are_certified_or_said_not_to_be() {
    for (rows, columns) in [(30, 60), (40, 4)] {
        let (mut x, y) = random_data(rows, columns, 1.0, 14);
        let mean = y.iter().sum::<f64>() / rows as f64;
        x.push(y.iter().map(|value| value - mean).collect());
        let y: Vec<f64> = y.iter().map(|&value| f64::from(value > mean)).collect();
        for x in [dense(&x), sparse(&x)] {
            for preparation in PREPARATIONS {
                for ratio in [1e2, 1e4, 1e6, 1e9] {
                    let given = Given { x: &x, y: &y, preparation, loss: Loss::Logistic, l1_ratio: 1.0 };
                    let fit = given.fit(Lasso::params().ratio(ratio), 100);
                    let context = format!("{rows} x {columns}, {preparation:?}, ratio {ratio}");
                    given.oracle().check(&fit, &context);
                    if ratio < 1e5 {
                        assert_eq!(
                            fit.report.ending,
                            Ending::Target,
                            "{context}: {:e}",
                            fit.report.metric.value
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn columns_of_any_size_are_fitted() {
    let (x, y) = random_data(50, 30, 1.0, 17);
    let y = classes(&y, 0.0, 1.0);
    for scale in [1e-9, 1e-4, 1e5, 1e9] {
        let x: Vec<Vec<f64>> =
            x.iter().map(|column| column.iter().map(|value| value * scale).collect()).collect();
        for x in [dense(&x), sparse(&x)] {
            for preparation in PREPARATIONS {
                let given = Given { x: &x, y: &y, preparation, loss: Loss::Logistic, l1_ratio: 1.0 };
                let fit = given.fit(Lasso::params().ratio(20.0), 200);
                let context = format!("{scale:e}, {preparation:?}");
                given.oracle().check(&fit, &context);
                assert_eq!(fit.report.ending, Ending::Target, "{context}: {:e}", fit.report.metric.value);
            }
        }
    }
}
