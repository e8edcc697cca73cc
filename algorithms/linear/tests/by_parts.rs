//! Rows in a file, read where they are needed: the bytes of rows in memory, and no process has more than it
//! needs.

#![allow(
    clippy::disallowed_types,
    reason = "what processes, threads of the test here, have read is collected"
)]

use std::path::Path;
use std::sync::Mutex;

use raddle::{Engine, Outcome, Program};
use raddle_common::testing::not_empty;
use raddle_datasets::{Options, StoredTable};
use raddle_linear::{Fit, InParts, Linear, Loss, PartPlan, Problem};

use crate::common::LOSSES;
use crate::leaving::{ALONE, How, carry_out};

const DATA: &str = "diabetes";

fn classes(y: &[f64], count: usize) -> Vec<f64> {
    let level = |y: &f64| (0..count - 1).filter(|at| *y > 100.0 + 60.0 * *at as f64).count() as f64;
    y.iter().map(level).collect()
}

fn stored(folder: &Path, classes_of: usize) -> Problem {
    let table = StoredTable::open(DATA, &Options::default(), folder).unwrap();
    let y = classes(&table.described().y, classes_of);
    Problem::by_parts(&table, &y, 1.0).unwrap()
}

fn in_memory(classes_of: usize) -> Problem {
    let table = raddle_datasets::embedded::diabetes();
    Problem::new(&table.x, &classes(&table.y, classes_of), 1.0).unwrap()
}

fn same(one: &Fit, other: &Fit) {
    assert_eq!(one.digest(), other.digest());
    assert_eq!((&one.scorers, one.training_error), (&other.scorers, other.training_error));
}

#[test]
fn a_fit_of_rows_in_a_file_is_that_of_rows_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    for loss in LOSSES {
        for scaled in [false, true] {
            let of = |problem: Problem| if scaled { problem.scaled() } else { problem };
            for count in [2, 4] {
                let linear = Linear::params().loss(loss).c(0.3).tolerance(1e-5);
                let here = linear.fit(&of(in_memory(count))).unwrap();
                same(&linear.fit(&of(stored(folder.path(), count))).unwrap(), &here);
                let dual = here.scorers.iter().map(|of| of.dual.clone()).collect();
                let again = linear.clone().tolerance(1e-8).start_from_dual(dual);
                same(
                    &again.fit(&of(stored(folder.path(), count))).unwrap(),
                    &again.fit(&of(in_memory(count))).unwrap(),
                );
            }
            for plan in ["1", "4", "0:16,2:4", "auto"] {
                let settings = InParts::new(Linear::params().loss(loss).c(0.01), plan.parse().unwrap());
                let fit = |problem: Problem| {
                    settings.fit_with(&of(problem), |engine| engine.workers(2).epochs(4)).unwrap()
                };
                same(&fit(stored(folder.path(), 2)), &fit(in_memory(2)));
            }
        }
    }
}

/// Runs an engine on three processes, each with its own problem; the first process may leave at a boundary.
/// Returns the outcome, and how many rows each process has read by then, ascending.
fn on<P: Program>(
    folder: &Path,
    leaves_at: Option<u64>,
    engine: impl Fn(&Problem) -> Engine<P> + Sync,
) -> (Outcome<P>, Vec<u64>) {
    let problems = Mutex::new(Vec::new());
    let make = || {
        let problem = stored(folder, 2);
        problems.lock().unwrap().push(problem.clone());
        engine(&problem)
    };
    let how = How { processes: 3, leaves_at, ..ALONE };
    let (_, outcome) = carry_out(&make, how);
    let mut read: Vec<u64> = problems.lock().unwrap().iter().map(Problem::rows_read).collect();
    read.sort_unstable();
    assert_eq!(read.len(), 3);
    (outcome, read)
}

#[test]
fn a_process_reads_the_rows_of_its_own_shards() {
    let folder = tempfile::tempdir().unwrap();
    for plan in ["1", "4", "16"] {
        let linear = Linear::params().loss(Loss::Hinge).c(0.01);
        let settings = InParts::new(linear, plan.parse().unwrap()).shards(32);
        let expected = settings.fit_with(&in_memory(2), |engine| engine.epochs(3)).unwrap();
        for leaves_at in [None, Some(1)] {
            let (outcome, read) =
                on(folder.path(), leaves_at, |problem| settings.engine(problem).unwrap().epochs(3));
            // Together they read every row once, each about a third; rows that move are not read again.
            assert_eq!(read.iter().sum::<u64>(), 442, "{plan}: {read:?}");
            assert!(not_empty(&read).all(|rows| (100..200).contains(rows)), "{plan}: {read:?}");
            same(&settings.finish(&stored(folder.path(), 2), outcome).unwrap(), &expected);
        }
    }
}

/// A problem that is solved as one is read by the process that solves it; if that leaves, by its successor
/// (`recovery` of the engine's tests).
#[test]
fn a_problem_that_is_solved_as_one_is_read_where_it_is_solved() {
    let folder = tempfile::tempdir().unwrap();
    for loss in LOSSES {
        let linear = Linear::params().loss(loss).c(0.01);
        let expected = linear.fit(&in_memory(2)).unwrap();
        let (outcome, read) = on(folder.path(), None, |problem| linear.engine(problem).unwrap());
        assert_eq!(read, [0, 0, 442], "{loss:?}");
        same(&linear.finish(&stored(folder.path(), 2), outcome).unwrap(), &expected);
    }
}

#[test]
fn rows_that_cannot_be_read_any_more_are_told() {
    let plan = || PartPlan::constant(2);
    for fit in [
        (|problem| Linear::params().fit(problem)) as fn(&Problem) -> Result<Fit, raddle_linear::LinearError>,
        |problem| InParts::new(Linear::params(), PartPlan::constant(2)).fit(problem),
        |problem| Linear::params().fit(&problem.clone().scaled()),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let problem = stored(folder.path(), 2);
        let files = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
        let rows = files.into_iter().find(|path| path.extension().unwrap() == "rows").unwrap();
        let mut bytes = std::fs::read(&rows).unwrap();
        bytes[100..2000].fill(7);
        std::fs::write(&rows, bytes).unwrap();
        let said = fit(&problem).unwrap_err().to_string();
        assert!(said.contains("is damaged"), "{said}");
        // Opened again, they are made again.
        InParts::new(Linear::params(), plan()).fit(&stored(folder.path(), 2)).unwrap();
    }
}
