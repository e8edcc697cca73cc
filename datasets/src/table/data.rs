//! [`Table`]: a matrix of features with its response, and what is known of it.

use std::path::PathBuf;

use ndarray::Array2;

use super::classes::{Labels, compact};
use super::columns::retain;
use super::encoding::Encoding;
use super::features::Filled;
use super::held_out::HeldOut;
use super::matrix::Matrix;
use super::occurring::Occurring;
use crate::bytes::source::{Source, stem};
use crate::records::RecordCounts;

/// A matrix of features with its response: what regression and classification are fitted to.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The registry's name, the file's name without its endings, or the `synth:` specification.
    pub name: String,
    /// The features, n rows by p columns, as stored: neither centred nor scaled.
    pub x: Matrix,
    /// Which columns of the data `x` has, where it is sparse and far wider than what it holds: then p counts
    /// those with values. `None` where it has all of them.
    pub occurring: Option<Occurring>,
    /// The response, n finite values, as stored.
    pub y: Vec<f64>,
    /// The names of the p columns, where the format has them.
    pub feature_names: Option<Vec<String>>,
    /// SHA-256 of the file's bytes as stored (compression not undone), 64 hexadecimal digits;
    /// of the specification's text for generated data.
    pub digest: String,
    /// The file that was read; `None` for embedded and generated data.
    pub path: Option<PathBuf>,
    /// The name of its format; `embedded` or `generated` where there is no file.
    pub format: String,
    /// How the columns became features, where some are no numbers as they stand, or were left out.
    pub encoding: Option<Encoding>,
    /// Missing numbers that the mean of others fills.
    pub filled: Vec<Filled>,
    /// Of a response of texts ([`Options::classes`](super::Options::classes)): the texts, sorted; `y` has
    /// their numbers from 0.
    pub classes: Option<Vec<String>>,
    /// The columns that [`Options::beside`](super::Options::beside) asks for, in its order.
    pub beside: Vec<Labels>,
    /// The rows of the data, and those that are left out here.
    pub records: RecordCounts,
    /// Notes for users on how the table was read.
    pub notes: Vec<String>,
}

impl Table {
    /// The number of columns of the data: p, or more where [`occurring`](Self::occurring) says which of them
    /// `x` has.
    pub fn width(&self) -> usize {
        self.occurring.as_ref().map_or(self.x.cols(), Occurring::width)
    }

    /// The table, whose columns are numbers as they stand, without the rows that are held out, if any are: as
    /// if its data had the others alone.
    pub(crate) fn without(self, held_out: Option<HeldOut>) -> Result<Self, String> {
        let Some(held_out) = held_out else { return Ok(self) };
        let kept = held_out.kept(self.y.len())?;
        Ok(self.only(&kept))
    }

    /// The table with these of its rows alone.
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

    /// An empty table with the name, digest and path of `source`.
    pub(crate) fn described_by(source: &Source) -> Self {
        Self {
            name: stem(&source.path),
            x: Matrix::Dense(Array2::zeros((0, 0))),
            occurring: None,
            y: Vec::new(),
            feature_names: None,
            digest: source.digest(),
            path: Some(source.path.clone()),
            format: String::new(),
            encoding: None,
            filled: Vec::new(),
            classes: None,
            beside: Vec::new(),
            records: RecordCounts::default(),
            notes: Vec::new(),
        }
    }
}
