//! A fit is a pure function of data, parameters and seed: its bytes are the same however it is carried out.

use std::sync::OnceLock;

use raddle::simd_level::SimdLevel;
use raddle::{Engine, Outcome, Program, replay};
use raddle_common::testing::pairs;
use raddle_datasets::Triples;
use raddle_mf::{Fit, Mf, MfError, Problem, Runner};

use crate::combinations::{all_combinations, in_turn};
use crate::common::{How, SPARSE, UNEVEN, bits, few, fit, generated, problem, soon_over, taken, ways};
use crate::leaving;

/// The fits of all ways on one worker, with which several tests compare.
fn alone() -> &'static [Fit] {
    static ALONE: OnceLock<Vec<Fit>> = OnceLock::new();
    ALONE.get_or_init(|| {
        let problem = problem();
        ways().iter().map(|(_, mf)| fit(mf, &problem, How::workers(1))).collect()
    })
}

#[test]
fn any_number_of_workers_and_any_rescale_give_the_same_bytes() {
    let problem = problem();
    for (turn, ((name, mf), alone)) in pairs(ways(), alone()).enumerate() {
        let is_long = name.contains("unknown") || name.contains("chosen");
        assert_eq!(alone.report.epochs > 54, is_long, "{name}: it restarts, or chooses");
        for workers in in_turn([2, 3, 4, 7], turn) {
            let how = How { threads: Some(workers), ..How::workers(workers) };
            let other = fit(&mf, &problem, how);
            assert_eq!(bits(&other), bits(alone), "{name}, {workers} workers");
            assert_eq!(
                (other.best_epoch, other.report.epochs),
                (alone.best_epoch, alone.report.epochs),
                "{name}"
            );
        }
        let how = How { rescale: vec![(1, 4), (2, 1)], threads: Some(3), ..How::workers(2) };
        assert_eq!(bits(&fit(&mf, &problem, how)), bits(alone), "{name}, rescaled");
    }
}

#[test]
fn an_input_that_is_used_up_gives_the_same_bytes() {
    let problem = problem();
    for (turn, ((name, mf), alone)) in pairs(ways(), alone()).enumerate() {
        let hows = [How::workers(1), How { serialized: true, threads: Some(3), ..How::workers(3) }];
        for (at, how) in hows.into_iter().enumerate() {
            // With ratings that the problem owns, and with shared ones.
            for is_own in in_turn([true, false], turn + at) {
                let given = if is_own { few().validate_on_share(0.1, 7).unwrap() } else { problem.clone() };
                let other = mf.fit_owned(given, &mut how.clone()).unwrap();
                assert_eq!(bits(&other), bits(alone), "{name}, its own: {is_own}");
            }
        }
    }
}

#[test]
fn what_other_fits_have_left_changes_nothing() {
    let problem = |seed: u64, count: u32| {
        let ratings =
            generated(&format!("synth:ratings:users=90,items=60,n={count},rank=2,noise=0.3,seed={seed}"));
        let mut ratings: Vec<(u32, u32, f32)> = ratings.iter().collect();
        raddle::random::Stream::new(&[seed]).shuffle(&mut ratings);
        Problem::new(90, 60, ratings.into_iter().collect::<Triples>()).unwrap()
    };
    let (small, large) = (problem(1, 1200), problem(2, 2700));
    let mf = || Mf::params().rank(5).epochs(4).shards(3);
    let anew = fit(&mf(), &small, How::workers(1));
    let again = mf();
    for before in [&small, &large, &small] {
        fit(&again, before, How::workers(2));
        assert_eq!(bits(&fit(&again, &small, How { threads: Some(2), ..How::workers(2) })), bits(&anew));
    }
}

#[test]
fn bytes_between_workers_change_nothing() {
    let problem = problem();
    for ((name, mf), alone) in pairs(ways(), alone()) {
        let how = How { serialized: true, threads: Some(3), ..How::workers(3) };
        let other = fit(&mf, &problem, how);
        assert_eq!(bits(&other), bits(alone), "{name}");
        assert!(other.report.bytes_on_wire > 0, "{name}");
    }
}

#[test]
fn what_the_counts_decide_is_replayed() {
    let folder = tempfile::tempdir().unwrap();
    for (name, spec, users, items) in [("sparse", SPARSE, 400, 300), ("uneven", UNEVEN, 3000, 10)] {
        let problem = Problem::new(users, items, generated(spec)).unwrap().validate_on_share(0.1, 7).unwrap();
        let mf = Mf::params().rank(5).shards(4).epochs(6);
        let whole = fit(&mf, &problem, How::workers(1));
        let how =
            How { serialized: true, threads: Some(3), rescale: vec![(1, 4), (2, 1)], ..How::workers(3) };
        assert_eq!(bits(&fit(&mf, &problem, how)), bits(&whole), "{name}");
        let file = folder.path().join(name);
        fit(&mf, &problem, How { epochs: Some(2), checkpoint: Some(file.clone()), ..How::workers(2) });
        let resumed = fit(&mf, &problem, How { resume: Some(file), ..How::workers(2) });
        assert_eq!(bits(&resumed), bits(&whole), "{name}, resumed");
        let mut forms = SimdLevel::available().into_iter().map(|level| {
            level.during(|| bits(&fit(&mf, &problem, How { threads: Some(1), ..How::workers(1) })))
        });
        assert!(forms.all(|form| form == bits(&whole)), "{name}");
    }
}

#[test]
fn every_vector_form_gives_the_same_bytes() {
    let problem = problem();
    let ranks = [3, 16, 33, 64, 130];
    for (turn, (name, mf)) in ways().into_iter().enumerate() {
        // Two ranks per way: each is combined with ways of sgd and of als.
        let others = in_turn(ranks, turn + 2);
        for rank in if all_combinations() { others } else { [in_turn(ranks, turn), others].concat() } {
            let mf = mf.clone().rank(rank).epochs(2);
            let mut forms = SimdLevel::available().into_iter().map(|level| {
                level.during(|| bits(&fit(&mf, &problem, How { threads: Some(1), ..How::workers(1) })))
            });
            let portable = forms.next().unwrap();
            assert!(forms.all(|form| form == portable), "{name}, rank {rank}");
        }
    }
}

/// Checks the engine of a fit, whatever its program, and runs it.
struct Checking<'a>(&'a Mf, &'a Problem);

impl Runner for Checking<'_> {
    type Error = MfError;

    fn run<P: Program>(&mut self, engine: Engine<P>) -> Result<Outcome<P>, MfError> {
        replay::check::<P>(|| taken(self.0, self.1))?;
        Ok(engine.run()?)
    }
}

/// Lets the first process of a fit leave, and runs the fit.
struct Leaving<'a> {
    name: &'a str,
    mf: &'a Mf,
    problem: &'a Problem,
    left: u64,
}

impl Runner for Leaving<'_> {
    type Error = MfError;

    fn run<P: Program>(&mut self, engine: Engine<P>) -> Result<Outcome<P>, MfError> {
        self.left += leaving::check::<P>(self.name, self.left, &|| taken(self.mf, self.problem));
        Ok(engine.run()?)
    }
}

/// With `RADDLE_LEAVES=10` the process leaves at each of the first ten boundaries, on 2x1, 3x1 and 2x2.
#[test]
fn the_first_process_may_leave_at_any_boundary() {
    let problem = if all_combinations() { problem() } else { soon_over() };
    let mut left = 0;
    for (name, mf) in ways() {
        // Long enough for ten boundaries if all are tried.
        let mf = if std::env::var_os("RADDLE_LEAVES").is_some() { mf.epochs(12) } else { mf };
        let mut leaving = Leaving { name, mf: &mf, problem: &problem, left };
        mf.fit_on(&problem, &mut leaving).unwrap();
        left = leaving.left;
    }
    println!("the first process left {left} times");
}

#[test]
fn the_engines_own_check_finds_nothing() {
    let problem = if all_combinations() { problem() } else { soon_over() };
    for (name, mf) in ways() {
        mf.fit_on(&problem, &mut Checking(&mf, &problem)).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}

#[test]
fn the_seed_and_nothing_else_names_the_first_factors() {
    let problem = problem();
    let mf = Mf::params().rank(5).epochs(3);
    let first = fit(&mf, &problem, How::workers(1));
    assert_eq!(bits(&fit(&mf, &problem, How::workers(1))), bits(&first));
    assert_ne!(bits(&fit(&mf.seed(1), &problem, How::workers(1))), bits(&first));
}
