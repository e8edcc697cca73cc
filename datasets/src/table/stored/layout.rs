//! The arrays of a file of columns, and the facts stored with them.

use serde::{Deserialize, Serialize};

use crate::arrays::pieces::Pieces;
use crate::metadata::metadata;
use crate::records::RecordCounts;
use crate::table::{Encoding, Filled, Labels, Occurring, Table};

/// Name of each array, with the bytes of one number.
pub(super) const ARRAYS: [(&str, usize); 5] =
    [("values", 8), ("rows", 4), ("values of column", 4), ("response", 8), ("described", 1)];

pub(super) const VALUES: usize = 0;
pub(super) const ROWS: usize = 1;
pub(super) const COUNTS: usize = 2;
pub(super) const RESPONSE: usize = 3;
pub(super) const DESCRIBED: usize = 4;

/// Facts stored with the arrays of a table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TableFacts {
    pub(super) is_sparse: bool,
    pub(super) rows: usize,
    /// Number of columns in the data; then of stored columns.
    pub(super) width: usize,
    pub(super) cols: usize,
    pub(super) nonzeros: usize,
}

metadata! {
    /// Metadata of the table; see [`Table`].
    Described of Table {
        format: String,
        occurring: Option<Occurring>,
        feature_names: Option<Vec<String>>,
        encoding: Option<Encoding>,
        filled: Vec<Filled>,
        classes: Option<Vec<String>>,
        beside: Vec<Labels>,
        records: RecordCounts,
        notes: Vec<String>,
    }
}

/// Checks that the arrays of a file fit its facts.
pub(super) fn fits(pieces: &Pieces, about: &TableFacts) -> Option<bool> {
    let count = |array: usize| pieces.count(ARRAYS[array].0);
    let (values, columns) = match about.is_sparse {
        true => (count(ROWS), about.cols),
        false => (about.rows.checked_mul(about.cols)?, 0),
    };
    Some(count(VALUES) == values && count(COUNTS) == columns && count(RESPONSE) == about.rows)
}
