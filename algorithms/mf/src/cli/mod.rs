//! The command line of `mf`.

use std::process::ExitCode;

use clap::Parser;
use raddle_cli::CommandLine;

mod baseline_comparison;
mod choice;
mod cv;
mod data;
mod filters;
mod fit;
mod fit_options;
mod fold_in;
mod foreign;
mod hold_out;
mod ids;
mod lists;
mod options;
mod pictures;
mod predict;
mod rated_pairs;
mod recommend;
mod report_data;
mod runner;
mod similar;
mod split;
mod test_measures;
mod usage;
mod versions;

/// Matrix factorization: learns factors of users and items from ratings or clicks, and recommends items.
#[derive(Debug, Parser)]
#[command(name = "mf", version, after_help = EXAMPLES)]
enum Verb {
    /// Fit a factorization. This is the default command.
    Fit(fit_options::Options),
    /// Choose rank and regularisation by cross-validation, then fit.
    Cv(cv::Options),
    /// Predict the ratings of pairs of a user and an item.
    Predict(predict::Options),
    /// Recommend the best items to users.
    Recommend(recommend::Options),
    /// Find similar items, or similar users.
    Similar(similar::Options),
    /// Add new users and items to a model without training it again.
    FoldIn(fold_in::Options),
}

const EXAMPLES: &str = "Examples:
  mf
  mf synth:ratings:users=500,items=200,n=20000 --rank 16 --out run
  mf predict run synth:ratings:users=500,items=200,n=20000
  mf recommend run --top 5 --users 0,1,2
  mf similar run 7
  mf fold-in run synth:ratings:users=550,items=200,n=22000
  mf cv --ranks 4,16 --folds 3

Exit status: 0 done, 1 failed, 2 bad usage or input, 3 stopped at a limit, missed the target or diverged, \
130 interrupted.";

const LINE: CommandLine<'static> = CommandLine {
    default: "fit",
    free: fit_options::FREE,
    common: &[
        "rank",
        "reg",
        "solver",
        "implicit",
        "validation",
        "test",
        "ranks",
        "weights",
        "regs",
        "folds",
        "top",
        "users",
    ],
    features: if cfg!(feature = "parquet") { &["parquet"] } else { &[] },
    sources: raddle_cli::sources!(),
    foreign: foreign::FOREIGN,
};

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    raddle_cli::main("mf", || match LINE.parse() {
        Verb::Fit(options) => fit::fit(&options),
        Verb::Cv(options) => cv::cv(&options),
        Verb::Predict(options) => predict::predict(&options),
        Verb::Recommend(options) => recommend::recommend(&options),
        Verb::Similar(options) => similar::similar(&options),
        Verb::FoldIn(options) => fold_in::fold_in(&options),
    })
}
