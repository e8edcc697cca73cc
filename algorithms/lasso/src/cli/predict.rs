//! `lasso predict`.

use std::path::PathBuf;

use clap::Args;
use raddle_cli::{Error, ExitStatus, ModelFolder};
use raddle_lasso::files::{About, ModelFacts as _, Offset, Saved, Schema};
use raddle_lasso::{Measure, probabilities};
use raddle_tabular::cli::{self as tabular, PointArgs, PredictArgs, ROWS, RowScores, Scoring, known};
use raddle_tabular::files::read_facts;

use super::rows::beside_offset;

/// The options of `lasso predict`.
#[derive(Debug, Args)]
#[command(mut_arg("data", |arg| arg.help(format!("{}. A response is not needed", known("Data to predict")))))]
#[command(after_help = format!("{EXAMPLES}\n\n{ROWS}"))]
pub(crate) struct Options {
    #[command(flatten)]
    args: PredictArgs,
    /// Offsets added to the scores, for a model that was fitted with offsets: a column, or a file with one
    /// value per row. Default: the column that the model was fitted with.
    #[arg(long, value_name = "NAME|INDEX|FILE")]
    offset: Option<String>,
    #[command(flatten)]
    path: PointArgs,
    /// Write the predictions to this file instead of stdout. A line has the predicted mean; for a logistic
    /// model the class and the probability of the positive class (the larger number, or the last string in
    /// sorted order); for a multinomial model the class and the probability of every class, in sorted order.
    /// Tabs separate them, and with --id the id comes first.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "Examples:
  lasso fit diabetes --out run
  lasso predict run diabetes
  lasso predict run diabetes --json
  lasso path diabetes --points 20 --out fits
  lasso predict fits diabetes --point 12";

/// Predicts a value for each row, or its class and the probability of the larger class or of all classes.
/// Reports the error against the response, if there is one.
pub(crate) fn predict(options: &Options) -> Result<ExitStatus, Error> {
    let opened = ModelFolder::open(&options.args.model, "lasso")?;
    options.path.check(&options.args.model, read_facts::<About>(&opened)?.points)?;
    let Saved { about, coefficients, .. } = Saved::read(&opened, options.path.point)?;
    let other = offset(options, &about)?.as_deref().map(beside_offset);
    let by_class = about.by_class(&coefficients);
    tabular::predict(&options.args, options.out.as_deref(), &Model(about), by_class, other)
}

/// Returns the place of the offsets: a model that was fitted with offsets needs them, and others take none.
fn offset(options: &Options, about: &About) -> Result<Option<String>, Error> {
    match (&about.offset, &options.offset) {
        (None, None) => Ok(None),
        (None, Some(_)) => {
            let why = "--offset has no effect: the model was fitted without an offset; leave it out";
            Err(Error::usage(why))
        }
        (Some(_), Some(given)) => Ok(Some(given.clone())),
        (Some(Offset::Column(name)), None) => Ok(Some(name.clone())),
        (Some(Offset::File(name)), None) => {
            let why = format!(
                "the model was fitted with an offset from the file {name}: give that of these data by \
                 --offset NAME|FILE"
            );
            Err(Error::usage(why))
        }
    }
}

/// A model that predicts.
struct Model(About);

impl Scoring for Model {
    fn schema(&self) -> Schema<'_> {
        self.0.schema()
    }

    fn class(&self, scores: &[f64]) -> usize {
        if self.0.labels.is_empty() {
            return usize::from(scores[0] > 0.0);
        }
        let numbers = self.numbers(scores);
        (0..numbers.len()).fold(0, |best, at| if numbers[at] > numbers[best] { at } else { best })
    }

    fn numbers(&self, scores: &[f64]) -> Vec<f64> {
        match self.0.labels.is_empty() {
            true => vec![self.0.loss().mean(scores[0])],
            false => probabilities(scores),
        }
    }

    fn numbers_name(&self) -> &'static str {
        if self.schema().labels.is_empty() { "predictions" } else { "probabilities" }
    }

    fn measures(&self, y: &[f64], scores: &RowScores, weights: &[f64]) -> Result<Vec<Measure>, String> {
        Ok(self.0.loss().measures(y, &scores.all, Some(weights), self.0.classes, &self.0.labels))
    }
}
