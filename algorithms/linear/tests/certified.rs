//! The gap of what is exported is at most the tolerance, recomputed from `coef.tsv` and `dual.npy`.

use std::fs;

use raddle_datasets::registry;
use raddle_linear::{Linear, Loss};

use crate::common::{Data, LOSSES};

/// Returns the gaps of a model's files, one per scorer; dual values are little-endian numbers after npy's
/// header.
fn gaps_of_files(data: &Data, loss: Loss, c: f64, bias: f64) -> Vec<f64> {
    let parent = tempfile::tempdir().unwrap();
    let run = parent.path().join("run");
    let fit = Linear::params().loss(loss).c(c).tolerance(1e-6).fit(&data.problem(bias)).unwrap();
    assert!(fit.report.metric.is_reached(), "{} C {c}: {:?}", loss.name(), fit.report.metric);
    fit.save(&run).unwrap();
    let binaries = data.binaries();
    let (rows, has_classes) = (data.y.len(), binaries.len() > 1);
    let mut w = vec![vec![0.0; data.x.cols()]; binaries.len()];
    for line in fs::read_to_string(run.join("coef.tsv")).unwrap().lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let (class, cells) = if has_classes { (cells[0], &cells[1..]) } else { ("1", &cells[..]) };
        let place = |cell: &str| cell.parse::<usize>().unwrap() - 1;
        w[place(class)][place(cells[0])] = cells[2].parse().unwrap();
    }
    let bytes = fs::read(run.join("dual.npy")).unwrap();
    let values = &bytes[bytes.len() - 8 * rows * binaries.len()..];
    let a: Vec<f64> = values.chunks(8).map(|of| f64::from_le_bytes(of.try_into().unwrap())).collect();
    let about = raddle_common::testing::json(&run.join("model.json"));
    let costs = vec![c; rows];
    let gap = |(scorer, data): (usize, &Data)| {
        let intercept = about["intercepts"][scorer].as_f64().unwrap();
        let primal = data.primal(loss, &costs, (&w[scorer], intercept, bias));
        let own = &a[scorer * rows..(scorer + 1) * rows];
        let gap = (primal - data.dual(loss, &costs, (own, bias, w[scorer].len()))) / primal;
        // In columns of thousands with equally small weights, margins are sums of terms that cancel.
        assert!((about["gaps"][scorer].as_f64().unwrap() - gap).abs() < 1e-7, "scorer {scorer}: {gap}");
        gap
    };
    binaries.iter().enumerate().map(gap).collect()
}

fn certified(data: &Data, losses: &[Loss], costs: &[f64]) {
    let mut compared = 0;
    for &loss in losses {
        for &c in costs {
            for bias in [0.0, 1.0] {
                for gap in gaps_of_files(data, loss, c, bias) {
                    let what = format!("{} C {c} bias {bias}: {gap}", loss.name());
                    assert!((-1e-12..=1.000_001e-6).contains(&gap), "{what}");
                    compared += 1;
                }
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

#[test]
fn each_of_several_classes_is_certified() {
    let data = Data::classes(3, (60, 6), 4);
    assert_eq!(gaps_of_files(&data, Loss::Hinge, 1.0, 1.0).len(), 3);
    certified(&data, &LOSSES, &[0.01, 1.0, 100.0]);
    certified(&Data::classes(7, (50, 9), 5), &LOSSES, &[1.0]);
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
        let one = &fit.scorers[0];
        let w = crate::common::all(&one.coefficients, 5);
        let primal = data.primal(loss, &weights, (&w, one.intercept, 1.0));
        let dual = data.dual(loss, &weights, (&one.dual, 1.0, 5));
        assert!((primal - dual) / primal < 1.1e-9);
        // 20 rows of the larger class and 40 of the other, each 30 in sum.
        let fit = linear.balanced(true).fit(&data.problem(1.0)).unwrap();
        assert_eq!((fit.costs[0], fit.costs[1]), (1.5, 0.75));
        // lambda is of the mean loss.
        let of = |linear: Linear| linear.loss(loss).fit(&data.problem(1.0)).unwrap().digest();
        assert_eq!(of(Linear::params().lambda(1.0 / 240.0)), of(Linear::params().c(4.0)));
    }
}
