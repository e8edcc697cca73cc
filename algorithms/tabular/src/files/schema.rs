//! [`Schema`]: the columns and classes that a model finds again in other data, and its `coef.tsv`.

use raddle::files::{FileError, ModelFiles, ModelFolder};
use raddle_datasets::{Classes, Encoding, Occurring, Options as Reading};

use super::coefficients::{Coefficient, Layout, Words, parse, write, write_path};
use super::features::repeated;
use super::labels::ClassLabels;

/// The file of the coefficients.
const COEFFICIENTS: &str = "coef.tsv";

/// The intercept of a score, and the (column, coefficient) of its columns.
pub type ScoreTerms = (f64, Vec<(u32, f64)>);

/// Columns and classes of a model.
#[derive(Debug, Clone, Copy)]
pub struct Schema<'a> {
    /// Number of columns of the data.
    pub columns: usize,
    /// Columns that were fitted, if not all.
    pub occurring: Option<&'a Occurring>,
    /// Names of the columns, if the data have names.
    pub names: Option<&'a [String]>,
    /// The encoding by which columns became features; `None` if all are plain numbers.
    pub encoding: Option<&'a Encoding>,
    /// `true` if columns were numbered from 0 in libsvm text.
    pub zero_based: bool,
    /// Labels of the classes; empty if the response has no classes.
    pub labels: ClassLabels<'a>,
    /// Number of classes with scores of their own; 0 for a single score.
    pub scored: usize,
}

impl<'a> Schema<'a> {
    /// Returns the order in which a fit numbers the coefficients.
    pub fn layout(self) -> Layout<'a> {
        Layout { columns: self.columns, classes: self.scored, occurring: self.occurring }
    }

    /// Returns the fields of `coef.tsv` for the classes with scores of their own.
    pub fn fields(self) -> Vec<String> {
        if self.scored == 0 { Vec::new() } else { self.labels.fields() }
    }

    /// Returns the name of a column of the data, or its number from 1.
    pub fn name(self, column: u32) -> String {
        let name = self.names.and_then(|names| names.get(column as usize)).filter(|name| !name.is_empty());
        name.cloned().unwrap_or_else(|| format!("column {}", column + 1))
    }

    /// Returns intercept and (column, coefficient) of each score, of which there are as many as intercepts.
    pub fn by_score(intercepts: &[f64], coefficients: &[Coefficient]) -> Vec<ScoreTerms> {
        let mut by_score: Vec<_> = intercepts.iter().map(|intercept| (*intercept, Vec::new())).collect();
        for of in coefficients {
            by_score[of.class as usize].1.push((of.column, of.value));
        }
        by_score
    }

    /// Returns how to read other data for the model: with its encoding, or plain numbers by its names, and
    /// with the texts of its classes.
    pub fn reading(self, reading: Reading) -> Reading {
        Reading {
            zero_based: reading.zero_based || self.zero_based,
            repeat: repeated(self.encoding, self.names),
            width: u32::try_from(self.columns).ok(),
            classes: self.labels.names.map_or(Classes::Refused, |names| Classes::Known(names.to_vec())),
            ..reading
        }
    }

    /// Reads the coefficients of the model; for a path, those of `point`, from 1.
    ///
    /// # Errors
    /// If they are not those of a model with these columns and classes.
    pub fn read(self, opened: &ModelFolder, point: Option<u64>) -> Result<Vec<Coefficient>, FileError> {
        let read = parse(&read_text(opened, COEFFICIENTS)?, self.layout(), &self.fields(), point);
        read.map_err(|(line, why)| FileError::line(&opened.path().join(COEFFICIENTS), line, why))
    }

    /// Writes coefficients, numbered as in a fit.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(self, files: &mut impl ModelFiles, coefficients: &[(u32, f64)]) -> Result<(), FileError> {
        self.write_with_errors(files, coefficients, &[])
    }

    /// Writes coefficients with their standard errors, by the same numbers; without, if there are none.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_with_errors(
        self,
        files: &mut impl ModelFiles,
        coefficients: &[(u32, f64)],
        errors: &[f64],
    ) -> Result<(), FileError> {
        let words = Words { names: self.names, classes: &self.fields(), errors };
        files.write(COEFFICIENTS, |out| write(out, coefficients, words, self.layout()))
    }

    /// Writes the coefficients of a path, point by point.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_path<'p>(
        self,
        files: &mut impl ModelFiles,
        points: impl Iterator<Item = &'p Vec<(u32, f64)>>,
    ) -> Result<(), FileError> {
        let words = Words { names: self.names, classes: &self.fields(), errors: &[] };
        files.write(COEFFICIENTS, |out| write_path(out, points, words, self.layout()))
    }
}

/// Reads a text of a model.
///
/// # Errors
/// If there is no such file, it was changed, or it is no text.
pub fn read_text(opened: &ModelFolder, name: &str) -> Result<String, FileError> {
    let text = String::from_utf8(opened.read(name)?);
    text.map_err(|_| FileError::refused(&opened.path().join(name), "it is no text"))
}
