//! [`Split`]: training, validation and test data.

use raddle_cli::Error;
use raddle_datasets::ratings::pair_hash;
use raddle_datasets::{Ratings, RatingsOptions, Triples};
use raddle_mf::{Problem, RatingsSource, RatingsSplit, Seen};

use super::data;
use super::fit_options::Options;
use super::hold_out::{Cold, HoldOut};
use super::rated_pairs::RatedPairs;
use super::runner::refuse;

/// The ratings as read, split into training, validation and test data.
pub(super) struct Split {
    pub(super) problem: Problem,
    /// Training and validation data together, if the model is refitted.
    pub(super) whole: Option<RatingsSource>,
    pub(super) test: Option<RatingsSource>,
    /// `true` if the run's metric is measured on the test set.
    pub(super) on_test: bool,
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
        let sizes = (ratings.users.len(), ratings.items.len());
        let (validation, test) = options.held_out()?;
        let RatingsSplit { train, out, cold: cold_test } =
            hold_out(options, "--test", test, (ratings, source))?;
        let test_data = test.is_given().then_some(out);
        let file = validation.file().map(|file| read(options, "--validation", file, ratings)).transpose()?;
        // All ratings but the test data.
        let known = match &file {
            Some(file) => joined(&train, &file.ratings)?,
            None => train.without_times(),
        };
        let rated = RatedPairs::new(&known, earlier, sizes, keeps_seen && !options.model.no_seen)?;
        let whole = options.refit.then_some(known);
        let RatingsSplit { train, out, cold } = match file {
            Some(OtherRatings { ratings: out, unknown: cold }) => RatingsSplit { train, out, cold },
            None => hold_out(options, "--validation", validation, (ratings, train))?,
        };
        let held_out = out.len() + cold;
        let mut problem = Problem::new(sizes.0, sizes.1, train).map_err(refuse)?.less(ratings.offset);
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
        let target_test = test_data.as_ref().filter(|_| options.model.target.is_some());
        let on_test = target_test.is_some();
        if let Some(test) = target_test {
            problem = problem.test_on(test.clone()).map_err(refuse)?;
        }
        Ok(Self { problem, whole, test: test_data, on_test, cold, rated })
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
    option: &str,
    how: HoldOut<'_>,
    (ratings, from): (&Ratings, RatingsSource),
) -> Result<RatingsSplit, Error> {
    let sizes = (ratings.users.len(), ratings.items.len());
    match how {
        HoldOut::None => Ok(RatingsSplit { train: from, out: Triples::default().into(), cold: 0 }),
        HoldOut::Split => {
            let is_out = |user, item| pair_hash(user, item).is_multiple_of(10);
            from.hold_out(sizes, is_out).map_err(Error::input)
        }
        HoldOut::Share(share) => from.hold_out_share(sizes, share, options.train.seed).map_err(refuse),
        HoldOut::Latest(text, share) => {
            let refuse = |why: &str| Error::input(format!("{option} {text}: {why}"));
            if !from.has_times() {
                let cure = "give a file with a column of them, as in --columns user,item,rating,time";
                return Err(refuse(&format!("the ratings have no times: {cure}")));
            }
            let held = from.hold_out_latest(sizes, share).map_err(Error::input)?;
            let held =
                held.ok_or_else(|| refuse("all ratings have one time: there is no cut between them"))?;
            match held.out.is_empty() {
                true => Err(refuse("none of the users and items of the latest ratings have earlier ones")),
                false => Ok(held),
            }
        }
        HoldOut::File(file) => {
            let OtherRatings { ratings: out, unknown: cold } = read(options, option, file, ratings)?;
            Ok(RatingsSplit { train: from, out, cold })
        }
    }
}

/// Ratings of another file, by the rows of the data.
struct OtherRatings {
    ratings: RatingsSource,
    /// Number of its ratings of unknown users and items.
    unknown: usize,
}

/// Reads the ratings of another file.
fn read(options: &Options, option: &str, file: &str, ratings: &Ratings) -> Result<OtherRatings, Error> {
    // Ratings are read less the offset of the data.
    let reading = options.reading.options(None, options.train.worker_count())?;
    let reading = RatingsOptions { offset: Some(ratings.offset), ..reading };
    let read = raddle_datasets::read_any_ratings(file, &reading)
        .map_err(|why| Error::input(format!("{option}: {why}")))?;
    let triples = data::in_rows_of(&read, &ratings.users, &ratings.items);
    match triples.is_empty() {
        true => Err(Error::input(format!("{option} {file}: none of its users and items are in the data"))),
        false => Ok(OtherRatings { unknown: read.triples.len() - triples.len(), ratings: triples.into() }),
    }
}
