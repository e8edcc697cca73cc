//! Training, validation and test data.

use raddle_cli::{Error, Report, count};
use raddle_datasets::ratings::HeldOut;
use raddle_datasets::{Ratings, RatingsOptions, Triples};
use raddle_mf::{Problem, Seen};

use super::data;
use super::fit_options::Options;
use super::rated::Rated;
use super::runner::refuse;

/// The ratings as read, split into training, validation and test data.
pub(super) struct Split {
    pub(super) problem: Problem,
    /// Training and validation data together, if the model is refitted.
    pub(super) whole: Option<Triples>,
    pub(super) test: Option<Triples>,
    /// `true` if the run's metric is measured on the test set.
    pub(super) on_test: bool,
    /// Ratings that were to be held out but are not used.
    pub(super) cold: Cold,
}

/// Numbers of ratings to hold out whose user or item has no training rating, so that nothing was learned for
/// them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cold {
    pub(super) test: Option<usize>,
    pub(super) validation: Option<usize>,
    /// Number of these that are in files of their own, and so no records of the data.
    elsewhere: usize,
}

impl Cold {
    /// Notes for the screen.
    pub(super) fn notes(self) -> String {
        let note = |(held, cold): (&str, Option<usize>)| {
            let cold = cold.filter(|cold| *cold > 0)?;
            let of = "left out, as no rating to train on has their user or item";
            Some(format!("{held}: {} {of}\n", count(cold as u64, "rating")))
        };
        [("test", self.test), ("validation", self.validation)].into_iter().filter_map(note).collect()
    }

    /// Adds the entries for cold ratings to the report.
    pub(super) fn report(self, mut report: Report) -> Report {
        let held = [("test_cold", self.test), ("validation_cold", self.validation)];
        let all: usize = held.iter().filter_map(|(_, cold)| *cold).sum();
        let of_data = all.saturating_sub(self.elsewhere) as u64;
        report.records.leave_out("user or item that no rating to train on has", of_data);
        for (name, cold) in held {
            if let Some(cold) = cold {
                report = report.result(name, cold as u64);
            }
        }
        report
    }

    /// Counts cold ratings of a file of its own.
    fn of_file(&mut self, cold: usize) -> Option<usize> {
        self.elsewhere += cold;
        Some(cold)
    }
}

impl Split {
    /// Splits the ratings into training, validation and test data; also returns what users have rated, in the
    /// data or in an earlier model, for the folder if it stores that.
    pub(super) fn new(
        options: &Options,
        ratings: &mut Ratings,
        earlier: Option<&Seen>,
        keeps_seen: bool,
    ) -> Result<(Self, Rated), Error> {
        let (users, items) = (ratings.users.len(), ratings.items.len());
        let mut triples = std::mem::take(&mut ratings.triples);
        let mut times = ratings.times.take();
        let mut cold = Cold::default();
        let test = match options.test.as_str() {
            "none" => None,
            "split" => {
                let held = HeldOut::compared(triples, users, items);
                (triples, cold.test) = (held.train, Some(held.cold));
                Some(held.out)
            }
            last if data::latest("--test", last)?.is_some() => {
                let held = latest("--test", last, triples, &mut times, (users, items))?;
                (triples, cold.test) = (held.train, Some(held.cold));
                Some(held.out)
            }
            share if share.parse::<f64>().is_ok() => {
                let why = "give split, the latest as in last:0.1, a file, or none";
                return Err(Error::usage(format!("--test {share}: {why}")));
            }
            file => {
                let (known, all) = other(options, ("--test", file), ratings)?;
                cold.test = cold.of_file(all - known.len());
                Some(known)
            }
        };
        let with_target = options.model.target.is_some();
        let keeps_seen = keeps_seen && !options.model.no_seen;
        let rated_in = |triples: &Triples| Rated::new(triples, earlier, (users, items), keeps_seen);
        let mut rated = rated_in(&triples)?;
        let less = ratings.offset;
        let problem =
            |triples| Ok::<_, Error>(Problem::new(users, items, triples).map_err(refuse)?.less(less));
        let measured = |problem: &Problem| problem.measured().map_or(0, Triples::len);
        let validation = options.validation.as_str();
        let (problem, whole) = match (validation, &test) {
            ("none", Some(test)) if with_target => {
                (problem(triples)?.test_on(test.clone()).map_err(refuse)?, None)
            }
            ("none", _) => (problem(triples)?, None),
            (last, _) if data::latest("--validation", last)?.is_some() => {
                let whole = options.refit.then(|| triples.clone());
                let held = latest("--validation", last, triples, &mut times, (users, items))?;
                cold.validation = Some(held.cold);
                (problem(held.train)?.validate_on(held.out).map_err(refuse)?, whole)
            }
            (share, _) => match share.parse::<f64>() {
                Ok(share) => {
                    let (whole, all) = (options.refit.then(|| triples.clone()), triples.len());
                    let held = problem(triples)?.validate_on_share(share, options.train.seed);
                    let held = held.map_err(refuse)?;
                    cold.validation = Some(all - held.ratings() - measured(&held));
                    (held, whole)
                }
                Err(_) => {
                    let (file, all) = other(options, ("--validation", share), ratings)?;
                    rated = rated_in(&triples.iter().chain(file.iter()).collect())?;
                    let whole = options.refit.then(|| triples.iter().chain(file.iter()).collect());
                    let held = problem(triples)?.validate_on(file).map_err(refuse)?;
                    cold.validation = cold.of_file(all - measured(&held));
                    (held, whole)
                }
            },
        };
        let on_test = test.is_some() && with_target;
        let problem = match (&test, with_target) {
            // A target is checked on the test set if one is given.
            (Some(test), true) if validation != "none" => problem.test_on(test.clone()).map_err(refuse)?,
            _ => problem,
        };
        Ok((Self { problem, whole, test, on_test, cold }, rated))
    }
}

/// Reason why the latest ratings cannot be held out.
pub(super) const NO_TIMES: &str =
    "the ratings have no times: give a file with a column of them, as in --columns user,item,rating,time";
pub(super) const ONE_TIME: &str = "all ratings have one time: there is no cut between them";
pub(super) const NOTHING_EARLIER: &str =
    "none of the users and items of the latest ratings have earlier ones";

/// Removes the latest ratings from the data, and returns them.
fn latest(
    option: &str,
    last: &str,
    triples: Triples,
    times: &mut Option<Vec<f64>>,
    (users, items): (usize, usize),
) -> Result<HeldOut, Error> {
    let share = data::latest(option, last)?.unwrap_or_default();
    let refuse = |why: &str| Error::input(format!("{option} {last}: {why}"));
    let known = times.take().ok_or_else(|| refuse(NO_TIMES))?;
    let (held, rest) =
        HeldOut::latest(triples, known, users, items, share).ok_or_else(|| refuse(ONE_TIME))?;
    *times = Some(rest);
    match held.out.is_empty() {
        true => Err(refuse(NOTHING_EARLIER)),
        false => Ok(held),
    }
}

/// Reads the ratings of another file by the rows of the data, and counts all ratings of the file, including
/// those of unknown users and items.
fn other(
    options: &Options,
    (option, file): (&str, &str),
    ratings: &Ratings,
) -> Result<(Triples, usize), Error> {
    // Ratings are read less the offset of the data.
    let reading = options.reading.options(None, options.train.worker_count())?;
    let reading = RatingsOptions { offset: Some(ratings.offset), ..reading };
    let read = raddle_datasets::read_any_ratings(file, &reading)
        .map_err(|why| Error::input(format!("{option}: {why}")))?;
    let triples = data::in_rows_of(&read, &ratings.users, &ratings.items);
    match triples.is_empty() {
        true => Err(Error::input(format!("{option} {file}: none of its users and items are in the data"))),
        false => Ok((triples, read.triples.len())),
    }
}
