//! Ratings that are read by parts, from a file that is made from the data once.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use raddle_cli::{Error, Session};
use raddle_datasets::ratings::{hashed, pair_hash};
use raddle_datasets::{PartOfRatings, Ratings, StoredRatings};
use raddle_mf::{MfError, Problem};

use super::data;
use super::fit_options::Options;
use super::runner::refuse;
use super::split::Cold;

/// The ratings of a file, split into training, validation and test data.
pub(super) struct Stored {
    /// Ids and notes of the ratings, without the ratings.
    pub(super) ratings: Ratings,
    /// Number of ratings, including those held out.
    pub(super) count: usize,
    pub(super) problem: Problem,
    pub(super) train: PartOfRatings,
    /// All ratings but the test data.
    pub(super) known: PartOfRatings,
    pub(super) measured: Option<PartOfRatings>,
    pub(super) test: Option<PartOfRatings>,
    pub(super) cold: Cold,
}

/// Returns the folder in which ratings are stored to be read by parts, if they are: the folder of `--cache`,
/// or one that the processes of a run share. With other files or a model to start from, or for a second fit,
/// ratings are read into memory.
pub(super) fn folder(options: &Options, session: &Session) -> Option<PathBuf> {
    let names_a_file = |held: &str| {
        !["none", "split"].contains(&held) && !held.starts_with(data::LATEST) && held.parse::<f64>().is_err()
    };
    let in_memory = options.refit
        || options.train.init.is_some()
        || options.train.data.as_deref() == Some("-")
        || names_a_file(&options.test)
        || names_a_file(&options.validation);
    let folder = options.cache.clone().or_else(|| session.shared_folder());
    folder.filter(|_| !in_memory)
}

/// Opens the ratings in this folder, or stores them there.
pub(super) fn open(options: &Options, folder: &Path) -> Result<StoredRatings, Error> {
    let is_timed = [&options.validation, &options.test].iter().any(|name| name.starts_with(data::LATEST));
    let format = options.train.format.as_deref();
    let mut reading = options.reading.options(format, options.train.worker_count())?;
    (reading.times, reading.offset) = (is_timed, options.model.offset());
    let source = options.train.data.as_deref().unwrap_or(data::DEFAULT);
    StoredRatings::open(source, &reading, folder).map_err(Error::input)
}

impl Stored {
    /// Splits ratings in the same way as in memory.
    pub(super) fn split(options: &Options, stored: StoredRatings) -> Result<Self, Error> {
        let ratings = stored.described().clone();
        let mut all = PartOfRatings::all(Arc::new(stored));
        if let Some(least) = options.min_count {
            all = all.at_least(least).map_err(Error::input)?;
            options.leaves_some(all.len())?;
        }
        let count = all.len();
        let mut cold = Cold::default();
        let (train, test) = match options.test.as_str() {
            "none" => (all, None),
            "split" => {
                let held = all.hold_out(|user, item| pair_hash(user, item).is_multiple_of(10));
                let (train, out, number) = held.map_err(Error::input)?;
                cold.test = Some(number);
                (train, Some(out))
            }
            last if data::latest("--test", last)?.is_some() => {
                let (train, out, number) = latest("--test", last, &all)?;
                cold.test = Some(number);
                (train, Some(out))
            }
            share => {
                let why = "give split, the latest as in last:0.1, a file, or none";
                return Err(Error::usage(format!("--test {share}: {why}")));
            }
        };
        let known = train.clone();
        let with_target = options.model.target.is_some();
        let (train, validation) = match options.validation.as_str() {
            "none" => (train, None),
            last if data::latest("--validation", last)?.is_some() => {
                let (train, out, number) = latest("--validation", last, &train)?;
                cold.validation = Some(number);
                (train, Some(out))
            }
            share => {
                let share = checked_share(share)?;
                let seed = options.train.seed;
                let held = train.hold_out(|user, item| hashed(user, item, seed, 0.0, share));
                let (train, out, number) = held.map_err(Error::input)?;
                cold.validation = Some(number);
                (train, Some(out))
            }
        };
        let problem = Problem::by_parts(train.clone()).map_err(refuse)?;
        // A target is checked on the test set if one is given.
        let (measured, is_test) = match (&test, with_target) {
            (Some(test), true) => (Some(test), true),
            _ => (validation.as_ref(), false),
        };
        let measured = measured.filter(|part| !part.is_empty()).cloned();
        let problem = match &measured {
            Some(part) => problem.measure_on_part(part, is_test).map_err(refuse)?,
            None => problem,
        };
        Ok(Self { ratings, count, problem, train, known, measured, test, cold })
    }
}

fn checked_share(share: &str) -> Result<f64, Error> {
    let number = share.parse().unwrap_or(f64::NAN);
    if number > 0.0 && number < 1.0 {
        return Ok(number);
    }
    let range = "a share must lie between 0 and 1, such as 0.05";
    Err(refuse(MfError::Parameter { name: "validation", value: number.to_string(), range }))
}

/// Removes the latest ratings from the data, and returns them.
fn latest(
    option: &str,
    last: &str,
    from: &PartOfRatings,
) -> Result<(PartOfRatings, PartOfRatings, usize), Error> {
    let share = data::latest(option, last)?.unwrap_or_default();
    let refuse = |why: &str| Error::input(format!("{option} {last}: {why}"));
    if !from.stored().has_times() {
        return Err(refuse(super::split::NO_TIMES));
    }
    let held = from.hold_out_latest(share).map_err(Error::input)?;
    let held = held.ok_or_else(|| refuse(super::split::ONE_TIME))?;
    match held.1.is_empty() {
        true => Err(refuse(super::split::NOTHING_EARLIER)),
        false => Ok(held),
    }
}
