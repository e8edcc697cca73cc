//! [`Table`]: a matrix of features with its response, and metadata; [`Samples`]: features to predict from.

use std::fmt;
use std::path::PathBuf;

use super::classes::{Labels, compact};
use super::columns::retain;
use super::encoding::Encoding;
use super::features::Filled;
use super::held_out::HeldOut;
use super::matrix::Matrix;
use super::occurring::Occurring;
use crate::bytes::source::{Source, stem};
use crate::records::RecordCounts;

/// A matrix of features with its response: the input of regression and classification.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Name in the registry, the file's name without its extensions, or the `synth:` specification.
    pub name: String,
    /// The features, n rows by p columns, as stored: neither centred nor scaled.
    pub x: Matrix,
    /// The columns of the data that `x` has, if it is sparse and far wider than its content: then p counts
    /// only columns with values. `None` if `x` has all columns.
    pub occurring: Option<Occurring>,
    /// The response, n finite values, as stored.
    pub y: Vec<f64>,
    /// Names of the p columns, if the format has names.
    pub feature_names: Option<Vec<String>>,
    /// SHA-256 of the stored bytes (still compressed) as 64 hexadecimal digits; for generated data, of the
    /// specification.
    pub digest: String,
    /// The file that was read; `None` for embedded and generated data.
    pub path: Option<PathBuf>,
    /// Name of the format; `embedded` or `generated` if there is no file.
    pub format: String,
    /// How columns were encoded as features, if some are not plain numbers or were left out.
    pub encoding: Option<Encoding>,
    /// Missing numbers that were filled with means.
    pub filled: Vec<Filled>,
    /// Sorted texts of a response that consists of texts ([`Options::classes`](super::Options::classes)); `y`
    /// has their numbers from 0.
    pub classes: Option<Vec<String>>,
    /// The columns that [`Options::beside`](super::Options::beside) requests, in its order.
    pub beside: Vec<Labels>,
    /// Numbers of rows: all in the data, and those left out.
    pub records: RecordCounts,
    /// Notes for users on how the table was read.
    pub notes: Vec<String>,
}

impl Table {
    /// Returns the number of columns of the data: p, or more if [`occurring`](Self::occurring) says which of
    /// them `x` has.
    pub fn width(&self) -> usize {
        self.occurring.as_ref().map_or(self.x.cols(), Occurring::width)
    }

    /// Returns the table without the held-out rows, if any, as if the data had only the others. All columns
    /// must be plain numbers.
    pub(crate) fn without(self, held_out: Option<HeldOut>) -> Result<Self, String> {
        let Some(held_out) = held_out else { return Ok(self) };
        let kept = held_out.kept(self.y.len())?;
        Ok(self.only(&kept))
    }

    /// Returns the table with only these rows.
    pub(super) fn only(self, kept: &[bool]) -> Self {
        let Self { x, mut y, mut classes, mut beside, .. } = self;
        retain(&mut y, kept);
        if let Some(classes) = &mut classes {
            compact(&mut y, classes);
        }
        beside.iter_mut().for_each(|labels| match labels {
            Labels::Numbers(values) => retain(values, kept),
            Labels::Texts { codes, .. } => retain(codes, kept),
        });
        let rows: Vec<usize> = (0..kept.len()).filter(|&row| kept[row]).collect();
        Self { x: x.select_rows(&rows), y, classes, beside, ..self }
    }

    /// Returns an empty table with the name, digest and path of `source`.
    pub(crate) fn described_by(source: &Source) -> Self {
        Self::default().described(source, "")
    }

    /// Sets the name, digest and path to those of `source`.
    pub(super) fn described(self, source: &Source, format: impl fmt::Display) -> Self {
        let (name, digest, path) = (stem(&source.path), source.digest(), Some(source.path.clone()));
        Self { name, digest, path, format: format.to_string(), ..self }
    }

    /// Makes a table of a matrix with all columns, without names and without a response.
    pub(super) fn of(x: Matrix) -> Self {
        Self { x, ..Self::default() }
    }
}

/// A matrix of features, possibly without a response: what a fitted model predicts from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// The features, n rows by p columns, as stored. NaN if a value is missing and the repeated encoding left
    /// such rows out.
    pub x: Matrix,
    /// The columns of the data that `x` has, if it is far wider than its content, as in
    /// [`Table::occurring`](super::Table::occurring).
    pub occurring: Option<Occurring>,
    /// The response, n values, if the format separates it or [`Options::y`](super::Options::y) names it. NaN
    /// if a row of delimited text or Parquet has none, or its text is not among
    /// [`Classes::Known`](super::Classes::Known).
    pub y: Option<Vec<f64>>,
    /// Rows without a response where others have one, ascending from 0.
    pub without_response: Vec<u32>,
    /// Texts of the response that are not among [`Classes::Known`](super::Classes::Known), each with its
    /// rows, ascending from 0. Empty for a response in its own file, whose rows are in
    /// [`without_response`](Self::without_response).
    pub unknown_classes: Vec<(String, Vec<u32>)>,
    /// Columns with levels that [`Options::repeat`](super::Options::repeat) lacks, each with its number of
    /// rows.
    pub unseen: Vec<String>,
    /// The columns that [`Options::beside`](super::Options::beside) requests, n values each.
    pub beside: Vec<Labels>,
    /// Names of the p columns, if the format has names.
    pub feature_names: Option<Vec<String>>,
    /// `true` if columns of zeros may be missing at the end, as in libsvm text, which states no width.
    pub is_open_ended: bool,
    /// Number of values of libsvm text that were left out, at indices beyond
    /// [`Options::width`](super::Options::width).
    pub beyond: u64,
    /// Names of columns that [`Options::repeat`](super::Options::repeat) neither uses nor left out.
    pub left_out: Vec<String>,
    /// Number of rows; none is left out.
    pub records: RecordCounts,
    /// Notes for users on how the samples were read.
    pub notes: Vec<String>,
}

impl Samples {
    /// Makes samples of a table, whose response may be missing.
    pub(crate) fn of(table: Table) -> Self {
        let Table { x, occurring, y, beside, feature_names, notes, .. } = table;
        let (y, records) = (Some(y).filter(|y| !y.is_empty()), RecordCounts::of(x.rows()));
        Self { x, occurring, y, beside, feature_names, records, notes, ..Self::default() }
    }

    /// Returns the number of columns of the data: p, or more if [`occurring`](Self::occurring) says which of
    /// them `x` has.
    pub fn width(&self) -> usize {
        self.occurring.as_ref().map_or(self.x.cols(), Occurring::width)
    }
}
