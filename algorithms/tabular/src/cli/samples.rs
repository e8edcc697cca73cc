//! [`ModelSamples`]: data as a model sees them, and their scores.

use raddle_cli::{Error, count};
use raddle_datasets::{IDS, Labels, Options as Reading, Samples, read_samples};

use super::matching::{ColumnMap, Matched, matched};
use crate::files::ScoreTerms;

/// Data whose columns are matched with those of a model, with responses, weights and ids.
#[derive(Debug)]
pub struct ModelSamples {
    /// The data as they were read, with the response, if they have one, and all notes.
    pub read: Samples,
    columns: ColumnMap,
    /// Weights of rows in a measure.
    pub weights: Option<Vec<f64>>,
    offset: Option<Vec<f64>>,
    /// Names of the rows, where a column holds them.
    pub ids: Option<Vec<String>>,
}

impl ModelSamples {
    /// Reads data for a model of `count` columns, which has names or not.
    ///
    /// # Errors
    /// If the data cannot be read, lack a column of the model, or have weights or offsets that are no
    /// numbers.
    pub fn read(
        data: &str,
        reading: &Reading,
        count: usize,
        names: Option<&[String]>,
    ) -> Result<Self, Error> {
        let mut read = read_samples(data, reading).map_err(Error::input)?;
        let Matched { columns, y, mut left_out } = matched(count, names, &mut read, data)?;
        left_out.append(&mut read.left_out);
        note_what_is_left_out(&mut read, count, &left_out);
        read.y = y;
        let (mut weights, mut offset, mut ids) = (None, None, None);
        for (labels, asked) in std::mem::take(&mut read.beside).into_iter().zip(&reading.beside) {
            match asked.option {
                IDS => ids = texts(labels),
                "--weights" => {
                    let (values, note) = checked_weights(numbers(labels, asked.option, data)?, data)?;
                    read.notes.extend(note);
                    weights = Some(values);
                }
                option => offset = Some(numbers(labels, option, data)?),
            }
        }
        Ok(Self { read, columns, weights, offset, ids })
    }

    /// Keeps the given rows, which ascend from 0.
    pub fn only(self, rows: &[usize]) -> Self {
        let of = |values: Option<Vec<f64>>| {
            values.map(|values| rows.iter().map(|&row| values[row]).collect::<Vec<f64>>())
        };
        let numbered = |all: &[u32]| -> Vec<u32> {
            let place = |row: &u32| rows.binary_search(&(*row as usize)).ok().map(|place| place as u32);
            all.iter().filter_map(place).collect()
        };
        let classes = self.read.unknown_classes.into_iter().map(|(class, all)| (class, numbered(&all)));
        let read = Samples {
            x: self.read.x.select_rows(rows),
            y: of(self.read.y),
            without_response: numbered(&self.read.without_response),
            unknown_classes: classes.filter(|(_, rows)| !rows.is_empty()).collect(),
            ..self.read
        };
        let ids = self.ids.map(|ids| rows.iter().map(|&row| ids[row].clone()).collect());
        Self { read, weights: of(self.weights), offset: of(self.offset), ids, ..self }
    }

    /// Returns the weights of the rows in a measure: 0 for these rows, and for those without a response.
    pub fn counted(&self, nothing: &[u32]) -> Vec<f64> {
        let mut weights = self.weights.clone().unwrap_or_else(|| vec![1.0; self.read.x.rows()]);
        nothing.iter().chain(&self.read.without_response).for_each(|&row| weights[row as usize] = 0.0);
        weights
    }

    /// Returns the scores of all rows: one class after another where each class has a score. `by_class` has
    /// the intercept of each class and its coefficients as (column of the model, value).
    pub fn scores(&self, by_class: Vec<ScoreTerms>) -> RowScores {
        let Samples { x, occurring, .. } = &self.read;
        let place = |(column, value): (u32, f64)| {
            let column = self.columns.place(column)?;
            // A column that does not occur in the data adds nothing.
            let place = occurring.as_ref().map_or(Some(column), |some| some.place(column))?;
            Some((place, value))
        };
        let mut all = Vec::new();
        for (intercept, of) in by_class {
            let of: Vec<(u32, f64)> = of.into_iter().filter_map(place).collect();
            all.append(&mut x.scores(&of, intercept));
        }
        if let Some(offset) = &self.offset {
            all.iter_mut().zip(offset).for_each(|(score, offset)| *score += offset);
        }
        RowScores { all, rows: x.rows() }
    }
}

/// The scores of rows: where each class has a score, one class after another.
#[derive(Debug)]
pub struct RowScores {
    /// The scores.
    pub all: Vec<f64>,
    /// Number of rows.
    pub rows: usize,
}

impl RowScores {
    /// Returns the scores of a row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = f64> {
        self.all.iter().skip(row).step_by(self.rows).copied()
    }

    /// `true` if a row lacks a value that the model needs, so that a score is NaN.
    pub fn lacks(&self, row: usize) -> bool {
        self.row(row).any(f64::is_nan)
    }

    /// Returns the rows without a score, ascending from 0.
    pub fn lacking(&self) -> Vec<u32> {
        (0..self.rows).filter(|&row| self.lacks(row)).map(|row| row as u32).collect()
    }
}

/// Notes on rows that cannot be predicted, and on rows without a response.
pub fn said_of_rows(lacking: &[u32], without_response: &[u32]) -> Vec<String> {
    let of = |rows: &[u32], what: &str| {
        (!rows.is_empty()).then(|| format!("{} {what}", count(rows.len() as u64, "row")))
    };
    let lacking = of(lacking, "not predicted (nan), as a value is missing that the model needs");
    lacking
        .into_iter()
        .chain(of(without_response, "without a response: the error is of the others"))
        .collect()
}

/// Adds notes on columns and values that the model does not use.
fn note_what_is_left_out(samples: &mut Samples, columns: usize, left_out: &[String]) {
    if !left_out.is_empty() {
        samples.notes.push(format!("left out, as the model does not use them: {}", left_out.join(", ")));
    }
    if samples.beyond > 0 {
        let values = count(samples.beyond, "value");
        samples.notes.push(format!("left out: {values} at indices above {columns}, the model's columns"));
    }
}

/// Returns the numbers of a column other than the features.
///
/// # Errors
/// If the column holds texts; the message has the first that is not a number.
pub fn numbers(column: Labels, option: &str, data: &str) -> Result<Vec<f64>, Error> {
    match column {
        Labels::Numbers(values) => Ok(values),
        Labels::Texts { texts, .. } => {
            let text = texts.iter().find(|text| text.parse::<f64>().is_err()).cloned().unwrap_or_default();
            let why = format!(
                "{data}: {option}: `{text}` is not a number: mend it, or name another column or file"
            );
            Err(Error::input(why))
        }
    }
}

/// Returns the text of each row.
fn texts(column: Labels) -> Option<Vec<String>> {
    match column {
        Labels::Texts { codes, texts } => Some(
            codes.into_iter().map(|code| texts.get(code as usize).cloned().unwrap_or_default()).collect(),
        ),
        Labels::Numbers(_) => None,
    }
}

/// Checks weights of rows in the error. Rows without a weight count nothing, and a note says how many there
/// are.
fn checked_weights(mut values: Vec<f64>, data: &str) -> Result<(Vec<f64>, Option<String>), Error> {
    let missing =
        values.iter_mut().filter(|weight| weight.is_nan()).map(|weight| *weight = 0.0).count() as u64;
    let note = (missing > 0)
        .then(|| format!("{} without a weight: the error is of the others", count(missing, "row")));
    match values.iter().position(|weight| !(*weight >= 0.0 && weight.is_finite())) {
        Some(row) => Err(Error::input(format!(
            "{data}: --weights: the weight is {} in row {}, counted without a header: weights are numbers \
             of at least 0",
            values[row],
            row + 1
        ))),
        None => Ok((values, note)),
    }
}
