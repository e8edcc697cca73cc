//! `mf fit --changes`: a fit, and then a fit for each version of its ratings, each with a model of its own.

use std::io::Write as _;
use std::path::Path;

use raddle::State as _;
use raddle_cli::{
    ChangeLine, Data, Error, ExitStatus, ModelFolder, Session, Timed, Version, VersionEnd, Versions,
    fit_versions, is_short, refuse_without_effect, write_atomic,
};
use raddle_datasets::ratings::Exact;
use raddle_datasets::{Field, Ratings, fields};
use raddle_mf::{
    Baselines, Carried, Fit, LiveRatings, Mf, Pair, RatingChange, RatingsSource, Runner as _, Taken,
};

use super::data;
use super::fit_options::{self, Options};
use super::hold_out::HoldOut;
use super::report_data::ReportData;
use super::runner::{Failure, InSession, refuse};
use super::split::Split;

/// A run over the versions of its ratings.
struct Run<'a> {
    options: &'a Options,
    mf: Mf,
    live: LiveRatings,
    digest: String,
    carried: Option<Carried>,
    /// Changes that the current version includes.
    taken: Option<Taken<Pair>>,
}

/// A version of the ratings, split.
struct PreparedVersion {
    ratings: Ratings,
    described: Data,
    split: Split,
}

/// Fits the first version, and then each next one.
pub(super) fn fit(options: &Options, mut session: Session, mf: Mf) -> Result<ExitStatus, Error> {
    check(options)?;
    let (train, reading) = (&options.train, &options.reading);
    let base = session.timed(Timed::Read, || {
        reading.read_repeated(train.data.as_deref(), train.format.as_deref(), train.worker_count())
    })?;
    let digest = base.digest.clone();
    let rule = reading.rule(base.pairs_only);
    let live = session.timed(Timed::Prepare, || LiveRatings::new(&base, rule, options.least()));
    let live = if options.model.offset().is_some() { live.as_they_are() } else { live };
    drop(base);
    let mut run = Run { options, mf, live, digest: digest.clone(), carried: None, taken: None };
    fit_versions(&mut run, &options.changes, &digest, session)
}

/// Refuses options that do not work with changing data.
fn check(options: &Options) -> Result<(), Error> {
    let given = options.held_out()?.into_iter().zip([&options.validation, &options.test]);
    if let Some((HoldOut { option, .. }, text)) = given.into_iter().find(|(how, _)| how.is_latest()) {
        return Err(Error::usage(format!(
            "{option} {text}: changes have no times: split by hash, or give a file"
        )));
    }
    let weighed = [("--half-life", options.model.half_life.is_some())];
    refuse_without_effect(&weighed, "with --changes, which have no times")?;
    match options.refit {
        true => {
            Err(Error::usage("--refit fits again from scratch, --changes continues: leave one of them out"))
        }
        false => Ok(()),
    }
}

impl Run<'_> {
    /// Parses `user item rating`, separated by tabs, or else by blanks, with an id that contains these in
    /// double quotes; to retract, `user item` or `user`.
    fn parse(&self, line: &ChangeLine) -> Result<RatingChange, String> {
        let words = fields(&line.text)?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if words.iter().any(|word| word.is_empty()) {
            return Err("an id is empty".into());
        }
        let own = |word: &str| word.to_owned();
        match (line.inserts, &words[..]) {
            (true, &[user, item, value]) => {
                let number: f64 =
                    value.parse().map_err(|_| format!("`{value}` is no rating: give a number"))?;
                match (number as f32).is_finite() {
                    true => Ok(RatingChange::Insert { user: own(user), item: own(item), value: number }),
                    false => Err(format!("the rating {value} is not finite, or beyond what 32 bits hold")),
                }
            }
            (true, &[user, item]) if self.live.pairs_only() => {
                Ok(RatingChange::Insert { user: own(user), item: own(item), value: 1.0 })
            }
            (false, &[user, item]) => Ok(RatingChange::Retract { user: own(user), item: own(item) }),
            (false, &[user]) => Ok(RatingChange::Forget { user: own(user) }),
            (true, _) => Err(format!("{} words: write `+ user item rating`", words.len())),
            (false, _) => {
                Err(format!("{} words: write `- user item`, or `- user` for all of a user", words.len()))
            }
        }
    }
}

impl Versions for Run<'_> {
    type Prepared = PreparedVersion;

    fn take_up(&mut self, model: &ModelFolder) -> Result<(), Error> {
        if !self.options.changes.cold {
            self.carried = Some(model.carried(Carried::load)?);
        }
        Ok(())
    }

    fn prepare(&mut self, session: &mut Session, number: u64) -> Result<PreparedVersion, Error> {
        if number > 0 && self.live.is_empty() {
            return Err(Error::input("it leaves no ratings to train on"));
        }
        // With all rows that there have been, or as if read from a file.
        let is_cold = self.options.changes.cold;
        let mut ratings = if is_cold { self.live.as_in_file() } else { self.live.ratings() };
        let mut source = RatingsSource::from(std::mem::take(&mut ratings.triples));
        if is_cold {
            source = source.at_least(self.options.least()).map_err(Error::input)?;
        }
        if number == 0 {
            self.options.refuse_emptied(source.len())?;
        }
        let described = data::describe(&ratings, source.len());
        let keeps_seen = session.folder().path().is_some();
        let split =
            session.timed(Timed::Prepare, || Split::new(self.options, &ratings, source, None, keeps_seen))?;
        Ok(PreparedVersion { ratings, described, split })
    }

    fn take(&mut self, version: &Version) -> Result<(u64, u64), (usize, String)> {
        let changes = version.changes(|line| self.parse(line))?;
        let taken = self.live.apply(&changes).map_err(|refused| (refused.at, refused.why))?;
        let counts = (taken.inserted, taken.retracted);
        self.taken = Some(taken);
        Ok(counts)
    }

    fn undo(&mut self) {
        self.live.undo();
    }

    fn fit(
        &mut self,
        session: &mut Session,
        number: u64,
        PreparedVersion { ratings, described, split }: PreparedVersion,
    ) -> Result<VersionEnd, Error> {
        let options = self.options;
        let Split { problem, measured_on, aside, .. } = split;
        let identity = fit_options::identity(options, &self.digest, "random", measured_on)?;
        let prepared = ReportData::new(options, described, &ratings, &problem, aside, None)?;
        let mut runner = InSession { session, identity, is_last: false };
        let from = self.carried.as_ref().zip(self.taken.as_ref());
        let fitted: Result<(Fit, Option<Carried>), Failure> = match from {
            Some((carried, taken)) => self.mf.go_on(&problem, carried, &taken.delta, &mut runner),
            None => self.mf.fit_to_carry(&problem, &mut runner),
        };
        let (mut fit, carried) = fitted?;
        if fit.baselines.is_none() && options.model.implicit.is_none() {
            let found = runner.certify(|| Baselines::of(&problem)).map_err(refuse)?;
            fit.baselines = Some(found);
        }
        if is_short(number, &fit.report) || !fit.model.is_finite() {
            return VersionEnd::short(session, options, prepared.bare(), &fit.report, &fit.trace);
        }
        self.carried = carried.filter(|_| !options.changes.cold);
        if let Some(carried) = &self.carried {
            session.write_carried(carried)?;
        }
        let of = session.version_of();
        let (report, summary, text) = prepared.write(session, options, &ratings, &fit, Some(of))?;
        Ok(VersionEnd::Fitted(Box::new(report), summary, text))
    }

    fn save_data(&self, path: &Path) -> Result<(), Error> {
        let (Exact { users, items, values }, [user_ids, item_ids]) = self.live.exact();
        Ok(write_atomic(path, |out| {
            for ((&user, &item), &value) in users.iter().zip(&items).zip(&values) {
                let (user, item) = (user_ids.name(user as usize), item_ids.name(item as usize));
                write!(out, "{}\t{}\t", Field(&user), Field(&item))?;
                // Printed in as few digits as identify it.
                match f64::from(value as f32) == value {
                    true => writeln!(out, "{}", value as f32)?,
                    false => writeln!(out, "{value}")?,
                }
            }
            Ok(())
        })?)
    }
}
