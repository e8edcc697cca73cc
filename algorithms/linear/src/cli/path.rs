//! `linear path`: fits at several values of C, each from the one before.

use std::borrow::Cow;

use clap::Args;
use raddle_cli::{
    Error, ExitStatus, Free, ROUND_OPTIONS, Session, Summary, Timed, TrainOptions, count, hide_idle, number,
};
use raddle_linear::files::{About, ModelFacts as _};
use raddle_linear::{Fit, FittedPath, Linear};
use raddle_tabular::cli::{Path, PathRow, encoding, known_or_default};
use serde::Serialize;
use serde_json::{Value, json};

use super::grid::GridArgs;
use super::problem::{self, Prepared, ProblemOptions, started};

const EXAMPLES: &str = "Examples:
  linear path diabetes --scale
  linear path diabetes --loss logistic --bias free --C 0.1,1,10 --out fits
  linear predict fits diabetes --point 2";

/// The options of `linear path`.
#[derive(Debug, Args, Serialize)]
#[command(after_help = EXAMPLES, mut_arg("data", |arg| arg.help(known_or_default())))]
#[command(mut_args(hide_idle(&ROUND_OPTIONS, "with linear")), mut_args(hide_idle(&["schedule", "shards"], "with linear")))]
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
    let (train, costs) = (&options.train, options.grid.costs()?);
    let linear = options.problem.linear(train, false)?;
    let mut session = Session::begin("linear", env!("CARGO_PKG_VERSION"), train)?;
    session.set_metric_name("gap");
    let Prepared { problem, data, features, class_weights, named } =
        options.problem.prepared(&mut session, train)?;
    let linear = linear.given(class_weights, Linear::class_weights);
    let path = started(train, linear, &problem, (&features, &named))?.path(costs);
    // The tolerance decides when a point is done and the next one starts: a resumed run must have the same.
    let identity = options.problem.identity(options, Free { neutral: &[], ..problem::FREE }, &data, train)?;
    let engine = session.timed(Timed::Fit, || path.engine(&problem)).map_err(|why| named.refuse(why))?;
    let outcome = session.run(engine.identity(identity))?;
    let fitted = path.finish(&problem, outcome).map_err(|why| named.refuse(why))?;
    let about = About::of_path(&fitted, &features);
    fitted.write(&mut session, &about)?;

    let report = session.report(options, data, fitted.digest(), &fitted.report, &fitted.trace)?;
    let entries = fitted.fits.iter().zip(1..).map(|(fit, number)| entry(fit, number)).collect::<Vec<_>>();
    let report = encoding(&features, report).result("points", entries.len() as u64).result("path", entries);
    let shown = shown(&fitted, &about);
    let (table, listing) = shown.listed(train.folder());
    let title = format!("Linear classifiers ({} loss) on {}", fitted.last().loss.name(), report.data.path);
    let certified = fitted.fits.len() - fitted.missed().count();
    let all = count(path.costs().len() as u64, "value");
    let mut text = format!("{title}: {certified} of {all} of C certified\n\n{table}\n");
    let mut report = report;
    for note in fitted.missed().map(uncertified) {
        text += &format!("\n{note}");
        report.notes.push(note);
    }
    let summary = Summary { pictures: shown.pictures(about.schema()), ..Summary::new(title) };
    let text = format!("{text}\n{}", report.conclusion());
    session.finish(report, &summary.table(listing), &text)
}

/// Says how far a fit is from its certificate.
fn uncertified(fit: &Fit) -> String {
    let target = fit.report.metric.target.unwrap_or(0.0);
    format!("C {}: its gap is {:e}, above the tolerance {target:e}", number(fit.c), fit.gap())
}

/// Returns the report's entry for a point.
fn entry(fit: &Fit, number: u64) -> Value {
    let nonzeros: usize = fit.scorers.iter().map(|of| of.coefficients.len()).sum();
    json!({
        "point": number, "C": fit.c, "objective": fit.objective(), "gap": fit.gap(), "support": fit.support(),
        "nonzeros": nonzeros, "training_error": fit.training_error,
    })
}

/// Returns the points for tables and pictures.
fn shown<'a>(fitted: &FittedPath, about: &About) -> Path<'a> {
    let layout = about.schema().layout();
    let row = |fit: &Fit| PathRow {
        setting: fit.c,
        size: fit.support() as u64,
        gap: fit.gap(),
        coefficients: Cow::Owned(layout.of_fit(&fit.coefficients(about.occurring.as_ref()))),
    };
    let points = fitted.fits.iter().map(row).collect();
    Path { setting: ["C", "values of C"], last: "the largest C", size: "support", points }
}
