//! [`Options`]: how to read a table.

use std::path::PathBuf;

use super::classes::{Beside, Classes};
use super::encoding::{ColumnOptions, Encoding};
use super::format::Format;
use super::held_out::HeldOut;
use crate::dialect::Dialect;

/// How to read a table.
#[derive(Clone, Debug)]
pub struct Options {
    /// The format; `None` recognises it by the content.
    pub format: Option<Format>,
    /// The response of formats that do not have it: a column's name, its index (from 1; -1 is the last), or a
    /// file with one value a row, tried in this order. `None` takes the column `y`, `target` or `label`.
    pub y: Option<String>,
    /// How many threads may compute; the result is the same for any number.
    pub threads: usize,
    /// Indices of libsvm text count from 0, as those of scikit-learn's `dump_svmlight_file` do unless told
    /// otherwise.
    pub zero_based: bool,
    /// The number of columns of libsvm text, which states none: values at larger indices are left out, and
    /// [`Samples::beyond`](super::Samples::beyond) counts them. `None` takes the largest index.
    pub width: Option<u32>,
    /// How delimited text is written, and how the bytes of any text are letters.
    pub dialect: Dialect,
    /// Which columns of delimited text and Parquet are features, and how.
    pub columns: ColumnOptions,
    /// `true` if the response may be texts.
    pub classes: Classes,
    /// Columns that are no features, and are given beside them; with some, nothing is taken from the cache.
    pub beside: Vec<Beside>,
    /// Encoding that [`read_samples`](crate::read_samples) repeats: that of the table that a model was fitted
    /// to.
    pub repeat: Option<Encoding>,
    /// Rows that a table is read without; [`read_samples`](crate::read_samples) reads all.
    pub held_out: Option<HeldOut>,
    /// A folder in which parsed text is kept as binary files, named by the content's digest, and found again.
    pub cache: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: None,
            y: None,
            threads: 1,
            zero_based: false,
            width: None,
            dialect: Dialect::default(),
            columns: ColumnOptions::default(),
            classes: Classes::Refused,
            beside: Vec::new(),
            repeat: None,
            held_out: None,
            cache: None,
        }
    }
}
