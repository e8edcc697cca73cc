//! A checkpoint is small, restores the run that wrote it bit for bit, and is refused by any other run.

use std::path::Path;

use raddle::{Ending, Engine, EngineError, Limit};
use raddle_common::testing::Checkpoint;
use raddle_lasso::{Choice, Fit, Lasso, LassoError, LassoProgram, Loss, Preparation, Problem};

use crate::common::{all_combinations, classes, dense, in_turn, random, random_data, sparse};

const SCHEDULES: [Choice; 4] = [Choice::WorkingSet, Choice::Priority, Choice::Shuffled, Choice::Cyclic];
const KINDS: [(Loss, f64); 4] =
    [(Loss::Squared, 1.0), (Loss::Squared, 0.6), (Loss::Logistic, 1.0), (Loss::Logistic, 0.6)];
const WORKERS: [usize; 4] = [1, 2, 3, 5];

/// Dense and sparse columns, with a response that both losses can have.
fn problems(rows: usize, columns: usize) -> [(&'static str, Problem); 2] {
    [("dense", 1.0), ("sparse", 0.1)].map(|(name, fill)| {
        let (x, y) = random_data(rows, columns, fill, 31);
        let x = if fill < 1.0 { sparse(&x) } else { dense(&x) };
        (name, Problem::new(x, classes(&y, 0.0, 1.0), Preparation::default()).unwrap())
    })
}

fn run(
    problem: &Problem,
    lasso: &Lasso,
    set: impl FnOnce(Engine<LassoProgram>) -> Engine<LassoProgram>,
) -> Result<Fit, LassoError> {
    lasso.clone().fit_with(problem, |engine| set(engine).identity("this run"))
}

/// Everything in a fit that must not depend on how it was carried out, as bits.
fn bits(fit: &Fit) -> (Vec<u64>, Ending) {
    let report = &fit.report;
    let mut bits = vec![report.epochs, report.rounds, report.updates, report.rollbacks];
    bits.extend([fit.intercept, fit.lambda, fit.lambda_max, report.metric.value].map(f64::to_bits));
    bits.extend(fit.coefficients.iter().flat_map(|&(j, value)| [u64::from(j), value.to_bits()]));
    for point in &fit.points {
        bits.extend([point.lambda, point.gap, point.intercept].map(f64::to_bits));
        bits.extend(point.coefficients.iter().flat_map(|&(j, value)| [u64::from(j), value.to_bits()]));
    }
    (bits, report.ending)
}

/// Runs to the end with checkpoints, and again from the last one; then stops after some epochs, or is left
/// with an earlier checkpoint as a killed run is, and resumes each with other numbers of workers.
fn resumes(problem: &Problem, lasso: &Lasso, limit: u64, stops: &[u64], context: &str) -> Fit {
    resumes_on(WORKERS, problem, lasso, limit, stops, context)
}

/// [`resumes`] with these numbers of workers: the finished run with the first, each stop with the next.
fn resumes_on<const N: usize>(
    workers: [usize; N],
    problem: &Problem,
    lasso: &Lasso,
    limit: u64,
    stops: &[u64],
    context: &str,
) -> Fit {
    let folder = tempfile::tempdir().unwrap();
    let (file, killed) = (folder.path().join("checkpoint"), folder.path().join("killed"));
    let plain = run(problem, lasso, |engine| engine.epochs(limit)).unwrap();
    assert!(!plain.coefficients.is_empty() && plain.report.epochs >= 2, "{context}: nothing to resume");
    let same = |fit: Fit, how: &str| assert_eq!(bits(&fit), bits(&plain), "{context}: {how}");
    same(
        run(problem, lasso, |engine| engine.epochs(limit).checkpoint(1, &file)).unwrap(),
        "with checkpoints",
    );
    for workers in in_turn(workers, 0) {
        let again = |engine: Engine<LassoProgram>| engine.workers(workers).epochs(limit).resume(&file);
        same(run(problem, lasso, again).unwrap(), &format!("finished, {workers} workers"));
    }
    for (at, &after) in (1..).zip(stops.iter().filter(|&&after| after < plain.report.epochs)) {
        let stopped = run(problem, lasso, |engine| engine.epochs(after).checkpoint(1, &killed)).unwrap();
        assert_eq!(
            (stopped.report.epochs, stopped.report.ending),
            (after, Ending::Limit(Limit::Epochs)),
            "{context}"
        );
        for workers in in_turn(workers, at) {
            let on = |engine: Engine<LassoProgram>| engine.workers(workers).threads(workers).resume(&killed);
            let resumed = run(problem, lasso, |engine| on(engine).epochs(limit)).unwrap();
            same(resumed, &format!("after {after} epochs, {workers} workers"));
        }
    }
    plain
}

#[test]
fn any_fit_goes_on_from_its_checkpoints() {
    for (name, problem) in problems(60, 150) {
        for (loss, l1_ratio) in KINDS {
            for schedule in SCHEDULES {
                let lasso = Lasso::params().loss(loss).l1_ratio(l1_ratio).ratio(20.0).tolerance(1e-9);
                let lasso = lasso.schedule(schedule).parallelism(24).shards(8);
                resumes(
                    &problem,
                    &lasso,
                    6,
                    &[1, 2, 4],
                    &format!("{name}, {loss:?} {l1_ratio}, {schedule:?}"),
                );
            }
        }
    }
}

#[test]
fn any_path_goes_on_from_its_checkpoints() {
    for (name, problem) in problems(60, 150) {
        for (loss, l1_ratio) in KINDS {
            let lasso = Lasso::params().loss(loss).l1_ratio(l1_ratio).path(12, 40.0).shards(5);
            resumes(&problem, &lasso, 1000, &[1, 5, 11], &format!("path, {name}, {loss:?} {l1_ratio}"));
        }
    }
}

#[test]
fn a_warm_start_goes_on_from_its_checkpoints() {
    for (name, problem) in problems(60, 150) {
        for (loss, l1_ratio) in KINDS {
            let lasso = Lasso::params().loss(loss).l1_ratio(l1_ratio).tolerance(1e-9);
            let init = run(&problem, &lasso.clone().ratio(5.0), |engine| engine).unwrap().coefficients;
            let lasso = lasso.ratio(30.0).init(init);
            resumes(&problem, &lasso, 100, &[1, 2], &format!("warm, {name}, {loss:?} {l1_ratio}"));
        }
    }
}

/// A fit that reached a loose tolerance continues to a tighter one as if it had started with it.
fn goes_on_as_if_begun_with(schedule: Choice) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("checkpoint");
    let (mut went_on, mut tried) = (0, 0);
    for (name, problem) in problems(40, 60) {
        for (loss, l1_ratio) in KINDS {
            let lasso = Lasso::params().loss(loss).l1_ratio(l1_ratio).ratio(5.0).schedule(schedule);
            let lasso = |tolerance| lasso.clone().tolerance(tolerance).parallelism(12).shards(5);
            let tight = if all_combinations() { 1e-5 } else { 1e-4 };
            let whole = run(&problem, &lasso(tight), |engine| engine).unwrap();
            assert_eq!(whole.report.ending, Ending::Target, "{name}, {loss:?}, {schedule:?}");
            for loose in [0.3, 1e-2, 1e-3] {
                let context = format!("{name}, {loss:?} {l1_ratio}, {schedule:?}, from {loose}");
                let early = run(&problem, &lasso(loose), |engine| engine.checkpoint(1, &file)).unwrap();
                assert_eq!(early.report.ending, Ending::Target, "{context}");
                went_on += usize::from(early.report.epochs < whole.report.epochs);
                tried += 1;
                for workers in in_turn([1, 3], tried) {
                    let on = |engine: Engine<LassoProgram>| engine.workers(workers).resume(&file);
                    let resumed = run(&problem, &lasso(tight), on).unwrap();
                    assert_eq!(bits(&resumed), bits(&whole), "{context}, {workers} workers");
                }
            }
        }
    }
    println!("{went_on} of {tried} runs went on");
    assert!(3 * went_on >= tried, "{went_on} of {tried} runs went on");
}

#[test]
fn a_working_set_that_reached_its_tolerance_goes_on_to_a_tighter_one() {
    goes_on_as_if_begun_with(Choice::WorkingSet);
}

#[test]
fn a_priority_schedule_that_reached_its_tolerance_goes_on_to_a_tighter_one() {
    goes_on_as_if_begun_with(Choice::Priority);
}

#[test]
fn a_shuffled_schedule_that_reached_its_tolerance_goes_on_to_a_tighter_one() {
    goes_on_as_if_begun_with(Choice::Shuffled);
}

#[test]
fn a_cyclic_schedule_that_reached_its_tolerance_goes_on_to_a_tighter_one() {
    goes_on_as_if_begun_with(Choice::Cyclic);
}

/// Sets too large to be followed along a path, and too large to be solved as one.
#[test]
fn large_working_sets_are_made_anew_with_the_same_bits() {
    for (turn, (rows, columns, loss, l1_ratio, ratio, members)) in [
        (800, 2000, Loss::Squared, 1.0, 400.0, 1000),
        (400, 1000, Loss::Squared, 0.7, 60.0, 256),
        (400, 1000, Loss::Logistic, 1.0, 20.0, 256),
    ]
    .into_iter()
    .enumerate()
    {
        let problems = problems(rows, columns);
        for (name, problem) in in_turn([&problems[0], &problems[1]], turn) {
            let lasso = Lasso::params().loss(loss).l1_ratio(l1_ratio).ratio(ratio).tolerance(1e-4);
            let context = format!("large, {name}, {loss:?} {l1_ratio}");
            let fit = resumes_on([3], problem, &lasso, 100, &[4], &context);
            // A column that enters is an update.
            assert!(fit.report.updates > members, "{name}, {loss:?}: {} members", fit.report.updates);
        }
    }
}

fn stopped_at(problem: &Problem, lasso: &Lasso, epochs: u64, file: &Path) -> Fit {
    run(problem, lasso, |engine| engine.epochs(epochs).checkpoint(1, file)).unwrap()
}

#[test]
fn a_checkpoint_takes_no_more_than_four_times_the_model_and_the_replica() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("checkpoint");
    for (name, problem) in problems(800, 2000) {
        let fit = stopped_at(&problem, &Lasso::params().ratio(600.0), 4, &file);
        let (model, replica) = (12 * fit.coefficients.len() as u64, 8 * problem.rows() as u64);
        let size = Checkpoint::last(&file).length() as u64;
        assert!(fit.coefficients.len() > 300 && size <= 4 * (model + replica), "{name}: {size} bytes");
    }
}

#[test]
fn a_checkpoint_with_other_content_is_refused_or_followed_but_never_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("checkpoint");
    let (mut next, mut tried, mut refused) = (random(5), 0, 0);
    let mut pick = move |count: usize| (((next() + 1.0) / 2.0 * count as f64) as usize).min(count - 1);
    for (name, problem) in problems(30, 50) {
        for (loss, schedule) in [
            (Loss::Squared, Choice::WorkingSet),
            (Loss::Logistic, Choice::WorkingSet),
            (Loss::Squared, Choice::Priority),
        ] {
            let lasso = Lasso::params().loss(loss).schedule(schedule).ratio(20.0).tolerance(1e-9).shards(3);
            stopped_at(&problem, &lasso, 2, &file);
            let whole = Checkpoint::last(&file);
            for _ in 0..if all_combinations() { 250 } else { 80 } {
                tried += 1;
                let at = pick(whole.length());
                whole.forge(at, |bytes, at| {
                    let end = bytes.len();
                    match pick(4) {
                        0 => bytes[at] ^= 1 << pick(8),
                        1 => bytes[at] = [0, 0xff, 0x7f, 0x80][pick(4)],
                        2 => bytes[at..(at + 8).min(end)].fill(0xff),
                        _ => bytes[at..(at + 8).min(end)].fill(0),
                    }
                });
                let again = run(&problem, &lasso, |engine| engine.epochs(30).resume(&file));
                match again {
                    Ok(_) => {}
                    Err(LassoError::Engine(EngineError::Checkpoint { .. })) => refused += 1,
                    Err(error) => panic!("{name}, {loss:?}, {schedule:?}, byte {at}: {error}"),
                }
            }
        }
    }
    assert!(15 * refused > tried, "{refused} of {tried} refused");
}
