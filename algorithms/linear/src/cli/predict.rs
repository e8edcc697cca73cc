//! `linear predict`: predicts with a fitted model.

use std::path::PathBuf;

use clap::Args;
use raddle_cli::{Error, ExitStatus, Records, number};
use raddle_common::predicting::{NOT_PREDICTED, PredictArgs, Predictions, ROWS};
use raddle_common::samples::{ModelSamples, lacking, said_of_rows};
use raddle_common::tables::known;
use raddle_datasets::{Classes, Encoding, Options as Reading};
use raddle_linear::files::{About, Saved};
use raddle_linear::{Fit, Loss};
use serde_json::{Map, Value, json};

/// The options of `linear predict`.
#[derive(Debug, Args)]
#[command(mut_arg("data", |arg| arg.help(format!("The data, with a response or without: {}", known()))))]
#[command(after_help = format!("{EXAMPLES}\n\n{ROWS}"))]
pub(crate) struct Options {
    #[command(flatten)]
    args: PredictArgs,
    /// Write the predictions to this file instead of stdout, one per line: the class, and the margin or, for
    /// a logistic model, the probability of the larger class (of texts, the last in sorted order). With more
    /// than two classes, the margin or probability of every class follows, in sorted order. Tabs separate
    /// them, and with --id the id comes first.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "Examples, which work as they stand:
  linear fit diabetes --out run
  linear predict run diabetes";

/// Predicts the class of each row, and margins or probabilities. If there is a response, prints the accuracy:
/// on stdout if the predictions go to a file, else on stderr.
pub(crate) fn predict(options: &Options) -> Result<ExitStatus, Error> {
    let args = &options.args;
    let Saved { about, coefficients, .. } = Saved::open(&args.model)?;
    let reading = args.reading()?;
    let of_names = || about.feature_names.as_deref().map(Encoding::of_numbers);
    let reading = Reading {
        zero_based: reading.zero_based || about.zero_based,
        repeat: about.encoding.clone().or_else(of_names),
        width: u32::try_from(about.columns).ok(),
        classes: about.class_names.clone().map_or(Classes::Refused, Classes::Known),
        ..reading
    };
    let names = about.feature_names.as_deref();
    let samples = ModelSamples::read(&args.data, &reading, (about.columns, names))?;
    let of_scorers = about.intercepts.iter().copied().zip(coefficients).collect();
    let scores = samples.scores(of_scorers);
    let ModelSamples { x, y, weights, ids, without_response, records, mut notes, .. } = samples;
    let rows = x.rows();
    let lacking = lacking(&scores, rows);
    notes.extend(said_of_rows(&lacking, &without_response));
    let scores = (0..rows).map(|row| scores.iter().skip(row).step_by(rows).copied().collect()).collect();
    let predictions = Classified { about: &about, scores };
    // A row of a class that the model does not have counts as wrong.
    let nothing = lacking.iter().chain(&without_response).copied();
    let weights = args.counted(weights, (rows, y.is_some()), nothing)?;
    let accuracy = y.as_ref().and_then(|y| predictions.accuracy(y, &weights));
    if y.is_some() && accuracy.is_none() {
        notes.push("no accuracy: no row has a response that is a class of the model".into());
    }
    notes.iter().for_each(|note| args.use_options.note(note));
    let mut records = Records::new(records.read, records.left_out);
    records.leave_out("missing value", lacking.len() as u64);
    let said = accuracy.map(|accuracy| format!("accuracy {}", number(accuracy)));
    let measures = accuracy.map(|accuracy| ("accuracy".to_owned(), json!(accuracy))).into_iter().collect();
    args.tell(options.out.as_deref(), (ids.as_deref(), &predictions), (said, measures), (records, notes))
}

/// The scores of all rows by each scorer of a model.
struct Classified<'a> {
    about: &'a About,
    scores: Vec<Vec<f64>>,
}

impl Classified<'_> {
    /// Returns the fraction of the rows whose class is right; `None` if no row with a weight has a class of
    /// the model.
    fn accuracy(&self, y: &[f64], weights: &[f64]) -> Option<f64> {
        let is_known = |row: &usize| weights[*row] > 0.0 && self.about.classes.contains(&y[*row]);
        let any = (0..y.len()).find(is_known);
        let is_right = |row: usize| self.about.classes[Fit::class(&self.scores[row])] == y[row];
        let all: f64 = weights.iter().sum();
        let right: f64 = (0..y.len()).filter(|&row| is_right(row)).map(|row| weights[row]).sum();
        any.map(|_| right / all)
    }

    /// Returns the number of a row's class; `None` if a value is missing that the model needs.
    fn class(&self, row: usize) -> Option<usize> {
        let scores = &self.scores[row];
        let is_whole = scores.iter().all(|score| !score.is_nan());
        is_whole.then(|| Fit::class(scores))
    }

    /// Returns the margins of a row; for the logistic loss, the probability of the larger class, or of each
    /// class.
    fn shown(&self, row: usize) -> Vec<f64> {
        let scores = &self.scores[row];
        if self.about.loss() != Loss::Logistic {
            return scores.clone();
        }
        let each: Vec<f64> = scores.iter().map(|score| Loss::probability(*score)).collect();
        let sum = if each.len() == 1 { 1.0 } else { each.iter().sum() };
        each.into_iter().map(|of| of / sum).collect()
    }
}

impl Predictions for Classified<'_> {
    fn rows(&self) -> usize {
        self.scores.len()
    }

    fn line(&self, row: usize) -> String {
        let shown = |of: f64| if of.is_nan() { NOT_PREDICTED.into() } else { of.to_string() };
        let class = self.class(row);
        let numbers = self.shown(row).into_iter().map(|of| match class {
            Some(_) => shown(of),
            None => NOT_PREDICTED.into(),
        });
        let first =
            class.map_or_else(|| NOT_PREDICTED.into(), |class| self.about.class_labels().field(class));
        std::iter::once(first).chain(numbers).collect::<Vec<String>>().join("\t")
    }

    fn tell(&self, value: &mut Map<String, Value>) {
        let rows = || 0..self.scores.len();
        let label = |row: usize| self.class(row).map(|class| self.about.class_labels().value(class));
        value.insert("classes".into(), json!(rows().map(label).collect::<Vec<_>>()));
        let kind = if self.about.loss() == Loss::Logistic { "probabilities" } else { "margins" };
        let number_or_all = |row: usize| match &self.shown(row)[..] {
            [one] => json!(one),
            all => json!(all),
        };
        value.insert(kind.into(), json!(rows().map(number_or_all).collect::<Vec<_>>()));
    }
}
