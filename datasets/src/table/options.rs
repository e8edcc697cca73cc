//! [`Options`]: options for reading a table; [`Format`], one of them.

use std::path::PathBuf;

use super::classes::{Beside, Classes};
use super::encoding::{ColumnOptions, Encoding};
use super::held_out::HeldOut;
use crate::dialect::Dialect;
use crate::names::named;

/// Options for reading a table.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The format; `None` recognises it from the content.
    pub format: Option<Format>,
    /// The response, for formats without one: the name of a column, its index (from 1; -1 is the last), or a
    /// file with one value per row, tried in this order. `None` takes the column `y`, `target` or `label`.
    pub y: Option<String>,
    /// Number of threads, 0 for one; the result is the same for any number.
    pub threads: usize,
    /// `true` if indices of libsvm text count from 0, as scikit-learn's `dump_svmlight_file` writes them by
    /// default.
    pub zero_based: bool,
    /// Number of columns of libsvm text, which does not state it: values at larger indices are left out and
    /// counted in [`Samples::beyond`](super::Samples::beyond). `None` takes the largest index.
    pub width: Option<u32>,
    /// The dialect of delimited text, and the encoding of any text.
    pub dialect: Dialect,
    /// Options for the columns of delimited text and Parquet: which are features, and how they are encoded.
    pub columns: ColumnOptions,
    /// Treatment of a response of texts.
    pub classes: Classes,
    /// Additional columns, which are not features; with any, the cache is not used.
    pub beside: Vec<Beside>,
    /// The encoding that [`read_samples`](crate::read_samples) repeats: that of the table to which a model
    /// was fitted.
    pub repeat: Option<Encoding>,
    /// Rows to hold out when a table is read; [`read_samples`](crate::read_samples) reads all rows.
    pub held_out: Option<HeldOut>,
    /// Folder in which parsed text is cached in binary files, named after the digest of the content.
    pub cache: Option<PathBuf>,
}

/// A file format of tables. Files may be compressed with gzip or zstd, except npz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `response index:value ...`, one row per line, as in libsvm and svmlight.
    Libsvm,
    /// Cells separated by one character or by blanks, with or without a header: a
    /// [`Dialect`].
    Csv,
    /// One numpy array.
    Npy,
    /// The numpy arrays `X` and `y`, or a sparse matrix of scipy.
    Npz,
    /// Matrix Market, in coordinate or array format.
    MatrixMarket,
    /// Apache Parquet, in builds with the feature `parquet`.
    Parquet,
}

named! {
    pub Format {
        Libsvm = "libsvm", Csv = "csv", Npy = "npy", Npz = "npz", MatrixMarket = "mtx", Parquet = "parquet",
        Csv = "tsv",
    }
    unknown
}

impl Format {
    /// Returns the formats that this build reads.
    pub fn readable() -> impl Iterator<Item = Self> {
        let is_read = |format: &Self| *format != Self::Parquet || cfg!(feature = "parquet");
        Self::ALL.iter().filter(|(name, _)| *name != "tsv").map(|&(_, format)| format).filter(is_read)
    }
}

fn unknown(name: &str) -> String {
    let known: Vec<&str> = Format::readable().map(Format::name).collect();
    format!("`{name}` is no format: choose {}", known.join(", "))
}
