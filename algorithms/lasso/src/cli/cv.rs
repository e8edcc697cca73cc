//! `lasso cv`.

use clap::Args;
use raddle::Ending;
use raddle::state::{from_bytes, to_bytes};
use raddle_cli::{
    CutShort, Error, ExitStatus, Free, PartEnd, PartRun, ROUND_OPTIONS, Session, Switch, Timed, TrainOptions,
    choose, combine, ended_as, hide_idle, number,
};
use raddle_datasets::{Beside, Table};
use raddle_lasso::files::{About, Features};
use raddle_lasso::{Criterion, CrossValidation, Curve, Fit, FoldScores, Folds, Lasso, Rule};
use raddle_tabular::cli::{Chosen, Given, of_folds, tell_of_classes};
use serde::Serialize;

use super::grid::{GridArgs, SCHEDULE, SHARDS};
use super::problem::{ON_WORKING_SET, ProblemOptions};
use super::refused::{refuse, refuse_named};
use super::{features, outcome, pictures, problem};

const EXAMPLES: &str = "Examples:
  lasso cv diabetes
  lasso cv synth:groups:n=200,p=1000,s=10 --folds 10 --rule 1se --out run
  lasso cv diabetes --l1-ratio 0.2,0.5,0.9,1 --measure mae

The model is that of `lasso fit --lambda` at the chosen lambda. cv.tsv has the measure at each lambda.";

/// The options of `lasso cv`.
#[derive(Debug, Args, Serialize)]
#[command(after_help = EXAMPLES)]
#[command(mut_args(of_folds))]
#[command(mut_args(hide_idle(&ROUND_OPTIONS, ON_WORKING_SET)))]
#[command(mut_args(hide_idle(&["slowdown"], "on a run of several parts")))]
#[command(mut_arg("schedule", |arg| arg.help(SCHEDULE)), mut_arg("shards", |arg| arg.help(SHARDS)))]
#[command(mut_arg("cache", |arg| arg.help("Cache the parsed data in this folder for later runs, as binary files \
    named by a hash of the content")))]
#[command(mut_arg("points", |arg| arg.help("Number of lambdas. They are evenly spaced on a logarithmic scale from \
    lambda_max of all rows down")))]
#[command(mut_arg("l1_ratio", |arg| arg.help("Share A of the l1 norm in the penalty, 0 < A <= 1, or several to \
    choose from, such as 0.5,0.9,1")))]
pub(crate) struct Options {
    /// Number of folds. Each is held out once, and predicted by a fit on the others.
    #[arg(long, value_name = "K", default_value_t = 5)]
    folds: usize,
    #[command(flatten)]
    #[serde(flatten)]
    grid: GridArgs,
    /// Rule for choosing lambda: min or 1se. min takes the best mean of --measure over the folds, and 1se the
    /// largest lambda within one standard error of the best. Of several l1 ratios, the one with the best mean
    /// is chosen first.
    #[arg(long, value_name = "NAME", default_value = "min")]
    rule: String,
    /// Measure on held-out rows: deviance, mse or mae; for classes also accuracy, and for two classes auc.
    #[arg(long, value_name = "NAME", default_value = "deviance")]
    measure: String,
    /// Give each fold the same share of every class. Default: on for classes.
    #[arg(long, value_name = "on|off", num_args = 0..=1, default_missing_value = "on")]
    stratify: Option<Switch>,
    /// Keep rows with the same value of this column in one fold. The column is then not a feature.
    #[arg(long, value_name = "NAME|INDEX|FILE")]
    fold_by: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    problem: ProblemOptions,
    #[command(flatten)]
    #[serde(flatten)]
    train: TrainOptions,
}

/// Fits the folds, then all rows at the chosen lambda; writes the model and the report.
pub(crate) fn cv(options: &Options) -> Result<ExitStatus, Error> {
    let train = &options.train;
    let rule = choose("--rule", &options.rule, &Rule::NAMES)?;
    let criterion = choose("--measure", &options.measure, &Criterion::NAMES)?;
    let mut session = Session::begin("lasso", env!("CARGO_PKG_VERSION"), train)?;
    session.refuse_distributed("this command")?;
    session.set_metric_name("gap");
    let lasso = options.problem.lasso(train)?;
    let beside: Vec<Beside> = options.fold_by.iter().map(|name| beside(name)).collect();
    let Given { mut table, mut data, .. } = options.problem.read(&mut session, train, &beside)?;
    let features = options.problem.features(&table, &mut data);
    // The tolerance decides when a path proceeds to its next point, so a resumed run must have the same.
    let free = Free { neutral: &[], ..problem::FREE };
    let identity = problem::identity(options, free, &data.digest, train)?;
    let rows = options.problem.rows.values(&mut table, &data.path, features.classes.as_deref())?;
    let lasso = options.problem.of_columns(lasso, train, &features, table.x.cols())?;
    let cv = options.cross_validation(lasso, criterion).rows(rows.weights, rows.offset);
    let mut folds = session.timed(Timed::Prepare, || options.start(cv, table, &data.path, &features))?;
    if options.problem.loss().scores_each_class() {
        tell_of_classes(&session, folds.labels().len(), folds.score_bytes(), &mut data);
    }

    let names: Vec<String> =
        (1..=folds.count()).map(|number| format!("fold {number} of {}", folds.count())).collect();
    let mut parts = session.parts(&identity, &names, |part| fit_fold(part, &folds, &identity))?;
    if parts.cut.is_some() {
        let title = format!("{} cross-validation", options.problem.title());
        let words = CutShort { title: &title, parts: "folds", names: &names, choice: "lambda" };
        return words.finish(session, options, data, parts);
    }
    for bytes in parts.done.iter().flatten() {
        let scores: Vec<FoldScores> = from_bytes(bytes).map_err(Error::failed)?;
        scores.into_iter().try_for_each(|scores| folds.add(scores)).map_err(refuse)?;
    }
    let curves = folds.curves().map_err(refuse)?;
    let best = Curve::best(&curves);
    let chosen = Chosen { curves, best, rule, folds: folds.count(), worst_gap: folds.worst_gap() };
    chosen.write(&mut session)?;

    let lambda = chosen.setting();
    session.screen().stage(&format!("all rows at lambda {}", number(lambda)));
    let engine = session.timed(Timed::Fit, || folds.all(best, lambda).engine(folds.problem()));
    let engine = engine.map_err(refuse)?.identity(format!("{identity} all rows"));
    let outcome = session.run_last(engine)?;
    let fit = Fit::new(folds.problem(), outcome);
    let model = About::new(&fit, &features);
    fit.write(&mut session, &model)?;

    let mut run = parts.run.unwrap_or_else(|| fit.report.clone());
    combine(&mut run, &fit.report);
    parts.trace.extend(fit.trace.iter().cloned());
    let run = ended_as(run, &fit.report);
    let report =
        session.report(options, data, fit.digest_of(features.occurring.as_ref()), &run, &parts.trace)?;
    let report = outcome::reported(chosen.reported(report), &fit, &model, &features);
    let (text, mut summary) =
        outcome::describe(&fit, &model, &options.problem.title(), &report.data.path, train.folder());
    let of_fit = std::mem::take(&mut summary.pictures);
    summary.pictures = pictures::curves(&chosen.curves, best).into_iter().chain(of_fit).collect();
    let (above, listing) = chosen.describe(train.folder());
    let text = format!("{above}\n\n{}\n\n{}", features::below(&features, &fit, &text), report.conclusion());
    session.finish(report, &summary.table(listing), &text)
}

fn beside(name: &str) -> Beside {
    Beside { option: "--fold-by", name: name.to_owned() }
}

impl Options {
    fn cross_validation(&self, lasso: Lasso, criterion: Criterion) -> CrossValidation {
        let cv = lasso.cv().folds(self.folds).seed(self.train.seed);
        let GridArgs { points, ratio, lambdas } = &self.grid;
        let cv = match lambdas.is_empty() {
            true => cv.path(*points, *ratio),
            false => cv.lambdas(lambdas.clone()),
        };
        let cv = cv.l1_ratios(self.problem.l1_ratios().to_vec()).criterion(criterion);
        match self.stratify {
            Some(switch) => cv.stratify(switch == Switch::On),
            None => cv,
        }
    }

    fn start(
        &self,
        cv: CrossValidation,
        table: Table,
        path: &str,
        features: &Features,
    ) -> Result<Folds, Error> {
        let cv = match table.beside.first() {
            Some(labels) => cv.groups(labels.groups()),
            None => cv,
        };
        let cv = cv.filled(table.filled);
        cv.start(table.x, table.y, self.problem.preparation())
            .map_err(|why| refuse_named(why, path, features))
    }
}

/// Fits the path of each l1 ratio without a fold's rows, and scores these rows.
fn fit_fold(part: &mut PartRun<'_>, folds: &Folds, identity: &str) -> Result<PartEnd, Error> {
    let number = part.number();
    let fold = folds.fold(number).map_err(refuse)?;
    let mut scores = Vec::new();
    for ratio in 0..folds.l1_ratios().len() {
        let engine = folds.engine(&fold, ratio).map_err(refuse)?;
        let outcome = part.run(engine.identity(format!("{identity} fold {number} at {ratio}")))?;
        if outcome.report.ending == Ending::Interrupted || !folds.is_whole(ratio, &outcome) {
            return Ok(PartEnd::Cut);
        }
        scores.push(folds.score(&fold, ratio, outcome).map_err(refuse)?);
    }
    Ok(PartEnd::Done(to_bytes(&scores)))
}
