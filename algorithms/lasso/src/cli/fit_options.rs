//! The options of `lasso fit`.

use clap::Args;
use raddle::cli::{ChangeOptions, ENGINE_HEADING, Error, TrainOptions, refuse_without_effect};
use raddle_lasso::Lasso;
use serde::Serialize;

use super::data;
use super::problem::ProblemOptions;

const EXAMPLES: &str = "Examples, which work as they stand:
  lasso fit diabetes --ratio 100
  lasso fit synth:groups:n=200,p=2000,s=10 --tol 1e-8 --out run";

/// The options of `lasso fit`.
#[derive(Debug, Args, Serialize)]
#[command(after_help = EXAMPLES, mut_arg("data", |arg| arg.help(data::known_or_default())))]
#[command(mut_arg("schedule", |arg| arg.help("auto, working-set, priority, shuffled or cyclic; auto is the working set")))]
pub(crate) struct Options {
    /// The weight lambda of the penalty.
    #[arg(long, value_name = "X", conflicts_with = "ratio", allow_negative_numbers = true)]
    lambda: Option<f64>,
    /// Set lambda to lambda_max / R. At lambda_max all coefficients are zero.
    #[arg(long, value_name = "R", default_value_t = 10.0, allow_negative_numbers = true)]
    ratio: f64,
    /// Number of candidates that `--schedule priority` draws for a round. Default: --parallelism.
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = ENGINE_HEADING)]
    candidates: Option<usize>,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) problem: ProblemOptions,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) changes: ChangeOptions,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) train: TrainOptions,
}

impl Options {
    /// The parameters, but for those of columns.
    pub(super) fn lasso(&self) -> Result<Lasso, Error> {
        let lasso = self.problem.single(&self.train)?;
        let lasso = match self.lambda {
            Some(lambda) => lasso.lambda(lambda),
            None => lasso.ratio(self.ratio),
        };
        let Some(candidates) = self.candidates else { return Ok(lasso) };
        if self.train.schedule != "priority" {
            refuse_without_effect(&[("--candidates", true)], "without --schedule priority")?;
        }
        Ok(lasso.candidates(candidates))
    }
}
