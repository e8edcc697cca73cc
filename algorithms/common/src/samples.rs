//! [`ModelSamples`]: data as a model sees them, and their scores.

use raddle_cli::{Error, count};
use raddle_datasets::{
    IDS, Labels, Matrix, Occurring, Options as Reading, RecordCounts, Samples, read_samples,
};

use crate::matching::{ColumnMap, Matched, matched};

/// Data whose columns are matched with those of a model, with responses, weights and ids.
#[derive(Debug)]
pub struct ModelSamples {
    /// The features as they were read.
    pub x: Matrix,
    columns: ColumnMap,
    occurring: Option<Occurring>,
    /// The response, if the data have one.
    pub y: Option<Vec<f64>>,
    /// Weights of rows in a measure.
    pub weights: Option<Vec<f64>>,
    offset: Option<Vec<f64>>,
    /// Names of the rows, where a column holds them.
    pub ids: Option<Vec<String>>,
    /// Rows without a response where others have one, ascending from 0.
    pub without_response: Vec<u32>,
    /// Texts of the response that are no class of the model, each with its rows.
    pub unknown_classes: Vec<(String, Vec<u32>)>,
    /// Numbers of rows read and left out.
    pub records: RecordCounts,
    /// Notes for users on how the data were read.
    pub notes: Vec<String>,
}

impl ModelSamples {
    /// Reads data for a model of `columns` columns, which has names or not.
    ///
    /// # Errors
    /// If the data cannot be read, lack a column of the model, or have weights or offsets that are no
    /// numbers.
    pub fn read(
        data: &str,
        reading: &Reading,
        (columns, names): (usize, Option<&[String]>),
    ) -> Result<Self, Error> {
        let mut samples = read_samples(data, reading).map_err(Error::input)?;
        let found = matched((columns, names), &mut samples, data)?;
        let Matched { columns: places, y, mut left_out } = found;
        left_out.append(&mut samples.left_out);
        let mut notes = what_is_left_out(&samples, columns, &left_out);
        let (mut weights, mut offset, mut ids) = (None, None, None);
        for (labels, asked) in std::mem::take(&mut samples.beside).into_iter().zip(&reading.beside) {
            match asked.option {
                IDS => ids = texts(labels),
                "--weights" => {
                    let (values, note) = checked_weights(numbers(labels, asked.option, data)?, data)?;
                    notes.extend(note);
                    weights = Some(values);
                }
                option => offset = Some(numbers(labels, option, data)?),
            }
        }
        let Samples { x, occurring, without_response, unknown_classes, records, .. } = samples;
        let columns = places;
        Ok(Self {
            x,
            columns,
            occurring,
            y,
            weights,
            offset,
            ids,
            without_response,
            unknown_classes,
            records,
            notes,
        })
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
        let classes = self.unknown_classes.into_iter().map(|(class, all)| (class, numbered(&all)));
        Self {
            x: self.x.select_rows(rows),
            y: of(self.y),
            weights: of(self.weights),
            offset: of(self.offset),
            ids: self.ids.map(|ids| rows.iter().map(|&row| ids[row].clone()).collect()),
            without_response: numbered(&self.without_response),
            unknown_classes: classes.filter(|(_, rows)| !rows.is_empty()).collect(),
            ..self
        }
    }

    /// Returns the scores of all rows: one class after another where each class has a score. `by_class` has
    /// the intercept of each class and its coefficients as (column of the model, value).
    pub fn scores(&self, by_class: Vec<(f64, Vec<(u32, f64)>)>) -> Vec<f64> {
        let place = |(column, value): (u32, f64)| {
            let column = self.columns.place(column)?;
            // A column that does not occur in the data adds nothing.
            let place = self.occurring.as_ref().map_or(Some(column), |some| some.place(column))?;
            Some((place, value))
        };
        let mut scores = Vec::new();
        for (intercept, of) in by_class {
            let of: Vec<(u32, f64)> = of.into_iter().filter_map(place).collect();
            scores.append(&mut self.x.scores(&of, intercept));
        }
        if let Some(offset) = &self.offset {
            scores.iter_mut().zip(offset).for_each(|(score, offset)| *score += offset);
        }
        scores
    }
}

/// `true` if a row lacks a value that the model needs, so that its score is NaN; `rows` is the number of
/// rows.
pub fn lacks(scores: &[f64], rows: usize, row: usize) -> bool {
    scores[row..].iter().step_by(rows).any(|score| score.is_nan())
}

/// Returns the rows without a score, ascending from 0.
pub fn lacking(scores: &[f64], rows: usize) -> Vec<u32> {
    (0..rows).filter(|&row| lacks(scores, rows, row)).map(|row| row as u32).collect()
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

/// Notes on how the data were read.
fn what_is_left_out(samples: &Samples, columns: usize, left_out: &[String]) -> Vec<String> {
    let mut notes = samples.notes.clone();
    if !left_out.is_empty() {
        notes.push(format!("left out, as the model does not use them: {}", left_out.join(", ")));
    }
    if samples.beyond > 0 {
        let values = count(samples.beyond, "value");
        notes.push(format!("left out: {values} at indices above {columns}, the model's columns"));
    }
    notes
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
