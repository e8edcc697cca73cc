//! `lasso predict`.

use std::path::PathBuf;

use clap::Args;
use raddle_cli::{Error, ExitStatus, Records, number};
use raddle_common::listing::field;
use raddle_common::predicting::{NOT_PREDICTED, PredictArgs, Predictions, ROWS};
use raddle_common::samples::{ModelSamples, lacking, lacks, said_of_rows};
use raddle_datasets::{Classes, Options as Reading};
use raddle_lasso::Measure;
use raddle_lasso::files::{About, Offset, Saved};
use serde_json::{Map, Value, json};

use super::rows::beside_offset;
use super::{data, point};

/// The options of `lasso predict`.
#[derive(Debug, Args)]
#[command(mut_arg("data", |arg| arg.help(format!("The data, with a response or without: {}", data::known()))))]
#[command(after_help = format!("{EXAMPLES}\n\n{ROWS}"))]
pub(crate) struct Options {
    #[command(flatten)]
    args: PredictArgs,
    /// Offsets added to the scores, for a model that was fitted with offsets: a column, or a file with one
    /// value per row. Default: the column that the model was fitted with.
    #[arg(long, value_name = "NAME|FILE")]
    offset: Option<String>,
    /// Predict with this point of a path, counted from 1. path.tsv in the model's folder lists the points.
    #[arg(long, value_name = "K")]
    point: Option<u64>,
    /// Write the predictions to this file instead of stdout, one per line: the predicted mean; for a logistic
    /// model the class and the probability of the larger class (of texts, the last in sorted order); for a
    /// multinomial model the class and the probability of every class, in sorted order. Tabs separate them,
    /// and with --id the id comes first.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "Examples, which work as they stand:
  lasso fit diabetes --out run
  lasso predict run diabetes
  lasso predict run diabetes --json
  lasso path diabetes --points 20 --out path
  lasso predict path diabetes --point 12";

/// Predicts a value for each row, or its class and the probability of the larger class or of all classes.
/// Reports the error against the response, if there is one: on stdout if the predictions go to a file, else
/// on stderr.
pub(crate) fn predict(options: &Options) -> Result<ExitStatus, Error> {
    let args = &options.args;
    let Saved { about, coefficients, .. } = point::read(&args.model, options.point)?;
    let mut reading = args.reading()?;
    reading.beside.extend(offset(options, &about)?.as_deref().map(beside_offset));
    let reading = Reading {
        zero_based: reading.zero_based || about.zero_based,
        repeat: about.repeated(),
        width: u32::try_from(about.columns).ok(),
        classes: about.class_names.clone().map_or(Classes::Refused, Classes::Known),
        ..reading
    };
    let names = about.feature_names.as_deref();
    let samples = ModelSamples::read(&args.data, &reading, (about.columns, names))?;
    let scores = samples.scores(about.by_class(&coefficients));
    let ModelSamples { x, y, weights, ids, without_response, records, mut notes, .. } = samples;
    let predictions = Scored { about: &about, scores, rows: x.rows() };
    let lacking = lacking(&predictions.scores, predictions.rows);
    notes.extend(said_of_rows(&lacking, &without_response));
    notes.iter().for_each(|note| args.use_options.note(note));
    let nothing = lacking.iter().chain(&without_response).copied();
    let weights = args.counted(weights, (predictions.rows, y.is_some()), nothing)?;
    let of = (about.classes, &about.labels[..]);
    let values = |y: Vec<f64>| about.loss().measures(&y, &predictions.scores, Some(&weights), of);
    let measured = y.map(|y| Measured { values: values(y) });
    let mut records = Records::new(records.read, records.left_out);
    records.leave_out("missing value", lacking.len() as u64);
    let measures = measured.as_ref().map(Measured::json).unwrap_or_default();
    let said = measured.map(|measured| measured.text());
    args.tell(options.out.as_deref(), (ids.as_deref(), &predictions), (said, measures), (records, notes))
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

/// Measures against the response: names and values, or the reason why there is none.
struct Measured {
    values: Vec<Measure>,
}

impl Measured {
    fn text(&self) -> String {
        let part = |(name, value): &Measure| match value {
            Ok(value) => format!("{name} {}", number(*value)),
            Err(why) => format!("{name} undefined {why}"),
        };
        self.values.iter().map(part).collect::<Vec<_>>().join(", ")
    }

    /// By names in small letters with underscores; what is undefined is null.
    fn json(&self) -> Map<String, Value> {
        let entry = |(name, value): &Measure| (field(name), value.ok().map_or(Value::Null, Value::from));
        self.values.iter().map(entry).collect()
    }
}

/// Scores of a model for all rows.
struct Scored<'a> {
    about: &'a About,
    /// Class by class, where each has a score.
    scores: Vec<f64>,
    rows: usize,
}

impl Scored<'_> {
    /// `true` if a row lacks a value that the model needs, so that it has no prediction.
    fn lacks(&self, row: usize) -> bool {
        lacks(&self.scores, self.rows, row)
    }

    /// `true` if the loss is of classes.
    fn has_classes(&self) -> bool {
        !self.about.class_labels().is_empty()
    }

    /// Number of the class of a row, for a loss of classes; none where there is no prediction.
    fn class(&self, row: usize) -> Option<usize> {
        if self.lacks(row) {
            return None;
        }
        if self.about.classes.is_some() {
            return Some(usize::from(self.scores[row] > 0.0));
        }
        let probabilities = self.probabilities(row)?;
        let better = |best: usize, at: usize| if probabilities[at] > probabilities[best] { at } else { best };
        Some((0..probabilities.len()).fold(0, better))
    }

    /// The probability of each class of a row, where each has a score.
    fn probabilities(&self, row: usize) -> Option<Vec<f64>> {
        let classes = self.about.labels.len();
        let scores = (0..classes).map(|class| self.scores[class * self.rows + row]);
        (classes > 0).then(|| raddle_lasso::probabilities(&scores.collect::<Vec<f64>>()))
    }

    /// Expected response of a row, where there is one score.
    fn mean(&self, row: usize) -> f64 {
        self.about.loss().mean(self.scores[row])
    }
}

impl Predictions for Scored<'_> {
    fn rows(&self) -> usize {
        self.rows
    }

    /// Formats the class of a row, if it has one, and its probabilities after tabs.
    fn line(&self, row: usize) -> String {
        let mut numbers = self.probabilities(row).unwrap_or_else(|| vec![self.mean(row)]);
        if self.lacks(row) {
            numbers.fill(f64::NAN);
        }
        let field = |class: Option<usize>| match class {
            Some(class) => self.about.class_labels().field(class),
            None => NOT_PREDICTED.into(),
        };
        let class = self.has_classes().then(|| field(self.class(row)));
        let shown = |number: &f64| if number.is_nan() { NOT_PREDICTED.into() } else { number.to_string() };
        let numbers = numbers.iter().map(shown);
        class.into_iter().chain(numbers).collect::<Vec<String>>().join("\t")
    }

    fn tell(&self, value: &mut Map<String, Value>) {
        let rows = || 0..self.rows;
        let label = |row: usize| self.class(row).map(|class| self.about.class_labels().value(class));
        let probabilities: Option<Vec<Vec<f64>>> = rows().map(|row| self.probabilities(row)).collect();
        let has_classes = self.has_classes();
        if has_classes {
            value.insert("classes".into(), rows().map(label).collect::<Vec<Option<Value>>>().into());
        }
        let name = if has_classes { "probabilities" } else { "predictions" };
        let numbers = match probabilities.filter(|_| !self.about.labels.is_empty()) {
            Some(of_classes) => json!(of_classes),
            None => json!(rows().map(|row| self.mean(row)).collect::<Vec<f64>>()),
        };
        value.insert(name.into(), numbers);
    }
}
