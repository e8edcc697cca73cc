//! Writes tables in memory, and specifications, to files of pieces.

use std::path::Path;

use super::layout::{Filling, TableFacts};
use super::{array, transposed};
use crate::arrays::pieces::Pieces;
use crate::bytes::source::Source;
use crate::error::ReadError;
use crate::table::beside::beside_no_file;
use crate::table::generate::{self, Columns, Drawing, Signal};
use crate::table::{Format, Options, Table};

/// Writes what `read` returns; an open file is converted in bounded memory if its format allows that.
pub(crate) fn whole(
    opened: Option<(Source, Format)>,
    options: &Options,
    place: &Path,
    read: impl FnOnce() -> Result<Table, ReadError>,
) -> Result<(Pieces, TableFacts), ReadError> {
    match opened {
        Some((opened, Format::Libsvm)) => return transposed::write(&opened, options, place),
        Some((opened, Format::Npy)) => {
            if let Some(written) = array::write(&opened, options, place)? {
                return Ok(written);
            }
        }
        _ => {}
    }
    Filling::whole(&read()?, place)
}

/// Writes the table of a specification as it is drawn.
pub(crate) fn drawn(
    source: &str,
    options: &Options,
    place: &Path,
) -> Result<(Pieces, TableFacts), ReadError> {
    let drawing = Drawing::of(source)?;
    let (rows, cols) = (drawing.spec.rows, drawing.spec.cols);
    // Before the slow part, as an option may be wrong.
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
