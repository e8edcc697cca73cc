//! [`PredictArgs`]: the arguments of `predict` that all models of tables share.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use raddle_cli::{Error, ExitStatus, Records, UseOptions, count, write_atomic};
use raddle_datasets::{Beside, Field, IDS, Options};
use serde_json::{Map, Value, json};

use crate::tables::TextArgs;

/// Rules by which columns and rows are matched: the end of a help text.
pub const ROWS: &str = "Columns are matched by name if the model and the data have names, else by position. Columns \
that were encoded or filled for the fit are encoded and filled in the same way. Other columns may hold anything: they are \
left out, and so are libsvm indices beyond the model's last; a note says so. Every row has a line: `nan` if a value that \
the model needs is missing, unless the model was fitted with --missing mean, which fills it in.";

/// Text of a prediction that cannot be made.
pub const NOT_PREDICTED: &str = "nan";

/// The model and the data, the response and the weights of rows.
#[derive(Debug, Args)]
pub struct PredictArgs {
    /// Folder of a fitted model: the --out of its fit.
    pub model: PathBuf,
    /// The data.
    pub data: String,
    /// Format of the data. Default: recognised by its content.
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    /// Report the error or accuracy against this response: a column's name, its index from 1 (-1 is the
    /// last), or a file. Default: the response that the format stores separately, or a column y, target or
    /// label that the model does not use. Without a response only predictions are written.
    #[arg(short, long, value_name = "NAME|INDEX|FILE", allow_hyphen_values = true)]
    y: Option<String>,
    /// Weight of each row in the error or accuracy: a column, or a file with one value per row.
    #[arg(long, value_name = "NAME|FILE")]
    weights: Option<String>,
    /// Start each prediction with the id of its row and a tab: a column, or a file with one id per row. With
    /// --json the ids are in `ids`; without this option they are the numbers of the rows from 1.
    #[arg(long, value_name = "NAME|FILE")]
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

    /// Returns the weight of each of `rows` rows in the error; rows without a response or a prediction have
    /// 0.
    ///
    /// # Errors
    /// If there are weights, and no response.
    pub fn counted(
        &self,
        weights: Option<Vec<f64>>,
        (rows, has_response): (usize, bool),
        nothing: impl IntoIterator<Item = u32>,
    ) -> Result<Vec<f64>, Error> {
        if !has_response && weights.is_some() {
            let why = "--weights has no effect without a response, whose error they weigh: name it by --y, or leave it out";
            return Err(Error::usage(why));
        }
        let mut weights = weights.unwrap_or_else(|| vec![1.0; rows]);
        nothing.into_iter().for_each(|row| weights[row as usize] = 0.0);
        Ok(weights)
    }

    /// Writes the predictions to a file, if one is named, and the measures to stdout; else the predictions to
    /// stdout and the measures to stderr. Ids of the rows, if any, come first in each line.
    ///
    /// # Errors
    /// If the file or stdout cannot be written.
    pub fn tell(
        &self,
        out: Option<&Path>,
        (ids, predictions): (Option<&[String]>, &impl Predictions),
        (said, measures): (Option<String>, Map<String, Value>),
        (records, notes): (Records, Vec<String>),
    ) -> Result<ExitStatus, Error> {
        let rows = predictions.rows();
        let about = [("rows", json!(rows)), ("records", json!(records)), ("notes", json!(notes))];
        let mut value: Map<String, Value> =
            about.into_iter().map(|(name, of)| (name.to_owned(), of)).collect();
        value.extend(measures);
        let line = |row: usize| match ids.and_then(|ids| ids.get(row)) {
            Some(id) => format!("{}\t{}", Field(id), predictions.line(row)),
            None => predictions.line(row),
        };
        if let Some(file) = out {
            write_atomic(file, |out| (0..rows).try_for_each(|row| writeln!(out, "{}", line(row))))?;
            let number = count(rows as u64, "prediction");
            let text = said.map_or(number.clone(), |said| format!("{number}, {said}"));
            self.use_options.say(&text, &value)?;
            return Ok(ExitStatus::Done);
        }
        let ids = ids.map_or_else(|| json!((1..=rows).collect::<Vec<_>>()), |ids| json!(ids));
        value.insert("ids".into(), ids);
        predictions.tell(&mut value);
        let lines: Vec<String> = (0..rows).map(line).collect();
        self.use_options.say(&lines.join("\n"), &value)?;
        said.iter().for_each(|said| self.use_options.note(said));
        Ok(ExitStatus::Done)
    }
}

/// Predictions of rows.
pub trait Predictions {
    /// Number of rows.
    fn rows(&self) -> usize;

    /// Formats the line of a row.
    fn line(&self, row: usize) -> String;

    /// Adds all predictions to a report.
    fn tell(&self, value: &mut Map<String, Value>);
}
