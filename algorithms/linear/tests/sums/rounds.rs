//! Few rounds certify raw tables, and the model is that of other solvers.

use raddle_datasets::registry;
use raddle_linear::BySums;

use super::*;
use crate::common::{Data, all};

/// Fits to 1e-6; returns the rounds. The gap is one by its definition, too: of the weights and dual values
/// that are exported.
fn rounds(data: &Data, loss: Loss, c: f64) -> u64 {
    let fit = BySums::new(linear(loss, c)).fit(&data.problem(1.0)).unwrap();
    let (scorer, columns) = (&fit.scorers[0], fit.columns());
    assert!(fit.gap() <= 1e-6 && fit.report.metric.is_reached(), "{loss:?}, C {c}: {:?}", fit.report.metric);
    let w = all(&scorer.coefficients, columns);
    let primal = data.primal(loss, &fit.costs, (&w, scorer.intercept, fit.bias));
    let dual = data.dual(loss, &fit.costs, (&scorer.dual, fit.bias, columns));
    assert!((primal - scorer.objective).abs() <= 1e-11 * primal, "{primal} and {}", scorer.objective);
    assert!((primal - dual) / primal <= 1e-6 + 1e-11, "{loss:?}, C {c}: {primal} and {dual}");
    fit.report.epochs
}

#[test]
fn raw_tables_are_certified_in_at_most_fifteen_rounds() {
    let raw = Given::clouds(500, 30, 11);
    let mut even = raw.clone();
    for column in 0..30 {
        let most = raw.rows.iter().map(|row| row[column].abs()).fold(0.0, f64::max);
        even.rows.iter_mut().for_each(|row| row[column] /= most);
    }
    let sets = [Data::diabetes(), Data::of(raw.matrix(), raw.y), Data::of(even.matrix(), even.y)];
    for (at, data) in sets.iter().enumerate() {
        for (loss, c) in SMOOTH.into_iter().flat_map(|loss| [0.01, 1.0, 100.0].map(|c| (loss, c))) {
            let rounds = rounds(data, loss, c);
            println!("set {at}, {loss:?}, C {c}: {rounds} rounds");
            assert!(rounds <= 15, "set {at}, {loss:?}, C {c}: {rounds} rounds");
        }
    }
}

#[test]
fn the_first_columns_of_a_sparse_set_are_certified_in_at_most_fifteen_rounds() {
    let Some(table) = registry::real("w8a") else { return };
    let Matrix::Sparse(x) = &table.x else { panic!("libsvm is sparse") };
    let columns = 200;
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for column in x.outer_iterator().take(columns) {
        indices.extend(column.iter().map(|(row, _)| row as u32));
        values.extend(column.iter().map(|(_, value)| *value));
        starts.push(indices.len());
    }
    let x = Matrix::Sparse(Csc::new_csc((table.x.rows(), columns), starts, indices, values));
    let problem = Problem::new(&x, &table.y, 1.0).unwrap();
    for loss in SMOOTH {
        let fit = BySums::new(linear(loss, 1.0)).fit_with(&problem, |engine| engine.workers(2)).unwrap();
        println!("w8a, {loss:?}: {} rounds", fit.report.epochs);
        assert!(fit.gap() <= 1e-6 && fit.report.epochs <= 15, "{loss:?}: {} rounds", fit.report.epochs);
    }
}

#[test]
fn the_objective_is_that_of_other_solvers() {
    let given = Given::clouds(300, 12, 6);
    for data in [Data::diabetes(), Data::of(given.matrix(), given.y)] {
        for (loss, c) in SMOOTH.into_iter().flat_map(|loss| [0.01, 1.0, 100.0].map(|c| (loss, c))) {
            let (problem, linear) = (data.problem(1.0), linear(loss, c).tolerance(1e-10));
            let sums = BySums::new(linear.clone()).fit(&problem).unwrap();
            let other = linear.fit(&problem).unwrap();
            let (one, two) = (sums.objective(), other.objective());
            assert!((one - two).abs() <= 1e-9 * two, "{loss:?}, C {c}: {one} and {two}");
            assert!(sums.gap() <= 1e-10, "{loss:?}, C {c}: {}", sums.gap());
        }
    }
}

#[test]
fn a_step_that_goes_too_far_is_halved() {
    // One column that separates all rows but one, far out: the first full steps overshoot.
    let x: Vec<f64> = (0..40).map(|row| f64::from(row) - 20.5).collect();
    let mut y: Vec<f64> = x.iter().map(|x| f64::from(u8::from(*x > 0.0))).collect();
    y[0] = 1.0;
    let given = Given { rows: x.iter().map(|x| vec![*x, x.powi(3)]).collect(), weights: vec![1.0; 40], y };
    for loss in SMOOTH {
        let data = Data::of(given.matrix(), given.y.clone());
        for c in [1e-3, 1.0, 1e4] {
            assert!(rounds(&data, loss, c) <= 40, "{loss:?}, C {c}");
        }
    }
}
