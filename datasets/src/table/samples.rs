//! [`Samples`]: features to predict from, with a response only where there is one.

use std::path::Path;

use super::classes::{Labels, from_files};
use super::libsvm::Indices;
use super::read::{Format, Options, is_file, open, read_any};
use super::{Matrix, Occurring, libsvm, response, tabular};
use crate::error::ReadError;
use crate::records::RecordCounts;
use crate::registry;

/// A matrix of features that may come without a response: what a fitted model predicts from.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// The features, n rows by p columns, as stored; NaN where a value is missing and the encoding that is repeated left such
    /// rows out.
    pub x: Matrix,
    /// Which columns of the data `x` has, where it is far wider than what it holds, as [`Table::occurring`](super::Table::occurring).
    pub occurring: Option<Occurring>,
    /// The response, n values: where the format keeps it apart, or [`Options::y`] names it. NaN where a row of delimited
    /// text or Parquet has none, and where it is a text that is none of [`Classes::Known`](super::Classes::Known).
    pub y: Option<Vec<f64>>,
    /// The rows without a response where others have one, ascending from 0.
    pub without_response: Vec<u32>,
    /// What [`Options::beside`] asks for, n values each.
    pub beside: Vec<Labels>,
    /// The names of the p columns, where the format has them.
    pub feature_names: Option<Vec<String>>,
    /// Whether columns of zeros may be missing behind the last one, as in libsvm text: it states no width.
    pub is_open_ended: bool,
    /// Values of libsvm text at indices beyond [`Options::width`], which were left out.
    pub beyond: u64,
    /// Names of columns that [`Options::repeat`] does not use and did not leave out.
    pub left_out: Vec<String>,
    /// The rows of the data: each is here, and none is left out.
    pub records: RecordCounts,
    /// What users should know of how the samples were read.
    pub notes: Vec<String>,
}

/// Reads samples as users name them: a `synth:` specification, a public set's name, or a file's path.
///
/// Other than [`read_any`] it takes no column for the response unless `options.y` names it: without it all columns
/// are features, one called `y` too.
///
/// # Errors
/// Those of [`read_any`], but for a missing response.
///
/// ```
/// use raddle_datasets::{Options, read_samples};
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("new.csv");
/// std::fs::write(&file, "age,bmi\n61,22.5\n48,30.1\n")?;
/// let samples = read_samples(&file.to_string_lossy(), &Options::default())?;
/// assert_eq!((samples.x.rows(), samples.x.cols(), samples.y), (2, 2, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_samples(source: &str, options: &Options) -> Result<Samples, ReadError> {
    if !is_file(source) {
        let table = read_any(source, options)?;
        let is_open_ended = registry::entry(source).is_some() && table.x.is_sparse();
        return Ok(Samples {
            x: table.x,
            occurring: table.occurring,
            y: Some(table.y),
            without_response: Vec::new(),
            beside: table.beside,
            feature_names: table.feature_names,
            is_open_ended,
            beyond: 0,
            left_out: Vec::new(),
            records: table.records,
            notes: table.notes,
        });
    }
    let (source, format) = open(Path::new(source), options)?;
    if format == Format::Libsvm {
        let indices = Indices { zero_based: options.zero_based, width: options.width };
        let (loaded, beyond) = libsvm::load(&source, &indices, options.threads)?;
        let beside = from_files(options, loaded.x.rows(), format.name(), &source.path)?;
        return Ok(Samples { beside, is_open_ended: true, beyond, ..Samples::of(loaded) });
    }
    if matches!(format, Format::Csv | Format::Parquet) {
        return tabular::samples(&source, format, options);
    }
    let loaded = response::load(&source, format, options.threads)?;
    let (features, y) = if options.y.is_some() || loaded.y.is_some() {
        let (features, (y, _)) = response::part(loaded, options, &source.path)?;
        (features, Some(y))
    } else {
        (loaded, None)
    };
    let beside = from_files(options, features.x.rows(), format.name(), &source.path)?;
    Ok(Samples { y, beside, ..Samples::of(features) })
}

impl Samples {
    /// Content of a file.
    fn of(loaded: response::Loaded) -> Self {
        let response::Loaded { x, occurring, names: feature_names, y } = loaded;
        let records = RecordCounts::of(x.rows());
        Self {
            x,
            occurring,
            y,
            without_response: Vec::new(),
            beside: Vec::new(),
            feature_names,
            is_open_ended: false,
            beyond: 0,
            left_out: Vec::new(),
            records,
            notes: Vec::new(),
        }
    }

    /// The number of columns of the data: p, or more where [`occurring`](Self::occurring) says which of them `x` has.
    pub fn width(&self) -> usize {
        self.occurring.as_ref().map_or(self.x.cols(), Occurring::width)
    }
}
