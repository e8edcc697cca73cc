//! A fit is a pure function of data, schedule and seed: its bytes are the same however it is carried out.

use raddle::{Engine, replay};
use raddle_datasets::generate;
use raddle_lasso::{Choice, Fit, Lasso, LassoProgram, Loss, Preparation, Problem};

use crate::common::{as_sparse, in_turn, random_data, sparse};
use crate::leaving;

pub(crate) const SCHEDULES: [Choice; 4] =
    [Choice::WorkingSet, Choice::Priority, Choice::Shuffled, Choice::Cyclic];

/// Groups of correlated columns with all values stored; sparse columns, centred implicitly.
pub(crate) fn problems() -> [(&'static str, Problem); 2] {
    let groups = generate::table("synth:groups:n=40,p=260,g=10,r=0.8,s=12").unwrap();
    let (x, y) = random_data(80, 260, 0.1, 7);
    let dense = Problem::new(groups.x, groups.y, Preparation::default()).unwrap();
    [("dense", dense), ("sparse", Problem::new(sparse(&x), y, Preparation::default()).unwrap())]
}

pub(crate) fn lasso(schedule: Choice) -> Lasso {
    Lasso::params().ratio(30.0).schedule(schedule).parallelism(24).shards(8)
}

fn fit(problem: &Problem, lasso: Lasso, set: impl Fn(Engine<LassoProgram>) -> Engine<LassoProgram>) -> Fit {
    // Enough epochs that every part of a schedule is used.
    lasso.fit_with(problem, |engine| set(engine.epochs(7))).unwrap()
}

/// Everything in a fit that must not depend on how it was carried out, as bits.
#[derive(Debug, PartialEq)]
struct Bits {
    coefficients: Vec<(u32, u64)>,
    intercept: u64,
    lambda: u64,
    gap: u64,
    objective: Option<u64>,
    epochs: u64,
    rounds: u64,
    updates: u64,
}

fn bits(fit: &Fit) -> Bits {
    let report = &fit.report;
    Bits {
        coefficients: fit.coefficients.iter().map(|(j, value)| (*j, value.to_bits())).collect(),
        intercept: fit.intercept.to_bits(),
        lambda: fit.lambda.to_bits(),
        gap: report.metric.value.to_bits(),
        objective: report.objective.map(f64::to_bits),
        epochs: report.epochs,
        rounds: report.rounds,
        updates: report.updates,
    }
}

#[test]
fn the_engines_own_check_finds_nothing() {
    for (of_problem, (name, problem)) in problems().into_iter().enumerate() {
        for (of_schedule, schedule) in SCHEDULES.into_iter().enumerate() {
            for staleness in in_turn([0, 2], of_problem + of_schedule) {
                let lasso = lasso(schedule).staleness(staleness).tolerance(1e-9);
                let checked = replay::check(|| lasso.engine(&problem).unwrap().epochs(5));
                checked.unwrap_or_else(|why| panic!("{name}, {schedule:?}, staleness {staleness}: {why}"));
            }
        }
        replay::check(|| lasso(Choice::Auto).path(8, 30.0).engine(&problem).unwrap()).unwrap();
    }
}

/// The losses with suitable responses, all made from one: its sign, its size as a count, and its third.
pub(crate) fn losses() -> [(Loss, Problem); 4] {
    let (x, y) = random_data(60, 150, 0.3, 31);
    let mut sorted = y.clone();
    sorted.sort_by(f64::total_cmp);
    let rank = |value: f64| sorted.partition_point(|&other| other < value);
    let response = |of: &dyn Fn(f64) -> f64| y.iter().map(|&value| of(value)).collect::<Vec<f64>>();
    [
        (Loss::Squared, response(&|value| value)),
        (Loss::Logistic, response(&|value| f64::from(rank(value) >= 30))),
        (Loss::Poisson, response(&|value| (rank(value) / 8) as f64)),
        (Loss::Multinomial, response(&|value| (rank(value) / 20) as f64)),
    ]
    .map(|(loss, y)| (loss, Problem::new(sparse(&x), y, Preparation::default()).unwrap()))
}

#[test]
fn the_engines_own_check_finds_nothing_with_any_loss() {
    for (loss, problem) in losses() {
        // One lambda is too few for the working set, which would finish after an epoch.
        for lasso in [lasso(Choice::WorkingSet).path(6, 30.0), lasso(Choice::Priority).ratio(10.0)] {
            let lasso = lasso.loss(loss).tolerance(1e-9);
            let checked = replay::check(|| lasso.engine(&problem).unwrap().epochs(5));
            checked.unwrap_or_else(|why| panic!("{loss:?}, {lasso:?}: {why}"));
        }
    }
}

/// With `RADDLE_LEAVES=10` the process leaves at each of the first ten boundaries, on 2x1, 3x1 and 2x2.
#[test]
fn the_first_process_may_leave_at_any_boundary() {
    let mut left = 0;
    let mut leave = |what: &str, lasso: &Lasso, problem: &Problem| {
        left += leaving::check(what, left, &|| lasso.engine(problem).unwrap().epochs(12));
    };
    for (name, problem) in problems() {
        for schedule in SCHEDULES {
            let lasso = lasso(schedule).tolerance(1e-13);
            leave(&format!("{name}, {schedule:?}"), &lasso, &problem);
        }
        leave(&format!("{name}, path"), &lasso(Choice::Auto).path(12, 60.0), &problem);
        leave(&format!("{name}, stale"), &lasso(Choice::Shuffled).staleness(2), &problem);
    }
    for (loss, problem) in losses() {
        for (name, lasso) in [
            ("working set", lasso(Choice::WorkingSet).path(10, 60.0)),
            ("shuffled", lasso(Choice::Shuffled).ratio(10.0).tolerance(1e-12)),
        ] {
            leave(&format!("{loss:?}, {name}"), &lasso.loss(loss), &problem);
        }
    }
    println!("the first process left {left} times");
}

/// Objective and certificate of every epoch.
fn course(fit: &Fit) -> Vec<(u64, Option<u64>, u64)> {
    let record = |r: &raddle::EpochRecord| (r.epoch, r.objective.map(f64::to_bits), r.value().to_bits());
    let mut course: Vec<_> = fit.trace.iter().map(record).collect();
    course.dedup();
    course
}

/// Checks that every way to carry out a fit gives the bytes of the plain one.
fn replays(schedule: Choice, staleness: usize) {
    for (at, (name, problem)) in problems().into_iter().enumerate() {
        let turn = at + staleness / 2;
        let lasso = || lasso(schedule).staleness(staleness);
        let plain = fit(&problem, lasso(), |engine| engine);
        assert!(!plain.coefficients.is_empty() && plain.report.epochs >= 2, "{name}: nothing to replay");
        let same = |fit: &Fit, how: &str| {
            assert_eq!(bits(fit), bits(&plain), "{name}, {schedule:?}, staleness {staleness}: {how}");
            assert_eq!(course(fit), course(&plain), "{name}, {schedule:?}, staleness {staleness}: {how}");
        };
        for (at, workers) in [1, 2, 3, 4, 7].into_iter().enumerate() {
            for serialized in in_turn([false, true], turn + at) {
                let other = fit(&problem, lasso().workers(workers), |engine| {
                    engine.threads(workers).serialized(serialized)
                });
                assert_eq!(other.report.bytes_on_wire > 0, serialized);
                same(&other, &format!("{workers} workers, serialized {serialized}"));
            }
        }
        for serialized in in_turn([false, true], turn) {
            let plan = [(1, 3), (2, 1), (3, 4)];
            let other = fit(&problem, lasso().workers(2), |engine| {
                engine.threads(4).serialized(serialized).rescale(&plan)
            });
            assert!(other.report.generations.len() > 1, "{name}: it did not rescale");
            same(&other, "rescaled");
        }
    }
}

#[test]
fn the_working_set_replays() {
    replays(Choice::WorkingSet, 0);
    replays(Choice::WorkingSet, 2);
}

#[test]
fn priority_replays() {
    replays(Choice::Priority, 0);
    replays(Choice::Priority, 2);
}

#[test]
fn shuffled_replays() {
    replays(Choice::Shuffled, 0);
    replays(Choice::Shuffled, 2);
}

#[test]
fn cyclic_replays() {
    replays(Choice::Cyclic, 0);
    replays(Choice::Cyclic, 2);
}

#[test]
fn staleness_takes_another_course() {
    // Otherwise the tests above would show nothing about staleness.
    let [(_, problem), _] = problems();
    for schedule in [Choice::Shuffled, Choice::Priority, Choice::Cyclic] {
        let of = |staleness| course(&fit(&problem, lasso(schedule).staleness(staleness), |engine| engine));
        assert_ne!(of(0), of(2), "{schedule:?}");
    }
}

#[test]
fn a_fit_resumed_from_a_checkpoint_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    for (of_problem, (name, problem)) in problems().into_iter().enumerate() {
        for (of_schedule, schedule) in SCHEDULES.into_iter().enumerate() {
            for staleness in in_turn([0, 2], of_problem + of_schedule) {
                let lasso = || lasso(schedule).staleness(staleness).tolerance(1e-9);
                let plain = fit(&problem, lasso(), |engine| engine);
                for stopped_after in 1..plain.report.epochs.min(4) {
                    let file = folder.path().join("checkpoint");
                    let stopped = fit(&problem, lasso().workers(3), |engine| {
                        engine
                            .serialized(true)
                            .epochs(stopped_after)
                            .checkpoint(1, &file)
                            .identity("this run")
                    });
                    assert_eq!(stopped.report.epochs, stopped_after);
                    let resumed =
                        fit(&problem, lasso().workers(2), |engine| engine.resume(&file).identity("this run"));
                    let context =
                        format!("{name}, {schedule:?}, staleness {staleness}, after {stopped_after}");
                    assert_eq!(bits(&resumed), bits(&plain), "{context}");
                }
            }
        }
    }
}

#[test]
fn paths_replay() {
    for (name, problem) in problems() {
        let points = |lasso: Lasso, set: &dyn Fn(Engine<LassoProgram>) -> Engine<LassoProgram>| {
            let fit = lasso.path(25, 60.0).fit_with(&problem, set).unwrap();
            assert_eq!(fit.points.len(), 25, "{name}");
            let bits = |value: &f64| value.to_bits();
            let point = |point: &raddle_lasso::Point| {
                let values: Vec<_> = point.coefficients.iter().map(|(j, value)| (*j, bits(value))).collect();
                (values, [bits(&point.lambda), bits(&point.gap), bits(&point.intercept)])
            };
            fit.points.iter().map(point).collect::<Vec<_>>()
        };
        let plain = points(lasso(Choice::Auto), &|engine| engine);
        assert!(plain.last().unwrap().0.len() > 10, "{name}: nothing to replay");
        for workers in [2, 3, 7] {
            for serialized in [false, true] {
                let other = points(lasso(Choice::Auto).workers(workers), &|engine| {
                    engine.threads(workers).serialized(serialized)
                });
                assert_eq!(other, plain, "{name}: {workers} workers, serialized {serialized}");
            }
        }
        for shards in [1, 4, 16, 64, 256] {
            assert_eq!(
                points(lasso(Choice::Auto).shards(shards), &|engine| engine),
                plain,
                "{name}: {shards} shards"
            );
        }
        let plan = [(1, 3), (4, 1), (9, 2)];
        let other = points(lasso(Choice::Auto), &|engine| engine.serialized(true).rescale(&plan));
        assert_eq!(other, plain, "{name}: rescaled");
        let folder = tempfile::tempdir().unwrap();
        for stopped_after in [3, 10] {
            let file = folder.path().join("checkpoint");
            let stopped = lasso(Choice::Auto).path(25, 60.0);
            let name_it = |engine: Engine<LassoProgram>| engine.identity("a path");
            stopped
                .fit_with(&problem, |engine| name_it(engine).epochs(stopped_after).checkpoint(1, &file))
                .unwrap();
            let resumed = points(lasso(Choice::Auto).workers(2), &|engine| name_it(engine).resume(&file));
            assert_eq!(resumed, plain, "{name}: resumed after {stopped_after} epochs");
        }
    }
}

#[test]
fn any_number_of_shards_gives_the_same_bytes() {
    for (name, problem) in problems() {
        for schedule in SCHEDULES {
            let with = |shards| fit(&problem, lasso(schedule).shards(shards).workers(2), |engine| engine);
            let one = with(1);
            assert_eq!(one.report.shards, 1);
            for shards in [4, 16, 64, 256] {
                let other = with(shards);
                assert_eq!(other.report.shards, shards);
                assert_eq!(bits(&other), bits(&one), "{name}, {schedule:?}, {shards} shards");
            }
        }
    }
}

#[test]
fn any_number_of_shards_needs_the_same_epochs() {
    for (name, problem) in problems() {
        for schedule in [Choice::WorkingSet, Choice::Priority, Choice::Shuffled] {
            let epochs = [4, 16, 64, 256].map(|shards| {
                let lasso = lasso(schedule).ratio(10.0).tolerance(1e-3).shards(shards);
                let fit = lasso.fit_with(&problem, |engine| engine.epochs(500)).unwrap();
                assert!(fit.report.metric.is_reached(), "{name}, {schedule:?}, {shards} shards");
                fit.report.epochs
            });
            assert!(
                epochs[0] > 0 && epochs.iter().all(|&count| count == epochs[0]),
                "{name}, {schedule:?}: {epochs:?}"
            );
        }
    }
}

#[test]
fn the_seed_matters_where_something_is_drawn_and_nowhere_else() {
    let [(_, problem), _] = problems();
    for schedule in SCHEDULES {
        let [a, b] =
            [1, 2].map(|seed| bits(&fit(&problem, lasso(schedule).seed(seed), |engine| engine)).coefficients);
        let drawn = matches!(schedule, Choice::Priority | Choice::Shuffled);
        assert_eq!(a != b, drawn, "{schedule:?}");
    }
}

#[test]
fn sparse_storage_of_full_columns_changes_nothing() {
    let groups = generate::table("synth:groups:n=30,p=60,g=10,r=0.8,s=6").unwrap();
    let problem =
        |table: raddle_datasets::Table| Problem::new(table.x, table.y, Preparation::default()).unwrap();
    let [a, b] = [problem(groups.clone()), problem(as_sparse(groups))]
        .map(|problem| bits(&fit(&problem, lasso(Choice::Auto), |engine| engine)));
    assert_eq!(a, b);
}

#[test]
fn the_vector_forms_of_the_kernels_give_the_same_model() {
    let digest = |level: &str, data: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_lasso"));
        let options = ["fit", data, "--ratio", "100", "--quiet", "--json"];
        let output = command.args(options).env("RADDLE_LEVEL", level).output().unwrap();
        assert!(output.status.success(), "{level}: {}", String::from_utf8_lossy(&output.stderr));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        report["model_digest"].as_str().unwrap().to_owned()
    };
    for data in
        ["synth:ar1:n=150,p=700,rho=0.9,s=20,snr=5,seed=1", "synth:strads:n=400,p=3000,k=25,c=0.1,s=40,snr=5"]
    {
        let widest = digest("", data);
        for level in raddle::simd_level::SimdLevel::available() {
            assert_eq!(digest(level.name(), data), widest, "{data}: {}", level.name());
        }
    }
}
