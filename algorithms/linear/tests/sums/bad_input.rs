//! Problems and parameters that are not for sums, with what to do.

use raddle_linear::{Bias, BySums};

use super::*;
use crate::common::Data;

#[test]
fn what_is_not_for_sums_is_refused() {
    let given = Given::clouds(30, 4, 1);
    let refused = |sums: BySums, problem: &Problem| sums.fit(problem).unwrap_err().to_string();
    let of = |loss| BySums::new(Linear::params().loss(loss));
    let logistic = || of(Loss::Logistic);
    let wide = Given { rows: vec![vec![1.0; 2001]; 2], y: vec![0.0, 1.0], weights: Vec::new() };
    let mut thin =
        Given { rows: vec![vec![0.0; 300]; 400], y: given.y.repeat(20)[..400].to_vec(), ..wide.clone() };
    thin.rows.iter_mut().enumerate().for_each(|(row, of)| of[row % 300] = 1.0 + row as f64);
    let free = Problem::new(&given.matrix(), &given.y, Bias::Free).unwrap();
    for (sums, problem, why) in [
        (of(Loss::Hinge), given.problem(), "by: the hinge has no second derivatives to add up"),
        (of(Loss::Multinomial), given.problem(), "by: sums are those of two classes"),
        (
            logistic(),
            Data::classes(3, (60, 6), 8).problem(1.0),
            "by: the response has 3 classes, and sums need two",
        ),
        (logistic(), wide.problem(), "by: the data have 2001 columns, and sums at most 2000"),
        (logistic(), thin.problem(), "by: 0.7 % of the values are not 0, and sums are for dense rows"),
        (logistic(), free, "bias: it is free"),
        (logistic(), given.problem().scaled(), "scale: standard deviations depend on the order of the rows"),
        (logistic().bounds(vec![1e3; 3]), given.problem(), "bounds: there are 3 for 4 columns"),
        (logistic().bounds(vec![0.0; 4]), given.problem(), "bounds: one is 0"),
        (logistic().bounds(vec![f64::NAN; 4]), given.problem(), "bounds: one is NaN"),
    ] {
        let said = refused(sums, &problem);
        assert!(said.starts_with(why), "{said}");
    }
    for loss in SMOOTH {
        let large = BySums::new(Linear::params().loss(loss).c(1e100));
        large.fit(&given.problem()).unwrap();
        let said = refused(large, &given.problem().weights(vec![1e99; 30]).unwrap());
        assert!(said.starts_with("by: the weights of rows are too large"), "{said}");
    }
}

#[test]
fn a_value_beyond_its_bound_ends_the_run_by_row_and_column() {
    let mut given = Given::clouds(30, 4, 1);
    let bounds = vec![16.0, 16.0, 16.0, 32.0];
    let sums = BySums::new(linear(Loss::Logistic, 1.0)).bounds(bounds);
    sums.fit(&given.problem()).unwrap();
    given.rows[17][2] = -16.5;
    let said = sums.fit(&given.problem()).unwrap_err().to_string();
    let expected = "row 18, column 3: the value -16.5 is beyond its bound 16: correct the row, or declare a larger \
                    bound";
    assert_eq!(said, expected);
    given.rows[17][2] = -16.0;
    sums.fit(&given.problem()).unwrap();
}
