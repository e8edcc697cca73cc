//! The command line of `lda`.

use std::process::ExitCode;

use clap::Parser;
use raddle_cli::CommandLine;

mod by;
mod curve;
mod cv;
mod data;
mod describe;
mod finished;
mod fit;
mod fit_options;
mod foreign;
mod groups;
mod infer;
mod initial_model;
mod left_out;
mod map;
mod outcome;
mod priors;
mod pyldavis;
mod topics;
mod versions;
mod words;

/// Topic models by collapsed Gibbs sampling, stopped by the perplexity of held-out documents.
#[derive(Debug, Parser)]
#[command(name = "lda", version, after_help = EXAMPLES)]
enum Verb {
    /// Fit a topic model. This is the default command.
    Fit(Box<fit_options::Options>),
    /// Choose the number of topics by cross-validation, then fit.
    Cv(Box<cv::Options>),
    /// Find the topics of documents with a fitted model.
    Infer(infer::Options),
    /// Show the topics of a fitted model: top words, shares, coherence.
    Topics(topics::Options),
}

const EXAMPLES: &str = "Examples:
  lda
  lda pydoc --topics 30 --out run
  lda cv pydoc --topics 5,10,20
  lda topics run pydoc
  lda infer run pydoc --out topics.tsv

Exit status: 0 done, 1 failed, 2 bad usage or input, 3 stopped at a limit or
missed the target, 130 interrupted.";

const LINE: CommandLine<'static> = CommandLine {
    default: "fit",
    free: fit_options::FREE,
    common: &[
        "topics",
        "text",
        "stop-words",
        "min-df",
        "validation",
        "test",
        "coherence",
        "top",
        "folds",
        "rule",
    ],
    features: if cfg!(feature = "parquet") { &["parquet"] } else { &[] },
    sources: raddle_cli::sources!(),
    foreign: foreign::FOREIGN,
};

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    raddle_cli::main("lda", || match LINE.parse() {
        Verb::Fit(options) => fit::fit(&options),
        Verb::Cv(options) => cv::cv(&options),
        Verb::Infer(options) => infer::infer(&options),
        Verb::Topics(options) => topics::topics(&options),
    })
}
