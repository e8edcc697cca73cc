//! Reads a table, or samples, from a file of any format.

use std::path::Path;

use super::beside::from_files;
use super::classes::Beside;
use super::data::{Samples, Table};
use super::encoding::ColumnOptions;
use super::gaps::{self, Gaps};
use super::libsvm::Indices;
use super::options::{Format, Options};
use super::recognise::{recognise, unknown};
use super::{cache, libsvm, response, tabular};
use crate::bytes::foreign::foreign;
use crate::bytes::source::Source;
use crate::error::ReadError;
use crate::records::RecordCounts;

/// Reads a file of any known format, compressed with gzip or zstd or not; `-` is standard input.
///
/// # Errors
/// If the format is not recognised, the response is not chosen or does not exist, rows and responses differ
/// in number, or the format's reader finds an error; the message names the file and, in text, the line.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("small.csv");
/// use raddle_datasets::{Options, read};
/// std::fs::write(&path, "age,height,weight\n31,1.70,68\n45,1.82,80\n")?;
/// let table = read(&path, &Options { y: Some("weight".into()), ..Options::default() })?;
/// assert_eq!(table.y, [68.0, 80.0]);
/// assert_eq!(table.feature_names.unwrap(), ["age", "height"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(path: impl AsRef<Path>, options: &Options) -> Result<Table, ReadError> {
    let (source, format) = open(path.as_ref(), options)?;
    table(&source, format, options)
}

/// Reads the table in an open file.
pub(crate) fn table(source: &Source, format: Format, options: &Options) -> Result<Table, ReadError> {
    if matches!(format, Format::Csv | Format::Parquet) {
        return tabular::load(source, format, options);
    }
    let missing = options.columns.missing;
    if options.columns != (ColumnOptions { missing, ..ColumnOptions::default() }) {
        let why = format!(
            "{format} has no columns with names: --columns, --drop, --categorical and --max-levels are for \
             csv and parquet"
        );
        return Err(ReadError::file(&source.path, why));
    }
    if let Some(Beside { option, name }) =
        options.beside.iter().find(|beside| options.y.as_ref() == Some(&beside.name))
    {
        let why = format!(
            "{option}: the file `{name}` is the response already, and cannot be both: name another one"
        );
        return Err(ReadError::file(&source.path, why));
    }
    let table = response::part(cache::parsed(source, format, options)?, options, &source.path)?;
    let beside = from_files(options, table.y.len(), format.name(), &source.path)?;
    let records = RecordCounts::of(table.y.len());
    let table = Table { beside, records, ..table.described(source, format) };
    let table = table.without(options.held_out).and_then(|table| gaps::treated(table, missing));
    table.map_err(|why| ReadError::file(&source.path, why))
}

/// Reads the samples in a file, with a response if the format has one or `options.y` names it.
pub(crate) fn samples(path: &Path, options: &Options) -> Result<Samples, ReadError> {
    let (source, format) = open(path, options)?;
    let gaps = Gaps::of(options.repeat.as_ref().map(|encoding| encoding.missing).unwrap_or_default());
    if format == Format::Libsvm {
        let indices = Indices { zero_based: options.zero_based, width: options.width, gaps };
        let (table, beyond) = libsvm::load(&source, &indices, options.threads)?;
        let beside = from_files(options, table.x.rows(), format.name(), &source.path)?;
        let samples = Samples { beside, is_open_ended: true, beyond, ..Samples::of(table) };
        return Ok(gaps::filled(samples, options.repeat.as_ref()));
    }
    if matches!(format, Format::Csv | Format::Parquet) {
        return tabular::samples(&source, format, options);
    }
    let mut table = response::load(&source, format, options.threads, gaps)?;
    if options.y.is_some() || !table.y.is_empty() {
        table = response::part(table, options, &source.path)?;
    }
    let beside = from_files(options, table.x.rows(), format.name(), &source.path)?;
    Ok(gaps::filled(Samples { beside, ..Samples::of(table) }, options.repeat.as_ref()))
}

/// Opens a file and determines its format.
pub(crate) fn open(path: &Path, options: &Options) -> Result<(Source, Format), ReadError> {
    let source = options.dialect.open(path)?;
    let beginning = source.beginning(1 << 16)?;
    let refuse = |why: String| Err(ReadError::file(&source.path, why));
    let format = options.format.or_else(|| recognise(&beginning, &options.dialect));
    if let Some(why) = format.and_then(|format| options.dialect.fault_of(format, format == Format::Csv)) {
        return refuse(why);
    }
    match format {
        Some(format) if options.zero_based && format != Format::Libsvm => {
            refuse(format!("this is {format}: --zero-based is for libsvm text"))
        }
        Some(Format::Npz) if source.is_packed() => {
            refuse("this is npz inside another archive: unpack it, npz is compressed itself".into())
        }
        Some(Format::Npz) if source.is_stdin() => {
            refuse("npz cannot come by a pipe: give it as a file".into())
        }
        Some(Format::Parquet) if !cfg!(feature = "parquet") => refuse(foreign(b"PAR1").unwrap_or_default()),
        Some(format @ (Format::Libsvm | Format::Csv | Format::MatrixMarket)) => match foreign(&beginning) {
            Some(why) => refuse(why),
            None if format == Format::Libsvm && options.y.is_some() => {
                refuse("libsvm text has the response in every line: leave out `y` (--y)".into())
            }
            None => Ok((source, format)),
        },
        Some(format) => Ok((source, format)),
        None => refuse(unknown(&beginning)),
    }
}
