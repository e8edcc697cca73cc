//! Rows in a file, read where they are needed: the bytes of rows in memory, and no process has more than it needs.

use std::sync::mpsc;
use std::thread;

use raddle::cluster::{Cluster, CoordinatorSettings, Server};
use raddle::{Engine, Outcome, Program};
use raddle_common::testing::not_empty;
use raddle_datasets::{Options, StoredTable};
use raddle_linear::{Fit, InParts, Linear, Loss, PartPlan, Problem};

use crate::common::LOSSES;

const DATA: &str = "diabetes";

fn classes(y: &[f64], count: usize) -> Vec<f64> {
    let level = |y: &f64| (0..count - 1).filter(|at| *y > 100.0 + 60.0 * *at as f64).count() as f64;
    y.iter().map(level).collect()
}

fn stored(folder: &std::path::Path, classes_of: usize) -> Problem {
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

/// Runs an engine on processes that are threads here, each with a problem of its own: the outcome, the number of the
/// process that has it, and the rows that each has read by then.
fn on<P: Program>(
    processes: u32,
    folder: &std::path::Path,
    engine: impl Fn(&Problem) -> Engine<P> + Send + Sync + Clone + 'static,
) -> (Outcome<P>, Vec<u64>, usize)
where
    Outcome<P>: Send,
{
    let mut settings = CoordinatorSettings::new(processes, 1);
    settings.balance = false;
    let mut server = Server::open(&settings).unwrap();
    let (invitation, remote) = (server.invitation().clone(), server.remote());
    let ended = thread::spawn(move || server.run(|_| ()));
    let mut ran = Vec::new();
    for index in 0..processes {
        let (invitation, remote, engine) = (invitation.clone(), remote.clone(), engine.clone());
        let (folder, (tell, told)) = (folder.to_owned(), mpsc::channel());
        let process = thread::spawn(move || {
            let problem = stored(&folder, 2);
            let cluster = Cluster::join(&invitation, index).unwrap();
            let outcome = engine(&problem).run_on(&cluster).unwrap();
            tell.send((outcome, problem.rows_read())).unwrap();
            remote.exited(index, 0, false, "has ended".into());
        });
        ran.push((process, told));
    }
    let (mut outcome, mut read) = (None, Vec::new());
    for (index, (process, told)) in ran.into_iter().enumerate() {
        let (one, rows) = told.recv().unwrap();
        process.join().unwrap();
        read.push(rows);
        outcome = outcome.or(one.map(|one| (one, index)));
    }
    assert_eq!(ended.join().unwrap().code, 0);
    let (outcome, index) = outcome.unwrap();
    (outcome, read, index)
}

#[test]
fn a_process_reads_the_rows_of_its_own_shards() {
    let folder = tempfile::tempdir().unwrap();
    for plan in ["1", "4", "16"] {
        let linear = Linear::params().loss(Loss::Hinge).c(0.01);
        let settings = InParts::new(linear, plan.parse().unwrap()).shards(32);
        let expected = settings.fit_with(&in_memory(2), |engine| engine.epochs(3)).unwrap();
        let of = settings.clone();
        let (outcome, read, _) = on(3, folder.path(), move |problem| of.engine(problem).unwrap().epochs(3));
        // Together they read every row once, and each about a third.
        assert_eq!(read.iter().sum::<u64>(), 442, "{plan}: {read:?}");
        assert!(not_empty(&read).all(|rows| (100..200).contains(rows)), "{plan}: {read:?}");
        same(&settings.finish(&stored(folder.path(), 2), outcome).unwrap(), &expected);
    }
}

#[test]
fn a_problem_that_is_solved_as_one_is_read_where_it_is_solved() {
    let folder = tempfile::tempdir().unwrap();
    for loss in LOSSES {
        let linear = Linear::params().loss(loss).c(0.01);
        let expected = linear.fit(&in_memory(2)).unwrap();
        let of = linear.clone();
        let (outcome, read, index) = on(3, folder.path(), move |problem| of.engine(problem).unwrap());
        let wanted: Vec<u64> = (0..3).map(|process| if process == index { 442 } else { 0 }).collect();
        assert_eq!(read, wanted);
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
