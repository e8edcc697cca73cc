//! The gap of what is exported is at most the tolerance, recomputed from `coef.tsv` and `dual.npy`.

use std::fs;

use raddle_datasets::registry;
use raddle_linear::{Linear, Loss};

use crate::common::{Data, LOSSES};

/// The gap of a model's files; dual values are little-endian numbers behind npy's header.
fn gap_of_files(data: &Data, loss: Loss, c: f64, bias: f64) -> f64 {
    let parent = tempfile::tempdir().unwrap();
    let run = parent.path().join("run");
    let fit = Linear::params().loss(loss).c(c).tolerance(1e-6).fit(&data.problem(bias)).unwrap();
    assert!(fit.report.metric.is_reached(), "{} C {c}: {:?}", loss.name(), fit.report.metric);
    fit.save(&run).unwrap();
    let mut w = vec![0.0; data.x.cols()];
    for line in fs::read_to_string(run.join("coef.tsv")).unwrap().lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        w[cells[0].parse::<usize>().unwrap() - 1] = cells[2].parse().unwrap();
    }
    let bytes = fs::read(run.join("dual.npy")).unwrap();
    let values = &bytes[bytes.len() - 8 * data.y.len()..];
    let a: Vec<f64> = values.chunks(8).map(|of| f64::from_le_bytes(of.try_into().unwrap())).collect();
    let about = raddle_common::testing::json(&run.join("model.json"));
    let costs = vec![c; data.y.len()];
    let primal = data.primal(loss, &costs, (&w, about["intercept"].as_f64().unwrap(), bias));
    let dual = data.dual(loss, &costs, (&a, bias, w.len()));
    (primal - dual) / primal
}

fn certified(data: &Data, losses: &[Loss], costs: &[f64]) {
    let mut compared = 0;
    for &loss in losses {
        for &c in costs {
            for bias in [0.0, 1.0] {
                let gap = gap_of_files(data, loss, c, bias);
                assert!((-1e-12..=1.000_001e-6).contains(&gap), "{} C {c} bias {bias}: {gap}", loss.name());
                compared += 1;
            }
        }
    }
    assert!(compared > 0);
}

#[test]
fn patients_are_certified() {
    certified(&Data::diabetes(), &LOSSES, &[0.01, 1.0, 100.0]);
}

#[test]
fn clouds_with_empty_and_double_rows_are_certified() {
    certified(&Data::clouds(90, 7, 1), &LOSSES, &[0.01, 1.0, 100.0]);
    certified(&Data::clouds(20, 60, 2), &LOSSES, &[0.01, 1.0, 100.0]);
}

/// More columns than rows, unscaled; many rows, some empty.
#[test]
fn public_sets_are_certified() {
    let Some(colon) = registry::real("colon") else { return };
    certified(&Data::table(colon), &LOSSES, &[0.01, 1.0, 100.0]);
    certified(&Data::table(registry::real("w8a").unwrap()), &LOSSES, &[0.01, 1.0]);
}

#[test]
fn weights_count_rows_and_balance_counts_classes() {
    let data = Data::clouds(60, 5, 3);
    let weights: Vec<f64> = (0..60).map(|row| f64::from(row % 4)).collect();
    let problem = data.problem(1.0).weights(weights.clone()).unwrap();
    for loss in LOSSES {
        let linear = Linear::params().loss(loss).tolerance(1e-9);
        let fit = linear.clone().fit(&problem).unwrap();
        assert_eq!(fit.costs, weights);
        let w = crate::common::all(&fit.coefficients, 5);
        let primal = data.primal(loss, &weights, (&w, fit.intercept, 1.0));
        let dual = data.dual(loss, &weights, (&fit.dual, 1.0, 5));
        assert!((primal - dual) / primal < 1.1e-9);
        // 20 rows of the larger class and 40 of the other, each 30 in sum.
        let fit = linear.balanced(true).fit(&data.problem(1.0)).unwrap();
        assert_eq!((fit.costs[0], fit.costs[1]), (1.5, 0.75));
        // lambda is of the mean loss.
        let of = |linear: Linear| linear.loss(loss).fit(&data.problem(1.0)).unwrap().digest();
        assert_eq!(of(Linear::params().lambda(1.0 / 240.0)), of(Linear::params().c(4.0)));
    }
}
