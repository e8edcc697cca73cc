//! `lasso fit`.

use clap::Args;
use raddle::cli::{Error, ExitStatus, Phase, Session, Summary, Table as Listing, TrainOptions, count};
use raddle_lasso::Fit;
use serde::Serialize;

use super::data;
use super::files::{self, Model};
use super::problem::{ProblemOptions, Ready, refuse};

/// Coefficients listed on the screen.
const LISTED: usize = 20;

const EXAMPLES: &str = "Examples, which work as they stand:
  lasso fit diabetes --ratio 100
  lasso fit synth:groups:n=200,p=2000,s=10 --tol 1e-8 --out run";

/// The options of `lasso fit`.
#[derive(Debug, Args, Serialize)]
#[command(after_help = EXAMPLES, mut_arg("data", |arg| arg.help(data::known_or_default())))]
#[command(mut_arg("schedule", |arg| arg.help("auto, working-set, priority, shuffled or cyclic; auto is the working set")))]
pub(crate) struct Options {
    /// lambda itself.
    #[arg(long, value_name = "X", conflicts_with = "ratio", allow_negative_numbers = true)]
    lambda: Option<f64>,
    /// lambda is lambda_max divided by this; lambda_max leaves no coefficient.
    #[arg(long, value_name = "R", default_value_t = 10.0, allow_negative_numbers = true)]
    ratio: f64,
    /// Candidates that `--schedule priority` draws a batch; the parallelism unless given.
    #[arg(long, value_name = "N")]
    candidates: Option<usize>,
    #[command(flatten)]
    #[serde(flatten)]
    problem: ProblemOptions,
    #[command(flatten)]
    #[serde(flatten)]
    train: TrainOptions,
}

/// Fits, writes and reports.
pub(crate) fn fit(options: &Options) -> Result<ExitStatus, Error> {
    let Options { lambda, ratio, candidates, train, .. } = options;
    let mut session = Session::begin("lasso", env!("CARGO_PKG_VERSION"), train)?;
    session.set_metric_name("gap");
    let lasso = options.problem.lasso(train)?;
    let mut lasso = match *lambda {
        Some(lambda) => lasso.lambda(lambda),
        None => lasso.ratio(*ratio),
    };
    if let Some(candidates) = *candidates {
        lasso = lasso.candidates(candidates);
    }
    let Ready { problem, data, feature_names } = options.problem.ready(&mut session, train)?;
    let engine = session.timed(Phase::Fit, || lasso.engine(&problem)).map_err(refuse)?;
    let identity = options.problem.identity(&data.digest, train)?;
    let identity = format!("{identity} lambda {lambda:?} ratio {ratio} candidates {candidates:?}");
    let outcome = session.run(engine.identity(identity))?;
    let fit = Fit::new(&problem, outcome);
    let model = Model::new(&fit, &problem, feature_names);
    files::write(&mut session, &fit, &model)?;
    let report = session.report(options, data, files::digest(&fit), &fit.report, &fit.trace)?;
    let report = report.result("lambda", fit.lambda).result("lambda_max", fit.lambda_max);
    let report = report.result("nonzeros", fit.coefficients.len() as u64);
    let (text, summary) = describe(&fit, &model, &options.problem.title(), &report.data.path);
    let text = format!("{text}\n\n{}", report.conclusion());
    session.finish(report, &summary, &text)
}

/// The result as a person reads it, and as generic tables.
pub(crate) fn describe(fit: &Fit, model: &Model, method: &str, data: &str) -> (String, Summary) {
    let mut order: Vec<(u32, f64)> = fit.coefficients.clone();
    order.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
    let title = format!("{method} on {data}");
    let place = match fit.lambda_max > 0.0 {
        true => format!("lambda_max / {:.4}", fit.lambda_max / fit.lambda),
        false => "lambda_max is 0: no column varies with the response".into(),
    };
    let (nonzeros, columns) = (fit.coefficients.len(), count(model.columns as u64, "coefficient"));
    let are = if nonzeros == 1 { "is" } else { "are" };
    let mut text =
        format!("{title}: {nonzeros} of {columns} {are} not zero at lambda {:.6} ({place})\n\n", fit.lambda);
    if fit.intercept != 0.0 || nonzeros > 0 {
        text += &format!("{:>14}  of\n", "coefficient");
    }
    if fit.intercept != 0.0 {
        text += &format!("{:>14.6}  (intercept)\n", fit.intercept);
    }
    let mut table = Listing::new("coefficients", &["column", "name", "coefficient"]);
    for &(column, value) in &order {
        table.row(vec![(column + 1).into(), model.name(column).into(), value.into()]);
    }
    for &(column, value) in order.iter().take(LISTED) {
        text += &format!("{value:>14.6}  {}\n", model.name(column));
    }
    if order.len() > LISTED {
        text += &format!("{:>14}  and {} more, in coef.tsv with --out DIR\n", "...", order.len() - LISTED);
    }
    let quality = Listing::of_metric(&fit.report.metric);
    (text.trim_end().to_owned(), Summary::new(title).table(quality).table(table))
}
