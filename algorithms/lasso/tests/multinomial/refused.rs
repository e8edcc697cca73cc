//! Options that are not offered for classes with scores of their own, and responses that are not classes.

use raddle_lasso::{Criterion, Lasso, Loss, Preparation, Problem};

use super::data;
use crate::common::dense;

fn problem(y: Vec<f64>) -> Problem {
    let (x, _) = data(3, y.len(), 4, 3);
    Problem::new(dense(&x), y, Preparation::default()).unwrap()
}

fn said(lasso: Lasso, problem: &Problem) -> String {
    lasso.loss(Loss::Multinomial).fit(problem).unwrap_err().to_string()
}

#[test]
fn a_response_of_one_class_or_of_numbers_is_refused() {
    assert!(
        said(Lasso::params(), &problem(vec![2.0; 30]))
            .contains("1 distinct value: the multinomial loss needs")
    );
    let many = (0..1200).map(f64::from).collect();
    assert!(said(Lasso::params(), &problem(many)).contains("1200 distinct values"));
    let (_, y) = data(2, 30, 4, 3);
    let weights = y.iter().map(|y| f64::from(u8::from(*y == 10.0))).collect();
    let weighted = problem(y).weights(weights).unwrap();
    assert!(said(Lasso::params(), &weighted).contains("1 distinct value:"));
}

#[test]
fn pairs_that_are_not_offered_are_refused_by_name() {
    let (_, y) = data(3, 30, 4, 3);
    let offset = problem(y.clone()).offset((0..30).map(f64::from).collect()).unwrap();
    let refused = said(Lasso::params(), &offset);
    assert!(refused.contains("an offset with the multinomial loss is not offered"), "{refused}");
    let refused = said(Lasso::params().groups(vec![0, 0, 1, 1]), &problem(y));
    assert!(refused.contains("groups of columns with the multinomial loss is not offered"), "{refused}");
}

#[test]
fn free_columns_that_tell_classes_apart_are_refused() {
    let (mut x, y) = data(3, 40, 4, 3);
    x[1].clone_from(&y);
    let problem = Problem::new(dense(&x), y, Preparation::default()).unwrap();
    let refused = said(Lasso::params().factors(vec![1.0, 0.0, 1.0, 1.0]), &problem);
    assert!(refused.contains("fit the response without limit"), "{refused}");
}

/// A fold lacks a class if it holds out the only row of the class.
#[test]
fn a_class_that_a_fold_lacks_is_named() {
    let (x, mut y) = data(3, 40, 4, 3);
    y[17] = 99.0;
    let cv =
        |cv: raddle_lasso::CrossValidation| cv.folds(4).fit(dense(&x), y.clone(), Preparation::default());
    let lasso = || Lasso::params().loss(Loss::Multinomial);
    let refused = cv(lasso().cv()).unwrap_err().to_string();
    assert!(
        refused.contains("no row has the class 99") && refused.contains("of 4: without its rows"),
        "{refused}"
    );
    let refused = cv(lasso().cv().criterion(Criterion::Auc)).unwrap_err().to_string();
    assert!(refused.contains("auc"), "{refused}");
}
