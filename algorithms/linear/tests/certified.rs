//! The gap of what is exported is at most the tolerance, recomputed from `coef.tsv` and `dual.npy`.

use std::fs;

use raddle_datasets::registry;
use raddle_linear::{Bias, Fit, Linear, Loss};

use crate::common::{Data, LOSSES};

const ALL: [Loss; 4] = [Loss::Hinge, Loss::SquaredHinge, Loss::Logistic, Loss::Multinomial];

/// The content of a model's files.
struct Exported {
    /// Coefficients, and dual values, for each scorer.
    w: Vec<Vec<f64>>,
    a: Vec<Vec<f64>>,
    intercepts: Vec<f64>,
    gaps: Vec<f64>,
}

/// Reads the files of a fit; dual values are little-endian numbers after npy's header.
fn exported(fit: &Fit, columns: usize) -> Exported {
    let parent = tempfile::tempdir().unwrap();
    let run = parent.path().join("run");
    fit.save(&run).unwrap();
    let (rows, scorers) = (fit.costs.len(), fit.scorers.len());
    let mut w = vec![vec![0.0; columns]; scorers];
    for line in fs::read_to_string(run.join("coef.tsv")).unwrap().lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let (class, cells) = if scorers > 1 { (cells[0], &cells[1..]) } else { ("1", &cells[..]) };
        let class =
            if scorers > 1 { fit.classes.iter().position(|of| of.to_string() == class) } else { Some(0) };
        w[class.unwrap()][cells[0].parse::<usize>().unwrap() - 1] = cells[2].parse().unwrap();
    }
    let bytes = fs::read(run.join("dual.npy")).unwrap();
    let values = &bytes[bytes.len() - 8 * rows * scorers..];
    let a: Vec<f64> = values.chunks(8).map(|of| f64::from_le_bytes(of.try_into().unwrap())).collect();
    let about = raddle_common::testing::json(&run.join("model.json"));
    let numbers =
        |name: &str| about[name].as_array().unwrap().iter().map(|of| of.as_f64().unwrap()).collect();
    Exported {
        w,
        a: a.chunks(rows).map(<[f64]>::to_vec).collect(),
        intercepts: numbers("intercepts"),
        gaps: numbers("gaps"),
    }
}

/// Returns the gaps of a model's files, one per scorer; one for all classes together.
fn gaps_of_files(data: &Data, loss: Loss, c: f64, bias: Bias) -> Vec<f64> {
    let fit = Linear::params().loss(loss).c(c).tolerance(1e-6).fit(&data.problem(bias)).unwrap();
    assert!(fit.report.metric.is_reached(), "{} C {c}: {:?}", loss.name(), fit.report.metric);
    let Exported { w, a, intercepts, gaps } = exported(&fit, data.x.cols());
    let (binaries, costs) = (data.binaries(), vec![c; data.y.len()]);
    let certificates: Vec<(f64, f64)> = match fit.loss {
        Loss::Multinomial => vec![data.together(&costs, (&w, &intercepts), (&a, bias))],
        _ => (0..w.len())
            .map(|scorer| {
                let (data, w) = (&binaries[scorer], &w[scorer]);
                let primal = data.primal(loss, &costs, (w, intercepts[scorer], bias));
                (primal, data.dual(loss, &costs, (&a[scorer], bias, w.len())))
            })
            .collect(),
    };
    let of = |(scorer, (primal, dual)): (usize, (f64, f64))| {
        let gap = (primal - dual) / primal;
        // In columns of thousands with equally small weights, margins are sums of terms that cancel.
        assert!((gaps[scorer] - gap).abs() < 1e-7, "scorer {scorer}: {gap}");
        gap
    };
    certificates.into_iter().enumerate().map(of).collect()
}

fn certified(data: &Data, losses: &[Loss], costs: &[f64]) {
    let mut compared = 0;
    for &loss in losses {
        for &c in costs {
            for bias in [0.0.into(), 1.0.into(), Bias::Free] {
                if loss == Loss::Hinge && bias == Bias::Free {
                    continue; // it is refused
                }
                for gap in gaps_of_files(data, loss, c, bias) {
                    let what = format!("{} C {c} bias {bias:?}: {gap}", loss.name());
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
    assert_eq!(gaps_of_files(&data, Loss::Hinge, 1.0, 1.0.into()).len(), 3);
    assert_eq!(gaps_of_files(&data, Loss::Multinomial, 1.0, Bias::Free).len(), 1);
    certified(&data, &ALL, &[0.01, 1.0, 100.0]);
    certified(&Data::classes(7, (50, 9), 5), &ALL, &[1.0]);
    // Few rows with many columns: what eases steps is a diagonal.
    certified(&Data::classes(3, (30, 200), 6), &ALL, &[0.01, 1.0, 100.0]);
}

/// More columns than rows, unscaled; many rows, some empty.
#[test]
fn public_sets_are_certified() {
    let Some(colon) = registry::real("colon") else { return };
    certified(&Data::table(colon), &LOSSES, &[0.01, 1.0, 100.0]);
    certified(&Data::table(registry::real("w8a").unwrap()), &LOSSES, &[0.01, 1.0]);
}

/// Weights of rows and classes, and rows that do not count.
#[test]
fn weights_are_those_of_all_classes_together() {
    let data = Data::classes(4, (70, 6), 9);
    let weights: Vec<f64> = (0..70).map(|row| f64::from(row % 3)).collect();
    let factors = [1.0, 3.0, 0.5, 2.0];
    for bias in [Bias::Penalized(2.0), Bias::Free] {
        let linear = Linear::params().loss(Loss::Multinomial).c(0.5).tolerance(1e-9);
        let problem = data.problem(bias).weights(weights.clone()).unwrap();
        let fit = linear.class_weights(factors.to_vec()).fit(&problem).unwrap();
        let costs: Vec<f64> =
            (0..70).map(|row| 0.5 * weights[row] * factors[data.y[row] as usize - 1]).collect();
        assert_eq!(fit.costs, costs);
        let Exported { w, a, intercepts, .. } = exported(&fit, 6);
        let kept: Vec<usize> = (0..70).filter(|row| costs[*row] > 0.0).collect();
        let of = Data::of(data.x.select_rows(&kept), kept.iter().map(|row| data.y[*row]).collect());
        let a: Vec<Vec<f64>> = a.iter().map(|a| kept.iter().map(|row| a[*row]).collect()).collect();
        let costs: Vec<f64> = kept.iter().map(|row| costs[*row]).collect();
        let (primal, dual) = of.together(&costs, (&w, &intercepts), (&a, bias));
        assert!((primal - dual) / primal < 1.1e-9, "{bias:?}: {primal} {dual}");
    }
}

/// One score for two classes: softmax of w and -w would have half the penalty.
#[test]
fn two_classes_together_are_the_logistic_loss() {
    let problem = Data::clouds(60, 5, 3).problem(Bias::Free);
    let of = |loss| Linear::params().loss(loss).fit(&problem).unwrap();
    assert_eq!(of(Loss::Multinomial).digest(), of(Loss::Logistic).digest());
    assert_eq!(of(Loss::Multinomial).scorers.len(), 1);
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
        let primal = data.primal(loss, &weights, (&w, one.intercept, 1.0.into()));
        let dual = data.dual(loss, &weights, (&one.dual, 1.0.into(), 5));
        assert!((primal - dual) / primal < 1.1e-9);
        // 20 rows of the larger class and 40 of the other, each 30 in sum.
        let fit = linear.balanced(true).fit(&data.problem(1.0)).unwrap();
        assert_eq!((fit.costs[0], fit.costs[1]), (1.5, 0.75));
        // lambda is of the mean loss.
        let of = |linear: Linear| linear.loss(loss).fit(&data.problem(1.0)).unwrap().digest();
        assert_eq!(of(Linear::params().lambda(1.0 / 240.0)), of(Linear::params().c(4.0)));
    }
}
