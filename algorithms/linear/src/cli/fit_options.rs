//! The options of `linear fit`.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use raddle::cli::{Error, Free, TrainOptions, refuse_without_effect};
use raddle_common::tables::{ColumnArgs, known_or_default};
use raddle_datasets::{Beside, Classes, Options as Reading};
use raddle_linear::{Linear, Loss};
use serde::{Serialize, Serializer};

const EXAMPLES: &str = "Examples, which work as they stand:
  linear fit diabetes --loss hinge --C 100 --tol 1e-6
  linear fit diabetes --loss logistic --class-weights balanced --out run

The response has two values, numbers or texts; of the embedded diabetes patients it is: above the mean (1) or not (0).";

/// A tolerance only says when a fit ends; epochs end an attempt.
pub(super) const FREE: Free<'_> = Free { neutral: &["tol"], limits: &["epochs"] };

/// The options of `linear fit`.
#[derive(Debug, Args, Serialize)]
#[command(after_help = EXAMPLES, mut_arg("data", |arg| arg.help(known_or_default())))]
#[command(mut_arg("schedule", |arg| arg.help("auto, the only one")))]
pub(crate) struct Options {
    /// The response: a column's name, its index from 1 (-1 is the last), or a file; libsvm has its own.
    #[arg(short, long, value_name = "NAME|INDEX|FILE", allow_hyphen_values = true)]
    pub(super) y: Option<String>,
    /// squared-hinge, hinge or logistic.
    #[arg(long, value_name = "NAME", default_value = "squared-hinge", value_parser = losses())]
    #[serde(serialize_with = "by_name")]
    loss: Loss,
    /// The weight C of a row's loss, beside |w|^2 / 2.
    #[arg(
        long = "C",
        value_name = "X",
        default_value_t = 1.0,
        conflicts_with = "lambda",
        allow_negative_numbers = true
    )]
    c: f64,
    /// The weight of the penalty beside the mean loss, in place of C: C = 1 / (lambda n).
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    lambda: Option<f64>,
    /// Stop at this relative duality gap, (P - D) / P.
    #[arg(long, value_name = "X", default_value_t = 1e-4, allow_negative_numbers = true)]
    tol: f64,
    /// balanced: weigh classes so that both count the same.
    #[arg(long, value_name = "RULE")]
    class_weights: Option<ClassWeights>,
    /// Count each row this many times: a column or a file with one value a row.
    #[arg(long, value_name = "NAME|FILE")]
    weights: Option<String>,
    /// The value of a constant column, whose coefficient is penalised as the others; 0 for none.
    #[arg(long, value_name = "X", default_value_t = 1.0, allow_negative_numbers = true)]
    pub(super) bias: f64,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) columns: ColumnArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) train: TrainOptions,
}

/// How classes are weighed.
#[derive(Debug, Clone, Copy, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum ClassWeights {
    /// Both count the same.
    Balanced,
}

/// The losses by name.
fn losses() -> impl TypedValueParser<Value = Loss> {
    let names = PossibleValuesParser::new(Loss::NAMES.map(|(name, _)| name));
    names.try_map(|name| Loss::named(&name).ok_or("no loss has this name"))
}

/// A loss as options show it.
fn by_name<S: Serializer>(loss: &Loss, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(loss.name())
}

impl Options {
    /// How the data are read.
    pub(super) fn reading(&self) -> Result<Reading, Error> {
        let train = &self.train;
        let (format, y) = (train.format.as_deref(), self.y.as_deref());
        let options = self.columns.text.options(format, y, train.worker_count())?;
        let weights = self.weights.iter().map(|name| Beside { option: "--weights", name: name.clone() });
        let (beside, columns) = (weights.collect(), self.columns.chosen());
        Ok(Reading { classes: Classes::Any, beside, columns, ..options })
    }

    /// The parameters.
    pub(super) fn linear(&self) -> Result<Linear, Error> {
        let train = &self.train;
        train.schedule_from(&[("auto", ())])?;
        let given = [
            ("--init", train.init.is_some()),
            ("--shards", train.shards.is_some()),
            ("--parallelism", train.parallelism.is_some()),
            ("--rho", train.rho.is_some()),
            ("--staleness", train.staleness > 0),
            ("--guard", !train.guard),
            ("--explain", train.explain),
        ];
        refuse_without_effect(&given, "with linear")?;
        let linear = Linear::params().loss(self.loss).tolerance(self.tol).seed(train.seed);
        let linear = linear.balanced(self.class_weights.is_some());
        Ok(match self.lambda {
            Some(lambda) => linear.lambda(lambda),
            None => linear.c(self.c),
        })
    }
}
