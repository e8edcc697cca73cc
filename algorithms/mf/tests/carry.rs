//! Fits that continue from version to version of their data.

use std::collections::BTreeSet;
use std::ops::Range;

use raddle::changes::Delta;
use raddle::random::Stream;
use raddle::state::{Reader, Writer};
use raddle_common::testing::pairs;
use raddle_datasets::ratings::{HeldOut, pair_hash};
use raddle_datasets::{Duplicates, RatingsOptions, Triples, read_any_ratings, registry};
use raddle_mf::{
    Carried, Fit, InProcess, LiveRatings, Mf, MfError, Model, Pair, Problem, RatingChange, RatingsSource,
};

use crate::combinations::in_turn;
use crate::common::{How, bits, generated, ways};

const BASE: &str = "synth:ratings:users=90,items=60,n=1800,rank=2,noise=0.3,signal=0.2,seed=5";

pub(crate) fn live(least: u64) -> LiveRatings {
    let base = read_any_ratings(BASE, &RatingsOptions::default()).unwrap();
    LiveRatings::new(&base, Duplicates::Last, least)
}

fn at_least(triples: Triples, least: u64) -> Triples {
    RatingsSource::from(triples).at_least(least).unwrap().read().unwrap().into_owned()
}

fn insert(user: u32, item: u32, value: f32) -> RatingChange {
    RatingChange::Insert { user: user.to_string(), item: item.to_string(), value: value.into() }
}

/// Four versions: ratings are inserted, a user is removed, new users and items are added, a user returns.
pub(crate) fn versions() -> Vec<Vec<RatingChange>> {
    vec![
        (0..40).map(|at| insert(at % 13, at, 1.0 + (at % 4) as f32)).collect(),
        vec![RatingChange::Forget { user: "7".into() }, insert(3, 3, 2.5)],
        (0..30).map(|at| insert(90 + at % 3, 50 + at / 2, 3.0)).collect(),
        (0..12).map(|at| insert(7, 2 * at, 2.0)).collect(),
    ]
}

pub(crate) fn problem(live: &LiveRatings) -> Problem {
    let ratings = live.ratings();
    let (users, items) = (ratings.users.len(), ratings.items.len());
    Problem::new(users, items, ratings.triples).unwrap().validate_on_share(0.1, 7).unwrap()
}

/// Returns the fits of all versions; the carried state goes through bytes if `resumed` is true.
fn fits(mf: &Mf, how: &How, resumed: bool) -> Vec<Fit> {
    let mut live = live(0);
    let (fit, mut carried) = mf.fit_to_carry(&problem(&live), &mut how.clone()).unwrap();
    let mut fits = vec![fit];
    for version in versions() {
        let taken = live.apply(&version).unwrap();
        let mut from = carried.unwrap();
        if resumed {
            let mut out = Writer::default();
            out.write(&from);
            from = Reader::new(&out.into_bytes()).read().unwrap();
        }
        let (fit, next) = mf.go_on(&problem(&live), &from, &taken.delta, &mut how.clone()).unwrap();
        fits.push(fit);
        carried = next;
    }
    fits
}

#[test]
fn versions_have_the_same_bytes_however_they_are_carried_out() {
    for (turn, (name, mf)) in ways().into_iter().enumerate() {
        let alone = fits(&mf, &How::workers(1), false);
        assert!(alone.windows(2).all(|two| bits(&two[0]) != bits(&two[1])), "{name}");
        let hows = [
            (How { threads: Some(2), ..How::workers(2) }, false),
            (How { threads: Some(4), ..How::workers(4) }, true),
            (How { serialized: true, threads: Some(3), ..How::workers(3) }, false),
            (How { rescale: vec![(1, 4), (2, 1)], threads: Some(3), ..How::workers(2) }, true),
        ];
        let [a, b, c, d] = &hows;
        // For each way, one that resumes and one that does not.
        for (how, resumed) in [in_turn([a, c], turn / 2), in_turn([b, d], turn)].concat() {
            let other = fits(&mf, how, *resumed);
            assert!(pairs(&alone, &other).all(|(a, b)| bits(a) == bits(b)), "{name}, {how:?}");
        }
    }
}

/// The same offset is subtracted from the ratings and the model to start from.
#[test]
fn a_fit_to_carry_starts_from_a_model_as_a_plain_one_does() {
    let ratings = live(0).ratings();
    let (users, items) = (ratings.users.len(), ratings.items.len());
    // Some rows have no ratings, and stay as they were.
    let some: Triples =
        ratings.triples.iter().filter(|&(user, item, _)| user != 7 && item % 9 != 4).collect();
    let problem = |less: f64| {
        Problem::new(users, items, some.clone()).unwrap().validate_on_share(0.1, 7).unwrap().less(less)
    };
    let mut shifted = 0;
    for (name, mf) in ways() {
        let mut start = mf.fit(&problem(0.0)).unwrap().model;
        // Sums with it are exact.
        start.mean = 3.5;
        let from = |less: f64| mf.clone().init(Model { mean: start.mean + less, ..start.clone() });
        let plain = from(0.0).fit(&problem(0.0)).unwrap();
        for less in [0.0, 1024.0] {
            let problem = problem(less);
            let fit = match from(less).fit(&problem) {
                // Without biases factors represent the whole rating.
                Err(MfError::Less(_)) => continue,
                fit => fit.unwrap(),
            };
            let (carried, _) = from(less).fit_to_carry(&problem, &mut InProcess).unwrap();
            assert!(bits(&carried) == bits(&fit) && carried.trace.len() == fit.trace.len(), "{name}, {less}");
            let lower = Model { mean: fit.model.mean - less, ..fit.model.clone() };
            let near = (lower.mean - plain.model.mean).abs() < 1e-9;
            assert!(near && Model { mean: plain.model.mean, ..lower } == plain.model, "{name}, {less}");
            shifted += u32::from(less > 0.0);
        }
    }
    assert!(shifted > 5, "{shifted}");
}

#[test]
fn who_is_forgotten_is_zero_and_who_comes_is_known_at_once() {
    for (name, mf) in ways() {
        let fits = fits(&mf, &How::workers(1), false);
        let is_zero = |fit: &Fit, user: u32| fit.model.user(user).iter().all(|&value| value == 0.0);
        assert!(!is_zero(&fits[1], 7) && is_zero(&fits[2], 7) && is_zero(&fits[3], 7), "{name}");
        assert_eq!(fits[2].model.user_biases[7], 0.0, "{name}");
        assert!(!is_zero(&fits[4], 7), "{name}");
        assert!((90..93).all(|user| !is_zero(&fits[3], user)), "{name}");
        assert_eq!((fits[2].model.users(), fits[3].model.users()), (90, 93), "{name}");
    }
}

#[test]
fn what_is_carried_breaks_off_nowhere_and_takes_no_other_solver() {
    let mf = Mf::params().rank(5).shards(3).epochs(3);
    let live = live(0);
    let (_, carried) = mf.fit_to_carry(&problem(&live), &mut InProcess).unwrap();
    let carried = carried.unwrap();
    let mut out = Writer::default();
    out.write(&carried);
    let bytes = out.into_bytes();
    assert_eq!(Reader::new(&bytes).read::<Carried>().unwrap(), carried);
    for length in (0..bytes.len()).step_by(997) {
        assert!(Reader::new(&bytes[..length]).read::<Carried>().is_err());
    }
    let other = Mf::params().method(raddle_mf::Method::Als).rank(5);
    let error = other.go_on(&problem(&live), &carried, &nothing(), &mut InProcess).unwrap_err();
    assert!(error.to_string().contains("another solver or rank"), "{error}");
    let other = Mf::params().rank(40);
    assert!(other.go_on(&problem(&live), &carried, &nothing(), &mut InProcess).is_err());
}

fn nothing() -> Delta<Pair> {
    Delta {
        version: 1,
        entered: Vec::new(),
        left: Vec::new(),
        counts: Vec::new(),
        touched: Vec::new(),
        admitted: Vec::new(),
        dropped: Vec::new(),
    }
}

/// Compares live ratings with lists of lines edited by hand, for every rule and with a threshold.
#[test]
fn live_ratings_are_those_of_the_edited_lines() {
    for (rule, least) in [
        (Duplicates::Last, 0),
        (Duplicates::First, 0),
        (Duplicates::Sum, 0),
        (Duplicates::Mean, 3),
        (Duplicates::Last, 4),
    ] {
        let mut draws = Stream::new(&[17, least]);
        let mut below = |end: u32| draws.below(end as usize) as u32;
        let mut lines: Vec<(u32, u32, f32)> = Vec::new();
        (0..150).for_each(|_| lines.push((below(25), below(20), below(9) as f32)));
        let base = {
            let mut base = read_any_ratings(BASE, &RatingsOptions::default()).unwrap();
            base.triples = lines.iter().copied().collect();
            base
        };
        let mut live = LiveRatings::new(&base, rule, least);
        for _ in 0..60 {
            let mut changes = Vec::new();
            for _ in 0..below(9) {
                let (user, item) = (below(25), below(20));
                match below(10) {
                    0 if lines.iter().any(|line| line.0 == user) => {
                        lines.retain(|line| line.0 != user);
                        changes.push(RatingChange::Forget { user: user.to_string() });
                    }
                    1..5 => {
                        if let Some(at) = lines.iter().rposition(|line| (line.0, line.1) == (user, item)) {
                            lines.remove(at);
                            let (user, item) = (user.to_string(), item.to_string());
                            changes.push(RatingChange::Retract { user, item });
                        }
                    }
                    _ => {
                        lines.push((user, item, 1.5));
                        changes.push(insert(user, item, 1.5));
                    }
                }
            }
            live.apply(&changes).unwrap();
            let mut edited: Triples = lines.iter().copied().collect();
            rule.merge(&mut edited, 90, 60).unwrap();
            let mut found: Vec<(u32, u32, f32)> = live.ratings().triples.iter().collect();
            let mut expected: Vec<(u32, u32, f32)> = at_least(edited, least).iter().collect();
            assert_eq!(found, expected, "{rule} {least}");
            // As a file of these lines numbers them.
            let file = live.as_in_file();
            let named = |(user, item, value): (u32, u32, f32)| {
                (file.users.name(user as usize), file.items.name(item as usize), value)
            };
            let as_file: Vec<(String, String, f32)> =
                at_least(file.triples.clone(), least).iter().map(named).collect();
            let by_name =
                |&(user, item, value): &(u32, u32, f32)| (user.to_string(), item.to_string(), value);
            assert_eq!(as_file, expected.iter().map(by_name).collect::<Vec<_>>());
            found.clear();
            expected.clear();
        }
    }
}

#[test]
fn changes_that_are_refused_or_undone_leave_no_trace() {
    let mut live = live(2);
    let before = live.ratings();
    let refused = live.apply(&[insert(200, 300, 1.0), insert(0, 1, f32::NAN)]).unwrap_err();
    assert_eq!((refused.at, refused.why.contains("finite")), (1, true));
    assert_eq!(live.ratings(), before);
    let name = RatingChange::Insert { user: "anna".into(), item: "up".into(), value: 1.0 };
    let gone = RatingChange::Forget { user: "3".into() };
    live.apply(&[name.clone(), gone.clone(), insert(200, 3, 1.0), name]).unwrap();
    assert_ne!(live.ratings(), before);
    live.undo();
    assert_eq!(live.ratings(), before);
    // The view continues as if nothing had happened.
    let mut other = self::live(2);
    let change = [insert(4, 59, 2.0), gone];
    assert_eq!(live.apply(&change).unwrap().retracted, other.apply(&change).unwrap().retracted);
    assert_eq!(live.ratings(), other.ratings());
}

/// Ratings in 100 parts by the hash of their pair.
struct Parts(Vec<((u32, u32, f32), u64)>);

impl Parts {
    fn new(all: &Triples) -> Self {
        Self(all.iter().map(|one| (one, (pair_hash(one.0, one.1) >> 32) % 100)).collect())
    }

    fn some(&self, parts: Range<u64>) -> impl Iterator<Item = (u32, u32, f32)> {
        self.0.iter().filter(move |(_, part)| parts.contains(part)).map(|&(one, _)| one)
    }

    /// Each version has lost the first part of the one before, and has the next one.
    fn version(&self, version: u64) -> Triples {
        self.some(version..80 + version).collect()
    }

    /// Returns the change from the version before.
    fn change(&self, version: u64) -> Delta<Pair> {
        let pairs = |part: u64| {
            let pairs: BTreeSet<(u32, u32)> =
                self.some(part..part + 1).map(|(user, item, _)| (user, item)).collect();
            assert!(!pairs.is_empty());
            pairs.into_iter().map(|(user, item)| (0, Pair { user, item })).collect()
        };
        Delta { entered: pairs(79 + version), left: pairs(version - 1), ..nothing() }
    }
}

/// Twenty versions of ML-1M, each with a hundredth of the ratings inserted and a hundredth retracted: the
/// test error is at most 0.002 above that of fits from scratch, with a quarter of their updates or less.
#[test]
fn twenty_versions_measure_as_fits_from_scratch() {
    let Some(ratings) = registry::real_ratings("ml-1m") else { return };
    let (users, items) = (ratings.users.len(), ratings.items.len());
    let held = HeldOut::compared(ratings.triples, users, items);
    let parts = Parts::new(&held.train);
    let problem = |version: u64| {
        Problem::new(users, items, parts.version(version)).unwrap().validate_on_share(0.05, 42).unwrap()
    };
    let mf = Mf::params().workers(2);
    let (_, mut carried) = mf.fit_to_carry(&problem(0), &mut InProcess).unwrap();
    let updates = |fit: &Fit, problem: &Problem| fit.report.epochs * problem.train().len() as u64;
    for version in 1..=20 {
        let problem = problem(version);
        let change = parts.change(version);
        let (fit, next) = mf.go_on(&problem, carried.as_ref().unwrap(), &change, &mut InProcess).unwrap();
        carried = next;
        if version % 10 == 0 {
            let cold = mf.fit(&problem).unwrap();
            let (error, cold_error) = (fit.model.errors(&held.out).0, cold.model.errors(&held.out).0);
            let share = updates(&fit, &problem) as f64 / updates(&cold, &problem) as f64;
            eprintln!(
                "version {version}: {error:.5}, from scratch {cold_error:.5}; {share:.3} of the updates"
            );
            assert!(error <= cold_error + 0.002, "version {version}: {error} against {cold_error}");
            assert!(share <= 0.25, "version {version}: {share} of the updates");
        }
    }
}

#[test]
fn no_rating_is_left_out_that_has_enough() {
    let all = generated(BASE);
    assert_eq!(at_least(all.clone(), 1), all);
    let most = at_least(all.clone(), 15);
    assert!(!most.is_empty() && most.len() < all.len());
    let count = |rows: &[u32], row: u32| rows.iter().filter(|&&other| other == row).count();
    assert!(
        most.iter().all(|(user, item, _)| count(&most.users, user) >= 15 && count(&most.items, item) >= 15)
    );
}
