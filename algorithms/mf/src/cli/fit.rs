//! `mf fit`.

use std::path::{Path, PathBuf};

use clap::Args;
use raddle::cli::{
    ChangeOptions, Error, ExitStatus, Session, Timed, TrainOptions, combine, refuse_without_effect,
};
use raddle::{Ending, Metric};
use raddle_datasets::{Ratings, Triples};
use raddle_mf::{Fit, Mf, Problem, at_least};
use serde::Serialize;

use super::data::{self, Kept, Reading};
use super::files::{self, About, Saved};
use super::ids::IdList;
use super::options::ModelOptions;
use super::prepared::Prepared;
use super::runner::{InSession, refuse};
use super::split::Split;
use super::stored::{self, Stored};
use super::versions;

const EXAMPLES: &str = "Examples, which work as they stand:
  mf fit synth:ratings:users=500,items=200,n=20000 --rank 16 --out run
  mf fit synth:ratings:users=500,items=200,n=20000 --epochs 10 --validation none --test split";

/// The options of `mf fit`.
#[derive(Debug, Args, Serialize)]
#[command(after_help = EXAMPLES, mut_arg("data", |arg| arg.help(data::known_or_default())))]
#[command(mut_arg("schedule", |arg| arg.help("auto, rotation or priority; auto is rotation")))]
#[command(mut_arg("epochs", |arg| arg.help("Length of the run. Default: a short run, then longer ones while the validation error falls")))]
pub(crate) struct Options {
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) model: ModelOptions,
    /// What drives the early stop: a share of the ratings, by hash; the latest of them (last:0.05); a file; or none.
    #[arg(
        long,
        value_name = "FRACTION|last:X|FILE|none",
        default_value = "0.05",
        allow_negative_numbers = true
    )]
    pub(super) validation: String,
    /// What is measured at the end: split (by the documented hash), the latest ratings (last:0.1), a file, or none.
    #[arg(long, value_name = "split|last:X|FILE|none", default_value = "none")]
    pub(super) test: String,
    /// Fit again on training and validation data together, for as long as was best.
    #[arg(long)]
    pub(super) refit: bool,
    /// Measure recommendations on the test set: precision, recall, NDCG and MAP at K, and AUC; at 10 with --implicit.
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub(super) ranking: Option<usize>,
    /// Least test rating that is a hit of --ranking. Default: every test rating is one, whatever its value.
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(super) relevant: Option<f64>,
    /// Keep the ratings in this folder as a file that is read by parts: with several processes, none then has all of them
    /// in memory. There they are kept for the run without it, too.
    #[arg(long, value_name = "DIR")]
    pub(super) cache: Option<PathBuf>,
    /// Leave out users and items with fewer than N ratings, until none has fewer.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(super) min_count: Option<u64>,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) changes: ChangeOptions,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) train: TrainOptions,
}

impl Options {
    /// Ratings that a user and an item must have.
    pub(super) fn least(&self) -> u64 {
        self.min_count.unwrap_or(0)
    }

    /// Refuses a --min-count that leaves no rating.
    pub(super) fn leaves_some(&self, ratings: usize) -> Result<(), Error> {
        match self.min_count.filter(|_| ratings == 0) {
            Some(least) => Err(Error::usage(format!(
                "--min-count {least} leaves no rating: there are no users and items that have as many of each \
                 other's; give less"
            ))),
            None => Ok(()),
        }
    }

    /// Whether the options make sense together.
    fn check(&self) -> Result<(), Error> {
        self.changes.check(&self.train)?;
        if self.ranking.is_some() && self.test == "none" {
            return Err(Error::usage("--ranking measures on a test set: give --test split or a file"));
        }
        if self.ranking == Some(0) {
            return Err(Error::usage("--ranking is 0: there must be at least 1"));
        }
        if let Some(least) = self.relevant {
            if !least.is_finite() {
                return Err(Error::usage(format!("--relevant is {least}: give a rating, such as 4")));
            }
            refuse_without_effect(&[("--relevant", self.ranking.is_none())], "without --ranking")?;
            let clicks = [("--relevant", self.model.implicit.is_some())];
            refuse_without_effect(&clicks, "with --implicit, where every test click is a hit")?;
        }
        if self.refit && self.validation == "none" {
            return Err(Error::usage(
                "--refit adds the validation data at the end, and there is none: leave it out",
            ));
        }
        if self.refit && (self.train.resume.is_some() || self.train.checkpoint_every.is_some()) {
            return Err(Error::usage(
                "--refit makes two runs, which one checkpoint cannot hold: leave it out, or --resume and \
                 --checkpoint-every",
            ));
        }
        let sources = [self.train.data.as_deref(), Some(&self.validation), Some(&self.test)];
        self.reading.refuse_idle(&sources, self.train.format.as_deref())
    }
}

/// Fits, writes and reports.
pub(crate) fn fit(options: &Options) -> Result<ExitStatus, Error> {
    let Options { model, train, .. } = options;
    let mut session = Session::begin("mf", env!("CARGO_PKG_VERSION"), train)?;
    session.refuse_among("--refit", options.refit)?;
    let mf = model.mf(train)?;
    options.check()?;
    let start = train.init.as_deref().map(files::read).transpose()?;
    session.refuse_among("--changes", options.changes.changes.is_some())?;
    if options.changes.changes.is_some() {
        return versions::fit(options, session, mf);
    }
    let Given { ratings, problem, whole, prepared, identity, mf } = match stored::folder(options, &session) {
        Some(folder) => by_parts(options, &mut session, &folder, mf)?,
        None => in_memory(options, &mut session, start, mf)?,
    };
    let mut fit = mf.fit_owned(problem, &mut InSession { session: &mut session, identity })?;
    let goes_on =
        matches!(fit.report.ending, Ending::Target | Ending::Converged) && !session.is_interrupted();
    if let Some(whole) = whole.filter(|_| goes_on) {
        fit = refit(&mf, &ratings, whole, fit, &mut session)?;
    }
    if !fit.model.is_finite() {
        let report = session.report(options, prepared.described, String::new(), &fit.report, &fit.trace)?;
        let text =
            format!("{}\nno model is written: try a smaller --step, or more --reg", report.conclusion());
        return session.finish_without_model(report, &text);
    }
    let (report, summary, text) = prepared.write(&mut session, options, &ratings, &fit, None)?;
    session.finish(report, &summary, &text)
}

/// What a fit is given.
struct Given {
    /// Without the ratings themselves.
    ratings: Ratings,
    problem: Problem,
    /// Training and validation data together, if the model is fitted again.
    whole: Option<Triples>,
    /// What is asked of the ratings after the fit, so that it can give them up.
    prepared: Prepared,
    identity: String,
    mf: Mf,
}

/// Reads all ratings, and splits them.
fn in_memory(
    options: &Options,
    session: &mut Session,
    start: Option<Saved>,
    mut mf: Mf,
) -> Result<Given, Error> {
    let Options { train, reading, .. } = options;
    let is_timed = [&options.validation, &options.test].iter().any(|name| name.starts_with(data::LATEST));
    let mut ratings = session.timed(Timed::Read, || {
        let (source, format) = (train.data.as_deref(), train.format.as_deref());
        match is_timed {
            true => reading.read_timed(source, format, train.worker_count()),
            false => reading.read(source, format, train.worker_count()),
        }
    })?;
    if let Some(least) = options.min_count {
        let triples = std::mem::take(&mut ratings.triples);
        ratings.triples = at_least(triples, least);
        options.leaves_some(ratings.triples.len())?;
    }
    let described = data::describe(&ratings, ratings.triples.len());
    let mut kept = None;
    let mut init = String::from("random");
    if let Some(start) = start {
        init = files::digest(&start.model);
        kept = Some(Kept::behind(&start, &mut ratings));
        mf = mf.init(start.model);
    }
    let Split { problem, whole, test, on_test, cold } =
        session.timed(Timed::Prepare, || Split::new(options, &mut ratings))?;
    let identity = identity(options, (&described.digest, &init), on_test)?;
    let prepared = Prepared::new(options, described, (&ratings, &problem), (test, cold), kept)?;
    Ok(Given { ratings, problem, whole, prepared, identity, mf })
}

/// Finds the ratings in this folder, or puts them there, to be read by parts, and splits them.
fn by_parts(options: &Options, session: &mut Session, folder: &Path, mf: Mf) -> Result<Given, Error> {
    let stored = session.timed(Timed::Read, || stored::open(options, folder))?;
    let split = session.timed(Timed::Prepare, || Stored::split(options, stored))?;
    let Stored { ratings, count, problem, train, measured, test, cold } = split;
    let described = data::describe(&ratings, count);
    let on_test = test.is_some() && options.model.target.is_some();
    let identity = identity(options, (&described.digest, "random"), on_test)?;
    let prepared =
        Prepared::of_parts(options, described, (&ratings, &problem), (&train, measured), (test, cold))?;
    Ok(Given { ratings, problem, whole: None, prepared, identity, mf })
}

/// What makes a checkpoint this run's, given the digests of the data and of the model to start from.
pub(super) fn identity(
    options: &Options,
    (data, init): (&str, &str),
    on_test: bool,
) -> Result<String, Error> {
    // The target only says when the run ends; but where there is one, a test set is measured on.
    let on = if on_test { "test" } else { "validation" };
    raddle::cli::identity("mf", options, super::FREE, &[("data", data), ("init", init), ("measured-on", on)])
}

/// Fits again on everything, for the length that was best. Where that is cut short, the first fit is what there is.
fn refit(
    mf: &Mf,
    ratings: &Ratings,
    whole: Triples,
    mut first: Fit,
    session: &mut Session,
) -> Result<Fit, Error> {
    let problem = Problem::new(ratings.users.len(), ratings.items.len(), whole).map_err(refuse)?;
    session.screen().stage("again on training and validation data together");
    let identity = "a second run is not resumed".into();
    let again = mf.clone().repeat(&first).fit_on(&problem, &mut InSession { session, identity })?;
    let Fit { model, learned, trace, report: second, .. } = again;
    let (ending, metric) = (first.report.ending, first.report.metric.clone());
    combine(&mut first.report, &second);
    first.trace.extend(trace);
    match second.ending {
        Ending::Target | Ending::Converged => {
            // What was measured on held-out ratings was measured of the first fit.
            let on = format!("{}, before the fit on all ratings", metric.on);
            (first.report.ending, first.report.metric) = (ending, Metric { on, ..metric });
            (first.model, first.learned) = (model, learned);
        }
        cut => (first.report.ending, first.report.metric) = (cut, metric),
    }
    Ok(first)
}

/// What `model.json` says.
pub(super) fn about(model: &ModelOptions, ratings: &Ratings, fit: &Fit) -> About {
    About {
        rank: model.rank,
        mean: fit.model.mean,
        biases: !model.no_biases && model.implicit.is_none(),
        implicit: model.implicit,
        reg: fit.reg,
        unweighted_reg: model.unweighted_reg,
        users: IdList(ratings.users.clone()),
        items: IdList(ratings.items.clone()),
        ending: fit.report.ending.name().into(),
        learned: fit.learned.name().into(),
        metric: fit.report.metric.name.clone(),
        on: fit.report.metric.on.clone(),
        best: fit.best,
        best_epoch: fit.best_epoch,
        log: fit.log.iter().map(|value| value.is_finite().then_some(*value)).collect(),
        version: None,
    }
}
