//! [`Split`]: training, validation and test data.

use raddle_cli::Error;
use raddle_datasets::ratings::pair_hash;
use raddle_datasets::{Ratings, RatingsOptions, Triples};
use raddle_mf::{Problem, RatingsSource, RatingsSplit, Seen};

use super::data;
use super::fit_options::Options;
use super::hold_out::{Cold, HoldOut, HoldOutRule};
use super::rated_pairs::RatedPairs;
use super::runner::refuse;

/// The ratings as read, split into training, validation and test data.
pub(super) struct Split {
    pub(super) problem: Problem,
    /// Training and validation data together, if the model is refitted.
    pub(super) whole: Option<RatingsSource>,
    /// The held-out set that the run's metric is measured on: `validation` or `test`.
    pub(super) measured_on: &'static str,
    pub(super) aside: Aside,
}

/// Data of a fit beside its problem.
pub(super) struct Aside {
    pub(super) test: Option<RatingsSource>,
    /// Ratings that were to be held out but are not used.
    pub(super) cold: Cold,
    /// Pairs that users have rated.
    pub(super) rated: RatedPairs,
}

impl Split {
    /// Splits ratings. What users have rated includes `earlier`, and the folder stores it if `keeps_seen` is
    /// true.
    pub(super) fn new(
        options: &Options,
        ratings: &Ratings,
        source: RatingsSource,
        earlier: Option<&Seen>,
        keeps_seen: bool,
    ) -> Result<Self, Error> {
        let [validation, test] = options.held_out()?;
        let RatingsSplit { train, out, cold: cold_test } = hold_out(options, test, ratings, source)?;
        let test_data = test.is_given().then_some(out);
        let file = validation.file().map(|_| hold_out(options, validation, ratings, train.without_times()));
        let file = file.transpose()?;
        // All ratings but the test data.
        let known = match &file {
            Some(file) => joined(&train, &file.out)?,
            None => train.without_times(),
        };
        let rated = RatedPairs::new(&known, earlier, ratings, keeps_seen && !options.model.no_seen)?;
        let whole = options.refit.then_some(known);
        let split = file.map_or_else(|| hold_out(options, validation, ratings, train), Ok);
        let RatingsSplit { train, out, cold } = split?;
        let held_out = out.len() + cold;
        let problem = Problem::new(ratings.users.len(), ratings.items.len(), train).map_err(refuse)?;
        let mut problem = problem.less(ratings.offset);
        if validation.is_given() {
            problem = problem.validate_on(out).map_err(refuse)?;
        }
        let cold_validation = held_out - problem.held_out().map_or(0, RatingsSource::len);
        let in_files = [(test, cold_test), (validation, cold_validation)];
        let cold = Cold {
            test: test.is_given().then_some(cold_test),
            validation: validation.is_given().then_some(cold_validation),
            in_files: in_files.iter().filter(|(how, _)| how.file().is_some()).map(|(_, cold)| cold).sum(),
        };
        // A target is checked on the test set if one is given.
        let measured_on = match test_data.as_ref().filter(|_| options.model.target.is_some()) {
            Some(test) => {
                problem = problem.test_on(test.clone()).map_err(refuse)?;
                "test"
            }
            None => "validation",
        };
        Ok(Self { problem, whole, measured_on, aside: Aside { test: test_data, cold, rated } })
    }
}

/// Concatenates ratings in memory.
fn joined(first: &RatingsSource, second: &RatingsSource) -> Result<RatingsSource, Error> {
    let (first, second) = (first.read().map_err(Error::input)?, second.read().map_err(Error::input)?);
    Ok(first.iter().chain(second.iter()).collect::<Triples>().into())
}

/// Holds ratings out of those of `from`, as an option says; nothing if it is `none`.
fn hold_out(
    options: &Options,
    HoldOut { option, rule }: HoldOut<'_>,
    ratings: &Ratings,
    from: RatingsSource,
) -> Result<RatingsSplit, Error> {
    match rule {
        HoldOutRule::None => Ok(RatingsSplit { train: from, out: Triples::default().into(), cold: 0 }),
        HoldOutRule::Split => {
            from.hold_out(|user, item| pair_hash(user, item).is_multiple_of(10)).map_err(Error::input)
        }
        HoldOutRule::Share(share) => from.hold_out_share(share, options.train.seed).map_err(refuse),
        HoldOutRule::Latest(text, share) => {
            let refuse = |why: &str| Error::input(format!("{option} {text}: {why}"));
            if !from.has_times() {
                let cure = "give a file with a column of them, as in --columns user,item,rating,time";
                return Err(refuse(&format!("the ratings have no times: {cure}")));
            }
            let held = from.hold_out_latest(share).map_err(Error::input)?;
            let held =
                held.ok_or_else(|| refuse("all ratings have one time: there is no cut between them"))?;
            match held.out.is_empty() {
                true => Err(refuse("none of the users and items of the latest ratings have earlier ones")),
                false => Ok(held),
            }
        }
        HoldOutRule::File(file) => {
            // Ratings are read less the offset of the data.
            let reading = options.reading.options(None, options.train.worker_count())?;
            let reading = RatingsOptions { offset: Some(ratings.offset), ..reading };
            let read = raddle_datasets::read_any_ratings(file, &reading)
                .map_err(|why| Error::input(format!("{option}: {why}")))?;
            let out = data::in_rows_of(&read, &ratings.users, &ratings.items);
            match out.is_empty() {
                true => {
                    Err(Error::input(format!("{option} {file}: none of its users and items are in the data")))
                }
                false => {
                    Ok(RatingsSplit { train: from, cold: read.triples.len() - out.len(), out: out.into() })
                }
            }
        }
    }
}
