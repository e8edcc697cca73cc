//! The command line of `linear`.

use std::process::ExitCode;

use clap::Parser;
use raddle_cli::CommandLine;

mod cv;
mod cv_options;
mod fit;
mod fit_options;
mod foreign;
mod grid;
mod outcome;
mod parties;
mod path;
mod predict;
mod problem;
mod refused;

/// Linear classifiers: support vector machines and logistic regression, with a certified duality gap.
#[derive(Debug, Parser)]
#[command(name = "linear", version, after_help = EXAMPLES)]
enum Verb {
    /// Fit a classifier. This is the default command.
    Fit(Box<fit_options::Options>),
    /// Fit a path of values of C, each certified.
    Path(Box<path::Options>),
    /// Choose C by cross-validation, then fit.
    Cv(Box<cv_options::Options>),
    /// Predict with a fitted model.
    Predict(Box<predict::Options>),
}

const EXAMPLES: &str = "Examples:
  linear
  linear diabetes --loss logistic --C 10 --out run
  linear predict run diabetes
  linear path diabetes --C 0.1,1,10 --out fits
  linear cv diabetes --measure auc

Exit status: 0 done, 1 failed, 2 bad usage or input, 3 stopped at a limit, 130 interrupted.";

const LINE: CommandLine<'static> = CommandLine {
    default: "fit",
    free: problem::FREE,
    common: &["y", "loss", "C", "tol", "scale", "folds", "measure", "rule", "point"],
    features: if cfg!(feature = "parquet") { &["parquet"] } else { &[] },
    sources: raddle_cli::sources!(),
    foreign: foreign::FOREIGN,
};

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    raddle_cli::main("linear", || match LINE.parse() {
        Verb::Fit(options) => fit::fit(&options),
        Verb::Path(options) => path::path(&options),
        Verb::Cv(options) => cv::cv(&options),
        Verb::Predict(options) => predict::predict(&options),
    })
}
