//! From tables in memory, and from specifications, to files of pieces.

use std::path::Path;

use super::{ARRAYS, About, COUNTS, DESCRIBED, Described, RESPONSE, ROWS, VALUES, array, transposed};
use crate::error::ReadError;
use crate::pieces::{Pieces, PiecesWriter};
use crate::records::RecordCounts;
use crate::registry;
use crate::source::Source;
use crate::table::generate::{self, Columns, Drawing, Signal};
use crate::table::read::{self, EMBEDDED, Format, beside_no_file, is_file, read_any};
use crate::table::{ColumnOptions, Matrix, Occurring, Options, Table};

/// Writes what [`read_any`] has in memory.
pub(super) fn whole(source: &str, options: &Options, place: &Path) -> Result<(Pieces, About), ReadError> {
    match streamed(source, options)? {
        Some((opened, Format::Libsvm)) => return transposed::write(&opened, options, place),
        Some((opened, Format::Npy)) => {
            if let Some(written) = array::write(&opened, options, place)? {
                return Ok(written);
            }
        }
        _ => {}
    }
    let table = read_any(source, options)?;
    let mut out = Filling::create(place, table.x.rows(), table.x.is_sparse())?;
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
    out.finish(&table)
}

/// A file and its format. What is asked of columns without names is refused where it is read into memory.
fn streamed(source: &str, options: &Options) -> Result<Option<(Source, Format)>, ReadError> {
    if source == EMBEDDED || options.columns != ColumnOptions::default() || options.dialect.is_of_tables() {
        return Ok(None);
    }
    if registry::entry(source).is_some() {
        return Ok(Some((Source::open(&registry::locate(source)?)?, Format::Libsvm)));
    }
    is_file(source).then(|| read::open(Path::new(source), options)).transpose()
}

/// Writes what a specification describes as it is drawn.
pub(super) fn drawn(source: &str, options: &Options, place: &Path) -> Result<(Pieces, About), ReadError> {
    let drawing = Drawing::of(source)?;
    let (rows, cols) = (drawing.spec.rows, drawing.spec.cols);
    // Before what takes long: an option may be wrong.
    let beside = beside_no_file(source, options, rows)?;
    let mut signal = Signal::new(&drawing);
    let columns = drawing.columns();
    let mut out = Filling::create(place, rows, matches!(columns, Columns::Sparse(_)))?;
    match columns {
        Columns::Dense(mut fill) => {
            let mut column = vec![0.0; rows];
            for j in 0..cols {
                fill(j, &mut column);
                signal.add(j, column.iter().copied().enumerate());
                out.dense(&column)?;
            }
        }
        Columns::Sparse(mut chains) => {
            for j in 0..cols {
                let (rows, values) = chains.column(j);
                signal.add(j, rows.iter().map(|&row| row as usize).zip(values.iter().copied()));
                out.sparse(rows, values)?;
            }
        }
    }
    out.finish(&Table { y: signal.response(&drawing), beside, ..generate::described(source) })
}

/// A file that is being filled, column after column.
pub(super) struct Filling {
    out: PiecesWriter,
    about: About,
}

impl Filling {
    pub(super) fn create(place: &Path, rows: usize, is_sparse: bool) -> Result<Self, ReadError> {
        let out = PiecesWriter::create(place, &ARRAYS)?;
        Ok(Self { out, about: About { is_sparse, rows, width: 0, cols: 0, nonzeros: 0 } })
    }

    /// A column of a dense table.
    pub(super) fn dense(&mut self, values: &[f64]) -> Result<(), ReadError> {
        self.about.cols += 1;
        self.about.nonzeros += values.iter().filter(|&&value| value != 0.0).count();
        self.out.push(VALUES, values)
    }

    /// A column of a sparse table: rows, which ascend, and their values.
    pub(super) fn sparse(&mut self, rows: &[u32], values: &[f64]) -> Result<(), ReadError> {
        self.about.cols += 1;
        self.about.nonzeros += values.len();
        // No more than there are rows, which 32 bits count.
        self.out.push(COUNTS, &[values.len() as u32])?;
        self.out.push(ROWS, rows)?;
        self.out.push(VALUES, values)
    }

    /// Response, names and the rest are those of `table`.
    pub(super) fn finish(mut self, table: &Table) -> Result<(Pieces, About), ReadError> {
        self.about.width = table.occurring.as_ref().map_or(self.about.cols, Occurring::width);
        self.out.push(RESPONSE, &table.y)?;
        let mut described = Described::of(table);
        // What is written as it comes has all its rows.
        if described.records == RecordCounts::default() {
            described.records = RecordCounts::of(self.about.rows);
        }
        let described = serde_json::to_vec(&described)
            .map_err(|why| ReadError::file(Path::new(&table.name), why.to_string()))?;
        self.out.push(DESCRIBED, &described)?;
        Ok((self.out.finish(&self.about)?, self.about))
    }
}
