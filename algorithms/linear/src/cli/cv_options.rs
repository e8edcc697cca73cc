//! The options of `linear cv`.

use clap::Args;
use raddle_cli::{Error, ROUND_OPTIONS, TrainOptions, choose, hide_idle, refuse_without_effect};
use raddle_datasets::{Beside, Labels};
use raddle_linear::{CrossValidation, Linear, Measure, Rule, grid};
use raddle_tabular::cli::of_folds;
use serde::Serialize;

use super::problem::{ProblemOptions, Ready};

const EXAMPLES: &str = "Examples, which work as they stand:
  linear cv diabetes --scale
  linear cv diabetes --loss logistic --measure log-loss --rule 1se --out run
  linear cv diabetes --C 0.1,1,10 --measure auc --folds 10

The model is that of `linear fit --C` at the chosen C. cv.tsv has the measure at each C.";

/// Limit on the values of C: more add no information.
const MOST_POINTS: usize = 300;

/// Default number of values in a range of C.
const POINTS: usize = 9;

/// The options of `linear cv`.
#[derive(Debug, Args, Serialize)]
#[command(after_help = EXAMPLES, mut_args(of_folds))]
#[command(mut_args(hide_idle(&ROUND_OPTIONS, "with linear")), mut_args(hide_idle(&["schedule", "shards"], "with linear")))]
pub(crate) struct Options {
    /// Values of C to choose from. Give a range FIRST:LAST, or a list such as 0.1,1,10.
    #[arg(
        long = "C",
        alias = "Cs",
        value_name = "RANGE|LIST",
        default_value = "0.01:100",
        allow_hyphen_values = true
    )]
    #[serde(rename = "C")]
    c: String,
    /// Number of values in the range, evenly spaced on a logarithmic scale: 2 to 300. Default: 9.
    #[arg(long, value_name = "N")]
    points: Option<usize>,
    /// Number of folds, stratified by class. Each is held out once, and predicted by a fit on the others.
    #[arg(long, value_name = "K", default_value_t = 5)]
    folds: usize,
    /// Measure on held-out rows. Give accuracy, balanced-accuracy, f1 (of the positive class, or the mean of
    /// more than two), auc (two classes), or log-loss (logistic loss).
    #[arg(long, value_name = "NAME", default_value = "accuracy")]
    measure: String,
    /// Rule for choosing C: min or 1se. min takes the best mean, and 1se the smallest C whose mean is within
    /// one standard error of it.
    #[arg(long, value_name = "NAME", default_value = "min")]
    rule: String,
    /// Keep rows with the same value of this column in one fold. The column is then not a feature.
    #[arg(long, value_name = "NAME|INDEX|FILE")]
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
        let cv = linear.cv().folds(self.folds).seed(self.train.seed).measure(measure).costs(self.costs()?);
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

    /// Returns the values of C, ascending.
    fn costs(&self) -> Result<Vec<f64>, Error> {
        let refused = |why: String| Error::usage(format!("--C {}: {why}", self.c));
        let number = |text: &str| match text.trim().parse::<f64>() {
            Ok(value) if (1e-100..=1e100).contains(&value) => Ok(value),
            Ok(value) => Err(refused(format!("{value} is no number from 1e-100 to 1e100"))),
            Err(_) => {
                Err(refused(format!("`{text}` is no number: give a range, 0.01:100, or a list, 0.1,1,10")))
            }
        };
        if let Some((first, last)) = self.c.split_once(':') {
            let (first, last, points) = (number(first)?, number(last)?, self.points.unwrap_or(POINTS));
            if first >= last {
                return Err(refused("a range rises: give the smaller number first".into()));
            }
            if !(2..=MOST_POINTS).contains(&points) {
                let why = format!("--points: it is {points}: it must be from 2 to {MOST_POINTS}");
                return Err(Error::usage(why));
            }
            return Ok(grid(first, last, points));
        }
        refuse_without_effect(&[("--points", self.points.is_some())], "with a list of values of C")?;
        let costs = self.c.split(',').map(number).collect::<Result<Vec<f64>, Error>>()?;
        match costs.len() {
            0..=MOST_POINTS => Ok(costs),
            count => Err(refused(format!("{count} values, and at most {MOST_POINTS} are tried"))),
        }
    }
}
