//! `linear predict`: predicts with a fitted model.

use std::path::PathBuf;

use clap::Args;
use raddle_cli::{Error, ExitStatus, ModelFolder};
use raddle_linear::Fit;
use raddle_linear::files::{About, ModelFacts as _, Saved, Schema};
use raddle_tabular::cli::{
    self as tabular, Measure, PointArgs, PredictArgs, ROWS, RowScores, Scoring, known,
};
use raddle_tabular::files::read_facts;

/// The options of `linear predict`.
#[derive(Debug, Args)]
#[command(mut_arg("data", |arg| arg.help(format!("{}. A response is not needed", known("Data to predict")))))]
#[command(after_help = format!("{EXAMPLES}\n\n{ROWS}"))]
pub(crate) struct Options {
    #[command(flatten)]
    args: PredictArgs,
    #[command(flatten)]
    path: PointArgs,
    /// Write the predictions to this file instead of stdout. A line has the class, then margins or, for a
    /// logistic or multinomial model, probabilities: of two classes that of the positive one (the larger
    /// number, or the last string in sorted order), of more classes those of all, in sorted order. Tabs
    /// separate them, and with --id the id comes first.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "Examples:
  linear fit diabetes --out run
  linear predict run diabetes
  linear path diabetes --out fits
  linear predict fits diabetes --point 5";

/// Predicts the class of each row, and margins or probabilities. If there is a response, reports the
/// accuracy.
pub(crate) fn predict(options: &Options) -> Result<ExitStatus, Error> {
    let opened = ModelFolder::open(&options.args.model, "linear")?;
    options.path.check(&options.args.model, read_facts::<About>(&opened)?.points)?;
    let Saved { about, coefficients, .. } = Saved::read(&opened, options.path.point)?;
    let by_scorer = about.intercepts.iter().copied().zip(coefficients).collect();
    tabular::predict(&options.args, options.out.as_deref(), &Model(about), by_scorer, None)
}

/// A model that predicts.
struct Model(About);

impl Scoring for Model {
    fn schema(&self) -> Schema<'_> {
        self.0.schema()
    }

    fn class(&self, scores: &[f64]) -> usize {
        Fit::class(scores)
    }

    /// Returns the margins; if the loss has them, the probability of the larger class, or of each class.
    fn numbers(&self, scores: &[f64]) -> Vec<f64> {
        let loss = self.0.loss();
        if loss.has_probabilities() { loss.probabilities(scores) } else { scores.to_vec() }
    }

    fn numbers_name(&self) -> &'static str {
        if self.0.loss().has_probabilities() { "probabilities" } else { "margins" }
    }

    /// Measures the fraction of the rows whose class is right. A row of a class that the model does not have
    /// counts as wrong.
    fn measures(&self, y: &[f64], scores: &RowScores, weights: &[f64]) -> Result<Vec<Measure>, String> {
        let classes = &self.0.classes;
        if !(0..y.len()).any(|row| weights[row] > 0.0 && classes.contains(&y[row])) {
            return Err("no accuracy: no row has a response that is a class of the model".into());
        }
        let is_right = |row: usize| classes[Fit::class(&scores.row(row).collect::<Vec<f64>>())] == y[row];
        let all: f64 = weights.iter().sum();
        let right: f64 = (0..y.len()).filter(|&row| is_right(row)).map(|row| weights[row]).sum();
        Ok(vec![("accuracy", Ok(right / all))])
    }
}
