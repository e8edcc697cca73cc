//! `lasso path`.

use std::borrow::Cow;

use clap::Args;
use raddle_cli::{
    Error, ExitStatus, Free, ROUND_OPTIONS, Session, Summary, Timed, TrainOptions, count, hide_idle,
};
use raddle_lasso::files::{About, ModelFacts as _};
use raddle_lasso::{Fit, Point};
use raddle_tabular::cli::{Path, PathRow, encoding, known_or_default};
use serde::Serialize;
use serde_json::{Value, json};

use super::features;
use super::grid::{GridArgs, SCHEDULE, SHARDS};
use super::outcome::no_penalty;
use super::problem::{self, ON_WORKING_SET, ProblemOptions, Ready};
use super::refused::refuse_named;

const EXAMPLES: &str = "Examples:
  lasso path diabetes --points 20
  lasso path synth:groups:n=100,p=500,s=10 --ratio 50 --out run
  lasso path diabetes --lambdas 10,1,0.1
  lasso predict run synth:groups:n=100,p=500,s=10 --point 40";

/// The options of `lasso path`.
#[derive(Debug, Args, Serialize)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("data", |arg| arg.help(known_or_default())))]
#[command(mut_args(hide_idle(&ROUND_OPTIONS, ON_WORKING_SET)))]
#[command(mut_arg("schedule", |arg| arg.help(SCHEDULE)))]
#[command(mut_arg("shards", |arg| arg.help(SHARDS)))]
#[command(mut_arg("l1_ratio", |arg| arg.help("Share A of the l1 norm in the penalty lambda (A |b|_1 + (1-A)/2 \
    |b|^2), 0 < A <= 1. Below 1 it is an elastic net")))]
pub(crate) struct Options {
    #[command(flatten)]
    #[serde(flatten)]
    grid: GridArgs,
    #[command(flatten)]
    #[serde(flatten)]
    problem: ProblemOptions,
    #[command(flatten)]
    #[serde(flatten)]
    train: TrainOptions,
}

/// Fits the path, and writes the models and the report.
pub(crate) fn path(options: &Options) -> Result<ExitStatus, Error> {
    let Options { grid: GridArgs { points, ratio, lambdas }, train, .. } = options;
    let mut session = Session::begin("lasso", env!("CARGO_PKG_VERSION"), train)?;
    session.set_metric_name("gap");
    let lasso = options.problem.single(train)?;
    let (lasso, points) = match lambdas.len() {
        0 => (lasso.path(*points, *ratio), *points),
        given => (lasso.lambdas(lambdas.clone()), given),
    };
    let Ready { problem, data, features } = options.problem.ready(&mut session, train, None)?;
    let lasso = options.problem.of_columns(lasso, train, &features, problem.columns())?;
    let engine = session.timed(Timed::Fit, || lasso.engine(&problem));
    let engine = engine.map_err(|why| refuse_named(why, &data.path, &features))?;
    // The tolerance decides when a point's fit ends and the next one starts, so a resumed run must have the
    // same.
    let free = Free { neutral: &[], ..problem::FREE };
    let identity = problem::identity(options, free, &data.digest, train)?;
    let outcome = session.run(engine.identity(identity))?;
    let fit = lasso.fitted(&problem, outcome);
    let model = About::new(&fit, &features);
    fit.write(&mut session, &model)?;
    let report =
        session.report(options, data, fit.digest_of(features.occurring.as_ref()), &fit.report, &fit.trace)?;
    let report = report.result("points", fit.points.len() as u64).result("lambda_max", fit.lambda_max);
    let report = encoding(&features, report);
    let entries = fit.points.iter().zip(1..).map(|(point, number)| entry(point, number));
    let report = report.result("path", entries.collect::<Vec<_>>());
    let (title, line) = titled(&fit, points, &options.problem.title(), &report.data.path);
    let shown = shown(&fit);
    let (text, table) = shown.listed(train.folder());
    let summary = Summary { pictures: shown.pictures(model.schema()), ..Summary::new(title) }.table(table);
    let text = format!("{line}\n\n{text}");
    let text = format!("{}\n\n{}", features::below(&features, &fit, &text), report.conclusion());
    session.finish(report, &summary, &text)
}

/// The report's entry for a point.
fn entry(point: &Point, number: u64) -> Value {
    let Point { lambda, gap, intercept, dual_scale, coefficients, .. } = point;
    json!({
        "point": number, "lambda": lambda, "intercept": intercept, "gap": gap, "nonzeros": coefficients.len(),
        "dual_scale": dual_scale
    })
}

/// Returns the title and what was fitted of a path of so many points.
fn titled(fit: &Fit, points: usize, method: &str, data: &str) -> (String, String) {
    let title = format!("{method} path on {data}");
    let none = match fit.lambda_max > 0.0 {
        true => String::new(),
        false => format!("; {}", no_penalty(fit)),
    };
    let points = count(points as u64, "point");
    let line = format!("{title}: {} of {points} certified{none}", fit.points.len());
    (title, line)
}

/// Returns the points for tables and pictures.
fn shown<'a>(fit: &'a Fit) -> Path<'a> {
    let row = |point: &'a Point| PathRow {
        setting: point.lambda,
        size: point.coefficients.len() as u64,
        gap: point.gap,
        coefficients: Cow::Borrowed(&point.coefficients[..]),
    };
    let points = fit.points.iter().map(row).collect();
    Path { setting: ["lambda", "lambdas"], last: "the smallest lambda", size: "nonzeros", points }
}
