//! The command line of `lasso`.

use std::process::ExitCode;

use clap::Parser;

mod curves;
mod cv;
mod data;
mod features;
mod fit;
mod fit_options;
mod listing;
mod matching;
mod outcome;
mod path;
mod point;
mod predict;
mod problem;
mod rows;
mod stored;
mod terms;
mod versions;

/// Lasso with a certificate: sparse linear, logistic, Poisson and multinomial regression, proven to the duality gap asked for.
#[derive(Debug, Parser)]
#[command(name = "lasso", version, after_help = EXAMPLES)]
enum Verb {
    /// Fit a Lasso. This is the default verb.
    Fit(fit_options::Options),
    /// Fit a path of lambdas, each certified.
    Path(path::Options),
    /// Choose lambda by cross-validation over a path, then fit.
    Cv(cv::Options),
    /// Predict with a fitted model.
    Predict(predict::Options),
}

const EXAMPLES: &str = "Examples, which work as they stand:
  lasso
  lasso diabetes --ratio 100 --out run
  lasso predict run diabetes
  lasso path diabetes --points 50 --out path
  lasso predict path diabetes --point 12
  lasso cv diabetes --rule 1se
  lasso fit diabetes --l1-ratio 0.5
  lasso fit synth:groups:n=200,p=2000,s=10 --schedule priority --parallelism 32

Exit status: 0 done, 1 failed, 2 bad usage or input, 3 stopped at a limit, 130 interrupted.";

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    raddle::cli::main("lasso", || match raddle::cli::parse_with::<Verb>("fit", problem::FREE) {
        Verb::Fit(options) => fit::fit(&options),
        Verb::Path(options) => path::path(&options),
        Verb::Cv(options) => cv::cv(&options),
        Verb::Predict(options) => predict::predict(&options),
    })
}
