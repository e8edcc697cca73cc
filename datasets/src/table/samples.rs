//! [`Samples`]: features to predict from, with a response only where there is one.

use super::classes::Labels;
use super::loaded::Loaded;
use super::matrix::Matrix;
use super::occurring::Occurring;
use crate::records::RecordCounts;

/// A matrix of features that may come without a response: what a fitted model predicts from.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// The features, n rows by p columns, as stored; NaN where a value is missing and the encoding that is
    /// repeated left such rows out.
    pub x: Matrix,
    /// Which columns of the data `x` has, where it is far wider than what it holds, as
    /// [`Table::occurring`](super::Table::occurring).
    pub occurring: Option<Occurring>,
    /// The response, n values: where the format keeps it apart, or [`Options::y`](super::Options::y) names
    /// it. NaN where a row of delimited text or Parquet has none, and where it is a text that is none of
    /// [`Classes::Known`](super::Classes::Known).
    pub y: Option<Vec<f64>>,
    /// The rows without a response where others have one, ascending from 0.
    pub without_response: Vec<u32>,
    /// Texts of the response that are none of [`Classes::Known`](super::Classes::Known), each with its rows,
    /// ascending from 0; none of a response in a file of its own, whose rows are
    /// [`without_response`](Self::without_response).
    pub unknown_classes: Vec<(String, Vec<u32>)>,
    /// Columns that [`Options::beside`](super::Options::beside) asks for, n values each.
    pub beside: Vec<Labels>,
    /// The names of the p columns, where the format has them.
    pub feature_names: Option<Vec<String>>,
    /// Columns of zeros may be missing behind the last one, as in libsvm text: it states no width.
    pub is_open_ended: bool,
    /// Values of libsvm text at indices beyond [`Options::width`](super::Options::width), which were left
    /// out.
    pub beyond: u64,
    /// Names of columns that [`Options::repeat`](super::Options::repeat) does not use and did not leave out.
    pub left_out: Vec<String>,
    /// The rows of the data: each is here, and none is left out.
    pub records: RecordCounts,
    /// Notes for users on how the samples were read.
    pub notes: Vec<String>,
}

impl Samples {
    /// Content of a file.
    pub(super) fn of(loaded: Loaded) -> Self {
        let Loaded { x, occurring, names: feature_names, y } = loaded;
        let records = RecordCounts::of(x.rows());
        Self {
            x,
            occurring,
            y,
            without_response: Vec::new(),
            unknown_classes: Vec::new(),
            beside: Vec::new(),
            feature_names,
            is_open_ended: false,
            beyond: 0,
            left_out: Vec::new(),
            records,
            notes: Vec::new(),
        }
    }

    /// The number of columns of the data: p, or more where [`occurring`](Self::occurring) says which of them
    /// `x` has.
    pub fn width(&self) -> usize {
        self.occurring.as_ref().map_or(self.x.cols(), Occurring::width)
    }
}
