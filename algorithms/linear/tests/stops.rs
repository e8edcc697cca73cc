//! A fit that is stopped at each of its first boundaries, and killed between them, continues to the bytes of
//! an uninterrupted one. `RADDLE_STOPPED=20` stops at each of 20 boundaries, in every way.

use std::path::Path;

use raddle_datasets::{Csc, Matrix, Options, StoredTable};
use raddle_linear::{Bias, InParts, Linear, Problem};

use crate::common::{Data, FREE, LOSSES};
use crate::stopping::{check, epochs};

/// Patients of two classes, or of four, whose rows are read where they are needed.
fn stored(folder: &Path, classes: usize, bias: impl Into<Bias>) -> Problem {
    let table = StoredTable::open("diabetes", &Options::default(), folder).unwrap();
    let level = |y: &f64| (0..classes - 1).filter(|at| *y > 100.0 + 60.0 * *at as f64).count() as f64;
    let y: Vec<f64> = table.described().y.iter().map(level).collect();
    Problem::by_parts(&table, &y, bias).unwrap()
}

/// Problems of one scorer and of several, in memory and in a file.
fn problems(folder: &Path) -> [(&'static str, Problem); 6] {
    [
        ("two classes", Data::clouds(80, 6, 7).problem(1.0)),
        ("two classes in a file", stored(folder, 2, 1.0)),
        ("two classes in a file, scaled", stored(folder, 2, 1.0).scaled()),
        ("five classes", Data::classes(5, (60, 6), 8).problem(1.0)),
        ("four classes in a file", stored(folder, 4, 1.0)),
        ("without an intercept", Data::clouds(60, 8, 9).problem(0.0)),
    ]
}

#[test]
fn every_loss_goes_on_from_wherever_it_was_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let mut stops = 0;
    for (name, problem) in problems(folder.path()) {
        for loss in LOSSES {
            // Passes first, then a direct solver.
            let linear = Linear::params().loss(loss).c(10.0).tolerance(1e-9);
            let make = || linear.engine(&problem).unwrap().epochs(epochs());
            stops += check(&format!("{name}, {loss:?}"), &make);
        }
    }
    println!("{stops} stops");
}

#[test]
fn classes_together_and_free_intercepts_go_on_from_wherever_they_were_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let mut stops = 0;
    for (name, problem) in [
        ("two classes", Data::clouds(80, 6, 7).problem(Bias::Free)),
        ("five classes", Data::classes(5, (60, 6), 8).problem(Bias::Free)),
        ("four classes in a file", stored(folder.path(), 4, Bias::Free)),
        ("four classes with a penalty", stored(folder.path(), 4, 1.0)),
    ] {
        for loss in FREE {
            let linear = Linear::params().loss(loss).c(10.0).tolerance(1e-9);
            let make = || linear.engine(&problem).unwrap().epochs(epochs());
            stops += check(&format!("{name}, {loss:?}"), &make);
            let scorers = linear.clone().c(0.1).fit(&problem).unwrap().scorers;
            let from = linear.start_from_dual(scorers.into_iter().map(|of| of.dual).collect());
            let make = || from.engine(&problem).unwrap().epochs(epochs());
            stops += check(&format!("{name}, {loss:?}, from dual values"), &make);
        }
    }
    println!("{stops} stops");
}

#[test]
fn a_fit_from_a_model_goes_on_from_wherever_it_was_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let mut stops = 0;
    for (name, problem) in problems(folder.path()).into_iter().skip(1).step_by(2) {
        let linear = |loss| Linear::params().loss(loss).tolerance(1e-7);
        for loss in LOSSES {
            let scorers = linear(loss).c(0.01).fit(&problem).unwrap().scorers;
            let weights = scorers.iter().map(|of| (of.coefficients.clone(), of.intercept)).collect();
            let from_weights = linear(loss).c(1.0).balanced(true).start_from(weights);
            let make = || from_weights.engine(&problem).unwrap().epochs(epochs());
            stops += check(&format!("{name}, {loss:?}, from weights"), &make);
            let dual = scorers.iter().map(|of| of.dual.clone()).collect();
            let from_dual = linear(loss).c(0.02).start_from_dual(dual);
            let make = || from_dual.engine(&problem).unwrap().epochs(epochs());
            stops += check(&format!("{name}, {loss:?}, from dual values"), &make);
        }
    }
    println!("{stops} stops");
}

#[test]
fn rows_in_parts_go_on_from_wherever_they_were_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let mut stops = 0;
    let two_classes = problems(folder.path()).into_iter().filter(|(_, problem)| problem.machines() == 1);
    for (at, (name, problem)) in two_classes.enumerate() {
        for (number, plan) in ["1", "4", "0:16,2:4", "auto"].into_iter().enumerate() {
            let loss = LOSSES[(at + number) % LOSSES.len()];
            let linear = Linear::params().loss(loss).c(0.01).tolerance(1e-12);
            let settings = InParts::new(linear, plan.parse().unwrap());
            let make = || settings.engine(&problem).unwrap().epochs(epochs());
            stops += check(&format!("{name}, {loss:?} in {plan} parts"), &make);
        }
    }
    println!("{stops} stops");
}

/// The problem is solved where it begins.
#[test]
fn a_fit_of_which_nothing_is_left_to_do_goes_on_to_its_end() {
    let mut stops = 0;
    let sparse =
        |shape, starts, indices, values| Matrix::Sparse(Csc::new_csc(shape, starts, indices, values));
    let zeros = Data::of(sparse((4, 2), vec![0, 0, 0], vec![], vec![]), vec![0.0, 1.0, 1.0, 1.0]);
    let two = Data::of(sparse((2, 1), vec![0, 2], vec![0, 1], vec![1.0, -1.0]), vec![0.0, 1.0]);
    for (what, data) in [("no column has a value", zeros), ("two rows", two)] {
        let problem = data.problem(1.0);
        for loss in LOSSES {
            for tolerance in [0.9, 1e-9] {
                let linear = Linear::params().loss(loss).tolerance(tolerance);
                let make = || linear.engine(&problem).unwrap().epochs(epochs());
                stops += check(&format!("{what}, {loss:?}, {tolerance:e}"), &make);
            }
        }
    }
    println!("{stops} stops");
}
