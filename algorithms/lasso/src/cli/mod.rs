//! The command line of `lasso`.

use std::process::ExitCode;

use clap::Parser;
use raddle_cli::CommandLine;

mod cv;
mod features;
mod fit;
mod fit_options;
mod foreign;
mod grid;
mod held_out;
mod outcome;
mod path;
mod pictures;
mod predict;
mod problem;
mod refused;
mod rows;
mod terms;
mod versions;

/// Lasso: sparse linear, logistic, Poisson and multinomial regression, with a certified duality gap.
#[derive(Debug, Parser)]
#[command(name = "lasso", version, after_help = EXAMPLES)]
enum Verb {
    /// Fit a Lasso. This is the default command.
    Fit(fit_options::Options),
    /// Fit a path of lambdas, each certified.
    Path(path::Options),
    /// Choose lambda by cross-validation over a path, then fit.
    Cv(cv::Options),
    /// Predict with a fitted model.
    Predict(predict::Options),
}

const EXAMPLES: &str = "Examples:
  lasso
  lasso diabetes --ratio 100 --test 0.2 --out run
  lasso predict run diabetes
  lasso path diabetes --points 50 --out fits
  lasso predict fits diabetes --point 12
  lasso cv diabetes --rule 1se
  lasso fit diabetes --l1-ratio 0.5
  lasso fit synth:groups:n=200,p=2000,s=10 --schedule priority --parallelism 32

Exit status: 0 done, 1 failed, 2 bad usage or input, 3 stopped at a limit, 130 interrupted.";

const LINE: CommandLine<'static> = CommandLine {
    default: "fit",
    free: problem::FREE,
    common: &["y", "loss", "lambda", "ratio", "tol", "test", "points", "lambdas", "folds", "rule", "point"],
    features: if cfg!(feature = "parquet") { &["parquet"] } else { &[] },
    sources: raddle_cli::sources!(),
    foreign: foreign::FOREIGN,
};

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    raddle_cli::main("lasso", || match LINE.parse() {
        Verb::Fit(options) => fit::fit(&options),
        Verb::Path(options) => path::path(&options),
        Verb::Cv(options) => cv::cv(&options),
        Verb::Predict(options) => predict::predict(&options),
    })
}
