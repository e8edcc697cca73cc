//! [`Filling`]: writes a file of columns.

use std::path::Path;

use super::layout::{ARRAYS, COUNTS, DESCRIBED, Described, RESPONSE, ROWS, TableFacts, VALUES};
use crate::arrays::pieces::{Pieces, PiecesWriter};
use crate::error::ReadError;
use crate::records::RecordCounts;
use crate::table::{Occurring, Table};

/// A file that is being filled, column by column.
pub(super) struct Filling {
    out: PiecesWriter,
    about: TableFacts,
}

impl Filling {
    pub(super) fn create(place: &Path, rows: usize, is_sparse: bool) -> Result<Self, ReadError> {
        let out = PiecesWriter::create(place, &ARRAYS)?;
        Ok(Self { out, about: TableFacts { is_sparse, rows, width: 0, cols: 0, nonzeros: 0 } })
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
