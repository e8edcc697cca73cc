//! Columns in a file, read where they are needed: no process reads more than those of its shards, and results
//! of a pass over all columns are computed once.

#![allow(
    clippy::disallowed_types,
    reason = "what processes, threads of the test here, have read is collected"
)]

use std::path::Path;
use std::sync::{Arc, Mutex};

use raddle_common::testing::not_empty;
use raddle_datasets::{Options, StoredTable, read_any};
use raddle_lasso::{Fit, Lasso, Preparation, Problem};

use crate::leaving::{ALONE, How, carry_out};

/// Numbers of a piece.
const PIECE: u64 = 1 << 16;

/// A fit, and the number of passes over all columns that it needs.
struct Case {
    name: &'static str,
    source: &'static str,
    passes: u64,
    /// Columns read one by one.
    single: u64,
    is_weighted: bool,
    lasso: fn(Lasso) -> Lasso,
}

const DENSE: &str = "synth:groups:n=300,p=4000,g=10,s=9";
const SPARSE: &str = "synth:strads:n=600,p=4000,k=200,s=9";

/// Lasso with groups of ten columns, some penalised more than others.
fn grouped(lasso: Lasso) -> Lasso {
    lasso.groups((0..4000).map(|j| j / 10).collect())
}

const CASES: [Case; 5] = [
    Case { name: "dense", source: DENSE, passes: 1, single: 0, is_weighted: false, lasso: |lasso| lasso },
    Case { name: "weighted", source: DENSE, passes: 2, single: 0, is_weighted: true, lasso: |lasso| lasso },
    Case { name: "groups", source: DENSE, passes: 1, single: 0, is_weighted: false, lasso: grouped },
    // Its own column is read to prepare it, and to multiply it.
    Case {
        name: "init",
        source: DENSE,
        passes: 2,
        single: 2,
        is_weighted: false,
        lasso: |lasso| lasso.init(vec![(7, 0.5)]),
    },
    // The rows of some values are read, too.
    Case { name: "sparse", source: SPARSE, passes: 2, single: 0, is_weighted: false, lasso: |lasso| lasso },
];

impl Case {
    fn lasso(&self) -> Lasso {
        (self.lasso)(Lasso::params().ratio(20.0).shards(3))
    }

    fn with_weights(&self, problem: Problem) -> Problem {
        let weights = (0..problem.rows()).map(|row| f64::from(row as u32 % 3) + 0.5).collect();
        if self.is_weighted { problem.weights(weights).unwrap() } else { problem }
    }

    fn open(&self, folder: &Path) -> StoredTable {
        StoredTable::open(self.source, &Options::default(), folder).unwrap()
    }

    /// A fit on three processes with a shard each, and the bytes that each has read, rising.
    fn on_three(&self, folder: &Path) -> (Fit, Vec<u64>) {
        let problems = Mutex::new(Vec::new());
        let by_parts = || Problem::by_parts(Arc::new(self.open(folder)), Preparation::default()).unwrap();
        let make = || {
            let problem = self.with_weights(by_parts());
            problems.lock().unwrap().push(problem.clone());
            self.lasso().engine(&problem).unwrap().epochs(3)
        };
        let how = How { processes: 3, ..ALONE };
        let (_, outcome) = carry_out(&make, how);
        let problems = problems.into_inner().unwrap();
        let mut read: Vec<u64> = problems.iter().map(Problem::bytes_read).collect();
        read.sort_unstable();
        assert_eq!(read.len(), 3);
        (Fit::new(&problems[0], outcome), read)
    }
}

#[test]
fn a_process_reads_the_columns_of_its_own_shards() {
    for case in CASES {
        let folder = tempfile::tempdir().unwrap();
        let whole = read_any(case.source, &Options::default()).unwrap();
        // Bytes of a value with its row, and of the rows that are sampled.
        let (each, sampled) = if whole.x.is_sparse() { (8 + 4, PIECE * 8) } else { (8, 0) };
        let all = each * whole.x.nonzeros() as u64;
        let (rows, columns) = (whole.x.rows() as u64, whole.x.cols() as u64);
        let problem = Problem::new(whole.x, whole.y, Preparation::default()).unwrap();
        let expected = case.lasso().fit_with(&case.with_weights(problem), |engine| engine.epochs(3)).unwrap();
        // Pieces at the ends of a shard, columns that all processes need, and numbers of rows, columns and
        // values.
        let few = (2 + 2 * case.single) * each * PIECE + 24 * rows + 32 * columns + sampled;
        assert!(all > 3 * few / 2, "{}: {few} of {all} bytes show nothing", case.name);

        // While the table is open here, no process reads it through to check it.
        let open = case.open(folder.path());
        let (fit, read) = case.on_three(folder.path());
        assert_eq!(fit.digest(), expected.digest(), "{}", case.name);
        let once = (1 + case.passes) * all + 3 * few;
        assert!(read.iter().sum::<u64>() <= once, "{}: {read:?} of {all} bytes", case.name);

        // With these passes made before, each process reads about a third.
        let (fit, read) = case.on_three(folder.path());
        assert_eq!(fit.digest(), expected.digest(), "{}", case.name);
        assert!(
            not_empty(&read).all(|read| *read <= all / 3 + few),
            "{}: {read:?} of {all} bytes",
            case.name
        );

        // Of the processes that open an existing table, one reads it through.
        drop(open);
        let (_, read) = case.on_three(folder.path());
        assert!(read.iter().sum::<u64>() <= 2 * all + 3 * few, "{}: {read:?} of {all} bytes", case.name);
        assert!(read[1] <= all / 3 + few, "{}: {read:?} of {all} bytes", case.name);
    }
}

#[test]
fn columns_that_cannot_be_fitted_are_told_by_every_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let rows: String = (0..20).map(|row| format!("{row},{}e200,{}\n", row % 3, row * row % 7)).collect();
    std::fs::write(&path, format!("y,a,b\n{rows}")).unwrap();
    let options = Options { y: Some("y".into()), ..Options::default() };
    let source = path.to_str().unwrap();
    let whole = read_any(source, &options).unwrap();
    let told = Problem::new(whole.x, whole.y, Preparation::default()).unwrap_err().to_string();
    assert!(told.contains("column 1"), "{told}");
    for _ in 0..3 {
        let table = StoredTable::open(source, &options, folder.path()).unwrap();
        let problem = Problem::by_parts(Arc::new(table), Preparation::default());
        assert_eq!(problem.unwrap_err().to_string(), told);
    }
}
