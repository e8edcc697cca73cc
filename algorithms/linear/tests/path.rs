//! A path of C: each point is certified, however the path is carried out.

use raddle::replay;
use raddle_linear::{Bias, Fit, Linear, Loss, Path};

use crate::common::{Data, all};
use crate::leaving;
use crate::stopping::{check, epochs};

const COSTS: [f64; 4] = [0.01, 0.3, 1.0, 100.0];

/// Every loss, with each intercept that it has.
fn kinds() -> impl Iterator<Item = (Loss, Bias)> {
    let of = |(_, loss)| [Bias::Penalized(1.0), Bias::Free].map(|bias| (loss, bias));
    Loss::NAMES.into_iter().flat_map(of).filter(|kind| *kind != (Loss::Hinge, Bias::Free))
}

fn path(loss: Loss, tolerance: f64) -> Path {
    Linear::params().loss(loss).tolerance(tolerance).path(COSTS.to_vec())
}

/// Returns the largest gap of a fit by definitions.
fn gap(data: &Data, fit: &Fit) -> f64 {
    let columns = data.x.cols();
    let w: Vec<Vec<f64>> = fit.scorers.iter().map(|of| all(&of.coefficients, columns)).collect();
    let a: Vec<Vec<f64>> = fit.scorers.iter().map(|of| of.dual.clone()).collect();
    let intercepts: Vec<f64> = fit.scorers.iter().map(|of| of.intercept).collect();
    if fit.loss == Loss::Multinomial {
        let (primal, dual) = data.together(&fit.costs, (&w, &intercepts), (&a, fit.bias));
        return (primal - dual) / primal;
    }
    let of = |(at, data): (usize, &Data)| {
        let primal = data.primal(fit.loss, &fit.costs, (&w[at], intercepts[at], fit.bias));
        let dual = data.dual(fit.loss, &fit.costs, (&a[at], fit.bias, columns));
        (primal - dual) / primal
    };
    data.binaries().iter().enumerate().map(of).fold(0.0, f64::max)
}

#[test]
fn each_point_is_certified_at_its_own_c() {
    for data in [Data::clouds(60, 5, 3), Data::classes(3, (60, 6), 4), Data::clouds(20, 60, 2)] {
        for (loss, bias) in kinds() {
            let problem = data.problem(bias);
            let path = path(loss, 1e-7).fit(&problem).unwrap();
            assert_eq!(path.fits.iter().map(|fit| fit.c).collect::<Vec<_>>(), COSTS);
            for fit in &path.fits {
                let (gap, c) = (gap(&data, fit), fit.c);
                let what = format!("{} {bias:?} C {c}: {gap} {}", loss.name(), fit.gap());
                assert!((-1e-12..=1.001e-7).contains(&gap) && (gap - fit.gap()).abs() < 1e-9, "{what}");
                let alone = Linear::params().loss(loss).c(c).tolerance(1e-7).fit(&problem).unwrap();
                let apart = (fit.objective() - alone.objective()).abs();
                assert!(apart <= 1.1e-7 * alone.objective(), "{what}");
            }
            assert!(path.report.metric.is_reached() && path.missed().count() == 0);
        }
    }
}

#[test]
fn classes_are_weighted_along_the_path() {
    let data = Data::classes(3, (60, 6), 4);
    for (loss, bias) in kinds() {
        let linear = Linear::params().loss(loss).tolerance(1e-6).class_weights(vec![3.0, 1.0, 0.5]);
        for fit in linear.path(vec![10.0, 0.1]).fit(&data.problem(bias)).unwrap().fits {
            assert_eq!(fit.costs[..3], [3.0 * fit.c, fit.c, 0.5 * fit.c]);
            let gap = gap(&data, &fit);
            assert!((-1e-12..=1.001e-6).contains(&gap), "{} {bias:?} C {}: {gap}", loss.name(), fit.c);
        }
    }
}

#[test]
fn paths_replay_to_the_bit_and_go_on_from_wherever_they_were_stopped() {
    let (two, five) = (Data::clouds(60, 6, 7), Data::classes(5, (40, 6), 8));
    let (mut stops, mut left) = (0, 0);
    for (loss, bias) in kinds() {
        for data in [&two, &five] {
            let (problem, path) = (data.problem(bias), path(loss, 1e-9));
            let make = || path.engine(&problem).unwrap().epochs(epochs());
            let what = format!("{} {bias:?}", loss.name());
            replay::check(make).unwrap();
            stops += check(&what, &make);
            left += leaving::check(&what, left, &make);
            let digest =
                |workers| path.fit_with(&problem, |engine| engine.workers(workers)).unwrap().digest();
            let one = digest(1);
            assert_eq!([2, 3, 4, 7].map(digest), [&one, &one, &one, &one].map(String::clone), "{what}");
        }
    }
    println!("{stops} stops, the first process left {left} times");
}

#[test]
fn a_path_of_one_c_is_its_fit() {
    let problem = Data::classes(3, (60, 6), 4).problem(1.0);
    let fit = Linear::params().c(3.0).fit(&problem).unwrap();
    assert_eq!(Linear::params().path(vec![3.0]).fit(&problem).unwrap().digest(), fit.digest());
}

/// A start that is good enough at the first C does not end the path there.
#[test]
fn a_path_may_start_from_a_solution() {
    let problem = Data::clouds(60, 5, 3).problem(1.0);
    let first = Linear::params().loss(Loss::Hinge).c(0.01).tolerance(1e-9).fit(&problem).unwrap();
    let linear = Linear::params().loss(Loss::Hinge).tolerance(1e-6);
    let from = linear.start_from_dual(first.scorers.iter().map(|of| of.dual.clone()).collect());
    assert_eq!(from.path(COSTS.to_vec()).fit(&problem).unwrap().fits.len(), COSTS.len());
}

#[test]
fn a_point_that_comes_no_closer_keeps_its_gap_and_the_path_goes_on() {
    let problem = Data::diabetes().problem(1.0);
    let path = Linear::params().loss(Loss::Hinge).tolerance(1e-17).path(vec![0.01, 1.0, 100.0]);
    let path = path.fit(&problem).unwrap();
    assert_eq!(path.fits.len(), 3);
    assert!(path.report.metric.is_missed() && path.missed().any(|fit| fit.c == 100.0));
    assert!(path.gap() < 1e-6, "{}", path.gap());
}

#[test]
fn values_of_c_that_cannot_be_are_refused() {
    let problem = Data::clouds(12, 2, 1).problem(1.0);
    let said = |costs: &[f64]| Linear::params().path(costs.to_vec()).fit(&problem).unwrap_err().to_string();
    assert_eq!(said(&[]), "Cs: there is none: give at least one");
    for (c, shown) in [(0.0, "0"), (-1.0, "-1"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
        assert_eq!(said(&[1.0, c]), format!("Cs: it is {shown}: it must be a number from 1e-100 to 1e100"));
    }
}

/// Each fit of a cross-validation has the limit for itself, too.
#[test]
fn a_limit_of_epochs_is_of_each_point() {
    let (data, linear) = (Data::diabetes(), Linear::params().loss(Loss::Hinge).tolerance(1e-17));
    let path = linear.clone().path(COSTS.to_vec()).epochs(1).fit(&data.problem(1.0)).unwrap();
    assert_eq!((path.fits.len(), path.report.epochs), (COSTS.len(), COSTS.len() as u64));
    assert!(path.missed().count() > 0);
    let chosen = linear.cv().costs(COSTS.to_vec()).epochs(1).fit(data.x, data.y).unwrap();
    assert_eq!((chosen.curve.points.len(), chosen.fit.report.epochs), (COSTS.len(), 1));
}
