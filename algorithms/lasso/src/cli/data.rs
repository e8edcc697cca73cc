//! Reading the data that a command line names.

use raddle::cli::{Data, Error};
use raddle_datasets::{Options, Table, read_any};

/// The embedded default.
const DEFAULT: &str = "diabetes";

/// Reads DATA, or the embedded default.
pub(crate) fn read(
    source: Option<&str>,
    format: Option<&str>,
    y: Option<&str>,
    threads: usize,
) -> Result<Table, Error> {
    let format =
        format.map(str::parse).transpose().map_err(|why| Error::usage(format!("--format: {why}")))?;
    let options = Options { format, y: y.map(str::to_owned), threads };
    read_any(source.unwrap_or(DEFAULT), &options).map_err(Error::input)
}

/// What the report says of the data.
pub(crate) fn describe(table: &Table) -> Data {
    let sizes = [("rows", table.x.rows()), ("columns", table.x.cols())];
    Data {
        path: table.path.as_ref().map_or_else(|| table.name.clone(), |path| path.display().to_string()),
        sizes: sizes.into_iter().map(|(name, size)| (name.to_owned(), size as u64)).collect(),
        nonzeros: table.x.nonzeros() as u64,
        digest: table.digest.clone(),
    }
}
