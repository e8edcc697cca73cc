//! `lasso path`.

use clap::Args;
use raddle::cli::{Error, ExitStatus, Phase, Session, Summary, Table as Listing, TrainOptions, count};
use raddle_lasso::Fit;
use serde::Serialize;

use super::data;
use super::files::{self, Model};
use super::problem::{ProblemOptions, Ready, refuse};

const EXAMPLES: &str = "Examples, which work as they stand:
  lasso path diabetes --points 20
  lasso path synth:groups:n=100,p=500,s=10 --ratio 50 --out run";

/// The options of `lasso path`.
#[derive(Debug, Args, Serialize)]
#[command(after_help = EXAMPLES, mut_arg("data", |arg| arg.help(data::known_or_default())))]
#[command(mut_arg("schedule", |arg| arg.help("auto or working-set: the rounds of STRADS fit one lambda at a time")))]
pub(crate) struct Options {
    /// How many lambdas, evenly spaced in their logarithm from lambda_max down.
    #[arg(long, value_name = "N", default_value_t = 100)]
    points: usize,
    /// The last lambda is lambda_max divided by this.
    #[arg(long, value_name = "R", default_value_t = 100.0, allow_negative_numbers = true)]
    ratio: f64,
    #[command(flatten)]
    #[serde(flatten)]
    problem: ProblemOptions,
    #[command(flatten)]
    #[serde(flatten)]
    train: TrainOptions,
}

/// Fits the path, writes and reports.
pub(crate) fn path(options: &Options) -> Result<ExitStatus, Error> {
    let Options { points, ratio, train, .. } = options;
    let mut session = Session::begin("lasso", env!("CARGO_PKG_VERSION"), train)?;
    session.set_metric_name("gap");
    let lasso = options.problem.lasso(train)?.path(*points, *ratio);
    let Ready { problem, data, feature_names } = options.problem.ready(&mut session, train)?;
    let engine = session.timed(Phase::Fit, || lasso.engine(&problem)).map_err(refuse)?;
    let identity = options.problem.identity(&data.digest, train)?;
    let outcome = session.run(engine.identity(format!("{identity} points {points} ratio {ratio}")))?;
    let fit = Fit::new(&problem, outcome);
    let model = Model::new(&fit, &problem, feature_names);
    files::write_path(&mut session, &fit, &model)?;
    let report = session.report(options, data, files::digest_path(&fit), &fit.report, &fit.trace)?;
    let report = report.result("points", fit.points.len() as u64).result("lambda_max", fit.lambda_max);
    let (text, summary) = describe(&fit, *points, &options.problem.title(), &report.data.path);
    let text = format!("{text}\n\n{}", report.conclusion());
    session.finish(report, &summary, &text)
}

/// The path as a person reads it, about twenty of its points, and as a generic table of all.
fn describe(fit: &Fit, points: usize, method: &str, data: &str) -> (String, Summary) {
    let title = format!("{method} path on {data}");
    let none = match fit.lambda_max > 0.0 {
        true => "",
        false => "; lambda_max is 0: no column varies with the response",
    };
    let mut text = format!(
        "{title}: {} of {} certified{none}\n\n{:>6}  {:>14}  {:>9}  {:>8}\n",
        fit.points.len(),
        count(points as u64, "point"),
        "point",
        "lambda",
        "nonzeros",
        "gap"
    );
    let mut table = Listing::new("path", &["point", "lambda", "nonzeros", "gap"]);
    let every = fit.points.len().div_ceil(20).max(1);
    for (number, point) in (1..).zip(&fit.points) {
        let nonzeros = point.coefficients.len() as u64;
        table.row(vec![number.into(), point.lambda.into(), nonzeros.into(), point.gap.into()]);
        if (number - 1) % every == 0 || number == fit.points.len() {
            text += &format!("{number:>6}  {:>14.6}  {nonzeros:>9}  {:>8.1e}\n", point.lambda, point.gap);
        }
    }
    (text.trim_end().to_owned(), Summary::new(title).table(table))
}
