//! The arrays of a file of columns, the facts stored with them, and [`Filling`], which writes them.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::arrays::pieces::{Array, Pieces, PiecesWriter};
use crate::error::ReadError;
use crate::metadata::metadata;
use crate::records::RecordCounts;
use crate::table::{Encoding, Filled, Labels, Matrix, Occurring, Table};

pub(super) const VALUES: Array<'static, f64> = Array::new("values");
pub(super) const ROWS: Array<'static, u32> = Array::new("rows");
pub(super) const COUNTS: Array<'static, u32> = Array::new("values of column");
pub(super) const RESPONSE: Array<'static, f64> = Array::new("response");
pub(super) const DESCRIBED: Array<'static, u8> = Array::new("described");

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

/// Checks that the arrays of a file fit its facts; a table without a response is one that is cached before it
/// is chosen.
pub(super) fn fits(pieces: &Pieces, about: &TableFacts) -> Option<bool> {
    let (values, columns) = match about.is_sparse {
        true => (pieces.count(ROWS), about.cols),
        false => (about.rows.checked_mul(about.cols)?, 0),
    };
    let are_columns = pieces.count(VALUES) == values && pieces.count(COUNTS) == columns;
    Some(are_columns && [0, about.rows].contains(&pieces.count(RESPONSE)))
}

/// A file that is being filled, column by column.
pub(super) struct Filling {
    out: PiecesWriter,
    about: TableFacts,
}

impl Filling {
    pub(super) fn create(place: &Path, rows: usize, is_sparse: bool) -> Result<Self, ReadError> {
        let own = [VALUES.entry(), ROWS.entry(), COUNTS.entry(), RESPONSE.entry(), DESCRIBED.entry()];
        let about = TableFacts { is_sparse, rows, width: 0, cols: 0, nonzeros: 0 };
        Ok(Self { out: PiecesWriter::create(place, own)?, about })
    }

    /// Adds a column of a dense table.
    pub(super) fn dense(&mut self, values: &[f64]) -> Result<(), ReadError> {
        self.about.cols += 1;
        self.about.nonzeros += values.iter().filter(|&&value| value != 0.0).count();
        self.out.push(VALUES, values)
    }

    /// Adds a column of a sparse table: rows, which ascend, and their values.
    pub(super) fn sparse(&mut self, rows: &[u32], values: &[f64]) -> Result<(), ReadError> {
        self.about.cols += 1;
        self.about.nonzeros += values.len();
        // At most the number of rows, which fits into 32 bits.
        self.out.push(COUNTS, &[values.len() as u32])?;
        self.out.push(ROWS, rows)?;
        self.out.push(VALUES, values)
    }

    /// Writes a table that is in memory.
    pub(super) fn whole(table: &Table, place: &Path) -> Result<(Pieces, TableFacts), ReadError> {
        let mut out = Self::create(place, table.x.rows(), table.x.is_sparse())?;
        match &table.x {
            Matrix::Dense(x) => {
                for column in x.columns() {
                    match column.to_slice() {
                        Some(values) => out.dense(values)?,
                        None => out.dense(&column.to_vec())?,
                    }
                }
            }
            Matrix::Sparse(x) => {
                for column in x.outer_iterator() {
                    out.sparse(column.indices(), column.data())?;
                }
            }
        }
        out.finish(table)
    }

    /// Ends the file, with the response, names and metadata of `table`.
    pub(super) fn finish(mut self, table: &Table) -> Result<(Pieces, TableFacts), ReadError> {
        self.about.width = table.occurring.as_ref().map_or(self.about.cols, Occurring::width);
        self.out.push(RESPONSE, &table.y)?;
        let mut described = Described::of(table);
        // A table that is written row by row has all its rows.
        if described.records == RecordCounts::default() {
            described.records = RecordCounts::of(self.about.rows);
        }
        let described = serde_json::to_vec(&described)
            .map_err(|why| ReadError::file(Path::new(&table.name), why.to_string()))?;
        self.out.push(DESCRIBED, &described)?;
        Ok((self.out.finish(&self.about)?, self.about))
    }
}
