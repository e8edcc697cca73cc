//! Compares runs by gradient steps with their definition, and with runs in other units.

mod naive;

use std::path::PathBuf;

use raddle::changes::Delta;
use raddle::{Engine, Outcome, Program};
use raddle_common::testing::{not_empty, pairs};
use raddle_datasets::Triples;
use raddle_datasets::ratings::generate;

use self::naive::{Course, Line, Naive};
use crate::carry::{Carried, Kind};
use crate::error::MfError;
use crate::fitted::Fit;
use crate::input::chunk::Chunk;
use crate::input::problem::Problem;
use crate::live::Pair;
use crate::model::{Learned, Model};
use crate::params::{Method, Mf, ScheduleKind};
use crate::runner::{InProcess, Runner};

/// Number of users, and of items: user k rates only item (29 k + 5) mod 48, repeatedly.
const PAIRS: usize = 48;

/// Makes `count` ratings of each user's item, all of one value.
fn apart(value: impl Fn(usize) -> f64, count: impl Fn(usize) -> usize) -> Vec<Line> {
    let most = (0..PAIRS).map(&count).max().unwrap();
    let again = (0..most).flat_map(|time| (0..PAIRS).map(move |user| (time, user)));
    let there = again.filter(|&(time, user)| time < count(user));
    // The program gets ratings in single precision.
    there.map(|(_, user)| (user, (29 * user + 5) % PAIRS, f64::from(value(user) as f32))).collect()
}

fn taste(user: usize) -> f64 {
    1.0 + ((7 * user) % 17) as f64 / 4.0
}

fn triples(lines: &[Line]) -> Triples {
    lines.iter().map(|&(user, item, value)| (user as u32, item as u32, value as f32)).collect()
}

fn problem(lines: &[Line], held: &[Line]) -> Problem {
    Problem::new(PAIRS, PAIRS, triples(lines)).unwrap().validate_on(triples(held)).unwrap()
}

/// Returns mean and standard deviation.
fn moments(lines: &[Line]) -> (f64, f64) {
    let mean = lines.iter().map(|line| line.2).sum::<f64>() / lines.len() as f64;
    let squares = lines.iter().map(|line| (line.2 - mean).powi(2)).sum::<f64>();
    (mean, (squares / lines.len() as f64).sqrt())
}

/// Checks that a fit equals its definition at every epoch.
#[track_caller]
fn same(fit: &Fit, run: &naive::Run, what: &str) {
    let Naive { scale, .. } = run.best;
    assert_eq!(fit.log.len(), run.log.len(), "{what}: {:?}, by definition {:?}", fit.log, run.log);
    for (epoch, (found, wanted)) in pairs(&fit.log, &run.log).enumerate() {
        assert!((found - wanted).abs() < 1e-4 * scale, "{what}, after {epoch}: {found}, {wanted}");
    }
    assert_eq!((fit.report.epochs, fit.learned), (run.log.len() as u64, Learned::Factors), "{what}");
    assert_eq!(fit.best_epoch, run.best_epoch as u64, "{what}: {:?}", run.log);
    assert!((fit.model.mean - run.best.center).abs() < 1e-9, "{what}");
    for (found, wanted) in pairs(Naive::of(&fit.model, scale).values(), run.best.values()) {
        assert!((found - wanted).abs() < 1e-4, "{what}: a value is {found}, by definition {wanted}");
    }
}

/// Parameters of a fit, and the same for the definition.
fn courses() -> Vec<(&'static str, Mf, Course)> {
    let mf = || Mf::params().rank(3).shards(2);
    let course = Course { stages: Vec::new(), tail: None, step: None, reg: None, bias_reg: 0.02 };
    let given = Course { step: Some(0.05), reg: Some(0.3), bias_reg: 0.1, ..course.clone() };
    vec![
        ("by default", mf(), course.clone()),
        ("of twelve epochs", mf().epochs(12), course),
        ("with steps that are given", mf().step(0.05).reg(0.3).bias_reg(0.1), given),
    ]
}

#[test]
fn stages_begin_with_the_same_rows_and_end_by_validation_as_defined() {
    let lines = apart(taste, |_| 8);
    let (mean, scale) = moments(&lines);
    let mut lengths = Vec::new();
    // This share of each training rating is true: longer training is better only up to a point.
    let parts = [0.5, 0.9].into_iter().flat_map(|part| courses().into_iter().map(move |case| (part, case)));
    for (part, (what, mf, course)) in parts {
        let held = apart(|user| mean + part * (taste(user) - mean), |_| 1);
        let problem = problem(&lines, &held);
        // Steps of nearly 0 leave the initial rows.
        let start = mf.clone().epochs(1).step(1e-30).fit_by_steps(&problem, &mut InProcess).unwrap().0.model;
        let start = Naive::of(&start, scale);
        let stages = match mf.epochs {
            Some(epochs) => vec![epochs as u32],
            None => vec![14, 40, 80, 160, 320, 640],
        };
        let run = naive::run(&start, &Course { stages, ..course }, &lines, &held);
        let fit = mf.fit(&problem).unwrap();
        same(&fit, &run, what);
        let first = fit.trace[0].metric.as_ref().unwrap().value;
        assert!((first / scale - 1.0).abs() < 1e-6, "{what}: before all steps the mean predicts, {first}");
        lengths.push((run.best_epoch, run.log.len()));
    }
    assert!(
        not_empty(lengths).any(|(best, epochs)| best < epochs && epochs > 14),
        "stages follow, the last in vain"
    );
}

fn delta(entered: Vec<Pair>, left: Vec<Pair>) -> Delta<Pair> {
    let named = |pairs: Vec<Pair>| pairs.into_iter().map(|pair| (0, pair)).collect();
    Delta {
        version: 1,
        entered: named(entered),
        left: named(left),
        counts: Vec::new(),
        touched: Vec::new(),
        admitted: Vec::new(),
        dropped: Vec::new(),
    }
}

/// Ratings of a version, in which a third of the users rate once more than eight times and a third once less;
/// and the changes.
fn changed(version: usize) -> (Vec<Line>, Delta<Pair>) {
    let third = |user: usize| (user + version) % 3;
    let lines = apart(taste, |user| if version == 0 { 8 } else { [9, 7, 8][third(user)] });
    let pairs_of = |one: usize| {
        let users = (0..PAIRS).filter(|&user| third(user) == one);
        users.map(|user| Pair { user: user as u32, item: ((29 * user + 5) % PAIRS) as u32 }).collect()
    };
    let (entered, left) = (pairs_of(0), pairs_of(1));
    (lines, delta(entered, left))
}

/// A first fit whose best rows by validation come before the last; with its state to carry, its rows, and the
/// length of its stage.
fn first_version(mf: &Mf) -> (Fit, Carried, Naive, u32) {
    let (lines, _) = changed(0);
    let (mean, scale) = moments(&lines);
    let problem = problem(&lines, &apart(|user| mean + 0.5 * (taste(user) - mean), |_| 1));
    let (fit, carried) = mf.fit_to_carry(&problem, &mut InProcess).unwrap();
    let start = Naive::of(&fit.model, scale);
    let (length, _) = fit.length;
    assert!(mf.epochs.map_or([14, 40].contains(&length), |epochs| epochs == u64::from(length)), "{length}");
    (fit, carried.unwrap(), start, length)
}

/// Held-out ratings that equal the run's predictions after `epochs` epochs: its error falls until then, and
/// rises afterwards.
fn held_at(start: &Naive, course: &Course, lines: &[Line], epochs: u32) -> Vec<Line> {
    let mut there = start.clone();
    for epoch in 0..epochs {
        there.train(lines, course, 2, epoch % 2);
    }
    apart(|user| there.predict(user, (29 * user + 5) % PAIRS), |_| 1)
}

#[test]
fn a_version_goes_on_from_the_best_rows_of_the_one_before_as_defined() {
    for (what, mf, course) in courses() {
        let (first, mut carried, mut start, whole) = first_version(&mf);
        assert!(first.best_epoch < first.report.epochs, "{what}: the best rows are not the last");
        // Stage length, steps and decay stay those of the first fit.
        let course = Course { stages: vec![2; 4], tail: Some(whole), ..course };
        for (version, (best_at, epochs)) in (1..).zip([(3, 6), (0, 2), (9, 8), (1, 4)]) {
            let what = format!("{what}, version {version}");
            let (lines, delta) = changed(version);
            let held = held_at(&start, &course, &lines, best_at);
            let run = naive::run(&start, &course, &lines, &held);
            assert_eq!(run.log.len(), epochs, "{what}: {:?}", run.log);
            let problem = problem(&lines, &held);
            let (fit, next) = mf.go_on(&problem, &carried, &delta, &mut InProcess).unwrap();
            same(&fit, &run, &what);
            assert_eq!(fit.trace[0].metric, None, "{what}: nothing is measured before the first epoch");
            (carried, start) = (next.unwrap(), run.best);
        }
    }
}

#[test]
fn a_version_of_given_length_has_stages_of_that_length_together() {
    let mf = Mf::params().rank(3).epochs(3);
    let (_, carried, start, whole) = first_version(&mf);
    let course = Course { stages: vec![2, 1], tail: Some(whole), step: None, reg: None, bias_reg: 0.02 };
    let (lines, delta) = changed(1);
    let held = held_at(&start, &course, &lines, 9);
    let run = naive::run(&start, &course, &lines, &held);
    assert_eq!(run.log.len(), 3);
    let (fit, _) = mf.go_on(&problem(&lines, &held), &carried, &delta, &mut InProcess).unwrap();
    same(&fit, &run, "three epochs");
}

#[test]
fn who_comes_is_folded_in_by_ratings_with_those_that_were_there() {
    let mf = Mf::params().rank(3).shards(2);
    let (_, Carried(Kind::Steps(carried)), ..) = first_version(&mf) else { panic!("steps have their state") };
    let row = |new: &[Line]| {
        let pairs = new.iter().map(|line| Pair { user: line.0 as u32, item: line.1 as u32 }).collect();
        let lines = [&changed(0).0, new].concat();
        let problem = Problem::new(PAIRS + 1, PAIRS + 1, triples(&lines)).unwrap();
        mf.folded(&carried, &problem, &delta(pairs, vec![])).model.user(PAIRS as u32).to_vec()
    };
    let known = row(&[(PAIRS, 0, 4.0), (PAIRS, 1, 1.0)]);
    assert!(known.iter().any(|&value| value != 0.0));
    assert_eq!(
        row(&[(PAIRS, 0, 4.0), (PAIRS, 1, 1.0), (PAIRS, PAIRS, 5.0)]),
        known,
        "with an item that comes, too"
    );
}

/// Makes ratings of 90 users and 60 items.
fn generated() -> Triples {
    generate::ratings("synth:ratings:users=90,items=60,n=1800,rank=2,noise=0.3,seed=5")
        .unwrap()
        .ratings
        .triples
}

/// The fits of a problem whose ratings are `unit` times as large: of gradient steps with their state to
/// carry, of least squares, and of coordinate descent. Regularisation and first factors have the same units.
fn in_units(unit: f32) -> Vec<(&'static str, Model)> {
    let times = |all: Triples| -> Triples {
        all.iter().map(|(user, item, value)| (user, item, unit * value)).collect()
    };
    let problem = Problem::new(90, 60, times(generated())).unwrap().validate_on_share(0.1, 7).unwrap();
    let u = f64::from(unit);
    let mf = || Mf::params().rank(4).shards(3).epochs(6);
    let steps = mf().reg(0.4 * u).bias_reg(0.3 * u);
    let (fit, carried) = steps.fit_to_carry(&problem, &mut InProcess).unwrap();
    let (next, _) = steps.go_on(&problem, &carried.unwrap(), &delta(vec![], vec![]), &mut InProcess).unwrap();
    // Factors are in units of roots of ratings; gradient steps take care of that, the others start with given
    // factors.
    let start = |mf: Mf| mf.reg(0.4 * u).init_scale(0.2 * u.sqrt());
    let squares = start(mf().method(Method::Als).biases(false)).fit(&problem).unwrap();
    let descent = start(mf().method(Method::Ccd).bias_reg(0.3)).fit(&problem).unwrap();
    let by_default = mf().bias_reg(0.02 * u).fit(&problem).unwrap();
    let all = [
        ("sgd", fit),
        ("sgd by default", by_default),
        ("sgd, carried", next),
        ("als", squares),
        ("ccd", descent),
    ];
    let factors = all.iter().all(|(_, fit)| fit.learned == Learned::Factors);
    assert!(factors, "no fit is behind the mean");
    all.map(|(name, fit)| (name, fit.model)).into()
}

#[test]
fn ratings_and_their_regularisation_in_other_units_give_the_model_in_other_units() {
    let plain = in_units(1.0);
    for (unit, tolerance) in [(4.0, 0.0), (10.0, 2e-4)] {
        for ((name, model), (_, other)) in pairs(&plain, in_units(unit)) {
            let spread = (0..90).map(|user| (model.predict(user, 7) - model.mean).abs()).fold(0.0, f64::max);
            assert!(spread > 0.1, "{name}: predictions differ");
            for (user, item) in (0..90).flat_map(|user| (0..60).map(move |item| (user, item))) {
                let (one, many) = (model.predict(user, item), other.predict(user, item));
                let off = (many / f64::from(unit) - one).abs();
                assert!(
                    off <= tolerance,
                    "{name}: {one} times {unit} is {many} for user {user}, item {item}"
                );
            }
        }
    }
}

#[test]
fn the_error_of_a_cell_is_the_mean_over_its_ratings() {
    let triples = generated();
    let problem = Problem::new(90, 60, triples.clone()).unwrap();
    // Steps of nearly 0 from factors near 0: the errors are the distances of ratings from their mean.
    let mf = Mf::params().rank(2).shards(2).blocks(3).epochs(1).step(1e-12).init_scale(1e-9);
    let outcome = mf.schedule(ScheduleKind::Priority).steps_engine(&problem).run().unwrap();
    let partitioning = outcome.parts.replica.partitioning.unwrap();
    let lines: Vec<Line> =
        triples.iter().map(|(u, i, value)| (u as usize, i as usize, f64::from(value))).collect();
    let (mean, scale) = moments(&lines);
    let mut cells = vec![(0.0, 0.0); 6];
    for (user, item, value) in lines {
        let cell = (partitioning.users.place[user] >> 16) * 3 + (partitioning.items.place[item] >> 16);
        let (sum, count) = &mut cells[cell as usize];
        (*sum, *count) = (*sum + ((value - mean) / scale).powi(2), *count + 1.0);
    }
    for (found, (sum, count)) in pairs(outcome.parts.pinned.cell_errors(), cells) {
        assert!(
            (found / (sum / count) - 1.0).abs() < 1e-4,
            "{found}, the mean of {count} is {}",
            sum / count
        );
    }
}

#[test]
fn ratings_that_differ_by_rounding_alone_are_not_divided_by_it() {
    let mut deviations = Vec::new();
    for count in 2..60 {
        let all: Triples = (0..count).map(|at| (at % 7, at % 5, 0.1)).collect();
        let problem = Problem::new(7, 5, all).unwrap();
        let program = Mf::params().steps_program(&problem, [2, 2], [problem.users, problem.items]);
        let chunks = Chunk::cut(&problem, 2).unwrap();
        let partitioning = program.lay_out(chunks.iter().map(|chunk| chunk.count(7, 5)));
        assert_eq!(partitioning.scale, 1.0, "{count} ratings deviate by {}", partitioning.deviation);
        deviations.push(partitioning.deviation);
    }
    assert!(not_empty(deviations).any(|deviation| deviation > 0.0), "nothing was rounded");
}

/// Ends a run after some epochs, and resumes from a checkpoint if there is one.
#[derive(Default)]
struct Limit {
    epochs: Option<u64>,
    checkpoint: Option<PathBuf>,
    resume: Option<PathBuf>,
}

impl Runner for Limit {
    type Error = MfError;

    fn run<P: Program>(&mut self, mut engine: Engine<P>) -> Result<Outcome<P>, MfError> {
        engine = engine.identity("this version");
        if let Some(epochs) = self.epochs {
            engine = engine.epochs(epochs);
        }
        if let Some(folder) = &self.checkpoint {
            engine = engine.checkpoint(1, folder);
        }
        if let Some(folder) = &self.resume {
            engine = engine.resume(folder);
        }
        Ok(engine.run()?)
    }
}

#[test]
fn a_fit_that_was_cut_short_is_repeated_as_far_as_it_came() {
    let problem = Problem::new(90, 60, generated()).unwrap();
    for (mf, length) in [(Mf::params().rank(3).epochs(9), 9), (Mf::params().rank(3), 10)] {
        let fit = mf.fit_on(&problem, &mut Limit { epochs: Some(3), ..Limit::default() }).unwrap();
        assert_eq!((fit.report.epochs, fit.length), (3, (length, 3)));
        let again = mf.repeat(&fit).fit(&problem).unwrap();
        assert_eq!((again.report.epochs, again.model), (3, fit.model));
    }
}

#[test]
fn a_version_that_was_cut_short_goes_on_from_its_checkpoint() {
    let mf = Mf::params().rank(3).shards(2);
    let (_, carried, start, whole) = first_version(&mf);
    let course = Course { stages: vec![2; 4], tail: Some(whole), step: None, reg: None, bias_reg: 0.02 };
    let (lines, delta) = changed(1);
    let problem = problem(&lines, &held_at(&start, &course, &lines, 3));
    let whole = mf.go_on(&problem, &carried, &delta, &mut InProcess).unwrap();
    assert_eq!((whole.0.report.epochs, whole.0.best_epoch), (6, 3));
    let folder = tempfile::tempdir().unwrap();
    for epochs in 0..6 {
        let file = folder.path().join(epochs.to_string());
        let mut cut = Limit { epochs: Some(epochs), checkpoint: Some(file.clone()), resume: None };
        let (fit, _) = mf.go_on(&problem, &carried, &delta, &mut cut).unwrap();
        assert_eq!(fit.report.epochs, epochs);
        let mut on = Limit { resume: Some(file), ..Limit::default() };
        let (fit, next) = mf.go_on(&problem, &carried, &delta, &mut on).unwrap();
        assert_eq!((&fit.model, &fit.log), (&whole.0.model, &whole.0.log), "cut after {epochs}");
        assert_eq!(next, whole.1, "cut after {epochs}");
    }
}
