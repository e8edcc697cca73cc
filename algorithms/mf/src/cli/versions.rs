//! `mf fit --changes`: a fit, and then the versions of its ratings, each with a model of its own.

use std::path::Path;

use raddle::cli::{
    ChangeLine, ChangeStream, Data, Error, ExitStatus, ModelFolder, Report, Session, Timed, Version,
    write_atomic,
};
use raddle::state::{Reader, Writer};
use raddle::{Ending, State as _};
use raddle_datasets::{Ids, Ratings};
use raddle_mf::{Carried, Fit, LiveRatings, Mf, RatingChange, Taken, at_least};

use super::data;
use super::files::{About, VersionOf};
use super::fit::{self, Options, Prepared};
use super::runner::{Failure, InSession};
use super::split::Split;

/// What a fit leaves for the next version, in the run's folder.
const CARRIED: &str = "carried.bin";

/// A run over the versions of its ratings.
struct Run<'a> {
    options: &'a Options,
    mf: Mf,
    live: LiveRatings,
    digest: String,
    carried: Option<Carried>,
    /// The report and the text of the last model that was committed.
    last: Option<(Report, String)>,
}

/// A version of the ratings, split.
struct Laid {
    ratings: Ratings,
    described: Data,
    split: Split,
}

/// How the fit of a version ended.
enum Ended {
    /// Its model is in the folder.
    Committed,
    /// The run was asked to end, or has diverged: the model before stays.
    Short(Box<Report>),
}

/// Fits, and goes on from version to version.
pub(super) fn fit(options: &Options, mut session: Session, mf: Mf) -> Result<ExitStatus, Error> {
    check(options)?;
    let (train, reading) = (&options.train, &options.reading);
    let base = session.timed(Timed::Read, || {
        reading.read_repeated(train.data.as_deref(), train.format.as_deref(), train.worker_count())
    })?;
    let digest = base.digest.clone();
    let live = session.timed(Timed::Prepare, || LiveRatings::new(&base, reading.rule(), options.least()));
    drop(base);
    let mut run = Run { options, mf, live, digest, carried: None, last: None };
    let done = run.resume(&mut session)?;
    if done.is_none() {
        let ratings = run.ratings();
        let split = run.split(&mut session, ratings)?;
        if let Ended::Short(report) = run.version(&mut session, 0, split, None)? {
            return end_short(session, *report);
        }
        if run.is_cut() {
            return run.finish(session);
        }
    }
    let mut changes = ChangeStream::open(&options.changes, &mut session, &run.digest)?;
    while let Some(version) = changes.next(&session)? {
        let taken = match run.take(&version) {
            Ok(taken) => taken,
            Err((at, why)) => {
                changes.refuse(&version, Some(at), &why, &session)?;
                continue;
            }
        };
        if done.is_some_and(|done| version.number <= done) {
            changes.pass(&version);
            continue;
        }
        let split = match run.ratings_left().and_then(|ratings| run.split(&mut session, ratings)) {
            Ok(split) => split,
            Err(why) => {
                run.live.undo();
                changes.refuse(&version, None, &why.to_string(), &session)?;
                continue;
            }
        };
        changes.accept(&version, (taken.inserted, taken.retracted), &mut session)?;
        if let Ended::Short(report) = run.version(&mut session, version.number, split, Some(&taken))? {
            run.save_data()?;
            return end_short(session, *report);
        }
    }
    run.finish(session)
}

/// What data that change has no use for.
fn check(options: &Options) -> Result<(), Error> {
    let timed = [("--validation", &options.validation), ("--test", &options.test)];
    for (option, text) in timed {
        if text.starts_with(data::LATEST) {
            return Err(Error::usage(format!(
                "{option} {text}: changes have no times: split by hash, or give a file"
            )));
        }
    }
    match options.refit {
        true => {
            Err(Error::usage("--refit fits again from scratch, --changes goes on: leave one of them out"))
        }
        false => Ok(()),
    }
}

/// Says that a run was cut short whose last whole version stays.
fn end_short(session: Session, report: Report) -> Result<ExitStatus, Error> {
    let text = format!(
        "{}\nthe model of the version before stays; --resume fits this one again",
        report.conclusion()
    );
    session.finish_without_model(report, &text)
}

impl Run<'_> {
    /// Takes the model of a run up that goes on: the number of its version, or nothing where its first fit is to be done.
    fn resume(&mut self, session: &mut Session) -> Result<Option<u64>, Error> {
        let folder = session.folder().path().filter(|_| session.is_resumed());
        let Some(folder) = folder.filter(|folder| folder.join("model.json").exists()).map(Path::to_owned)
        else {
            return Ok(None);
        };
        let model = ModelFolder::open(&folder, "mf")?;
        let about: About = model.about()?;
        let Some(of) = about.version.filter(|_| is_whole(&about.ending)) else { return Ok(None) };
        if !self.options.changes.cold {
            let bytes = model.read(CARRIED)?;
            let carried = Carried::load(&mut Reader::new(&bytes));
            let place = folder.join(CARRIED);
            self.carried = Some(carried.map_err(|why| Error::input(format!("{}: {why}", place.display())))?);
        }
        session.resume_behind(of.data_version, of.epochs);
        Ok(Some(of.data_version))
    }

    /// The ratings of this version: with all rows that there were, or as a file of them is read.
    fn ratings(&self) -> Ratings {
        match self.options.changes.cold {
            true => {
                let mut ratings = self.live.as_in_file();
                ratings.triples = at_least(ratings.triples, self.options.least());
                ratings
            }
            false => self.live.ratings(),
        }
    }

    fn ratings_left(&self) -> Result<Ratings, Error> {
        match self.live.is_empty() {
            true => Err(Error::input("it leaves no ratings to train on")),
            false => Ok(self.ratings()),
        }
    }

    fn split(&self, session: &mut Session, mut ratings: Ratings) -> Result<Laid, Error> {
        let described = data::describe(&ratings);
        let split = session.timed(Timed::Prepare, || Split::new(self.options, &mut ratings))?;
        Ok(Laid { ratings, described, split })
    }

    /// Takes the lines of a version in, all or none; tells which is wrong.
    fn take(&mut self, version: &Version) -> Result<Taken, (usize, String)> {
        let parse = |(at, line): (usize, &ChangeLine)| self.parse(line).map_err(|why| (at, why));
        let changes: Vec<RatingChange> =
            version.lines.iter().enumerate().map(parse).collect::<Result<_, _>>()?;
        self.live.apply(&changes).map_err(|refused| (refused.at, refused.why))
    }

    /// `user item rating`, divided by tabs, or else by blanks; `user item` and `user` where it retracts.
    fn parse(&self, line: &ChangeLine) -> Result<RatingChange, String> {
        let words: Vec<&str> = match line.text.contains('\t') {
            true => line.text.split('\t').map(str::trim).collect(),
            false => line.text.split_whitespace().collect(),
        };
        if words.iter().any(|word| word.is_empty()) {
            return Err("an id is empty".into());
        }
        let own = |word: &str| word.to_owned();
        match (line.inserts, &words[..]) {
            (true, &[user, item, value]) => {
                let number: f32 =
                    value.parse().map_err(|_| format!("`{value}` is no rating: give a number"))?;
                let is_count = self.options.model.implicit.is_none() || number >= 0.0;
                match number.is_finite() && is_count {
                    true => Ok(RatingChange::Insert { user: own(user), item: own(item), value: number }),
                    false if is_count => {
                        Err(format!("the rating {value} is not finite, or beyond what 32 bits hold"))
                    }
                    false => {
                        Err(format!("the rating {value} is negative: implicit feedback counts how often"))
                    }
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

    /// Fits one version and puts its model in the place of the one before.
    fn version(
        &mut self,
        session: &mut Session,
        number: u64,
        Laid { ratings, described, split }: Laid,
        taken: Option<&Taken>,
    ) -> Result<Ended, Error> {
        let options = self.options;
        let Split { problem, test, on_test, cold, .. } = split;
        let identity = fit::identity(options, (&self.digest, "random"), on_test)?;
        let described_again = described.clone();
        let prepared = Prepared::new(options, described, (&ratings, &problem), (test, cold), None);
        let mut runner = InSession { session, identity };
        let from = self.carried.as_ref().zip(taken);
        let fitted: Result<(Fit, Option<Carried>), Failure> = match from {
            Some((carried, taken)) => self.mf.go_on(&problem, carried, &taken.delta, &mut runner),
            None => self.mf.fit_to_carry(&problem, &mut runner),
        };
        let (fit, carried) = fitted?;
        let is_short = number > 0 && !is_whole(fit.report.ending.name()) || !fit.model.is_finite();
        if is_short {
            let report = session.report(options, described_again, String::new(), &fit.report, &fit.trace)?;
            return Ok(Ended::Short(Box::new(report)));
        }
        self.carried = carried.filter(|_| !options.changes.cold);
        if let Some(carried) = &self.carried {
            let mut out = Writer::default();
            carried.save(&mut out);
            session.write(CARRIED, |to| std::io::Write::write_all(to, &out.into_bytes()))?;
        }
        let of = VersionOf { data_version: number, epochs: session.epochs() };
        let (mut report, summary, text) = prepared.write(session, options, &ratings, &fit, Some(of))?;
        report = report.result("data_version", number);
        session.commit(&mut report, &summary, &text)?;
        self.last = Some((report, text));
        Ok(Ended::Committed)
    }

    /// Whether the first fit was cut short: its model is written, and the changes wait for the run to go on.
    fn is_cut(&self) -> bool {
        self.last.as_ref().is_some_and(|(report, _)| !is_whole(report.ending.name()))
    }

    fn save_data(&self) -> Result<(), Error> {
        let Some(path) = &self.options.changes.save_data else { return Ok(()) };
        let mut ratings = self.live.as_in_file();
        let Ratings { users, items, triples, .. } = &mut ratings;
        let line = |(user, item, value): (u32, u32, f32)| {
            format!("{}\t{}\t{value}\n", quoted(users, user), quoted(items, item))
        };
        let text: String = triples.iter().map(line).collect();
        write_atomic(path, |out| std::io::Write::write_all(out, text.as_bytes()))
    }

    fn finish(self, session: Session) -> Result<ExitStatus, Error> {
        self.save_data()?;
        let is_interrupted = session.is_interrupted();
        let status = match &self.last {
            Some((report, text)) => session.finish_committed(report, text)?,
            None => session.finish_again()?,
        };
        Ok(if is_interrupted { ExitStatus::Interrupted } else { status })
    }
}

/// Whether a fit that ended so is one that versions go on from.
fn is_whole(ending: &str) -> bool {
    [Ending::Target, Ending::Converged].iter().any(|whole| whole.name() == ending)
}

/// An id as a field of a line with tabs.
fn quoted(ids: &Ids, row: u32) -> String {
    let name = ids.name(row as usize);
    match name.contains(['\t', '"', '\n', '\r']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name,
    }
}
