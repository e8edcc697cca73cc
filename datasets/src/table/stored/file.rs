//! [`StoredTable`]: a table in a file, whose columns are read on demand; [`StoredTable::made_once`]: numbers
//! that take a pass over all columns, in a file next to it.

use std::ops::Range;
use std::path::Path;

use super::layout::{COUNTS, DESCRIBED, Described, Filling, RESPONSE, ROWS, TableFacts, VALUES, fits};
use crate::arrays::pieces::{Array, PIECE, Pieces, PiecesWriter, open_or_make, starts_of};
use crate::bytes::source::short_digest;
use crate::error::ReadError;
use crate::table::matrix::of_columns;
use crate::table::{Csc, Matrix, Table};

/// A table in a file. Memory holds sizes, the response and names; columns are read on demand.
///
/// ```
/// use raddle_datasets::{Matrix, Options, StoredTable, read_any};
/// let (spec, options) = ("synth:groups:n=50,p=200,g=10,s=5", Options::default());
/// let folder = tempfile::tempdir()?;
/// let stored = StoredTable::open(spec, &options, folder.path())?;
/// let whole = read_any(spec, &options)?;
/// assert_eq!((stored.rows(), stored.cols(), &stored.described().y), (50, 200, &whole.y));
/// let some = stored.columns(20..30)?;
/// let (Matrix::Dense(some), Matrix::Dense(all)) = (some, whole.x) else { unreachable!() };
/// assert_eq!(some.column(3), all.column(23));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct StoredTable {
    pieces: Pieces,
    about: TableFacts,
    described: Table,
    /// Offset of each column's first value; empty for a dense table.
    starts: Vec<usize>,
}

impl StoredTable {
    /// Opens the table in this file, with the name, digest and path of `named`; if the file does not exist or
    /// is damaged, `make` writes it.
    pub(crate) fn at(
        place: &Path,
        named: Table,
        make: impl FnOnce(&Path) -> Result<(Pieces, TableFacts), ReadError>,
    ) -> Result<Self, ReadError> {
        let (pieces, about) = open_or_make(place, fits, make)?;
        Self::of(pieces, about, named)
    }

    fn of(pieces: Pieces, about: TableFacts, named: Table) -> Result<Self, ReadError> {
        let described: Described =
            serde_json::from_slice(&pieces.all(DESCRIBED)?).map_err(|_| pieces.damage())?;
        let mut starts = Vec::new();
        if about.is_sparse {
            starts = starts_of(&pieces.all(COUNTS)?);
            if starts.last() != Some(&pieces.count(VALUES)) {
                return Err(pieces.damage());
            }
        }
        let described = described.into_whole(Table { y: pieces.all(RESPONSE)?, ..named });
        if described.occurring.as_ref().is_some_and(|some| !some.is_sound(about.cols)) {
            return Err(pieces.damage());
        }
        Ok(Self { pieces, about, described, starts })
    }

    /// Returns the path of the file.
    pub(super) fn path(&self) -> &Path {
        self.pieces.path()
    }

    /// Returns the bytes read so far from the table's file and from [numbers next to it](Self::made_once).
    /// Whole pieces of 65,536 numbers are read, wherever one of their numbers is needed. The first process
    /// that opens an existing file reads all of it, to check it.
    pub fn bytes_read(&self) -> u64 {
        self.pieces.bytes_read()
    }

    pub(super) fn count_read(&self, bytes: u64) {
        self.pieces.count_read(bytes);
    }

    /// Returns everything known about the table except its matrix, which is empty here.
    pub fn described(&self) -> &Table {
        &self.described
    }

    /// Returns the number of rows, n.
    pub fn rows(&self) -> usize {
        self.about.rows
    }

    /// Returns the number of stored columns, p; for a wide table those with values, as in
    /// [`Table::occurring`].
    pub fn cols(&self) -> usize {
        self.about.cols
    }

    /// Returns the number of columns of the data.
    pub fn width(&self) -> usize {
        self.about.width
    }

    /// Returns the number of nonzero values; for a sparse table, of stored values.
    pub fn nonzeros(&self) -> usize {
        self.about.nonzeros
    }

    /// Returns `true` if the columns are sparse.
    pub fn is_sparse(&self) -> bool {
        self.about.is_sparse
    }

    /// Returns the offset of each column's first stored value, then the number of stored values: p + 1
    /// numbers; empty for a dense table.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Reads a range of columns, as a matrix with n rows.
    ///
    /// # Errors
    /// If the file cannot be read, was damaged since it was opened, or has no such columns.
    pub fn columns(&self, range: Range<usize>) -> Result<Matrix, ReadError> {
        let (rows, count) = (self.rows(), range.len());
        if range.start > range.end || range.end > self.cols() {
            return Err(self.pieces.damage());
        }
        if !self.is_sparse() {
            let values = self.pieces.read(VALUES, range.start * rows..range.end * rows)?;
            return of_columns(rows, count, values).map_err(|_| self.pieces.damage());
        }
        let stored = self.starts[range.start]..self.starts[range.end];
        let starts = self.starts[range.start..=range.end].iter().map(|start| start - stored.start).collect();
        let values = self.pieces.read(VALUES, stored.clone())?;
        let indices = self.pieces.read(ROWS, stored)?;
        let x = Csc::try_new_csc((rows, count), starts, indices, values);
        x.map(Matrix::Sparse).map_err(|_| self.pieces.damage())
    }

    /// Returns ranges of columns, in their order, each with at most so many stored values or of one column.
    pub(crate) fn column_ranges(&self, together: usize) -> impl Iterator<Item = Range<usize>> {
        let values = |range: &Range<usize>| match self.starts() {
            [] => range.len() * self.rows(),
            starts => starts[range.end] - starts[range.start],
        };
        let mut next = 0;
        std::iter::from_fn(move || {
            let mut range = next..next + 1;
            while range.end < self.cols() && values(&(range.start..range.end + 1)) <= together {
                range.end += 1;
            }
            next = range.end;
            (range.start < self.cols()).then_some(range)
        })
    }

    /// Reads the rows of some stored values of a sparse table, given by their ascending positions among all
    /// stored values.
    ///
    /// # Errors
    /// If the file cannot be read, was damaged since it was opened, or has no such values.
    pub fn rows_at(&self, places: &[usize]) -> Result<Vec<u32>, ReadError> {
        let mut rows = Vec::with_capacity(places.len());
        let (mut piece, mut of_piece) = (usize::MAX, Vec::new());
        for &place in places {
            if place / PIECE != piece {
                piece = place / PIECE;
                of_piece = self.pieces.piece(ROWS, piece)?;
            }
            rows.push(*of_piece.get(place % PIECE).ok_or_else(|| self.pieces.damage())?);
        }
        Ok(rows)
    }
}

/// Returns the table in a file that [`write_cached`] wrote, with its matrix; `None` if there is no such file,
/// or it is damaged.
pub(in crate::table) fn read_cached(place: &Path) -> Option<Table> {
    let (pieces, about) = Pieces::open(place)?.fitting(fits)?;
    let stored = StoredTable::of(pieces, about, Table::default()).ok()?;
    let x = stored.columns(0..stored.cols()).ok()?;
    Some(Table { x, ..stored.described })
}

/// Writes a table that is in memory, with or without its response.
pub(in crate::table) fn write_cached(table: &Table, place: &Path) -> Result<(), ReadError> {
    Filling::whole(table, place).map(|_| ())
}

const NUMBERS: Array<'static, f64> = Array::new("numbers");

impl StoredTable {
    /// Returns numbers that take a pass over all columns, from a file next to the table: of several processes
    /// that ask, one makes the file with `make`, and the others read it. The file is named after `of`, which
    /// must identify everything besides the table that the numbers depend on, including their formula.
    ///
    /// ```
    /// use raddle_datasets::{Options, ReadError, StoredTable};
    /// let folder = tempfile::tempdir()?;
    /// let open = || StoredTable::open("diabetes", &Options::default(), folder.path());
    /// let sizes = |table: &StoredTable| Ok::<_, ReadError>(vec![table.columns(0..10)?.nonzeros() as f64]);
    /// let (first, other) = (open()?, open()?);
    /// let made = first.made_once(&[b"nonzeros"], || sizes(&first))?;
    /// assert_eq!(other.made_once(&[b"nonzeros"], || Ok::<_, ReadError>(Vec::new()))?, made);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of `make`, and a file that cannot be read or written.
    pub fn made_once<E: From<ReadError>>(
        &self,
        of: &[&[u8]],
        make: impl FnOnce() -> Result<Vec<f64>, E>,
    ) -> Result<Vec<f64>, E> {
        let parts = of.iter().flat_map(|part| [&(part.len() as u64).to_le_bytes(), *part].concat());
        let name = short_digest(&parts.collect::<Vec<u8>>());
        let path = self.path().with_extension(format!("{name}.numbers"));
        let fits = |pieces: &Pieces, count: &usize| Some(pieces.count(NUMBERS) == *count);
        let (pieces, _) = open_or_make(&path, fits, |path| -> Result<_, E> {
            let numbers = make()?;
            let mut out = PiecesWriter::create(path, [NUMBERS.entry()])?;
            out.push(NUMBERS, &numbers)?;
            Ok((out.finish(&numbers.len())?, numbers.len()))
        })?;
        let numbers = pieces.all(NUMBERS)?;
        self.count_read(pieces.bytes_read());
        Ok(numbers)
    }
}
