//! `linear predict`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use raddle::cli::{Error, ExitStatus, Records, UseOptions, count, number, write_atomic};
use raddle_common::samples::{ModelSamples, lacking, said_of_rows};
use raddle_common::tables::{TextArgs, known};
use raddle_datasets::{Beside, Classes, Encoding, Options as Reading};
use raddle_linear::files::{About, Saved};
use raddle_linear::{Fit, Loss};
use serde_json::{Map, Value, json};

/// The options of `linear predict`.
#[derive(Debug, Args)]
#[command(mut_arg("data", |arg| arg.help(format!("The data, with a response or without: {}", known()))))]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The folder of a fitted model, as --out wrote it.
    model: PathBuf,
    /// The data.
    data: String,
    /// Format of the data. Default: recognised by its content.
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    /// The response, to report the accuracy against: a column's name, its index from 1, or a file. Else one that the
    /// format keeps apart, or a column y, target or label that the model does not use; without one there are only
    /// predictions.
    #[arg(short, long, value_name = "NAME|INDEX|FILE", allow_hyphen_values = true)]
    y: Option<String>,
    /// Count each row this many times in the accuracy: a column or a file with one value a row.
    #[arg(long, value_name = "NAME|FILE")]
    weights: Option<String>,
    /// Write the predictions to this file, one a line, rather than to stdout: the class and, behind a tab, the margin, or
    /// of a logistic model the probability of the larger class (of texts, of the last in order). Of more than two classes
    /// the margin or probability of each, in their order.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    text: TextArgs,
    #[command(flatten)]
    use_options: UseOptions,
}

const EXAMPLES: &str = "Examples, which work as they stand:
  linear fit diabetes --out run
  linear predict run diabetes

Columns are matched by name where the model and the data have names, else by position. What was encoded or filled when
the model was fitted is encoded and filled alike. Other columns may hold anything: they are left out, and so are libsvm
indices beyond the model's last; both are said. Every row has its line: `nan` where a value is missing that the model
needs, unless it was fitted with --missing mean.";

/// Value in the line of a row that cannot be predicted.
const NOT_PREDICTED: &str = "nan";

/// Predicts the class of each row, and its margins or probabilities. Where there is a response, the accuracy is said: on
/// stdout if the predictions go to a file, else on stderr.
pub(crate) fn predict(options: &Options) -> Result<ExitStatus, Error> {
    let Saved { about, coefficients, .. } = Saved::open(&options.model)?;
    let reading = options.text.options(options.format.as_deref(), options.y.as_deref(), 1)?;
    let of_names = || about.feature_names.as_deref().map(Encoding::of_numbers);
    let weights = options.weights.iter().map(|name| Beside { option: "--weights", name: name.clone() });
    let reading = Reading {
        zero_based: reading.zero_based || about.zero_based,
        repeat: about.encoding.clone().or_else(of_names),
        width: u32::try_from(about.columns).ok(),
        classes: about.class_names.clone().map_or(Classes::Refused, Classes::Known),
        beside: weights.collect(),
        ..reading
    };
    let names = about.feature_names.as_deref();
    let samples = ModelSamples::read(&options.data, &reading, (about.columns, names))?;
    let of_scorers = about.intercepts.iter().copied().zip(coefficients).collect();
    let scores = samples.scores(of_scorers);
    let ModelSamples { x, y, weights, without_response, records, mut notes, .. } = samples;
    if y.is_none() && weights.is_some() {
        let why = "--weights has no effect without a response, whose error they weigh: name it by --y, or leave it out";
        return Err(Error::usage(why));
    }
    let rows = x.rows();
    let lacking = lacking(&scores, rows);
    notes.extend(said_of_rows(&lacking, &without_response));
    let scores = (0..rows).map(|row| scores.iter().skip(row).step_by(rows).copied().collect()).collect();
    let predictions = Predictions { about: &about, scores };
    // A row without a response or a prediction counts nothing; one of a class that the model has not is wrong.
    let mut weights = weights.unwrap_or_else(|| vec![1.0; rows]);
    lacking.iter().chain(&without_response).for_each(|&row| weights[row as usize] = 0.0);
    let accuracy = y.as_ref().and_then(|y| predictions.accuracy(y, &weights));
    if y.is_some() && accuracy.is_none() {
        notes.push("no accuracy: no row has a response that is a class of the model".into());
    }
    notes.iter().for_each(|note| options.use_options.note(note));
    let mut records = Records::new(records.read, records.left_out);
    records.leave_out("missing value", lacking.len() as u64);
    tell(options, &predictions, accuracy, (records, notes))
}

/// Scores of a model for all rows, one of each scorer.
struct Predictions<'a> {
    about: &'a About,
    scores: Vec<Vec<f64>>,
}

impl Predictions<'_> {
    /// Share of the rows whose class is right; nothing where no row that counts is of a class of the model.
    fn accuracy(&self, y: &[f64], weights: &[f64]) -> Option<f64> {
        let is_known = |row: &usize| weights[*row] > 0.0 && self.about.classes.contains(&y[*row]);
        let any = (0..y.len()).find(is_known);
        let is_right = |row: usize| self.about.classes[Fit::class(&self.scores[row])] == y[row];
        let all: f64 = weights.iter().sum();
        let right: f64 = (0..y.len()).filter(|&row| is_right(row)).map(|row| weights[row]).sum();
        any.map(|_| right / all)
    }

    /// The class of a row; none where a value is missing that the model needs.
    fn class(&self, row: usize) -> Option<String> {
        let scores = &self.scores[row];
        let is_whole = scores.iter().all(|score| !score.is_nan());
        is_whole.then(|| self.about.class_name(Fit::class(scores)))
    }

    /// Margins; of the logistic loss the probability of the larger class, or that of each class among them.
    fn shown(&self, row: usize) -> Vec<f64> {
        let scores = &self.scores[row];
        if self.about.loss() != Loss::Logistic {
            return scores.clone();
        }
        let each: Vec<f64> = scores.iter().map(|score| Loss::probability(*score)).collect();
        let sum = if each.len() == 1 { 1.0 } else { each.iter().sum() };
        each.into_iter().map(|of| of / sum).collect()
    }

    /// A row as it is written.
    fn line(&self, row: usize) -> String {
        let shown = |of: f64| if of.is_nan() { NOT_PREDICTED.into() } else { of.to_string() };
        let class = self.class(row);
        let numbers = self.shown(row).into_iter().map(|of| match class {
            Some(_) => shown(of),
            None => NOT_PREDICTED.into(),
        });
        let first = class.clone().unwrap_or_else(|| NOT_PREDICTED.into());
        std::iter::once(first).chain(numbers).collect::<Vec<String>>().join("\t")
    }

    /// All of them, for a report.
    fn tell(&self, value: &mut Map<String, Value>) {
        let rows = || 0..self.scores.len();
        value.insert("classes".into(), json!(rows().map(|row| self.class(row)).collect::<Vec<_>>()));
        let kind = if self.about.loss() == Loss::Logistic { "probabilities" } else { "margins" };
        let number_or_all = |row: usize| match &self.shown(row)[..] {
            [one] => json!(one),
            all => json!(all),
        };
        value.insert(kind.into(), json!(rows().map(number_or_all).collect::<Vec<_>>()));
    }
}

fn tell(
    options: &Options,
    predictions: &Predictions<'_>,
    accuracy: Option<f64>,
    (records, notes): (Records, Vec<String>),
) -> Result<ExitStatus, Error> {
    let Options { out, use_options, .. } = options;
    let rows = predictions.scores.len();
    let about = [("rows", json!(rows)), ("records", json!(records)), ("notes", json!(notes))];
    let mut value: Map<String, Value> = about.into_iter().map(|(name, of)| (name.to_owned(), of)).collect();
    value.extend(accuracy.map(|accuracy| ("accuracy".to_owned(), json!(accuracy))));
    let said = accuracy.map(|accuracy| format!("accuracy {}", number(accuracy)));
    if let Some(file) = out {
        write_atomic(file, |out| (0..rows).try_for_each(|row| writeln!(out, "{}", predictions.line(row))))?;
        let text = count(rows as u64, "prediction");
        let text = said.map_or(text.clone(), |said| format!("{text}, {said}"));
        use_options.say(&text, &value)?;
        return Ok(ExitStatus::Done);
    }
    predictions.tell(&mut value);
    let lines: Vec<String> = (0..rows).map(|row| predictions.line(row)).collect();
    use_options.say(&lines.join("\n"), &value)?;
    said.iter().for_each(|said| use_options.note(said));
    Ok(ExitStatus::Done)
}
