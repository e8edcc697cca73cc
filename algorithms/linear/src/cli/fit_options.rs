//! The options of `linear fit`.

use clap::Args;
use raddle::cli::{Error, TrainOptions};
use raddle_common::tables::known_or_default;
use raddle_linear::Linear;
use serde::Serialize;

use super::problem::ProblemOptions;

const EXAMPLES: &str = "Examples, which work as they stand:
  linear fit diabetes --loss hinge --C 100 --tol 1e-6
  linear fit diabetes --loss logistic --class-weights balanced --out run
  linear fit diabetes --scale --init run

The response has 2 to 100 values, numbers or texts; of the embedded diabetes patients it is: above the mean (1) or not (0).
Of more than two classes each is fitted against the rest, and the largest score says the class.";

/// The options of `linear fit`.
#[derive(Debug, Args, Serialize)]
#[command(after_help = EXAMPLES, mut_arg("data", |arg| arg.help(known_or_default())))]
#[command(mut_arg("schedule", |arg| arg.help("auto, the only one")))]
#[command(mut_arg("init", |arg| arg.help("Start from the model of an earlier run: from its dual values where there are as many rows, else from its coefficients")))]
pub(crate) struct Options {
    /// The weight C of a row's loss, beside |w|^2 / 2.
    #[arg(
        long = "C",
        value_name = "X",
        default_value_t = 1.0,
        conflicts_with = "lambda",
        allow_negative_numbers = true
    )]
    #[serde(rename = "C")]
    c: f64,
    /// The weight of the penalty beside the mean loss, in place of C: C = 1 / (lambda n).
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    lambda: Option<f64>,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) problem: ProblemOptions,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) train: TrainOptions,
}

impl Options {
    /// The parameters, but for where they start.
    pub(super) fn linear(&self) -> Result<Linear, Error> {
        let linear = self.problem.linear(&self.train)?;
        Ok(match self.lambda {
            Some(lambda) => linear.lambda(lambda),
            None => linear.c(self.c),
        })
    }
}
