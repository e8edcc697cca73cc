//! [`StoredTable`]: a table in a file of pieces, of which columns are read by parts.
//!
//! The file's name is the SHA-256 of the data's bytes as stored, and how it was read: another content has another name.
//! It has the values, column after column (of a sparse table those stored, with their rows, and how many each column has),
//! the response, and as JSON what else is known of the table.

mod array;
mod transposed;
mod write;

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::read::{EMBEDDED, check_no_file, is_file};
use super::{Csc, Encoding, Filled, Labels, Matrix, Occurring, Options, Table, dense, generate};
use crate::dialect::beginning::is_tabs;
use crate::embedded;
use crate::error::ReadError;
use crate::pieces::{PIECE, Pieces, open_or_make};
use crate::records::RecordCounts;
use crate::registry::{self, RegistryError};
use crate::source::Source;

/// The arrays of a file, and the bytes of a number of each.
const ARRAYS: [(&str, usize); 5] =
    [("values", 8), ("rows", 4), ("values of column", 4), ("response", 8), ("described", 1)];

const VALUES: usize = 0;
const ROWS: usize = 1;
const COUNTS: usize = 2;
const RESPONSE: usize = 3;
const DESCRIBED: usize = 4;

/// What a file says of its table beside its arrays.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct About {
    is_sparse: bool,
    rows: usize,
    /// Columns of the data, and those that are here.
    width: usize,
    cols: usize,
    nonzeros: usize,
}

/// What reading found beside the numbers; see [`Table`].
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Described {
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

/// A table in a file, of which memory holds what is asked for: sizes, the response and names are here, columns are read.
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
    about: About,
    described: Table,
    /// Where the values of each column begin; empty of a dense table.
    starts: Vec<usize>,
}

impl StoredTable {
    /// Opens the table that [`read_any`](crate::read_any) reads from `source`, kept in this folder; where it is not there
    /// yet, or damaged, it is written. Of several processes that ask at the same time one writes. Generated columns are
    /// written as they are drawn, libsvm text and `.npy` in bounded memory; other files are read into memory first.
    ///
    /// # Errors
    /// Those of [`read_any`](crate::read_any), and a folder that cannot be written to.
    pub fn open(source: &str, options: &Options, folder: &Path) -> Result<Self, ReadError> {
        check_no_file(source, options)?;
        let mut options = Options { cache: None, ..options.clone() };
        if registry::entry(source).is_some() {
            (options.format, options.y) = (None, None);
        }
        let options = &options;
        let named = named(source)?;
        let place = folder.join(format!("{}-{}.columns", named.digest, variant(options, Path::new(source))?));
        let make = |place: &Path| match source.starts_with("synth:") {
            true => write::drawn(source, options, place),
            false => write::whole(source, options, place),
        };
        let (pieces, about) = open_or_make(&place, checked, make)?;
        let described: Vec<u8> = pieces.all(ARRAYS[DESCRIBED].0)?;
        let described: Described = serde_json::from_slice(&described).map_err(|_| pieces.damage())?;
        let counts: Vec<u32> = pieces.all(ARRAYS[COUNTS].0)?;
        let mut starts = Vec::new();
        if about.is_sparse {
            starts.reserve_exact(counts.len() + 1);
            starts.push(0);
            let ends = counts.iter().scan(0, |end, &count| {
                *end += count as usize;
                Some(*end)
            });
            starts.extend(ends);
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

    /// Whether the columns are sparse.
    pub fn is_sparse(&self) -> bool {
        self.about.is_sparse
    }

    /// Where the stored values of each column begin among those of all, and their number: p + 1 numbers; of a dense table
    /// none.
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

    /// The rows of some stored values of a sparse table, which are named by their places among those of all, ascending.
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

impl Described {
    fn of(table: &Table) -> Self {
        Self {
            format: table.format.clone(),
            occurring: table.occurring.clone(),
            feature_names: table.feature_names.clone(),
            encoding: table.encoding.clone(),
            filled: table.filled.clone(),
            classes: table.classes.clone(),
            beside: table.beside.clone(),
            records: table.records.clone(),
            notes: table.notes.clone(),
        }
    }
}

/// Name, digest and path of the data.
fn named(source: &str) -> Result<Table, ReadError> {
    if source == EMBEDDED {
        let Table { name, digest, .. } = embedded::diabetes();
        return Ok(Table { name, digest, ..generate::described(source) });
    }
    if source.starts_with("synth:") {
        return Ok(generate::described(source));
    }
    if let Some(entry) = registry::entry(source) {
        let path = registry::locate(source)?;
        let table = Table::described_by(&Source::open(&path)?);
        registry::compare(&path, &table.digest, entry.sha256)?;
        return Ok(table);
    }
    match is_file(source) {
        true => Ok(Table::described_by(&Source::open(Path::new(source))?)),
        false => Err(RegistryError::Unknown { name: source.into() }.into()),
    }
}

/// How a file is read, as a part of a name; with the content of files beside it.
fn variant(options: &Options, path: &Path) -> Result<String, ReadError> {
    let Options {
        format,
        y,
        zero_based,
        width,
        dialect,
        columns,
        classes,
        beside,
        repeat,
        threads: _,
        cache: _,
    } = options;
    let mut all = format!("{format:?} {y:?} {zero_based} {width:?} {dialect:?} {} ", is_tabs(path));
    all += &format!("{columns:?} {classes:?} {beside:?} {repeat:?}");
    for name in y.iter().chain(beside.iter().map(|beside| &beside.name)) {
        if Path::new(name).is_file() {
            all += &format!(" {}", Source::open(Path::new(name))?.digest());
        }
    }
    Ok(Sha256::digest(all.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect())
}

/// A file that is whole, and is one of a table.
fn checked(path: &Path) -> Option<(Pieces, About)> {
    let pieces = Pieces::open_checked(path)?;
    let about: About = pieces.about()?;
    let count = |array: usize| pieces.count(ARRAYS[array].0);
    let (values, columns) = match about.is_sparse {
        true => (count(ROWS), about.cols),
        false => (about.rows.checked_mul(about.cols)?, 0),
    };
    let fits = count(VALUES) == values && count(COUNTS) == columns && count(RESPONSE) == about.rows;
    fits.then_some((pieces, about))
}
