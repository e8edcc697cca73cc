//! The options of `linear fit`.

use std::path::PathBuf;

use clap::Args;
use raddle::schedule::Links;
use raddle_cli::{
    ENGINE_HEADING, Error, ROUND_OPTIONS, TrainOptions, between, hide_idle, refuse_without_effect,
};
use raddle_linear::{BySums, InParts, Linear, LinearError};
use raddle_tabular::cli::known_or_default;
use serde::Serialize;

use super::problem::ProblemOptions;

const EXAMPLES: &str = "Examples, which work as they stand:
  linear fit diabetes --loss hinge --C 100 --tol 1e-6
  linear fit diabetes --loss logistic --class-weights balanced --out run
  linear fit diabetes --scale --init run

The response has 2 to 1000 values, numbers or strings; for the embedded diabetes data it is \
whether the value is above the mean (1) or not (0). With more than two classes, each is fitted against the rest, and the \
class with the largest score is predicted.";

/// Help text of --schedule.
const SCHEDULE: &str = "Order in which parts are added: auto (together, after each epoch) or delayed (each alone, \
when it has come over its link; needs --parts K and --links)";

/// Lag of delayed parts.
const LAG: u32 = 32;

/// The options of `linear fit`.
#[derive(Debug, Args, Serialize)]
#[command(after_help = EXAMPLES, mut_arg("data", |arg| arg.help(known_or_default())))]
#[command(mut_args(hide_idle(&ROUND_OPTIONS, "with linear")), mut_arg("schedule", |arg| arg.help(SCHEDULE)))]
#[command(mut_arg("init", |arg| arg.help("Start from the model in the folder of an earlier run: from its dual values if the data have as many rows, else from its coefficients")))]
pub(crate) struct Options {
    /// Weight C of the loss of each row. It is relative to the penalty |w|^2/2.
    #[arg(long = "C", value_name = "X", default_value_t = 1.0, conflicts_with = "lambda")]
    #[serde(rename = "C")]
    c: f64,
    /// Weight of the penalty relative to the mean loss, instead of C: C = 1/(lambda n), where n is the sum of
    /// the rows' weights.
    #[arg(long, value_name = "X")]
    lambda: Option<f64>,
    /// Split the rows into parts that are optimised separately within an epoch: a number K of parts, a plan
    /// of EPOCH:PARTS such as 0:16,8:4 (4 parts from epoch 8 on), or auto (chosen during the run).
    #[arg(long, value_name = "K|PLAN|auto", allow_hyphen_values = true)]
    parts: Option<String>,
    /// Relative sizes of the parts, such as 1,1,1,0.5, measured in stored values. Needs --parts K.
    #[arg(long, value_name = "LIST", requires = "parts", value_delimiter = ',', allow_hyphen_values = true)]
    shares: Option<Vec<f64>>,
    /// Factor sigma' of CoCoA+, by which a part scales its own change: adaptive, K (the number of parts) or a
    /// number. Default: adaptive. Needs --parts.
    #[arg(long, value_name = "adaptive|K|X", requires = "parts", allow_hyphen_values = true)]
    sigma: Option<String>,
    /// Fit by exact sums over rows, which no order of the rows changes. The bytes of model, gap and standard
    /// errors are then those of any order and any cut: Newton steps for two classes, the losses logistic
    /// (with standard errors) and squared-hinge, and at most 2000 columns. Excludes --scale and --init.
    #[arg(long, value_name = "sums", value_parser = ["sums"], hide_possible_values = true, conflicts_with = "parts")]
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    /// Over parties, refuse to fit fewer rows than this of all of them together: sums of few rows tell on
    /// them. Default: 10 for each column.
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) least_rows: Option<u64>,
    /// Over parties, hide the sums of each under masks that cancel in the sum of all, or leave them to the
    /// party that adds them up (exact). The model is the same. Default: masked.
    #[arg(long, value_name = "exact|masked", value_parser = ["exact", "masked"], hide_possible_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sum: Option<String>,
    /// Speeds of the links to the first process, for --schedule delayed: a file with lines PROCESS MB/s MS,
    /// one for each process from 0 on. Parts in order are divided evenly among the processes.
    #[arg(long, value_name = "FILE", help_heading = ENGINE_HEADING)]
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<PathBuf>,
    /// Number of rounds, of a part each, that may begin before the change of an earlier one is added, with
    /// --schedule delayed. Default: 32.
    #[arg(long, value_name = "N", value_parser = between::<0, 1024>, help_heading = ENGINE_HEADING)]
    #[serde(skip_serializing_if = "Option::is_none")]
    lag: Option<usize>,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) problem: ProblemOptions,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) train: TrainOptions,
}

impl Options {
    /// Returns the parameters of a fit in parts, if requested.
    pub(super) fn in_parts(&self, linear: &Linear) -> Result<Option<InParts>, Error> {
        let Some(plan) = &self.parts else { return Ok(None) };
        refuse_without_effect(&[("--init", self.train.init.is_some())], "with --parts")?;
        let refuse = |why: LinearError| Error::usage(format!("--{why}"));
        let parts = InParts::new(linear.clone(), plan.parse().map_err(refuse)?);
        let parts = self.shares.iter().cloned().fold(parts, InParts::shares);
        let sigma = self.sigma.as_ref().map(|sigma| sigma.parse()).transpose().map_err(refuse)?;
        let parts = sigma.into_iter().fold(parts, InParts::sigma);
        Ok(Some(self.train.shards.into_iter().fold(parts, InParts::shards)))
    }

    /// `true` if rows are split into parts.
    pub(super) fn has_parts(&self) -> bool {
        self.parts.is_some()
    }

    /// Returns the links and the lag of delayed parts, if requested.
    pub(super) fn delayed(&self) -> Result<Option<(Links, u32)>, Error> {
        if !self.train.schedule_from(&[("auto", false), ("delayed", true)])? {
            let given = [("--links", self.links.is_some()), ("--lag", self.lag.is_some())];
            refuse_without_effect(&given, "without --schedule delayed")?;
            return Ok(None);
        }
        let (Some(file), true) = (&self.links, self.parts.is_some()) else {
            return Err(Error::usage("--schedule delayed: give --parts K and --links FILE"));
        };
        let given = [("--shards", self.train.shards.is_some())];
        refuse_without_effect(&given, "with --schedule delayed, where a part is a shard")?;
        let text = raddle_datasets::read_text(file).map_err(|why| Error::input(why.to_string()))?;
        let links = text.parse().map_err(|why| Error::input(format!("{}: {why}", file.display())))?;
        Ok(Some((links, self.lag.map_or(LAG, |lag| lag as u32))))
    }

    /// Returns the parameters of a fit by sums, if requested.
    pub(super) fn by_sums(&self, linear: &Linear) -> Result<Option<BySums>, Error> {
        if self.by.is_none() {
            return Ok(None);
        }
        let given = [("--init", self.train.init.is_some()), ("--scale", self.problem.scale)];
        refuse_without_effect(&given, "with --by sums")?;
        let sums = self.train.shards.into_iter().fold(BySums::new(linear.clone()), BySums::shards);
        sums.check().map_err(|why| Error::usage(format!("--{why}")))?;
        Ok(Some(sums))
    }

    /// Returns the parameters of the fit, without its start.
    pub(super) fn linear(&self) -> Result<Linear, Error> {
        let has_shards = self.parts.is_some() || self.by.is_some();
        let linear = self.problem.linear(&self.train, has_shards)?;
        Ok(linear.c(self.c).given(self.lambda, Linear::lambda))
    }
}
