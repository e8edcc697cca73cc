//! [`Samples`]: features to predict from, with a response if there is one.

use super::classes::Labels;
use super::data::Table;
use super::matrix::Matrix;
use super::occurring::Occurring;
use crate::records::RecordCounts;

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
