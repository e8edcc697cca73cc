//! The options of `linear cv`.

use clap::Args;
use raddle_cli::{Error, ROUND_OPTIONS, TrainOptions, choose, hide_idle};
use raddle_datasets::{Beside, Labels};
use raddle_linear::{CrossValidation, Linear, Measure, Rule};
use raddle_tabular::cli::of_folds;
use serde::Serialize;

use super::grid::GridArgs;
use super::problem::{ProblemOptions, Ready};

const EXAMPLES: &str = "Examples:
  linear cv diabetes --scale
  linear cv diabetes --loss logistic --measure log-loss --rule 1se --out run
  linear cv diabetes --C 0.1,1,10 --measure auc --folds 10

The model is that of `linear fit --C` at the chosen C. cv.tsv has the measure at each C.";

/// The options of `linear cv`.
#[derive(Debug, Args, Serialize)]
#[command(after_help = EXAMPLES, mut_args(of_folds))]
#[command(mut_args(hide_idle(&ROUND_OPTIONS, "with linear")))]
#[command(mut_args(hide_idle(&["schedule", "shards"], "with linear")))]
#[command(mut_args(hide_idle(&["slowdown"], "on a run of several parts")))]
pub(crate) struct Options {
    #[command(flatten)]
    #[serde(flatten)]
    grid: GridArgs,
    /// Number of folds, stratified by class. Each is held out once, and predicted by a fit on the others.
    #[arg(long, value_name = "K", default_value_t = 5)]
    folds: usize,
    /// Measure on held-out rows. Give accuracy, balanced-accuracy, f1 (of the positive class, or the mean of
    /// more than two), auc (two classes), or log-loss (logistic loss).
    #[arg(long, value_name = "NAME", default_value = "accuracy")]
    measure: String,
    /// Rule for choosing C: min or 1se. min takes the best mean of --measure over the folds, and 1se the
    /// smallest C within one standard error of the best.
    #[arg(long, value_name = "NAME", default_value = "min")]
    rule: String,
    /// Keep rows with the same value of this column in one fold. The column is then not a feature.
    #[arg(long, visible_alias = "fold-by", value_name = "NAME|INDEX|FILE")]
    groups: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) problem: ProblemOptions,
    #[command(flatten)]
    #[serde(flatten)]
    pub(super) train: TrainOptions,
}

impl Options {
    /// Returns the rule for choosing C.
    pub(super) fn rule(&self) -> Result<Rule, Error> {
        choose("--rule", &self.rule, &Rule::NAMES)
    }

    /// Returns the column whose values keep rows together.
    pub(super) fn beside(&self) -> Option<Beside> {
        self.groups.as_ref().map(|name| Beside { option: "--groups", name: name.clone() })
    }

    /// Returns the parameters of the cross-validation, without those of single rows.
    pub(super) fn cross_validation(&self, linear: Linear) -> Result<CrossValidation, Error> {
        let measure = choose("--measure", &self.measure, &Measure::NAMES)?;
        let cv =
            linear.cv().folds(self.folds).seed(self.train.seed).measure(measure).costs(self.grid.costs()?);
        Ok(cv.bias(self.problem.bias).scaled(self.problem.scale))
    }

    /// Adds weights and groups of the rows to a cross-validation.
    pub(super) fn of_rows(cv: CrossValidation, ready: &Ready) -> CrossValidation {
        let groups = ready.table.beside.first().map(Labels::groups);
        let cv =
            cv.given(ready.weights.clone(), CrossValidation::weights).given(groups, CrossValidation::groups);
        cv.given(ready.class_weights.clone(), CrossValidation::class_weights)
            .filled(ready.table.filled.clone())
    }
}
