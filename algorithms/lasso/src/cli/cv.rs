//! `lasso cv`.

use std::io::Write as _;

use clap::Args;
use raddle::cli::{
    Data, Error, ExitStatus, Phase, Session, Table as Listing, TrainOptions, aligned, between, choose,
    combine, number,
};
use raddle::{Ending, EpochRecord, RunReport};
use raddle_lasso::{Curve, CurvePoint, Fit, Folds, Rule};
use serde::Serialize;
use serde_json::json;

use super::files::{self, Model};
use super::path::{MOST_POINTS, abridged, short};
use super::problem::{ProblemOptions, refuse, refuse_named};
use super::{data, fit};

/// Points of the curve listed on the screen, about.
const LISTED: usize = 20;

const EXAMPLES: &str = "Examples, which work as they stand:
  lasso cv diabetes
  lasso cv synth:groups:n=200,p=1000,s=10 --folds 10 --rule 1se --out run

The model is that of `lasso fit --lambda` at the chosen lambda; cv.tsv has the error at each lambda.";

/// The options of `lasso cv`.
#[derive(Debug, Args, Serialize)]
#[command(after_help = EXAMPLES, mut_arg("data", |arg| arg.help(data::known_or_default())))]
#[command(mut_arg("schedule", |arg| arg.help("auto or working-set: the rounds of STRADS fit one lambda at a time")))]
#[command(mut_arg("epochs", |arg| arg.help("End each fit after N epochs")))]
#[command(mut_arg("init", |arg| arg.help("Start the last fit, of all rows, from the model of an earlier run")))]
#[command(mut_arg("checkpoint_every", |arg| arg.hide(true)), mut_arg("resume", |arg| arg.hide(true)))]
pub(crate) struct Options {
    /// Number of folds. Each is predicted by a fit of the other rows.
    #[arg(long, value_name = "K", default_value_t = 5, allow_negative_numbers = true)]
    folds: usize,
    /// Number of lambdas, evenly spaced in their logarithm from lambda_max of all rows down.
    #[arg(long, value_name = "N", default_value_t = 100, allow_negative_numbers = true, value_parser = between::<1, MOST_POINTS>)]
    points: usize,
    /// The last lambda is lambda_max divided by this.
    #[arg(long, value_name = "R", default_value_t = 100.0, allow_negative_numbers = true)]
    ratio: f64,
    /// Which lambda is chosen: min, the one with the smallest error, or 1se, the largest whose error is within one
    /// standard error of it.
    #[arg(long, value_name = "NAME", default_value = "min")]
    rule: String,
    #[command(flatten)]
    #[serde(flatten)]
    problem: ProblemOptions,
    #[command(flatten)]
    #[serde(flatten)]
    train: TrainOptions,
}

/// Fits the folds, then all rows at the chosen lambda; writes and reports.
pub(crate) fn cv(options: &Options) -> Result<ExitStatus, Error> {
    let train = &options.train;
    for (option, given) in
        [("--checkpoint-every", train.checkpoint_every.is_some()), ("--resume", train.resume.is_some())]
    {
        if given {
            return Err(Error::usage(format!("{option}: cv makes no checkpoints, run it in one go")));
        }
    }
    let rule = choose("--rule", &options.rule, &Rule::NAMES)?;
    let mut session = Session::begin("lasso", env!("CARGO_PKG_VERSION"), train)?;
    session.set_metric_name("gap");
    let lasso = options.problem.lasso(train)?;
    let mut table = options.problem.read(&mut session, train, &[])?;
    let (data, features) = (data::describe(&table), options.problem.features(&table));
    let rows = options.problem.rows.values(&mut table, &data.path)?;
    let lasso = options.problem.terms.apply(lasso, &features, table.x.cols())?;
    let cv = lasso.cv().folds(options.folds).path(options.points, options.ratio).seed(train.seed);
    let cv = cv.filled(table.filled).rows(rows.weights, rows.offset);
    let preparation = options.problem.preparation();
    let started = session.timed(Phase::Prepare, || cv.start(table.x, table.y, preparation));
    let mut folds = started.map_err(|why| refuse_named(why, &data.path, &features))?;

    let mut total = Total::default();
    if let Some((number, run)) = fit_folds(&mut session, &mut folds, &mut total)? {
        return unfinished(session, options, data, &run, total, number, &folds);
    }
    let curve = folds.curve().map_err(refuse)?;
    write_curve(&mut session, &curve)?;

    let chosen = curve.choose(rule);
    session.screen().stage(&format!("all rows at lambda {}", number(chosen.lambda)));
    let engine = session.timed(Phase::Fit, || folds.all(chosen.lambda).engine(folds.problem()));
    let outcome = session.run(engine.map_err(refuse)?)?;
    let fit = Fit::new(folds.problem(), outcome);
    let model = Model::new(&fit, folds.problem(), &features);
    files::write(&mut session, &fit, &model)?;
    total.add(&fit.report, fit.trace.clone());

    let (run, trace) = total.of_model(&fit.report);
    let report = session.report(options, data, fit.digest(), &run, &trace)?;
    let point = |CurvePoint { lambda, mean, se, nonzeros }: &CurvePoint| json!({"lambda": lambda, "mean": mean, "se": se, "nonzeros": nonzeros});
    let report = report
        .result("lambda", fit.lambda)
        .result("lambda_max", fit.lambda_max)
        .result("nonzeros", fit.coefficients.len() as u64)
        .result("intercept", fit.intercept)
        .result("coefficients", fit::largest(&fit, &model))
        .result("rule", options.rule.as_str())
        .result("folds", folds.count() as u64)
        .result("measure", curve.loss.error_name())
        .result("lambda_min", curve.choose(Rule::Min).lambda)
        .result("lambda_1se", curve.choose(Rule::OneSe).lambda)
        .result("mean", chosen.mean)
        .result("se", chosen.se)
        .result("worst_gap", folds.worst_gap())
        .result("curve", curve.points.iter().map(point).collect::<Vec<_>>());
    let report = features.reported(report);
    let is_written = train.folder().is_some();
    let (text, summary) =
        fit::describe(&fit, &model, &options.problem.title(), &report.data.path, is_written);
    let (above, listing) = describe(&curve, &folds, rule, is_written);
    let text = format!("{above}\n\n{}\n\n{}", features.below(&text), report.conclusion());
    session.finish(report, &summary.table(listing), &text)
}

/// Fits and scores the folds, one after the other; which one did not come to its end, and its run, if there is such.
fn fit_folds(
    session: &mut Session,
    folds: &mut Folds,
    total: &mut Total,
) -> Result<Option<(usize, RunReport)>, Error> {
    for number in 0..folds.count() {
        session.screen().stage(&format!("fold {} of {}", number + 1, folds.count()));
        let fold = session.timed(Phase::Prepare, || folds.fold(number)).map_err(refuse)?;
        let engine = session.timed(Phase::Fit, || folds.engine(&fold)).map_err(refuse)?;
        let mut outcome = session.run(engine)?;
        total.add(&outcome.report, std::mem::take(&mut outcome.trace));
        if outcome.report.ending != Ending::Target {
            return Ok(Some((number, outcome.report)));
        }
        session.timed(Phase::Fit, || folds.score(&fold, outcome)).map_err(refuse)?;
    }
    Ok(None)
}

/// The folds' runs as one.
#[derive(Default)]
struct Total {
    run: Option<RunReport>,
    trace: Vec<EpochRecord>,
}

impl Total {
    fn add(&mut self, run: &RunReport, trace: Vec<EpochRecord>) {
        self.trace.extend(trace);
        match &mut self.run {
            Some(total) => combine(total, run),
            None => self.run = Some(run.clone()),
        }
    }

    /// What was counted over all runs; ending, metric and objective are those of the model.
    fn of_model(self, model: &RunReport) -> (RunReport, Vec<EpochRecord>) {
        let RunReport { ending, metric, objective, .. } = model.clone();
        (RunReport { ending, metric, objective, ..self.run.unwrap_or(model.clone()) }, self.trace)
    }
}

/// A fold that a limit or Ctrl-C ended: nothing can be chosen yet, so no model is written.
fn unfinished(
    session: Session,
    options: &Options,
    data: Data,
    last: &RunReport,
    total: Total,
    done: usize,
    folds: &Folds,
) -> Result<ExitStatus, Error> {
    let (run, trace) = total.of_model(last);
    let report = session.report(options, data, String::new(), &run, &trace)?;
    let report = report.result("folds", folds.count() as u64).result("folds_done", done as u64);
    let text = format!(
        "{} cross-validation on {}: it ended in fold {} of {}, so no lambda is chosen and no model is written\n\n{}",
        options.problem.title(),
        report.data.path,
        done + 1,
        folds.count(),
        report.conclusion()
    );
    session.finish_without_model(report, &text)
}

/// `cv.tsv`.
fn write_curve(session: &mut Session, curve: &Curve) -> Result<(), Error> {
    session.write("cv.tsv", |out| {
        writeln!(out, "lambda\tmean\tse\tnonzeros")?;
        curve.points.iter().try_for_each(|CurvePoint { lambda, mean, se, nonzeros }| {
            writeln!(out, "{lambda:.16e}\t{mean:.16e}\t{se:.16e}\t{nonzeros}")
        })
    })
}

/// The curve as a person reads it, about twenty of its points and those of the rules, and as a generic table of all.
fn describe(curve: &Curve, folds: &Folds, rule: Rule, is_written: bool) -> (String, Listing) {
    let mut text = format!(
        "Cross-validation with {} folds: {} on the rows held out, worst gap {}\n\n{:>14}  {:>12}  {:>11}  {:>8}\n",
        folds.count(),
        curve.loss.error_name(),
        short(folds.worst_gap()),
        "lambda",
        "mean",
        "se",
        "nonzeros"
    );
    let mut table = Listing::new("cross-validation", &["lambda", "mean", "se", "nonzeros"]);
    let (min, one_se) = (curve.position(Rule::Min), curve.position(Rule::OneSe));
    let every = curve.points.len().div_ceil(LISTED).max(1);
    let mut listed = 0;
    for (at, CurvePoint { lambda, mean, se, nonzeros }) in curve.points.iter().enumerate() {
        table.row(vec![(*lambda).into(), (*mean).into(), (*se).into(), (*nonzeros).into()]);
        if at % every != 0 && at != min && at != one_se {
            continue;
        }
        let mut marks = String::new();
        for (name, which) in Rule::NAMES {
            if at == curve.position(which) {
                marks += &format!("  <- lambda_{name}{}", if which == rule { ", chosen" } else { "" });
            }
        }
        let [lambda, mean, se] = [*lambda, *mean, *se].map(aligned);
        text += &format!("{lambda:>14}  {mean:>12}  {se:>11}  {nonzeros:>8.1}{marks}\n");
        listed += 1;
    }
    text += &abridged(listed, curve.points.len(), "lambdas", "cv.tsv", is_written);
    (text.trim_end().to_owned(), table)
}
