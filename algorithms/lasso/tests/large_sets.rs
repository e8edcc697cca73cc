//! Working sets whose Gram would outgrow a sparse matrix are solved by their columns: certified, with the same bytes
//! however the run is carried out, in memory that the data bound.

use std::fmt::Write as _;

use raddle_common::testing::Program;
use raddle_datasets::{Csc, Matrix};
use raddle_lasso::{Fit, Lasso, Loss, Preparation, Problem};

use crate::common::{self, general::General};

const ROWS: usize = 2500;
const COLUMNS: usize = 9000;

/// Columns of some twelve values, (row, value), and a response that none of them explains.
fn data() -> (Vec<Vec<(usize, f64)>>, Vec<f64>) {
    let mut next = common::random(17);
    let mut row = 0;
    let mut column = || -> Vec<(usize, f64)> {
        let mut rows: Vec<usize> = (0..12)
            .map(|_| {
                row = (row * 31 + 17 + (next().abs() * 1e6) as usize) % ROWS;
                row
            })
            .collect();
        rows.sort_unstable();
        rows.dedup();
        rows.into_iter().map(|row| (row, 1.0 + next().abs())).collect()
    };
    let columns = (0..COLUMNS).map(|_| column()).collect();
    let mut noise = common::random(18);
    (columns, (0..ROWS).map(|_| noise()).collect())
}

fn matrix(columns: &[Vec<(usize, f64)>]) -> Matrix {
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for column in columns {
        indices.extend(column.iter().map(|&(row, _)| row as u32));
        values.extend(column.iter().map(|&(_, value)| value));
        starts.push(indices.len());
    }
    Matrix::Sparse(Csc::new_csc((ROWS, columns.len()), starts, indices, values))
}

fn bits(fit: &Fit) -> (String, Vec<u64>, u64) {
    (fit.digest(), fit.dual.iter().map(|value| value.to_bits()).collect(), fit.report.epochs)
}

#[test]
fn they_are_certified_and_replay_and_go_on_after_a_kill() {
    let (columns, y) = data();
    let x = matrix(&columns);
    let problem = Problem::new(x.clone(), y.clone(), Preparation::default()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for l1_ratio in [1.0, 0.9] {
        let lasso = || Lasso::params().ratio(25.0).l1_ratio(l1_ratio).tolerance(1e-3).shards(7).frugal(true);
        let plain = lasso().fit(&problem).unwrap();
        // For these values a Gram has up to 786 members.
        assert!(plain.coefficients.len() > 1100, "{}", plain.coefficients.len());
        let general = General::new(&x, &y, Preparation::default(), Loss::Squared, l1_ratio);
        general.check(&plain, "large set");
        assert!(plain.report.metric.is_reached());
        // With a Gram it is another way to the same.
        let other = lasso().frugal(false).fit(&problem).unwrap();
        assert!(other.digest() != plain.digest());
        let (a, b) = (plain.report.objective.unwrap(), other.report.objective.unwrap());
        assert!((a - b).abs() <= 1e-3 * a, "{a} {b}");
        for workers in [2, 3] {
            let fit = lasso().workers(workers).fit_with(&problem, |engine| engine.threads(workers)).unwrap();
            assert_eq!(bits(&fit), bits(&plain), "{workers} workers");
        }
        let rescaled = lasso()
            .workers(2)
            .fit_with(&problem, |engine| engine.threads(4).serialized(true).rescale(&[(2, 4), (4, 1)]));
        assert_eq!(bits(&rescaled.unwrap()), bits(&plain), "2 -> 4 -> 1, serialized");
        let checkpoint = folder.path().join(l1_ratio.to_string());
        let last = plain.report.epochs - 1;
        let cut =
            |engine: raddle::Engine<_>| engine.identity("large").epochs(last).checkpoint(1, &checkpoint);
        lasso().fit_with(&problem, cut).unwrap();
        let resumed =
            lasso().fit_with(&problem, |engine| engine.identity("large").resume(&checkpoint)).unwrap();
        assert_eq!((resumed.digest(), &resumed.dual), (plain.digest(), &plain.dual), "resumed");
    }
}

/// The table, a copy of it while folds are cut, a fold for each worker, and 30 MB.
#[test]
fn a_cross_validation_of_them_takes_memory_of_the_data() {
    let (columns, y) = data();
    let mut rows = vec![String::new(); ROWS];
    rows.iter_mut().zip(&y).for_each(|(line, y)| write!(line, "{y}").unwrap());
    for (j, column) in columns.iter().enumerate() {
        column.iter().for_each(|(row, value)| write!(rows[*row], " {}:{value}", j + 1).unwrap());
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("data.svm"), rows.join("\n") + "\n").unwrap();
    let stored: usize = columns.iter().map(Vec::len).sum();
    let x = 12 * stored + 8 * (COLUMNS + 1);
    // Code that is not optimised takes more pages.
    let program = if cfg!(debug_assertions) { 36_000_000 } else { 30_000_000 };
    for workers in [1, 2] {
        for way in ["", " --no-standardize"] {
            let line = format!(
                "cv data.svm --folds 3 --points 6 --ratio 20 --tol 1e-3 --workers {workers} --json{way}"
            );
            let ran = Program::at(env!("CARGO_BIN_EXE_lasso")).ends(folder.path(), &line, 0);
            let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
            let curve = report["results"]["curve"].as_array().unwrap();
            // A Gram of so many members takes 24 MB a worker, with what is made of it.
            assert!(curve.last().unwrap()["nonzeros"].as_f64().unwrap() > 1100.0, "{curve:?}");
            let peak = report["peak_memory_bytes"].as_u64().unwrap() as usize;
            assert!(peak <= x * (2 + workers) + program, "{workers}{way}: {peak} bytes, X {x}");
        }
    }
}
