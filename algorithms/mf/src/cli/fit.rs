//! `mf fit`.

use clap::Args;
use raddle::cli::{Error, ExitStatus, Phase, Session, Summary, Table, TrainOptions, combine, count};
use raddle_datasets::ratings::Held;
use raddle_datasets::{Ids, Ratings, Triples};
use raddle_mf::{Fit, Mf, Problem, Ranking, Recommender, Seen};
use serde::Serialize;

use super::data::{self, Reading};
use super::files::{self, About};
use super::options::ModelOptions;
use super::runner::{InSession, refuse};

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
#[command(mut_arg("epochs", |arg| arg.help("The length of the run; a short one, then longer ones while validation gains, unless given")))]
pub(crate) struct Options {
    #[command(flatten)]
    #[serde(flatten)]
    model: ModelOptions,
    /// What drives the early stop: a share of the ratings, by hash; a file; or none.
    #[arg(long, value_name = "FRACTION|FILE|none", default_value = "0.05")]
    validation: String,
    /// What is measured at the end: split (by the documented hash), a file, or none.
    #[arg(long, value_name = "split|FILE|none", default_value = "none")]
    test: String,
    /// Fit again on training and validation data together, for as long as was best.
    #[arg(long)]
    refit: bool,
    /// Measure recommendations on the test set: precision, recall, NDCG and MAP at K, and AUC.
    #[arg(long, value_name = "K")]
    ranking: Option<usize>,
    #[command(flatten)]
    #[serde(flatten)]
    reading: Reading,
    #[command(flatten)]
    #[serde(flatten)]
    train: TrainOptions,
}

/// The data, split.
struct Split {
    problem: Problem,
    /// Training and validation data together, if the former was made of both.
    whole: Option<Triples>,
    test: Option<Triples>,
    validation: String,
}

/// What the summary says of the ratings to train on.
struct Shown {
    ratings: usize,
    /// What the users of the summary have seen.
    seen: Seen,
}

impl Shown {
    fn of(train: &Triples, users: usize) -> Self {
        Self { ratings: train.len(), seen: Seen::new(train, users.min(SUMMARISED.0)) }
    }
}

/// Fits, writes and reports.
pub(crate) fn fit(options: &Options) -> Result<ExitStatus, Error> {
    let Options { model, train, reading, .. } = options;
    let mut session = Session::begin("mf", env!("CARGO_PKG_VERSION"), train)?;
    session.set_metric_name("rmse");
    let mut mf = model.mf(train)?;
    if options.ranking.is_some() && options.test == "none" {
        return Err(Error::usage("--ranking measures on a test set: give --test split or a file"));
    }
    if options.refit && train.resume.is_some() {
        return Err(Error::usage(
            "--refit makes a second run, which cannot be resumed: leave one of them out",
        ));
    }
    let mut ratings = session.timed(Phase::Read, || {
        reading.read(train.data.as_deref(), train.format.as_deref(), train.worker_count())
    })?;
    let described = data::describe(&ratings);
    let split = session.timed(Phase::Prepare, || split(options, &mut ratings))?;
    let mut identity = format!("mf {} {} {}", described.digest, split.validation, model.identity(train)?);
    if let Some(folder) = &train.init {
        let start = files::read(folder)?.in_rows_of(&ratings.users, &ratings.items);
        identity = format!("{identity} init {}", files::digest(&start));
        mf = mf.init(start);
    }
    // What is asked of the ratings after the fit, so that it can give them up.
    let shown = Shown::of(split.problem.train(), ratings.users.len());
    let whole_train = options.ranking.map(|_| split.problem.clone());
    let is_generated = data::is_generated(train.data.as_deref());
    let measured = split.problem.measured().filter(|_| is_generated && split.test.is_none()).cloned();
    let mut fit = mf.fit_using_up(split.problem, &mut InSession { session: &mut session, identity })?;
    if let Some(whole) = split.whole.as_ref().filter(|_| options.refit && !session.is_interrupted()) {
        fit = refit(&mf, &ratings, whole.clone(), fit, &mut session)?;
    }
    let about = about(model, &ratings, &fit);
    files::write(&mut session, &fit.model, &about)?;
    let tested = split.test.as_ref();
    let errors = session.timed(Phase::Certify, || tested.map(|test| fit.model.errors(test)));
    let mut report =
        session.report(options, described, files::digest(&fit.model), &fit.report, &fit.trace)?;
    report = report.result("best_epoch", fit.best_epoch).result("mean", fit.model.mean);
    if let Some(best) = fit.best {
        report = report.result("best_rmse", best);
    }
    let known = tested.or(measured.as_ref());
    let known = known.and_then(|triples| data::known_error(train.data.as_deref(), triples));
    if let Some(known) = known {
        report = report.result("known_optimum_rmse", known);
    }
    let (mut text, mut summary) = describe(&fit, &ratings, &shown, options);
    if let Some((rmse, mae)) = errors {
        report = report.result("test_rmse", rmse).result("test_mae", mae);
        text += &format!(
            "\n\ntest: rmse {rmse:.4}, mae {mae:.4} on {}",
            count(tested.map_or(0, Triples::len) as u64, "rating")
        );
        let mut table = Table::new("test", &["ratings", "rmse", "mae"]);
        table.row(vec![tested.map_or(0, Triples::len).into(), rmse.into(), mae.into()]);
        summary = summary.table(table);
    }
    if let Some(((at, test), problem)) = options.ranking.zip(tested).zip(whole_train) {
        let ranking =
            session.timed(Phase::Certify, || Ranking::measure(&fit.model, problem.train(), test, at.max(1)));
        let Ranking { precision, recall, ndcg, map, auc, users, at } = ranking;
        text += &format!(
            "\nat {at}: precision {precision:.4}, recall {recall:.4}, ndcg {ndcg:.4}, map {map:.4}; auc {auc:.4} over {}",
            count(users as u64, "user")
        );
        report = report.result("ranking", serde_json::to_value(ranking).map_err(Error::failed)?);
    }
    if let Some(known) = known {
        text += &format!("\nknown optimum: rmse {known:.4}");
    }
    let text = format!("{text}\n\n{}", report.conclusion());
    session.finish(report, &summary, &text)
}

/// Splits what was read into training, validation and test data.
fn split(options: &Options, ratings: &mut Ratings) -> Result<Split, Error> {
    let (users, items) = (ratings.users.len(), ratings.items.len());
    let mut triples = std::mem::take(&mut ratings.triples);
    let test = match options.test.as_str() {
        "none" => None,
        "split" => {
            let held = Held::compared(triples, users, items);
            triples = held.train;
            Some(held.out)
        }
        file => Some(other(options, "--test", file, ratings)?),
    };
    let with_target = options.model.target.is_some();
    let problem = |triples| Problem::new(users, items, triples).map_err(refuse);
    let validation = options.validation.as_str();
    let (problem, whole) = match (validation, &test) {
        ("none", Some(test)) if with_target => {
            (problem(triples)?.test_on(test.clone()).map_err(refuse)?, None)
        }
        ("none", _) => (problem(triples)?, None),
        (share, _) => match share.parse::<f64>() {
            Ok(share) => {
                let whole = options.refit.then(|| triples.clone());
                let held = problem(triples)?.validate_on_share(share, options.train.seed);
                (held.map_err(refuse)?, whole)
            }
            Err(_) => {
                let file = other(options, "--validation", share, ratings)?;
                (problem(triples)?.validate_on(file).map_err(refuse)?, None)
            }
        },
    };
    let problem = match (&test, with_target) {
        // A target is checked on the test set where one is given.
        (Some(test), true) if validation != "none" => problem.test_on(test.clone()).map_err(refuse)?,
        _ => problem,
    };
    Ok(Split { problem, whole, test, validation: validation.into() })
}

/// Ratings of another file, by the rows of the data.
fn other(options: &Options, option: &str, file: &str, ratings: &Ratings) -> Result<Triples, Error> {
    let reading = options.reading.options(None, options.train.worker_count())?;
    let read = raddle_datasets::read_any_ratings(file, &reading)
        .map_err(|why| Error::input(format!("{option}: {why}")))?;
    let triples = data::in_rows_of(&read, &ratings.users, &ratings.items);
    match triples.is_empty() {
        true => Err(Error::input(format!("{option} {file}: none of its users and items are in the data"))),
        false => Ok(triples),
    }
}

/// Fits again on everything, for the length that was best.
fn refit(
    mf: &Mf,
    ratings: &Ratings,
    whole: Triples,
    first: Fit,
    session: &mut Session,
) -> Result<Fit, Error> {
    let problem = Problem::new(ratings.users.len(), ratings.items.len(), whole).map_err(refuse)?;
    let identity = "a second run is not resumed".into();
    let again = mf.clone().repeat(&first);
    let mut fit = again.fit_on(&problem, &mut InSession { session, identity })?;
    let (ending, metric) = (first.report.ending, first.report.metric.clone());
    let mut report = first.report;
    combine(&mut report, &fit.report);
    // What was measured on held-out ratings was measured of the first fit.
    (report.ending, report.metric) = (ending, metric);
    (fit.report, fit.best, fit.best_epoch) = (report, first.best, first.best_epoch);
    fit.trace = first.trace.into_iter().chain(fit.trace).collect();
    Ok(fit)
}

/// What `model.json` says.
pub(super) fn about(model: &ModelOptions, ratings: &Ratings, fit: &Fit) -> About {
    About {
        rank: model.rank,
        mean: fit.model.mean,
        biases: !model.no_biases && model.implicit.is_none(),
        implicit: model.implicit,
        reg: fit.reg,
        plain_reg: model.plain_reg,
        users: (&ratings.users).into(),
        items: (&ratings.items).into(),
        ending: fit.report.ending.name().into(),
        best_rmse: fit.best,
        best_epoch: fit.best_epoch,
        log: files::log(fit),
    }
}

/// The result as a person reads it, and as generic tables.
fn describe(fit: &Fit, ratings: &Ratings, shown: &Shown, options: &Options) -> (String, Summary) {
    let Ratings { name, users, items, .. } = ratings;
    let sizes = format!("{} x {}", count(users.len() as u64, "user"), count(items.len() as u64, "item"));
    let title = format!("Factorization of {name}: {sizes}, rank {}", options.model.rank);
    let mut text = format!("{title}, {} to train on\n\n", count(shown.ratings as u64, "rating"));
    let first: Vec<u32> = (0..users.len().min(SUMMARISED.0) as u32).collect();
    let recommender = Recommender::new(&fit.model).without(&shown.seen);
    let mut table = Table::new("recommendations", &["user", "item", "score"]);
    text += &format!("{:>10}  recommended (predicted)\n", "user");
    recommender.each(&first, SUMMARISED.1, |user, best| {
        if (user as usize) < SHOWN.0 {
            let shown = best.iter().take(SHOWN.1);
            let shown: Vec<String> =
                shown.map(|&(item, score)| format!("{} ({score:.2})", name_of(items, item))).collect();
            text += &format!("{:>10}  {}\n", name_of(users, user), shown.join(", "));
        }
        for &(item, score) in best {
            table.row(vec![name_of(users, user).into(), name_of(items, item).into(), score.into()]);
        }
    });
    let quality = Table::of_metric(&fit.report.metric);
    (text.trim_end().to_owned(), Summary::new(title).table(quality).table(table))
}

fn name_of(ids: &Ids, row: u32) -> String {
    ids.name(row as usize)
}
