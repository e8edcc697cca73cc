//! Reads additional columns, which are not features, from files.

use std::path::Path;

use super::classes::{Beside, IDS, Labels, ids, labels};
use super::options::Options;
use super::response::column_of;
use crate::dialect::Dialect;
use crate::error::ReadError;

/// Reads the additional columns of data whose columns have no names; all must be files.
pub(super) fn from_files(
    options: &Options,
    rows: usize,
    format: &str,
    path: &Path,
) -> Result<Vec<Labels>, ReadError> {
    let read = |asked: &Beside| {
        let Beside { option, name } = asked;
        let file = Path::new(name);
        if !file.is_file() {
            let why = format!(
                "{option} {name}: {format} has no columns with names: give a file with one value per row, or \
                 csv or parquet"
            );
            return Err(ReadError::file(path, why));
        }
        from_file(asked, file, rows, &options.dialect)
    };
    let beside = &options.beside;
    let twice = (1..beside.len()).find(|&at| beside[..at].iter().any(|other| other.name == beside[at].name));
    if let Some(at) = twice {
        let Beside { option, name } = &beside[at];
        let why = format!("{option}: the file `{name}` is named by another option already: name another one");
        return Err(ReadError::file(path, why));
    }
    beside.iter().map(read).collect()
}

/// Reads a file with one value per row.
pub(super) fn from_file(
    asked: &Beside,
    file: &Path,
    rows: usize,
    dialect: &Dialect,
) -> Result<Labels, ReadError> {
    let option = asked.option;
    let refuse = |why: String| ReadError::file(file, format!("{option}: {why}"));
    let column = column_of(file, rows, dialect, asked.kind())?;
    if let Some(at) = column.first_missing.filter(|_| option != IDS) {
        return Err(at.error(file, format!("{option}: there is no value")));
    }
    let read = if option == IDS { ids(column.values) } else { labels(column.values) };
    let read = read.ok_or_else(|| refuse("a value is no finite number".into()))?;
    let count = read.rows();
    match count == rows {
        true => Ok(read),
        false => Err(refuse(format!("{count} values for {rows} rows: they must be as many"))),
    }
}

/// Reads the additional columns of a table that is not from a file.
pub(crate) fn beside_no_file(source: &str, options: &Options, rows: usize) -> Result<Vec<Labels>, ReadError> {
    from_files(options, rows, &format!("{source}, which is no file,"), Path::new(source))
}
