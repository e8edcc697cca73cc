//! A fit is a pure function of data, schedule and seed: its bytes are the same however it is carried out.

use raddle::Engine;
use raddle_lasso::{Choice, Fit, Lasso, LassoProgram, Loss, Point, Preparation, Problem};

use super::SCHEDULES;
use crate::common::{all_combinations, classes, dense, in_turn, random_data, sparse};

/// Dense and sparse columns, with an intercept.
fn problems() -> [(&'static str, Problem); 2] {
    let (x, y) = random_data(60, 150, 1.0, 31);
    let dense = Problem::new(dense(&x), classes(&y, 0.0, 1.0), Preparation::default()).unwrap();
    let (x, y) = random_data(90, 200, 0.1, 7);
    let sparse = Problem::new(sparse(&x), classes(&y, 0.0, 1.0), Preparation::default()).unwrap();
    [("dense", dense), ("sparse", sparse)]
}

fn lasso(schedule: Choice, loss: Loss, l1_ratio: f64) -> Lasso {
    let lasso = Lasso::params().loss(loss).l1_ratio(l1_ratio).ratio(20.0).tolerance(1e-9);
    lasso.schedule(schedule).parallelism(24).shards(8)
}

fn fit(problem: &Problem, lasso: Lasso, set: impl Fn(Engine<LassoProgram>) -> Engine<LassoProgram>) -> Fit {
    lasso.fit_with(problem, |engine| set(engine.epochs(6))).unwrap()
}

type Bits = (Vec<(u32, u64)>, [u64; 3], Vec<(u64, Option<u64>, u64)>);

/// Everything in a fit that must not depend on how it was carried out.
fn bits(fit: &Fit) -> Bits {
    let values = fit.coefficients.iter().map(|(j, value)| (*j, value.to_bits())).collect();
    let record = |r: &raddle::EpochRecord| (r.epoch, r.objective.map(f64::to_bits), r.value().to_bits());
    let mut course: Vec<_> = fit.trace.iter().map(record).collect();
    course.dedup();
    let gap = fit.report.metric.value;
    (values, [fit.intercept.to_bits(), fit.lambda.to_bits(), gap.to_bits()], course)
}

/// Kinds of losses: logistic, and an elastic net of either loss.
const KINDS: [(Loss, f64); 3] = [(Loss::Logistic, 1.0), (Loss::Logistic, 0.6), (Loss::Squared, 0.6)];

#[test]
fn workers_bytes_rescaling_and_shards_change_nothing() {
    let mut turn = 0;
    for (name, problem) in problems() {
        for (loss, l1_ratio) in KINDS {
            for schedule in SCHEDULES {
                let lasso = || lasso(schedule, loss, l1_ratio);
                let plain = fit(&problem, lasso(), |engine| engine);
                assert!(
                    !plain.coefficients.is_empty() && plain.report.epochs >= 2,
                    "{name}: nothing to replay"
                );
                let same = |fit: &Fit, how: &str| {
                    assert_eq!(bits(fit), bits(&plain), "{name}, {loss:?} {l1_ratio}, {schedule:?}: {how}");
                };
                turn += 1;
                for (at, workers) in [1, 2, 3, 7].into_iter().enumerate() {
                    for serialized in in_turn([false, true], turn + at + usize::from(name == "dense")) {
                        let run =
                            |engine: Engine<LassoProgram>| engine.threads(workers).serialized(serialized);
                        let other = fit(&problem, lasso().workers(workers), run);
                        same(&other, &format!("{workers} workers, serialized {serialized}"));
                    }
                }
                let plan = [(1, 3), (2, 1), (3, 4)];
                let other = fit(&problem, lasso().workers(2), |engine| {
                    engine.threads(4).serialized(true).rescale(&plan)
                });
                assert!(other.report.generations.len() > 1, "{name}: it did not rescale");
                same(&other, "rescaled");
                for shards in in_turn([1, 4, 64], turn) {
                    same(
                        &fit(&problem, lasso().shards(shards), |engine| engine),
                        &format!("{shards} shards"),
                    );
                }
            }
        }
    }
}

#[test]
fn a_fit_resumed_from_a_checkpoint_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("checkpoint");
    let mut turn = 0;
    for (name, problem) in problems() {
        for (loss, l1_ratio) in KINDS {
            for schedule in SCHEDULES {
                turn += 1;
                let lasso = || lasso(schedule, loss, l1_ratio);
                let plain = fit(&problem, lasso(), |engine| engine);
                let stops: Vec<u64> = (1..plain.report.epochs.min(4)).collect();
                let stops = if all_combinations() { &stops } else { &stops[turn % stops.len()..][..1] };
                for &stopped_after in stops {
                    fit(&problem, lasso().workers(3), |engine| {
                        engine
                            .serialized(true)
                            .epochs(stopped_after)
                            .checkpoint(1, &file)
                            .identity("this run")
                    });
                    let resumed =
                        fit(&problem, lasso().workers(2), |engine| engine.resume(&file).identity("this run"));
                    let (a, b) = (bits(&resumed), bits(&plain));
                    let context = format!("{name}, {loss:?} {l1_ratio}, {schedule:?}, after {stopped_after}");
                    assert_eq!((a.0, a.1), (b.0, b.1), "{context}");
                }
            }
        }
    }
}

#[test]
fn paths_replay() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("checkpoint");
    for (name, problem) in problems() {
        for (loss, l1_ratio) in KINDS {
            let start = || lasso(Choice::Auto, loss, l1_ratio).tolerance(1e-6);
            let points = |lasso: Lasso, set: &dyn Fn(Engine<LassoProgram>) -> Engine<LassoProgram>| {
                let fit = lasso.path(20, 30.0).fit_with(&problem, set).unwrap();
                assert_eq!(fit.points.len(), 20, "{name}");
                let point = |point: &Point| {
                    let values: Vec<_> = point.coefficients.iter().map(|(j, v)| (*j, v.to_bits())).collect();
                    (values, [point.lambda, point.gap, point.intercept].map(f64::to_bits))
                };
                fit.points.iter().map(point).collect::<Vec<_>>()
            };
            let plain = points(start(), &|engine| engine);
            for workers in [2, 3, 7] {
                let other =
                    points(start().workers(workers), &|engine| engine.threads(workers).serialized(true));
                assert_eq!(other, plain, "{name}, {loss:?}: {workers} workers");
            }
            let other = points(start(), &|engine| engine.threads(3).rescale(&[(1, 3), (4, 1), (9, 2)]));
            assert_eq!(other, plain, "{name}, {loss:?}: rescaled");
            start()
                .path(20, 30.0)
                .fit_with(&problem, |engine| engine.identity("a path").epochs(5).checkpoint(1, &file))
                .unwrap();
            let resumed = points(start().workers(2), &|engine| engine.identity("a path").resume(&file));
            assert_eq!(resumed, plain, "{name}, {loss:?}: resumed");
        }
    }
}
