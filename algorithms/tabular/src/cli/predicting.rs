//! [`predict`]: the verb `predict` of all models of tables.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use raddle_cli::{Error, ExitStatus, Records, UseOptions, count, number, write_atomic};
use raddle_datasets::{Beside, Field, IDS, Options, Samples};
use serde_json::{Map, Value, json};

use super::listing::field;
use super::samples::{ModelSamples, RowScores, said_of_rows};
use super::tables::TextArgs;
use crate::files::{Schema, ScoreTerms};

/// Rules by which columns and rows are matched: the end of a help text.
pub const ROWS: &str = "Columns are matched by name if the model and the data have names, else by position. Columns \
that were encoded or filled for the fit are encoded and filled in the same way. Other columns may hold anything: they are \
left out, and so are libsvm indices beyond the model's last; a note says so. Every row has a line: `nan` if a value that \
the model needs is missing, unless the model was fitted with --missing mean, which fills it in.";

/// Text of a prediction that cannot be made.
const NOT_PREDICTED: &str = "nan";

/// A measure of predictions: its name, and its value or the reason why there is none.
pub type Measure = (&'static str, Result<f64, &'static str>);

/// A model that predicts a row by its scores.
pub trait Scoring {
    /// Returns columns and classes of the model.
    fn schema(&self) -> Schema<'_>;

    /// Returns the number of the class of a row with these scores, which are numbers; only for a response
    /// with classes.
    fn class(&self, scores: &[f64]) -> usize;

    /// Returns the numbers to show for a row with these scores.
    fn numbers(&self, scores: &[f64]) -> Vec<f64>;

    /// Returns the name of these numbers in a report.
    fn numbers_name(&self) -> &'static str;

    /// Measures the scores of rows with these responses and weights.
    ///
    /// # Errors
    /// A note on why nothing can be measured.
    fn measures(&self, y: &[f64], scores: &RowScores, weights: &[f64]) -> Result<Vec<Measure>, String>;
}

/// The model and the data, the response and the weights of rows.
#[derive(Debug, Args)]
#[command(mut_arg("zero_based", |arg| arg.help("Count indices of libsvm text from 0. Default: as in the fit")))]
pub struct PredictArgs {
    /// Folder of a fitted model, written by --out.
    pub model: PathBuf,
    /// The data.
    pub data: String,
    /// Format of the data, one that DATA names. Default: recognised by its content.
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    /// Report the error or accuracy against this response. Give a column's name, its index from 1 (-1 is the
    /// last), or a file. Default: the response that the format stores separately, or a column y, target or
    /// label that the model does not use. Without a response only predictions are written.
    #[arg(short, long, value_name = "NAME|INDEX|FILE", allow_hyphen_values = true)]
    y: Option<String>,
    /// Weight of each row in the error or accuracy: a column, or a file with one value per row.
    #[arg(long, value_name = "NAME|INDEX|FILE")]
    weights: Option<String>,
    /// Start each prediction with the id of its row and a tab: a column, or a file with one id per row. With
    /// --json the ids are in `ids`; without this option they are the numbers of the rows from 1.
    #[arg(long, value_name = "NAME|INDEX|FILE")]
    id: Option<String>,
    #[command(flatten)]
    text: TextArgs,
    /// Options of the output.
    #[command(flatten)]
    pub use_options: UseOptions,
}

impl PredictArgs {
    /// Returns how to read the data, with weights and ids in addition to the features.
    ///
    /// # Errors
    /// If the format is unknown.
    pub fn reading(&self) -> Result<Options, Error> {
        let reading = self.text.options(self.format.as_deref(), self.y.as_deref(), 1)?;
        let beside = [("--weights", &self.weights), (IDS, &self.id)];
        let beside =
            beside.into_iter().filter_map(|(option, name)| Some(Beside { option, name: name.clone()? }));
        Ok(Options { beside: beside.collect(), ..reading })
    }
}

/// Predicts each row of the data with a model, given with the intercept and coefficients of each of its
/// scores; `other` is a column to read in addition. Measures are reported if there is a response: on stdout
/// if the predictions go to the file `out`, else on stderr.
///
/// # Errors
/// If the options contradict each other, the data cannot be read, or the predictions cannot be written.
pub fn predict<Model: Scoring>(
    args: &PredictArgs,
    out: Option<&Path>,
    model: &Model,
    by_score: Vec<ScoreTerms>,
    other: Option<Beside>,
) -> Result<ExitStatus, Error> {
    let (mut reading, schema) = (args.reading()?, model.schema());
    reading.beside.extend(other);
    let read = ModelSamples::read(&args.data, &schema.reading(reading), schema.columns, schema.names)?;
    let scores = read.scores(by_score);
    let lacking = scores.lacking();
    let (weights, has_weights) = (read.counted(&lacking), read.weights.is_some());
    let Samples { y, without_response, records, mut notes, .. } = read.read;
    notes.extend(said_of_rows(&lacking, &without_response));
    notes.iter().for_each(|note| args.use_options.note(note));
    if y.is_none() && has_weights {
        let why = "--weights has no effect without a response, whose error they weigh: name it by --y, or leave it out";
        return Err(Error::usage(why));
    }
    let measures = y.map(|y| model.measures(&y, &scores, &weights)).unwrap_or(Ok(Vec::new()));
    let measures = measures.unwrap_or_else(|note| {
        args.use_options.note(&note);
        notes.push(note);
        Vec::new()
    });
    let mut records = Records::new(records.read, records.left_out);
    records.leave_out("missing value", lacking.len() as u64);
    let predictions = Predictions { model, scores, ids: read.ids };
    args.tell(out, &predictions, &measures, records, notes)
}

impl PredictArgs {
    /// Writes the predictions to a file, if one is named, and the measures to stdout; else the predictions to
    /// stdout and the measures to stderr. Ids of the rows, if any, come first in each line.
    fn tell(
        &self,
        out: Option<&Path>,
        predictions: &Predictions<'_, impl Scoring>,
        measures: &[Measure],
        records: Records,
        notes: Vec<String>,
    ) -> Result<ExitStatus, Error> {
        let (rows, ids) = (predictions.scores.rows, predictions.ids.as_deref());
        let about = [("rows", json!(rows)), ("records", json!(records)), ("notes", json!(notes))];
        let mut value: Map<String, Value> =
            about.into_iter().map(|(name, of)| (name.to_owned(), of)).collect();
        value.extend(
            measures.iter().map(|(name, of)| (field(name), of.ok().map_or(Value::Null, Value::from))),
        );
        let said = |(name, of): &Measure| match of {
            Ok(of) => format!("{name} {}", number(*of)),
            Err(why) => format!("{name} undefined {why}"),
        };
        let said = measures.iter().map(said).collect::<Vec<_>>().join(", ");
        let line = |row: usize| match ids.and_then(|ids| ids.get(row)) {
            Some(id) => format!("{}\t{}", Field(id), predictions.line(row)),
            None => predictions.line(row),
        };
        if let Some(file) = out {
            write_atomic(file, |out| (0..rows).try_for_each(|row| writeln!(out, "{}", line(row))))?;
            let number = count(rows as u64, "prediction");
            let text = if said.is_empty() { number } else { format!("{number}, {said}") };
            self.use_options.say(&text, &value)?;
            return Ok(ExitStatus::Done);
        }
        let ids = ids.map_or_else(|| json!((1..=rows).collect::<Vec<_>>()), |ids| json!(ids));
        value.insert("ids".into(), ids);
        predictions.tell(&mut value);
        let lines: Vec<String> = (0..rows).map(line).collect();
        self.use_options.say(&lines.join("\n"), &value)?;
        if !said.is_empty() {
            self.use_options.note(&said);
        }
        Ok(ExitStatus::Done)
    }
}

/// Predictions of all rows.
struct Predictions<'a, Model> {
    model: &'a Model,
    scores: RowScores,
    ids: Option<Vec<String>>,
}

impl<Model: Scoring> Predictions<'_, Model> {
    /// Returns the class of a row that lacks no value which the model needs.
    fn class(&self, row: usize) -> Option<usize> {
        let scores = || self.scores.row(row).collect::<Vec<f64>>();
        (!self.scores.lacks(row)).then(|| self.model.class(&scores()))
    }

    /// Returns the numbers to show for a row.
    fn numbers(&self, row: usize) -> Vec<f64> {
        self.model.numbers(&self.scores.row(row).collect::<Vec<f64>>())
    }

    /// Formats the class of a row, if it has one, and its numbers after tabs.
    fn line(&self, row: usize) -> String {
        let (labels, lacks) = (self.model.schema().labels, self.scores.lacks(row));
        let field = || self.class(row).map_or_else(|| NOT_PREDICTED.into(), |class| labels.field(class));
        let class = (!labels.is_empty()).then(field);
        let shown = |number: f64| match number.is_nan() || lacks {
            true => NOT_PREDICTED.into(),
            false => number.to_string(),
        };
        let numbers = self.numbers(row).into_iter().map(shown);
        class.into_iter().chain(numbers).collect::<Vec<String>>().join("\t")
    }

    /// Adds all predictions to a report.
    fn tell(&self, value: &mut Map<String, Value>) {
        let (rows, labels) = (0..self.scores.rows, self.model.schema().labels);
        if !labels.is_empty() {
            let label = |row: usize| self.class(row).map(|class| labels.value(class));
            value.insert("classes".into(), rows.clone().map(label).collect::<Vec<_>>().into());
        }
        let numbers = |row: usize| match &self.numbers(row)[..] {
            [one] => json!(one),
            all => json!(all),
        };
        value.insert(self.model.numbers_name().into(), rows.map(numbers).collect());
    }
}
