//! A fit that is stopped at each of its first boundaries, and killed between them, is resumed to the bytes of
//! one that was never stopped. With `RADDLE_STOPPED=20` it is stopped at each of 20 boundaries, in every way.

use raddle::changes::Delta;
use raddle::{Engine, Outcome, Program};
use raddle_datasets::Triples;
use raddle_mf::{Carried, InProcess, Mf, MfError, Pair, Problem, Runner};

use crate::carry;
use crate::common::{SPARSE, UNEVEN, few, generated, problem, taken, taken_on, ways};
use crate::stopping::{check, epochs};

/// Stops the engine of a fit, whatever its program, and runs it.
struct Stopping<'a> {
    name: &'a str,
    mf: &'a Mf,
    problem: &'a Problem,
    /// State carried over from the version before, if there is one.
    from: Option<&'a (Carried, Delta<Pair>)>,
}

impl Runner for Stopping<'_> {
    type Error = MfError;

    fn run<P: Program>(&mut self, engine: Engine<P>) -> Result<Outcome<P>, MfError> {
        let stops = match self.from {
            None => check::<P>(self.name, &|| taken(self.mf, self.problem)),
            Some(from) => check::<P>(self.name, &|| taken_on(self.mf, self.problem, from)),
        };
        // Lists of implicit feedback may end a run after few epochs.
        let min = if self.name.contains("implicit") { 1 } else { 2 };
        assert!(
            stops >= min,
            "{}: stopped {stops} times, not before its first epoch and behind it",
            self.name
        );
        Ok(engine.run()?)
    }
}

fn stop(name: &str, mf: &Mf, problem: &Problem) {
    mf.fit_on(problem, &mut Stopping { name, mf, problem, from: None }).unwrap();
}

/// All ways with enough boundaries, including those of unknown length.
fn long_ways() -> impl Iterator<Item = (&'static str, Mf)> {
    let long = |(name, mf): (&'static str, Mf)| {
        (name, if name.contains("unknown") { mf } else { mf.epochs(epochs()) })
    };
    ways().into_iter().map(long)
}

#[test]
fn every_solver_goes_on_from_wherever_it_was_stopped() {
    let held_out = problem();
    let all = few();
    for (name, mf) in long_ways() {
        stop(name, &mf, &held_out);
        // The other solvers have no metric then for a target.
        let mf = if name.starts_with("sgd") { mf.target(1e-9) } else { mf };
        stop(&format!("{name}, nothing held out"), &mf, &all);
    }
}

#[test]
fn a_factorization_of_few_or_uneven_ratings_goes_on_from_wherever_it_was_stopped() {
    for (name, spec, users, items) in [("sparse", SPARSE, 400, 300), ("uneven", UNEVEN, 3000, 10)] {
        let problem = Problem::new(users, items, generated(spec)).unwrap().validate_on_share(0.1, 7).unwrap();
        stop(name, &Mf::params().rank(5).shards(4).epochs(epochs()), &problem);
    }
    let one: Triples = [(0, 0, 3.0)].into_iter().collect();
    let equal: Triples = (0..40).map(|at| (at % 8, at % 5, 2.0)).collect();
    for (name, ratings) in [("one rating", one), ("equal ratings", equal)] {
        let problem = Problem::new(8, 5, ratings).unwrap();
        for (way, mf) in long_ways() {
            stop(&format!("{name}, {way}"), &mf, &problem);
        }
    }
}

#[test]
fn a_fit_that_goes_on_from_another_model_goes_on_from_wherever_it_was_stopped() {
    for (name, mf) in long_ways() {
        let mut live = carry::live(0);
        let (fit, carried) =
            mf.clone().epochs(3).fit_to_carry(&carry::problem(&live), &mut InProcess).unwrap();
        let initial = mf.clone().init(fit.model);
        stop(&format!("{name}, from a model"), &initial, &carry::problem(&live));
        let taken = live.apply(&carry::versions()[2]).unwrap();
        let (problem, from) = (carry::problem(&live), (carried.unwrap(), taken.delta));
        let name = format!("{name}, a version");
        let mut stopping = Stopping { name: &name, mf: &mf, problem: &problem, from: Some(&from) };
        mf.go_on(&problem, &from.0, &from.1, &mut stopping).unwrap();
    }
}
