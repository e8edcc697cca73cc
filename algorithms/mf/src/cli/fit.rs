//! `mf fit`.

use clap::Args;
use raddle::cli::{
    ChangeOptions, Data, Error, ExitStatus, Report, Session, Summary, Table, Timed, TrainOptions, VersionOf,
    combine, count, number,
};
use raddle::{Ending, Metric};
use raddle_datasets::{Ids, Ratings, Triples};
use raddle_mf::{Fit, Mf, Problem, Recommender, Seen, at_least};
use serde::Serialize;

use super::data::{self, Kept, Reading};
use super::files::{self, About};
use super::ids::IdList;
use super::options::ModelOptions;
use super::runner::{InSession, refuse};
use super::split::{Cold, Split};
use super::tested::Tested;
use super::versions;

const EXAMPLES: &str = "Examples, which work as they stand:
  mf fit synth:ratings:users=500,items=200,n=20000 --rank 16 --out run
  mf fit synth:ratings:users=500,items=200,n=20000 --epochs 10 --validation none --test split";

/// Users on the screen, and items for each.
const SHOWN: (usize, usize) = (5, 4);
/// The same in the summary.
const SUMMARISED: (usize, usize) = (20, 10);

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

    /// Whether the options make sense together.
    fn check(&self) -> Result<(), Error> {
        self.changes.check(&self.train)?;
        if self.ranking.is_some() && self.test == "none" {
            return Err(Error::usage("--ranking measures on a test set: give --test split or a file"));
        }
        if self.ranking == Some(0) {
            return Err(Error::usage("--ranking is 0: there must be at least 1"));
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

/// What the summary says of the ratings to train on.
pub(super) struct Shown {
    ratings: usize,
    /// How they were read.
    notes: String,
    cold: Cold,
    /// What the users of the summary have seen.
    seen: Seen,
    /// What the model to start from has besides.
    kept: Option<Kept>,
}

impl Shown {
    fn of(train: &Triples, ratings: &Ratings, kept: Option<Kept>, reading: &Reading, cold: Cold) -> Self {
        let users = ratings.users.len().min(SUMMARISED.0);
        Self {
            ratings: train.len(),
            notes: reading.notes(ratings) + &cold.notes(),
            cold,
            seen: Seen::new(train, users),
            kept,
        }
    }
}

/// Fits, writes and reports.
pub(crate) fn fit(options: &Options) -> Result<ExitStatus, Error> {
    let Options { model, train, reading, .. } = options;
    let mut session = Session::begin("mf", env!("CARGO_PKG_VERSION"), train)?;
    session.set_metric_name(model.metric());
    session.refuse_among("--refit", options.refit)?;
    let mut mf = model.mf(train)?;
    options.check()?;
    let start = train.init.as_deref().map(files::read).transpose()?;
    let is_timed = [&options.validation, &options.test].iter().any(|name| name.starts_with(data::LATEST));
    session.refuse_among("--changes", options.changes.changes.is_some())?;
    if options.changes.changes.is_some() {
        return versions::fit(options, session, mf);
    }
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
    }
    let described = data::describe(&ratings);
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
    // What is asked of the ratings after the fit, so that it can give them up.
    let prepared = Prepared::new(options, described, (&ratings, &problem), (test, cold), kept);
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

/// What is known of the data when the fit begins, and asked for when it has ended.
pub(super) struct Prepared {
    described: Data,
    shown: Shown,
    test: Option<Triples>,
    /// What is in no list of recommendations that is measured.
    seen: Option<Triples>,
    /// What the truth is measured on where it is known.
    known: Option<Triples>,
}

impl Prepared {
    pub(super) fn new(
        options: &Options,
        described: Data,
        (ratings, problem): (&Ratings, &Problem),
        (test, cold): (Option<Triples>, Cold),
        kept: Option<Kept>,
    ) -> Self {
        let Options { model, train, reading, .. } = options;
        let shown = Shown::of(problem.train(), ratings, kept, reading, cold);
        let ranks = test.is_some() && (options.ranking.is_some() || model.implicit.is_some());
        // Known clicks are in no list, whether they were trained on or held out to validate on.
        let known = problem.measured().filter(|_| model.target.is_none());
        let known = problem.train().iter().chain(known.into_iter().flat_map(Triples::iter));
        let seen: Option<Triples> = ranks.then(|| known.collect());
        let is_generated = data::is_generated(train.data.as_deref())
            && model.implicit.is_none()
            && options.changes.changes.is_none();
        let known = if is_generated { test.as_ref().or(problem.measured()).cloned() } else { None };
        Self { described, shown, test, seen, known }
    }

    /// Measures, writes the model, and says what was found, for the report, as tables and as text.
    pub(super) fn write(
        self,
        session: &mut Session,
        options: &Options,
        ratings: &Ratings,
        fit: &Fit,
        version: Option<VersionOf>,
    ) -> Result<(Report, Summary, String), Error> {
        let tested = Tested::measure(session, fit, self.test.as_ref(), self.seen.as_ref(), options);
        let known = self.known.and_then(|known| data::known_error(options.train.data.as_deref(), &known));
        files::write(session, &fit.model, &About { version, ..about(&options.model, ratings, fit) })?;
        let digest = files::digest(&fit.model);
        let report = session.report(options, self.described, digest, &fit.report, &fit.trace)?;
        let mut report = report.result("best_epoch", fit.best_epoch).result("mean", fit.model.mean);
        report = self.shown.cold.report(report);
        if let Some(best) = fit.best {
            report = report.result(&format!("best_{}", fit.report.metric.name), best);
        }
        let (mut text, summary) = describe(fit, ratings, &self.shown, options);
        let (mut report, summary, tests) = tested.tell(report, summary)?;
        text += &tests;
        if let Some(known) = known {
            report = report.result("known_optimum_rmse", known);
            text += &format!("\nknown optimum: rmse {}", number(known));
        }
        let text = format!("{text}\n\n{}", report.conclusion());
        Ok((report, summary, text))
    }
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
    let Fit { model, trace, report: second, .. } = again;
    let (ending, metric) = (first.report.ending, first.report.metric.clone());
    combine(&mut first.report, &second);
    first.trace.extend(trace);
    match second.ending {
        Ending::Target | Ending::Converged => {
            // What was measured on held-out ratings was measured of the first fit.
            let on = format!("{}, before the fit on all ratings", metric.on);
            (first.report.ending, first.report.metric) = (ending, Metric { on, ..metric });
            first.model = model;
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
        metric: fit.report.metric.name.clone(),
        on: fit.report.metric.on.clone(),
        best: fit.best,
        best_epoch: fit.best_epoch,
        log: fit.log.iter().map(|value| value.is_finite().then_some(*value)).collect(),
        version: None,
    }
}

/// The result as a person reads it, and as generic tables.
fn describe(fit: &Fit, ratings: &Ratings, shown: &Shown, options: &Options) -> (String, Summary) {
    let Ratings { name, users, items, .. } = ratings;
    let sizes = format!("{} x {}", count(users.len() as u64, "user"), count(items.len() as u64, "item"));
    let title = format!("Factorization of {name}: {sizes}, rank {}", options.model.rank);
    let mut text = format!("{title}, {} to train on\n", count(shown.ratings as u64, "rating"));
    text += &shown.notes;
    text += &shown.kept.as_ref().map_or_else(String::new, Kept::to_string);
    let first: Vec<u32> = (0..users.len().min(SUMMARISED.0) as u32).collect();
    let recommender = Recommender::new(&fit.model).without(&shown.seen);
    let mut table = Table::new("recommendations", &["user", "item", "score"]);
    text += &format!("\n{:>10}  recommended (predicted)\n", "user");
    recommender.each(&first, SUMMARISED.1, |user, best| {
        if (user as usize) < SHOWN.0 {
            let shown = best.iter().take(SHOWN.1);
            let shown: Vec<String> =
                shown.map(|&(item, score)| format!("{} ({})", name_of(items, item), short(score))).collect();
            text += &format!("{:>10}  {}\n", name_of(users, user), shown.join(", "));
        }
        for &(item, score) in best {
            table.row(vec![name_of(users, user).into(), name_of(items, item).into(), score.into()]);
        }
    });
    let quality = Table::of_metric(&fit.report.metric);
    (text.trim_end().to_owned(), Summary::new(title).table(quality).table(table))
}

/// A score in as few digits as compare it with others.
fn short(score: f32) -> String {
    match score.abs() {
        0.01..1e4 => format!("{score:.2}"),
        _ => number(f64::from(score)),
    }
}

fn name_of(ids: &Ids, row: u32) -> String {
    ids.name(row as usize)
}
