//! Data and parameters that are refused, with the reason.

use raddle_datasets::{Csc, Matrix};
use raddle_linear::{Bias, InParts, Linear, Loss, PartPlan, Problem};

use crate::common::Data;

fn matrix(rows: usize, value: f64) -> Matrix {
    Matrix::Sparse(Csc::new_csc((rows, 1), vec![0, rows], (0..rows as u32).collect(), vec![value; rows]))
}

#[test]
fn responses_that_are_no_two_classes_are_refused() {
    let many: Vec<f64> = (0..300).map(|row| f64::from(row * 3 / 5)).collect();
    for (y, why) in [
        (vec![7.0; 4], "all rows that count are of the class 7"),
        (vec![1.0, 2.0, 3.0, 4.0], "4 values in 4 rows: these are no classes"),
        (many, "180 values in 300 rows: these are no classes; choose another column, or `lasso`"),
        (vec![1.0, 2.0, 3.0], "3 values in 3 rows: these are no classes"),
        (vec![0.0, -0.0, 0.0], "all rows that count are of the class 0"),
        (vec![0.0, f64::NAN], "row 2: the response is not finite"),
    ] {
        let said = Problem::new(&matrix(y.len(), 1.0), &y, 1.0).unwrap_err().to_string();
        assert!(said.contains(why), "{said}");
    }
    let said = |x: &Matrix, y: &[f64], bias| Problem::new(x, y, bias).unwrap_err().to_string();
    assert!(said(&matrix(2, 1.0), &[1.0], 0.0).contains("2 rows, but there are 1 values"));
    assert!(said(&matrix(0, 1.0), &[], 0.0).contains("at least one of each"));
    assert!(said(&matrix(2, 1e200), &[0.0, 1.0], 0.0).contains("row 1: the square"));
    assert!(said(&matrix(2, 1.0), &[0.0, 1.0], f64::NAN).contains("bias"));
}

#[test]
fn parameters_out_of_range_are_refused_by_name() {
    let problem = Data::clouds(12, 2, 1).problem(1.0);
    let refused = |linear: Linear, name: &str| {
        let said = linear.fit(&problem).unwrap_err().to_string();
        assert!(said.starts_with(name), "{said}");
    };
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(Linear::params().c(value), "C: ");
        refused(Linear::params().lambda(value), "lambda: ");
        refused(Linear::params().tolerance(value), "tol: ");
    }
}

/// The hinge has no solver for a free intercept, and parts none that keeps the sum of dual values.
#[test]
fn intercepts_without_penalty_that_cannot_be_are_refused() {
    let problem = Data::clouds(12, 2, 1).problem(Bias::Free);
    let said = Linear::params().loss(Loss::Hinge).fit(&problem).unwrap_err().to_string();
    assert!(said.starts_with("bias: it is free") && said.contains("would not keep their sum at 0"), "{said}");
    let said = InParts::new(Linear::params(), PartPlan::constant(2)).fit(&problem).unwrap_err().to_string();
    assert!(said.starts_with("parts: ") && said.contains("free bias"), "{said}");
    for weights in [vec![1.0], vec![1.0, 0.0], vec![1.0, f64::NAN]] {
        let said = Linear::params().class_weights(weights).fit(&problem).unwrap_err().to_string();
        assert!(said.starts_with("class-weights: give a number") && said.contains("2 classes"), "{said}");
    }
}

#[test]
fn weights_that_count_no_class_are_refused() {
    let problem = || Data::clouds(12, 2, 1).problem(1.0);
    let said = |weights: Vec<f64>| problem().weights(weights).unwrap_err().to_string();
    assert!(said(vec![1.0; 3]).contains("12 rows, but there are 3 weights"));
    assert!(said((0..12).map(|row| f64::from(row) - 1.0).collect()).contains("weight of row 1 is -1"));
    assert!(said((0..12).map(|row| f64::from(u8::from(row % 3 == 0))).collect()).contains("of the class 2"));
    let of_three = Data::classes(3, (12, 2), 1).problem(1.0);
    let weights = (0..12).map(|row| f64::from(u8::from(row % 3 != 1))).collect();
    assert!(of_three.weights(weights).unwrap_err().to_string().contains("no row of the class 2 counts"));
}
