//! Given lambdas, paths that are followed to their end, and responses with which no column varies.

use raddle::Ending;
use raddle_lasso::{Fit, Lasso, LassoError, Loss, Preparation, Problem};

use crate::common::{dense, random_data};

/// A path at given lambdas equals the fits at each of them, in falling order, whatever order they were given
/// in.
#[test]
fn a_path_at_given_lambdas_is_the_fits_at_each() {
    let (x, y) = random_data(40, 60, 1.0, 5);
    let counts: Vec<f64> = y.iter().map(|y| y.abs().round() + 1.0).collect();
    for (loss, y) in [(Loss::Squared, &y), (Loss::Poisson, &counts)] {
        let problem = Problem::new(dense(&x), y.clone(), Preparation::default()).unwrap();
        let lasso = Lasso::params().loss(loss).tolerance(1e-10);
        let path = lasso.clone().lambdas(vec![0.1, 0.5, 0.3, 0.3]).fit(&problem).unwrap();
        assert_eq!(path.points.iter().map(|point| point.lambda).collect::<Vec<_>>(), [0.5, 0.3, 0.3, 0.1]);
        for point in &path.points {
            let alone = lasso.clone().lambda(point.lambda).fit(&problem).unwrap();
            assert!(point.gap <= 1e-10, "{}", point.gap);
            let value = |of: &[(u32, f64)], j: u32| {
                of.iter().find(|(at, _)| *at == j).map_or(0.0, |(_, value)| *value)
            };
            for j in 0..60 {
                let (path, alone) = (value(&point.coefficients, j), value(&alone.coefficients, j));
                assert!((path - alone).abs() < 1e-4, "{loss:?} at {}: {path} {alone}", point.lambda);
            }
        }
    }
}

#[test]
fn lambdas_out_of_their_range_are_refused_by_name() {
    let (x, y) = random_data(20, 5, 1.0, 6);
    let problem = Problem::new(dense(&x), y, Preparation::default()).unwrap();
    for (lambdas, why) in [
        (vec![], "points is 0"),
        (vec![1.0, -1.0], "lambdas is -1: it must be a positive number"),
        (vec![f64::NAN, 1.0], "lambdas is NaN"),
        (vec![f64::INFINITY], "lambdas is inf"),
        (vec![f64::MAX, 1.0], "lambdas is 1.7976931348623157e308: times the number of rows"),
    ] {
        let refused = Lasso::params().lambdas(lambdas).fit(&problem).unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
    }
}

/// However few epochs a point may take, the path has all of its points, with the gaps they reached.
#[test]
fn a_whole_path_goes_to_its_end_within_its_epochs() {
    let (x, y) = random_data(60, 200, 1.0, 7);
    let problem = Problem::new(dense(&x), y, Preparation::default()).unwrap();
    let lasso = Lasso::params().path(25, 1000.0).tolerance(1e-13);
    let certified = lasso.clone().fit(&problem).unwrap();
    let epochs = certified.report.epochs;
    let fit = |each| lasso.clone().whole_path(Some(each)).fit(&problem).unwrap();
    let mut before = f64::INFINITY;
    for each in [1, 2, epochs] {
        let path = fit(each);
        assert_eq!(path.points.len(), 25, "{each}");
        assert!(path.report.epochs <= 25 * each, "{each}: {}", path.report.epochs);
        let worst = path.points.iter().map(|point| point.gap).fold(0.0, f64::max);
        assert!(worst <= before && path.report.metric.value == worst, "{each}: {worst} {before}");
        let ending = path.report.ending;
        assert_eq!(ending == Ending::Target, worst <= 1e-13, "{each}: {ending:?} {worst}");
        before = worst;
    }
    let digest = |fit: &Fit| fit.digest();
    assert_eq!(digest(&fit(epochs)), digest(&certified));
    assert_eq!(digest(&fit(1)), digest(&fit(1)));
}

/// A tolerance below rounding does not end a cross-validation: its points count with the gaps they reached.
#[test]
fn folds_that_come_no_closer_are_scored_as_they_stand() {
    let (x, y) = random_data(40, 8, 1.0, 8);
    let cv = Lasso::params().tolerance(1e-30).cv().folds(3).path(4, 10.0);
    let chosen = cv.fit(dense(&x), y.clone(), Preparation::default()).unwrap();
    assert!(chosen.worst_gap > 1e-30 && chosen.worst_gap < 1e-10, "{}", chosen.worst_gap);
    let quick = Lasso::params().whole_path(Some(1)).cv().folds(3).path(12, 100.0);
    let quick = quick.fit(dense(&x), y, Preparation::default()).unwrap();
    assert_eq!(quick.curve.points.len(), 12);
}

/// A response with which no column varies leaves nothing to choose: all coefficients are zeros, for every
/// loss and measure.
#[test]
fn a_flat_response_gives_zeros() {
    let (x, y) = random_data(30, 6, 1.0, 9);
    let halves: Vec<f64> = (0..30).map(|row| f64::from(row % 2)).collect();
    let flat = |columns: usize| vec![vec![0.3; 30]; columns];
    for (what, loss, x, y) in [
        ("a response", Loss::Squared, x.clone(), vec![0.1; 30]),
        ("a response of zeros", Loss::Squared, x.clone(), vec![0.0; 30]),
        ("counts", Loss::Poisson, x.clone(), vec![3.0; 30]),
        ("columns", Loss::Squared, flat(4), y.clone()),
        ("columns of two classes", Loss::Logistic, flat(4), halves.clone()),
        ("columns of classes", Loss::Multinomial, flat(4), halves.clone()),
    ] {
        for l1_ratio in [1.0, 0.5] {
            let lasso = Lasso::params().loss(loss).l1_ratio(l1_ratio);
            let cv = lasso.clone().cv().folds(3).path(5, 10.0);
            let chosen = cv.fit(dense(&x), y.clone(), Preparation::default());
            let chosen = chosen.unwrap_or_else(|why| panic!("{what}: {why}"));
            assert!(chosen.fit.coefficients.is_empty(), "{what}: {:?}", chosen.fit.coefficients);
            assert!(chosen.fit.lambda > 0.0 && chosen.curve.points[0].nonzeros == 0.0, "{what}");
            assert!(chosen.fit.report.metric.is_reached(), "{what}: {:?}", chosen.fit.report.metric);
            let problem = Problem::new(dense(&x), y.clone(), Preparation::default()).unwrap();
            let path = lasso.path(5, 10.0).fit(&problem).unwrap();
            let sizes =
                path.points.iter().flat_map(|point| &point.coefficients).map(|(_, value)| value.abs());
            assert!(path.points.len() == 5 && sizes.fold(0.0, f64::max) < 1e-12, "{what}");
        }
    }
}

/// Columns that vary with the response only within folds are fitted from the folds' own largest lambda.
#[test]
fn columns_that_vary_with_the_response_of_folds_alone_are_no_error() -> Result<(), LassoError> {
    // x'y is 0 over all rows, and not without some of them.
    let x: Vec<f64> = (0..24).map(|row| if row % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let y: Vec<f64> = (0..24).map(|row| if row % 4 < 2 { 1.0 } else { -1.0 }).collect();
    let chosen = Lasso::params().cv().folds(5).path(6, 10.0).fit(dense(&[x]), y, Preparation::default())?;
    assert!(chosen.curve.points[0].lambda > 1e-10, "{}", chosen.curve.points[0].lambda);
    assert!(chosen.fit.coefficients.is_empty());
    Ok(())
}
