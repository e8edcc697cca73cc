//! Equal rows of a class are solved as one: the same objective, a feasible dual value for each row, and the
//! model of the rows without copies.

use std::fmt::Write;
use std::fs;

use raddle::random::Stream;
use raddle_common::testing::{not_empty, pairs};
use raddle_datasets::{Csc, Matrix, Options, StoredTable};
use raddle_linear::{Fit, InParts, Linear, Loss, PartPlan, Problem};

use crate::common::{Data, LOSSES, all};

const COLUMNS: usize = 3;

/// Rows of which many are equal, some with the other class, and their weights.
struct Repeated {
    rows: Vec<[f64; COLUMNS]>,
    y: Vec<f64>,
    weights: Vec<f64>,
}

impl Repeated {
    fn new(count: usize, classes: u64, seed: u64) -> Self {
        let mut draw = Stream::new(&[seed]);
        let mut whole = |most: u64| (draw.unit() * most as f64) as u64 as f64;
        let rows: Vec<_> = (0..count).map(|_| [(); COLUMNS].map(|()| whole(3) - 1.0)).collect();
        let y = rows.iter().map(|row| if whole(4) > 0.0 { row[0].abs() } else { whole(classes) }).collect();
        let weights = (0..count).map(|_| [0.0, 1.0, 0.5, 3.0, 0.1][whole(5) as usize]).collect();
        Self { rows, y, weights }
    }

    fn data(&self) -> Data {
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for column in 0..COLUMNS {
            for (row, of) in self.rows.iter().enumerate().filter(|(_, of)| of[column] != 0.0) {
                indices.push(row as u32);
                values.push(of[column]);
            }
            starts.push(indices.len());
        }
        let x = Csc::new_csc((self.y.len(), COLUMNS), starts, indices, values);
        Data::of(Matrix::Sparse(x), self.y.clone())
    }

    fn problem(&self) -> Problem {
        self.data().problem(1.0).weights(self.weights.clone()).unwrap()
    }

    /// The first of equal rows alone, with the sum of their weights.
    fn without_copies(&self) -> Self {
        let mut alone = Self { rows: Vec::new(), y: Vec::new(), weights: Vec::new() };
        for (row, y) in self.rows.iter().zip(&self.y) {
            let is_same = |at: &usize| self.rows[*at] == *row && self.y[*at] == *y;
            if alone.rows.iter().zip(&alone.y).any(|(other, class)| other == row && class == y) {
                continue;
            }
            let mut own: Vec<f64> = (0..self.y.len()).filter(is_same).map(|at| self.weights[at]).collect();
            own.sort_by(f64::total_cmp);
            alone.rows.push(*row);
            alone.y.push(*y);
            alone.weights.push(own.iter().sum());
        }
        alone
    }

    /// Exchanges the copies of each row: each gets the weight of the copy opposite to it.
    fn exchanged(&self) -> Self {
        let mut weights = self.weights.clone();
        for (at, weight) in weights.iter_mut().enumerate() {
            let is_same = |other: &usize| self.rows[*other] == self.rows[at] && self.y[*other] == self.y[at];
            let same: Vec<usize> = (0..self.y.len()).filter(is_same).collect();
            let own = same.iter().position(|other| *other == at).unwrap();
            *weight = self.weights[same[same.len() - 1 - own]];
        }
        Self { rows: self.rows.clone(), y: self.y.clone(), weights }
    }
}

fn linear(loss: Loss) -> Linear {
    Linear::params().loss(loss).c(2.0).tolerance(1e-9)
}

/// Checks the fit of two classes by definitions that know no merging.
fn check(of: &Repeated, loss: Loss, fit: &Fit) {
    let (data, scorer) = (of.data(), &fit.scorers[0]);
    let costs: Vec<f64> = of.weights.iter().map(|weight| 2.0 * weight).collect();
    let w = all(&scorer.coefficients, COLUMNS);
    let primal = data.primal(loss, &costs, (&w, scorer.intercept, 1.0.into()));
    let dual = data.dual(loss, &costs, (&scorer.dual, 1.0.into(), COLUMNS));
    assert!((primal - scorer.objective).abs() <= 1e-12 * primal, "{}", loss.name());
    // Minus infinity if a row's dual value is not feasible.
    let gap = (primal - dual) / primal;
    assert!(gap <= 1e-9 + 1e-12 && (gap - scorer.gap).abs() <= 1e-12, "{}: {gap}", loss.name());
    assert_eq!(scorer.support(), scorer.dual.iter().filter(|a| **a > 0.0).count());
}

#[test]
fn equal_rows_are_one_row_with_the_sum_of_their_weights() {
    let mut merged = 0;
    for seed in 0..40 {
        let of = Repeated::new(30 + seed as usize * 7, 2, seed);
        let alone = of.without_copies();
        assert_eq!((of.problem().rows(), of.problem().distinct()), (of.y.len(), alone.y.len()));
        merged += of.y.len() - alone.y.len();
        for loss in LOSSES {
            let fit = linear(loss).fit(&of.problem()).unwrap();
            check(&of, loss, &fit);
            assert_eq!(fit.distinct, alone.y.len());
            let single = linear(loss).fit(&alone.problem()).unwrap();
            let [ours, theirs] = [&fit, &single].map(|fit| fit.scorers[0].objective);
            assert!((ours - theirs).abs() <= 2e-9 * ours, "{seed}: {ours} {theirs}");
            // Passes of the hinge visit a row as often as it is there.
            assert!(loss == Loss::Hinge || fit.digest() == single.digest(), "{seed}");
            // Copies may come in any order.
            assert_eq!(fit.digest(), linear(loss).fit(&of.exchanged().problem()).unwrap().digest(), "{seed}");
            let dual = vec![fit.scorers[0].dual.clone()];
            let again = linear(loss).start_from_dual(dual).fit(&of.problem()).unwrap();
            assert!(again.gap() <= 1e-9 && again.report.epochs <= 1, "{seed}: {}", again.report.epochs);
        }
    }
    assert!(merged > 4000, "{merged}");
}

#[test]
fn merging_is_the_same_for_any_workers_classes_and_rows_in_a_file() {
    for (classes, seed) in [(2, 100), (4, 101)] {
        let of = Repeated::new(200, classes, seed);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        let mut text = String::from("a,b,c,y\n");
        for ([a, b, c], y) in pairs(&of.rows, &of.y) {
            writeln!(text, "{a},{b},{c},{y}").unwrap();
        }
        fs::write(&path, text).unwrap();
        let table = StoredTable::open(path.to_str().unwrap(), &Options::default(), folder.path()).unwrap();
        let in_file = || Problem::by_parts(&table, &of.y, 1.0).unwrap().weights(of.weights.clone()).unwrap();
        for loss in LOSSES {
            for scaled in [false, true] {
                let of_kind = |problem: Problem| if scaled { problem.scaled() } else { problem };
                let one = linear(loss).fit(&of_kind(of.problem())).unwrap();
                let stored = linear(loss).fit(&of_kind(in_file())).unwrap();
                assert_eq!((one.digest(), &one.scorers), (stored.digest(), &stored.scorers));
                assert_eq!(one.training_error, stored.training_error);
                for workers in 1..=7 {
                    let several = |engine: raddle::Engine<_>| engine.workers(workers);
                    let fit = linear(loss).fit_with(&of_kind(of.problem()), several).unwrap();
                    assert_eq!(one.digest(), fit.digest(), "{workers} workers");
                }
            }
            if classes == 2 {
                let plan: PartPlan = "4".parse().unwrap();
                let fit = |problem: &Problem| InParts::new(linear(loss), plan.clone()).fit(problem).unwrap();
                let (here, there) = (fit(&of.problem()), fit(&in_file()));
                assert_eq!((here.digest(), &here.scorers), (there.digest(), &there.scorers));
                check(&of, loss, &here);
            }
        }
    }
}

#[test]
fn columns_are_scaled_and_errors_counted_over_all_rows() {
    let of = Repeated::new(150, 2, 200);
    let fit = linear(Loss::SquaredHinge).fit(&of.problem().scaled()).unwrap();
    let scales = fit.scales.clone().unwrap();
    for (column, scale) in not_empty(scales.iter().enumerate()) {
        let values: Vec<f64> = of.rows.iter().map(|row| row[column]).collect();
        let mean = values.iter().sum::<f64>() / 150.0;
        let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 150.0).sqrt();
        assert!((scale - deviation).abs() <= 1e-12 * deviation, "{column}: {scale} {deviation}");
    }
    let scores = &fit.scores(&of.data().x)[0];
    let wrong = pairs(scores, &of.y).filter(|(score, y)| (**score > 0.0) != (**y > 0.0)).count();
    assert_eq!(fit.training_error, wrong as f64 / 150.0);
}
