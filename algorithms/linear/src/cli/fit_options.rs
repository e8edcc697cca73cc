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

const EXAMPLES: &str = "Examples:
  linear fit diabetes --loss hinge --C 100 --tol 1e-6
  linear fit diabetes --loss logistic --class-weights balanced --out run
  linear fit diabetes --loss logistic --C 10 --init run

The response has 2 to 1000 values, numbers or strings; for the embedded diabetes data it is \
whether the value is above the mean (1) or not (0). With more than two classes, each is fitted against the rest \
(multinomial: all together), and the class with the largest score is predicted.";

/// Help text of --schedule.
const SCHEDULE: &str = "Order in which the changes of parts are added: auto (together, after each epoch) or delayed \
(one by one, as they arrive; needs --parts K and --links)";

/// Lag of delayed parts.
const LAG: u32 = 32;

/// The options of `linear fit`.
#[derive(Debug, Args, Serialize)]
#[command(after_help = EXAMPLES, mut_arg("data", |arg| arg.help(known_or_default())))]
#[command(mut_args(hide_idle(&ROUND_OPTIONS, "with linear")), mut_arg("schedule", |arg| arg.help(SCHEDULE)))]
#[command(mut_arg("init", |arg| arg.help("Start from the model in the folder of an earlier run: from its dual \
    values if the data have as many rows, else from its coefficients")))]
pub(crate) struct Options {
    /// Weight C of the loss of each row. It is relative to the penalty |w|^2/2.
    #[arg(long = "C", value_name = "X", default_value_t = 1.0, conflicts_with = "lambda")]
    #[serde(rename = "C")]
    c: f64,
    /// Weight of the penalty relative to the mean loss, instead of C: C = 1/(lambda n), where n is the sum of
    /// the rows' weights.
    #[arg(long, value_name = "X")]
    lambda: Option<f64>,
    /// Split the rows into parts that are optimised separately within an epoch. Give a number K of parts, a
    /// plan of EPOCH:PARTS such as 0:16,8:4 (4 parts from epoch 8 on), or auto (adjusted during the run). For
    /// two classes; not with --init, --by or --bias free. Default: no parts.
    #[arg(long, value_name = "K|PLAN|auto", allow_hyphen_values = true)]
    parts: Option<String>,
    /// Relative sizes of the parts, such as 1,1,1,0.5, measured in stored (non-zero) values. Needs --parts K.
    /// Default: all equal.
    #[arg(long, value_name = "LIST", requires = "parts", value_delimiter = ',', allow_hyphen_values = true)]
    shares: Option<Vec<f64>>,
    /// Factor sigma' of CoCoA+, by which a part scales its own change. Give adaptive, the letter K (which
    /// stands for the number of parts) or a number. Needs --parts. Default: adaptive.
    #[arg(long, value_name = "adaptive|K|X", requires = "parts", allow_hyphen_values = true)]
    sigma: Option<String>,
    /// Fit by Newton steps on exact sums over rows. Model, gap and standard errors are then the same bytes
    /// for any order and any sharding of the rows. For two classes, --loss squared-hinge or logistic (with
    /// standard errors), and at most 2000 columns; excludes --parts, --scale and --init.
    #[arg(long, value_name = "sums", value_parser = ["sums"], hide_possible_values = true, conflicts_with = "parts")]
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    /// With the parties of `raddle launch`, refuse to fit fewer than N rows in all. Sums of few rows reveal
    /// them. Default: 10 for each column.
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) least_rows: Option<u64>,
    /// With the parties of `raddle launch`, hide or show the sums of each party. masked adds masks that
    /// cancel in the total; exact shows the sums to the party that adds them up. The model is the same.
    /// Default: masked.
    #[arg(long, value_name = "exact|masked", value_parser = ["exact", "masked"], hide_possible_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sum: Option<String>,
    /// File with the links to the first process, for --schedule delayed. It has a line for each process: its
    /// number (from 0), MB/s and delay in ms, such as `1 100 20`. The parts are divided evenly among the
    /// processes, in order.
    #[arg(long, value_name = "FILE", help_heading = ENGINE_HEADING)]
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<PathBuf>,
    /// Number of rounds (one part each) that may start before the change of an earlier round is added, 0 to
    /// 1024. For --schedule delayed. Default: 32.
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
