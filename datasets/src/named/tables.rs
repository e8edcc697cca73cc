//! Reads tables and samples by the names that users give.

use std::path::{Path, PathBuf};

use super::Origin;
use crate::bytes::source::{Source, short_digest};
use crate::dialect::{Dialect, is_tabs};
use crate::error::ReadError;
use crate::registry::{self, SetKind, compare, embedded};
use crate::table::{
    ColumnOptions, Format, Options, Samples, StoredTable, Table, beside_no_file, generate, open, read,
    samples_in, stored,
};

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
    let beside = |mut table: Table| {
        table.beside = beside_no_file(source, options, table.y.len())?;
        table.without(options.held_out).map_err(|why| ReadError::file(Path::new(source), why))
    };
    match checked(source, options)? {
        Origin::Embedded => beside(embedded::diabetes()),
        Origin::Generated => beside(generate::table(source)?),
        Origin::Public(set) => registry::table_of(set, options),
        Origin::File => read(source, options),
    }
}

/// Returns the origin of a table; refuses options for files where it is not from a file.
fn checked(source: &str, options: &Options) -> Result<Origin, ReadError> {
    let Options { dialect, zero_based, columns, .. } = options;
    let origin = Origin::of(source, SetKind::Table)?;
    let is_for_files = *dialect != Dialect::default() || *zero_based || *columns != ColumnOptions::default();
    if is_for_files && matches!(origin, Origin::Embedded | Origin::Generated) {
        let why = "it is no file: --separator, --decimal, --thousands, --header, --no-header, --quotes, --encoding, --zero-based, \
                   --columns, --drop, --categorical, --max-levels and --missing have no effect on it";
        return Err(ReadError::file(Path::new(source), why));
    }
    Ok(origin)
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
    let is_public = match Origin::of(source, SetKind::Table)? {
        Origin::File => return samples_in(Path::new(source), options),
        origin => matches!(origin, Origin::Public(_)),
    };
    let table = read_any(source, options)?;
    let is_open_ended = is_public && table.x.is_sparse();
    Ok(Samples { is_open_ended, records: table.records.clone(), ..Samples::of(table) })
}

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
        let origin = checked(source, options)?;
        if options.held_out.is_some() {
            let why =
                "rows cannot be held out of a table that is kept as a file of columns: read it into memory";
            return Err(ReadError::file(Path::new(source), why));
        }
        let mut options = Options { cache: None, ..options.clone() };
        let named = match origin {
            Origin::Embedded => {
                let Table { name, digest, .. } = embedded::diabetes();
                Table { name, digest, ..generate::described(source) }
            }
            Origin::Generated => generate::described(source),
            Origin::Public(set) => {
                (options.format, options.y) = (None, None);
                let (path, sha256) = registry::path_of(set)?;
                let table = Table::described_by(&Source::open(&path)?);
                compare(&path, &table.digest, sha256)?;
                table
            }
            Origin::File => Table::described_by(&Source::open(Path::new(source))?),
        };
        let options = &options;
        let variant = variant(options, Path::new(source))?;
        let place = folder.join(format!("{}-{variant}.columns", named.digest));
        // Tables of options on columns without names are read into memory, which refuses them.
        let is_plain = options.columns == ColumnOptions::default() && !options.dialect.is_of_tables();
        let streamed = |path: Option<PathBuf>| -> Result<Option<(Source, Format)>, ReadError> {
            match (origin, path) {
                _ if !is_plain => Ok(None),
                (Origin::Public(_), Some(path)) => Ok(Some((Source::open(&path)?, Format::Libsvm))),
                (Origin::File, _) => open(Path::new(source), options).map(Some),
                _ => Ok(None),
            }
        };
        let path = named.path.clone();
        Self::at(&place, named, |place| match origin {
            Origin::Generated => stored::drawn(source, options, place),
            _ => stored::whole(streamed(path)?, options, place, || read_any(source, options)),
        })
    }
}

/// Returns the way in which a file is read, as a part of a file name; it includes the content of other files
/// that are read.
fn variant(options: &Options, path: &Path) -> Result<String, ReadError> {
    let Options { format, y, zero_based, width, dialect, columns, classes, beside, repeat, held_out, .. } =
        options;
    let mut all = format!("{format:?} {y:?} {zero_based} {width:?} {dialect:?} {} ", is_tabs(path));
    all += &format!("{columns:?} {classes:?} {beside:?} {repeat:?} {held_out:?}");
    for name in y.iter().chain(beside.iter().map(|beside| &beside.name)) {
        if Path::new(name).is_file() {
            all += &format!(" {}", Source::open(Path::new(name))?.digest());
        }
    }
    Ok(short_digest(all.as_bytes()))
}
