//! Reads tables and samples by the names that users give.

use std::path::Path;

use crate::bytes::source::names_a_file;
use crate::dialect::Dialect;
use crate::error::ReadError;
use crate::registry::{self, SetKind, embedded};
use crate::table::{ColumnOptions, Options, Samples, Table, beside_no_file, generate, read, samples_in};

/// Reads a table by name: a `synth:` specification, the name of a public set, or the path of a file.
///
/// The name `diabetes` is the embedded sample. A file that has the name of a public set is read as `./NAME`.
///
/// # Errors
/// The errors of [`generate::table`], [`registry::load`] and [`read`].
///
/// ```
/// use raddle_datasets::{Options, read_any};
/// assert_eq!(read_any("diabetes", &Options::default())?.x.rows(), 442);
/// assert_eq!(read_any("synth:ar1:n=9,p=5,s=2,rho=0.5", &Options::default())?.x.cols(), 5);
/// # Ok::<(), raddle_datasets::ReadError>(())
/// ```
pub fn read_any(source: &str, options: &Options) -> Result<Table, ReadError> {
    let source = &*registry::as_path(source);
    check_no_file(source, options)?;
    let beside = |mut table: Table| {
        table.beside = beside_no_file(source, options, table.y.len())?;
        table.without(options.held_out).map_err(|why| ReadError::file(Path::new(source), why))
    };
    match source {
        EMBEDDED => beside(embedded::diabetes()),
        _ if source.starts_with("synth:") => beside(generate::table(source)?),
        _ if is_public(source) => registry::load_with(source, options),
        _ if is_file(source) => read(source, options),
        _ => Err(registry::not_found(source, SetKind::Table).into()),
    }
}

/// Returns `true` for the name of a public table.
pub(super) fn is_public(source: &str) -> bool {
    registry::verified_set(SetKind::Table, source).is_some()
}

/// The name of the embedded sample.
pub(super) const EMBEDDED: &str = "diabetes";

/// Refuses options for files where the table is not from a file.
pub(super) fn check_no_file(source: &str, options: &Options) -> Result<(), ReadError> {
    let Options { dialect, zero_based, columns, .. } = options;
    let is_none = source == EMBEDDED || source.starts_with("synth:");
    if is_none && (*dialect != Dialect::default() || *zero_based || *columns != ColumnOptions::default()) {
        let why = "it is no file: --separator, --decimal, --thousands, --header, --no-header, --quotes, --encoding, --zero-based, \
                   --columns, --drop, --categorical, --max-levels and --missing have no effect on it";
        return Err(ReadError::file(Path::new(source), why));
    }
    Ok(())
}

/// Returns `true` if a user who writes this means a file.
pub(super) fn is_file(source: &str) -> bool {
    let is_other = source.starts_with("synth:") || is_public(source);
    !is_other && names_a_file(source)
}

/// Reads samples by name: a `synth:` specification, the name of a public set, or the path of a file.
///
/// Unlike [`read_any`], this takes no column for the response unless `options.y` names it: otherwise all
/// columns are features, even one called `y`.
///
/// # Errors
/// The errors of [`read_any`], except a missing response.
///
/// ```
/// use raddle_datasets::{Options, read_samples};
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("new.csv");
/// std::fs::write(&file, "age,bmi\n61,22.5\n48,30.1\n")?;
/// let samples = read_samples(&file.to_string_lossy(), &Options::default())?;
/// assert_eq!((samples.x.rows(), samples.x.cols(), samples.y), (2, 2, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_samples(source: &str, options: &Options) -> Result<Samples, ReadError> {
    let source = &*registry::as_path(source);
    if !is_file(source) {
        let table = read_any(source, options)?;
        let is_open_ended = is_public(source) && table.x.is_sparse();
        return Ok(Samples { is_open_ended, records: table.records.clone(), ..Samples::of(table) });
    }
    samples_in(Path::new(source), options)
}
