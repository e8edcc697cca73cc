//! [`StoredTable::open`]: opens tables, by the names that users give, in files of columns.

use std::path::Path;

use super::tables::{EMBEDDED, check_no_file, is_file, is_public, read_any};
use crate::bytes::source::Source;
use crate::error::ReadError;
use crate::registry::{self, SetKind, compare, embedded};
use crate::table::{ColumnOptions, Format, Options, StoredTable, Table, generate, open, stored};

impl StoredTable {
    /// Opens the table that [`read_any`] would read from `source`, in a file of `folder`. The file is made if
    /// it does not exist or is damaged; of several processes that ask at once one makes it. Generated columns
    /// are written as they are drawn, and libsvm text and `.npy` files are converted in bounded memory; other
    /// files are read into memory first.
    ///
    /// # Errors
    /// The errors of [`read_any`], rows to hold out, and a folder that cannot be written to.
    pub fn open(source: &str, options: &Options, folder: &Path) -> Result<Self, ReadError> {
        let source = &*registry::as_path(source);
        check_no_file(source, options)?;
        if options.held_out.is_some() {
            let why =
                "rows cannot be held out of a table that is kept as a file of columns: read it into memory";
            return Err(ReadError::file(Path::new(source), why));
        }
        let mut options = Options { cache: None, ..options.clone() };
        if is_public(source) {
            (options.format, options.y) = (None, None);
        }
        let options = &options;
        let named = named(source)?;
        let place =
            folder.join(format!("{}-{}.columns", named.digest, stored::variant(options, Path::new(source))?));
        let make = |place: &Path| match source.starts_with("synth:") {
            true => stored::drawn(source, options, place),
            false => stored::whole(streamed(source, options)?, options, place, || read_any(source, options)),
        };
        Self::at(&place, named, make)
    }
}

/// Returns an empty table with the name, digest and path of the data.
fn named(source: &str) -> Result<Table, ReadError> {
    if source == EMBEDDED {
        let Table { name, digest, .. } = embedded::diabetes();
        return Ok(Table { name, digest, ..generate::described(source) });
    }
    if source.starts_with("synth:") {
        return Ok(generate::described(source));
    }
    if let Some(set) = registry::verified_set(SetKind::Table, source) {
        let (path, sha256) = registry::path_of(set)?;
        let table = Table::described_by(&Source::open(&path)?);
        compare(&path, &table.digest, sha256)?;
        return Ok(table);
    }
    match is_file(source) {
        true => Ok(Table::described_by(&Source::open(Path::new(source))?)),
        false => Err(registry::not_found(source, SetKind::Table).into()),
    }
}

/// Opens a file and determines its format; `None` if the table must be read into memory, which also refuses
/// options on columns without names.
fn streamed(source: &str, options: &Options) -> Result<Option<(Source, Format)>, ReadError> {
    if source == EMBEDDED || options.columns != ColumnOptions::default() || options.dialect.is_of_tables() {
        return Ok(None);
    }
    if is_public(source) {
        return Ok(Some((Source::open(&registry::locate(source)?)?, Format::Libsvm)));
    }
    is_file(source).then(|| open(Path::new(source), options)).transpose()
}
