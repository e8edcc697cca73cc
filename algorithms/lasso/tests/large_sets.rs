//! Working sets whose Gram would outgrow a sparse matrix are solved by their columns: certified, with the
//! same bytes however the run is carried out, in memory bounded by the data.

use std::fmt::Write as _;
use std::path::Path;

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
        // A Gram is another way to the same solution.
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

/// Returns the peak memory of a process in bytes, and the number of columns at the end of the path or of the
/// fit.
fn peak(folder: &Path, line: &str) -> (u64, f64) {
    let ran = Program::at(env!("CARGO_BIN_EXE_lasso")).ends(folder, &format!("{line} --tol 1e-3 --json"), 0);
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let results = &report["results"];
    let last = results["curve"].as_array().map_or(results, |curve| curve.last().unwrap());
    (report["peak_memory_bytes"].as_u64().unwrap(), last["nonzeros"].as_f64().unwrap())
}

/// The pages of the program are most of the memory of its process, and their number depends on the build and
/// on the machine: peaks are compared with those of the same program on the same data with almost nothing to
/// solve.
#[test]
fn a_cross_validation_of_them_takes_memory_of_the_data() {
    let (columns, y) = data();
    let mut rows = vec![String::new(); ROWS];
    rows.iter_mut().zip(&y).for_each(|(line, y)| write!(line, "{y}").unwrap());
    for (j, column) in columns.iter().enumerate() {
        column.iter().for_each(|(row, value)| write!(rows[*row], " {}:{value}", j + 1).unwrap());
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("data.svm"), rows.join("\n") + "\n").unwrap();
    let stored: u64 = columns.iter().map(|column| column.len() as u64).sum();
    let x = 12 * stored + 8 * (COLUMNS as u64 + 1);

    let (one, _) = peak(folder, "fit data.svm --ratio 1.2 --workers 1");
    let (with_gram, _) = peak(folder, "fit data.svm --ratio 20 --workers 1");
    // A fit may hold the Gram of 1,500 members, of 18 MB, and what is computed from it.
    let gram = with_gram.saturating_sub(one);
    assert!(gram > 18_000_000, "{gram} bytes for a Gram, {one} bytes for the rest");
    for (workers, way) in [(1, ""), (1, "--no-standardize"), (2, "")] {
        let line = |ratio: &str| {
            format!("cv data.svm --folds 3 --points 6 --ratio {ratio} --workers {workers} {way}")
        };
        // The table, a copy of it while folds are cut, and a fold for each worker.
        let (few, _) = peak(folder, &line("1.2"));
        assert!(
            few <= one + x * (1 + workers) + 4_000_000,
            "{workers} {way}: {few} bytes, {one} of a fit, X {x}"
        );
        let (many, columns) = peak(folder, &line("20"));
        assert!(columns > 1100.0, "{columns} columns");
        let solving = many.saturating_sub(few);
        assert!(
            3 * solving <= 2 * gram * workers,
            "{workers} {way}: {solving} bytes to solve, {gram} for a Gram"
        );
    }
}
