//! Reading the data that a command line names.

use std::path::PathBuf;

use raddle::cli::{Data, Error};
use raddle_datasets::{Options, Table, read_any, registry};

/// The embedded default.
const DEFAULT: &str = "diabetes";

/// What DATA may be, for the help.
pub(crate) fn known() -> String {
    let names = registry::ENTRIES.each_ref().map(|entry| entry.name).join(", ");
    format!(
        "a file (libsvm, csv, npy, npz or mtx, gzip or not); a public set by name, read from the folder RADDLE_DATA \
         ({names}; {DEFAULT} is embedded); or a table to generate, such as synth:groups:n=200,p=2000,s=10"
    )
}

/// What DATA of training may be.
pub(crate) fn known_or_default() -> String {
    format!("The data: {}. The embedded {DEFAULT} if none is given", known())
}

/// Reads DATA, or the embedded default.
pub(crate) fn read(
    source: Option<&str>,
    format: Option<&str>,
    y: Option<&str>,
    threads: usize,
    cache: Option<PathBuf>,
) -> Result<Table, Error> {
    let options = Options { cache, ..options(format, y, threads)? };
    read_any(source.unwrap_or(DEFAULT), &options).map_err(Error::input)
}

/// How to read.
pub(crate) fn options(format: Option<&str>, y: Option<&str>, threads: usize) -> Result<Options, Error> {
    let format =
        format.map(str::parse).transpose().map_err(|why| Error::usage(format!("--format: {why}")))?;
    Ok(Options { format, y: y.map(str::to_owned), threads, ..Options::default() })
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
