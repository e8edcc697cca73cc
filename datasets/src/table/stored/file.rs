//! [`StoredTable`]: columns of a file are read by parts.

use std::ops::Range;
use std::path::Path;

use super::layout::{ARRAYS, COUNTS, DESCRIBED, Described, RESPONSE, ROWS, TableFacts, VALUES, fits};
use crate::arrays::pieces::{PIECE, Pieces, open_or_make, starts_of};
use crate::error::ReadError;
use crate::table::matrix::dense;
use crate::table::{Csc, Matrix, Table};

/// A table in a file, of which memory holds what is asked for: sizes, the response and names are here,
/// columns are read.
///
/// ```
/// use raddle_datasets::{Matrix, Options, StoredTable, read_any};
/// let (spec, options) = ("synth:groups:n=50,p=200,g=10,s=5", Options::default());
/// let folder = tempfile::tempdir()?;
/// let stored = StoredTable::open(spec, &options, folder.path())?;
/// let whole = read_any(spec, &options)?;
/// assert_eq!((stored.rows(), stored.cols(), &stored.described().y), (50, 200, &whole.y));
/// let (Matrix::Dense(some), Matrix::Dense(all)) = (stored.columns(20..30)?, whole.x) else { unreachable!() };
/// assert_eq!(some.column(3), all.column(23));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct StoredTable {
    pieces: Pieces,
    about: TableFacts,
    described: Table,
    /// Where the values of each column begin; empty of a dense table.
    starts: Vec<usize>,
}

impl StoredTable {
    /// The table in this file, of the name, digest and path of `named`; where it is not there yet, or
    /// damaged, `make` writes it.
    pub(crate) fn at(
        place: &Path,
        named: Table,
        make: impl FnOnce(&Path) -> Result<(Pieces, TableFacts), ReadError>,
    ) -> Result<Self, ReadError> {
        let (pieces, about) = open_or_make(place, fits, make)?;
        let described: Vec<u8> = pieces.all(ARRAYS[DESCRIBED].0)?;
        let described: Described = serde_json::from_slice(&described).map_err(|_| pieces.damage())?;
        let counts: Vec<u32> = pieces.all(ARRAYS[COUNTS].0)?;
        let mut starts = Vec::new();
        if about.is_sparse {
            starts = starts_of(&counts);
            if starts.last() != Some(&pieces.count(ARRAYS[VALUES].0)) {
                return Err(pieces.damage());
            }
        }
        let Described { format, occurring, feature_names, encoding, filled, classes, beside, records, notes } =
            described;
        if occurring.as_ref().is_some_and(|some| !some.is_sound(about.cols)) {
            return Err(pieces.damage());
        }
        let y = pieces.all(ARRAYS[RESPONSE].0)?;
        let described = Table {
            y,
            format,
            occurring,
            feature_names,
            encoding,
            filled,
            classes,
            beside,
            records,
            notes,
            ..named
        };
        Ok(Self { pieces, about, described, starts })
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        self.pieces.path()
    }

    /// Bytes read so far of the table's file and of [numbers beside it](Self::made_once): whole pieces, of
    /// 65,536 numbers each, that have a number which was asked for. The first process that opens a file that
    /// was there reads it all.
    pub fn bytes_read(&self) -> u64 {
        self.pieces.bytes_read()
    }

    pub(super) fn count_read(&self, bytes: u64) {
        self.pieces.count_read(bytes);
    }

    /// All that is known of the table but for its matrix, which is empty here.
    pub fn described(&self) -> &Table {
        &self.described
    }

    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        self.about.rows
    }

    /// Number of columns that are here, p: those with values of a wide table, as [`Table::occurring`] says.
    pub fn cols(&self) -> usize {
        self.about.cols
    }

    /// Number of columns of the data.
    pub fn width(&self) -> usize {
        self.about.width
    }

    /// Number of values that are not zero; of a sparse table, of stored ones.
    pub fn nonzeros(&self) -> usize {
        self.about.nonzeros
    }

    /// `true` if the columns are sparse.
    pub fn is_sparse(&self) -> bool {
        self.about.is_sparse
    }

    /// Where the stored values of each column begin among those of all, and their number: p + 1 numbers; of a
    /// dense table none.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The columns of a range, n by as many.
    ///
    /// # Errors
    /// If the file cannot be read, or was damaged since it was opened, or has no such columns.
    pub fn columns(&self, range: Range<usize>) -> Result<Matrix, ReadError> {
        let (rows, count) = (self.rows(), range.len());
        if range.start > range.end || range.end > self.cols() {
            return Err(self.pieces.damage());
        }
        if !self.is_sparse() {
            let values = self.pieces.read(ARRAYS[VALUES].0, range.start * rows..range.end * rows)?;
            return dense((rows, count), true, values).map_err(|_| self.pieces.damage());
        }
        let stored = self.starts[range.start]..self.starts[range.end];
        let starts = self.starts[range.start..=range.end].iter().map(|start| start - stored.start).collect();
        let values = self.pieces.read(ARRAYS[VALUES].0, stored.clone())?;
        let indices: Vec<u32> = self.pieces.read(ARRAYS[ROWS].0, stored)?;
        let x = Csc::try_new_csc((rows, count), starts, indices, values);
        x.map(Matrix::Sparse).map_err(|_| self.pieces.damage())
    }

    /// The rows of some stored values of a sparse table, which are named by their places among those of all,
    /// ascending.
    ///
    /// # Errors
    /// If the file cannot be read, or was damaged since it was opened, or has no such values.
    pub fn rows_at(&self, places: &[usize]) -> Result<Vec<u32>, ReadError> {
        let mut rows = Vec::with_capacity(places.len());
        let (mut piece, mut of_piece) = (usize::MAX, Vec::new());
        for &place in places {
            if place / PIECE != piece {
                piece = place / PIECE;
                of_piece = self.pieces.piece(ARRAYS[ROWS].0, piece)?;
            }
            rows.push(*of_piece.get(place % PIECE).ok_or_else(|| self.pieces.damage())?);
        }
        Ok(rows)
    }
}
