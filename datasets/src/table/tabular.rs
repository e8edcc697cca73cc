//! Tables whose columns have kinds: delimited text, and Parquet.

use std::path::Path;

use sha2::{Digest, Sha256};

use super::columns::{Columns, Kind};
use super::encode::{Encoded, encode};
use super::encoding::{ColumnOptions, Encoding};
use super::features::Filled;
use super::head::Head;
use super::read::{Format, Options};
use super::repeat::{apply, find};
use super::response::{self, Loaded};
use super::samples::Samples;
use super::select::{Selection, select};
use super::{cache, csv};
use crate::error::ReadError;
use crate::source::Source;

/// A table that is open.
enum Tabular<'s> {
    Csv(&'s Source, Head),
    #[cfg(feature = "parquet")]
    Parquet(super::parquet::Parquet<'s>),
}

/// Features and response, and how they came about.
pub(super) struct Read {
    pub(super) features: Loaded,
    pub(super) y: Vec<f64>,
    /// `None` where the columns are numbers as they stand.
    pub(super) encoding: Option<Encoding>,
    pub(super) filled: Vec<Filled>,
    pub(super) notes: Vec<String>,
}

impl<'s> Tabular<'s> {
    fn open(source: &'s Source, format: Format, no_header: bool) -> Result<Self, ReadError> {
        match format {
            #[cfg(feature = "parquet")]
            Format::Parquet => super::parquet::Parquet::open(source).map(Self::Parquet),
            _ => Ok(Self::Csv(source, Head::of(source, no_header)?)),
        }
    }

    fn names(&self) -> Vec<String> {
        match self {
            Self::Csv(_, head) => head.all_names(),
            #[cfg(feature = "parquet")]
            Self::Parquet(table) => table.names(),
        }
    }

    fn is_named(&self) -> bool {
        match self {
            Self::Csv(_, head) => head.names.is_some(),
            #[cfg(feature = "parquet")]
            Self::Parquet(_) => true,
        }
    }

    fn columns(&self, kinds: Vec<Kind>, most: usize, threads: usize) -> Result<Columns, ReadError> {
        match self {
            Self::Csv(source, head) => csv::columns(source, head, kinds, most, threads),
            #[cfg(feature = "parquet")]
            Self::Parquet(table) => table.columns(&kinds, most),
        }
    }
}

/// Reads a table, its response chosen.
pub(super) fn load(source: &Source, format: Format, options: &Options) -> Result<Read, ReadError> {
    let table = Tabular::open(source, format, options.no_header)?;
    let (names, path) = (table.names(), &source.path);
    let selection = select(&names, table.is_named(), options, path)?;
    if let Tabular::Csv(_, head) = &table
        && options.columns == ColumnOptions::default()
    {
        let kept = cache::Kept::of(source, options, format, &variant(options, None));
        let loaded = match kept.load() {
            Some((loaded, _)) => Some(loaded),
            None => csv::numbers(source, head, options.threads)?
                .map(|loaded| kept.save(loaded, None))
                .transpose()?,
        };
        if let Some(loaded) = loaded {
            let (features, y) = response::part(loaded, options.y.as_deref(), path)?;
            let notes = head.notes.clone();
            return Ok(Read { features, y, encoding: None, filled: Vec::new(), notes });
        }
    }
    let kept = cache::Kept::of(source, options, format, &variant(options, Some(&selection)));
    let (loaded, extra) = match kept.load() {
        Some((loaded, Some(extra))) => (loaded, extra),
        _ => {
            let Selection { kinds, .. } = &selection;
            let columns = table.columns(kinds.clone(), options.columns.max_levels, options.threads)?;
            let notes = columns.notes.clone();
            let Encoded { loaded, encoding, filled } = encode(columns, selection, &options.columns, path)?;
            let extra = cache::Extra { encoding, filled, notes };
            (kept.save(loaded, Some(&extra))?, extra)
        }
    };
    let y = loaded.y.unwrap_or_default();
    let cache::Extra { encoding, filled, notes } = extra;
    let features = Loaded { x: loaded.x, names: loaded.names, y: None };
    Ok(Read { features, y, encoding: Some(encoding), filled, notes })
}

/// What tells tables of one file apart that are read in different ways.
fn variant(options: &Options, selection: Option<&Selection>) -> String {
    let mut ways = String::new();
    if options.no_header {
        ways += "no header ";
    }
    if let Some(encoding) = options.encoding {
        ways += &format!("{encoding} ");
    }
    if let Some(selection) = selection {
        let file = selection.file.as_deref().and_then(|file| Source::open(Path::new(file)).ok());
        let file = file.map(|file| file.digest());
        ways += &format!("{:?} {:?} {file:?}", options.columns, selection.response);
    }
    match ways.as_str() {
        "" => String::new(),
        ways => Sha256::digest(ways.as_bytes())
            .iter()
            .take(8)
            .fold("-".into(), |name, byte| format!("{name}{byte:02x}")),
    }
}

/// Reads features to predict from, as an encoding has them; without one, all columns, which have to be numbers.
pub(super) fn samples(source: &Source, format: Format, options: &Options) -> Result<Samples, ReadError> {
    let table = Tabular::open(source, format, options.no_header)?;
    let (names, path) = (table.names(), &source.path);
    let is_of_places = |encoding: &&Encoding| {
        (encoding.named && table.is_named())
            || encoding.columns.iter().any(|column| column.levels.is_some())
            || !encoding.is_plain()
    };
    if let Some(encoding) = options.repeat.as_ref().filter(is_of_places) {
        let found = find(encoding, &names, table.is_named(), options.y.as_deref(), path)?;
        let columns = table.columns(found.kinds.clone(), usize::MAX, options.threads)?;
        return apply(encoding, found, columns, path);
    }
    let mut all = Encoding { named: table.is_named(), ..Encoding::of_numbers(&names) };
    let response = match options.y {
        Some(_) => response_of(&names, &table, options, path)?,
        None => None,
    };
    if let Some(j) = response {
        all.columns.remove(j);
        all.response = Some(j + 1);
    }
    let found = find(&all, &names, table.is_named(), options.y.as_deref(), path)?;
    let columns = table.columns(found.kinds.clone(), 1, options.threads)?;
    let samples = apply(&all, found, columns, path)?;
    match samples.y.is_none() && response.is_some() {
        // Whoever names a response wants it.
        true => Err(ReadError::file(path, samples.notes.join("; "))),
        false => Ok(samples),
    }
}

/// The column that `y` names, unless it names a file.
fn response_of(
    names: &[String],
    table: &Tabular<'_>,
    options: &Options,
    path: &Path,
) -> Result<Option<usize>, ReadError> {
    let named = table.is_named().then_some(names);
    match response::chosen(names.len(), named, false, options.y.as_deref(), path)? {
        response::Choice::Column(j) => Ok(Some(j)),
        _ => Ok(None),
    }
}
