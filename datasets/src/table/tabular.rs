//! Tables whose columns have kinds: delimited text and Parquet.

use std::path::Path;

use super::beside::from_file;
use super::cache::Kept;
use super::classes::{Beside, Classes, IDS, Labels, ids, labels};
use super::columns::{Columns, Kind, RoleSource, Values, WHOLE};
use super::data::{Samples, Table};
use super::encode::encode;
use super::encoding::{ColumnOptions, Encoding};
use super::options::{Format, Options};
use super::repeat::{Found, apply, find};
use super::select::{Selection, check_roles, is_beside, select, sides};
use super::{csv, response};
use crate::bytes::source::{Source, short_digest};
use crate::dialect::{Dialect, Head, Known, Purpose, is_tabs};
use crate::error::ReadError;
use crate::records::RecordCounts;

/// An open table.
enum Tabular<'s> {
    Csv(&'s Source, Head),
    #[cfg(feature = "parquet")]
    Parquet(super::parquet::Parquet<'s>),
}

impl<'s> Tabular<'s> {
    fn open(source: &'s Source, format: Format, options: &Options) -> Result<Self, ReadError> {
        match format {
            #[cfg(feature = "parquet")]
            Format::Parquet => super::parquet::Parquet::open(source).map(Self::Parquet),
            _ => {
                let repeat = options.repeat.as_ref();
                let names = repeat.filter(|encoding| encoding.named).map(Encoding::names);
                let marks = repeat.and_then(|encoding| encoding.marks).unwrap_or_default();
                let is_unnamed = repeat.is_some_and(|encoding| !encoding.named);
                let asked = asked(options);
                let known = Known { names: names.as_deref(), is_unnamed, asked: &asked, marks };
                Ok(Self::Csv(source, Head::of(source, &options.dialect, Purpose::Table, known)?))
            }
        }
    }

    fn names(&self) -> Vec<String> {
        match self {
            Self::Csv(_, head) => head.all_names(),
            #[cfg(feature = "parquet")]
            Self::Parquet(table) => table.names(),
        }
    }

    /// Returns the head of delimited text.
    fn head(&self) -> Option<&Head> {
        match self {
            Self::Csv(_, head) => Some(head),
            #[cfg(feature = "parquet")]
            Self::Parquet(_) => None,
        }
    }

    fn is_named(&self) -> bool {
        match self {
            Self::Csv(_, head) => head.names.is_some(),
            #[cfg(feature = "parquet")]
            Self::Parquet(_) => true,
        }
    }

    fn columns(&self, kinds: Vec<Kind>, most: &[usize], threads: usize) -> Result<Columns, ReadError> {
        match self {
            Self::Csv(source, head) => csv::columns(source, head, kinds, most, threads),
            #[cfg(feature = "parquet")]
            Self::Parquet(table) => table.columns(&kinds, most),
        }
    }
}

/// Returns the columns that options request, by name or number.
fn asked(options: &Options) -> Vec<&str> {
    let ColumnOptions { columns, drop, categorical, .. } = &options.columns;
    let beside = options.beside.iter().map(|beside| &beside.name);
    [columns, drop, categorical]
        .into_iter()
        .flatten()
        .chain(beside)
        .chain(&options.y)
        .map(String::as_str)
        .collect()
}

/// Reads a table and chooses its response.
pub(super) fn load(source: &Source, format: Format, options: &Options) -> Result<Table, ReadError> {
    let table = Tabular::open(source, format, options)?;
    let (names, path) = (table.names(), &source.path);
    let selection = select(&names, table.is_named(), options, path)?;
    if let Some(head) = table.head()
        && options.columns == ColumnOptions::default()
        && options.beside.is_empty()
    {
        let kept = Kept::of(source, options, format, &variant(&table, options, path, None));
        let numbers = match kept.load() {
            Some(numbers) => Some(numbers),
            None => {
                csv::numbers(source, head, options.threads)?.map(|numbers| kept.save(numbers)).transpose()?
            }
        };
        if let Some(numbers) = numbers {
            let read = response::part(numbers, options, path)?;
            // Labels that doubles do not distinguish are read as texts.
            if options.classes != Classes::Any || read.y.iter().all(|y| y.abs() < WHOLE) {
                let (notes, records) = (head.notes.clone(), RecordCounts::of(read.y.len()));
                let read = Table { notes, records, ..read.described(source, format) };
                return read.without(options.held_out).map_err(|why| ReadError::file(path, why));
            }
        }
    }
    let kept = match options.beside.is_empty() {
        true => Kept::of(source, options, format, &variant(&table, options, path, Some(&selection))),
        false => Kept::none(),
    };
    // An encoding depends on the rows that stay, so held-out rows are removed before.
    let read = match kept.load() {
        Some(read) => read,
        None => {
            let most = selection.most(options.columns.max_levels);
            let columns = table.columns(selection.kinds.clone(), &most, options.threads)?;
            kept.save(encode(columns, selection, options, path)?)?
        }
    };
    Ok(read.described(source, format))
}

/// Returns the way in which a table is read, which distinguishes cached tables of one file.
fn variant(table: &Tabular<'_>, options: &Options, path: &Path, selection: Option<&Selection>) -> String {
    let mut ways = String::new();
    // Which line is the first row may depend on the requested columns.
    if let Some(head) = table.head().filter(|_| !asked(options).is_empty()) {
        ways += &format!("from byte {} ", head.bytes);
    }
    if options.dialect != Dialect::default() {
        ways += &format!("{:?} ", options.dialect);
    }
    if is_tabs(path) {
        ways += "tabs ";
    }
    if let Some(selection) = selection {
        let file = match &selection.response {
            RoleSource::File(file) => Source::open(Path::new(file)).ok().map(|file| file.digest()),
            RoleSource::Column(_) => None,
        };
        ways += &format!("{:?} {:?} {file:?}", options.columns, selection.response.column());
        if options.classes == Classes::Any {
            ways += " classes";
        }
        if let Some(held_out) = options.held_out {
            ways += &format!("{held_out:?}");
        }
    }
    match ways.as_str() {
        "" => String::new(),
        ways => format!("-{}", short_digest(ways.as_bytes())),
    }
}

/// Reads features to predict from, encoded as `options.repeat` says; without it, all columns, which must be
/// numbers.
pub(super) fn samples(source: &Source, format: Format, options: &Options) -> Result<Samples, ReadError> {
    let table = Tabular::open(source, format, options)?;
    let (names, path) = (table.names(), &source.path);
    let sides = sides(&options.beside, &names).map_err(|why| ReadError::file(path, why))?;
    let check = |found: &Found| {
        check_roles(found.response.as_ref(), &options.beside, &sides, &names)
            .map_err(|why| ReadError::file(path, why))
    };
    // Columns without names are found by their positions, unless the response here is another column.
    let is_moved = match (options.y.is_some(), &options.repeat) {
        (true, Some(encoding)) if !encoding.named => response_of(&names, &table, options, path)?
            .is_some_and(|response| encoding.response != Some(response + 1)),
        _ => false,
    };
    let is_of_places = |encoding: &&Encoding| {
        encoding.named == table.is_named() && !is_moved
            || encoding.columns.iter().any(|column| column.levels.is_some() || column.mean.is_some())
            || !encoding.is_plain()
    };
    if let Some(encoding) = options.repeat.as_ref().filter(is_of_places) {
        let mut found = find(encoding, &names, table.is_named(), options, path)?;
        check(&found)?;
        found.read(&sides, &options.beside, &names);
        let columns = table.columns(found.kinds.clone(), &vec![usize::MAX; names.len()], options.threads)?;
        let beside = beside(&sides, options, &table, &columns, path)?;
        return Ok(Samples { beside, ..apply(encoding, found, columns, options, path)? });
    }
    let missing = options.repeat.as_ref().map(|encoding| encoding.missing).unwrap_or_default();
    let mut all = Encoding { named: table.is_named(), missing, ..Encoding::of_numbers(&names) };
    let response = match options.y {
        Some(_) => response_of(&names, &table, options, path)?,
        None => None,
    };
    all.columns.retain(|column| response != Some(column.place - 1) && !is_beside(&sides, column.place - 1));
    all.response = response.map(|j| j + 1);
    let mut found = find(&all, &names, table.is_named(), options, path)?;
    check(&found)?;
    found.read(&sides, &options.beside, &names);
    let mut most = vec![1; names.len()];
    let own = found.response.iter().chain(&sides).filter_map(RoleSource::column);
    own.for_each(|j| most[j] = usize::MAX);
    let columns = table.columns(found.kinds.clone(), &most, options.threads)?;
    let beside = beside(&sides, options, &table, &columns, path)?;
    let samples = Samples { beside, ..apply(&all, found, columns, options, path)? };
    match samples.y.is_none() && response.is_some() {
        // A response that an option names must exist.
        true => Err(ReadError::file(path, samples.notes.join("; "))),
        false => Ok(samples),
    }
}

/// Reads the additional columns. Every row needs a value, except of the offset and the weight, which are NaN
/// then, and of the row's name.
fn beside(
    sides: &[RoleSource],
    options: &Options,
    table: &Tabular<'_>,
    columns: &Columns,
    path: &Path,
) -> Result<Vec<Labels>, ReadError> {
    let read = |(side, asked): (&RoleSource, &Beside)| match side {
        RoleSource::File(file) => from_file(asked, Path::new(file), columns.rows, &options.dialect),
        RoleSource::Column(j) => {
            let column = &columns.columns[*j];
            let why = format!("{}: `{}` has no value", asked.option, asked.name);
            let read = match (&column.values, &column.first_missing) {
                (values @ Values::Texts { .. }, _) if asked.option == IDS => ids(values.clone()),
                _ if asked.option == IDS => ids(as_texts(table, *j, options)?),
                (Values::Numbers(values), _) if asked.is_number() => Some(Labels::Numbers(values.clone())),
                (_, Some(at)) => return Err(at.error(path, why)),
                (values, None) => labels(values.clone()),
            };
            read.ok_or_else(|| ReadError::file(path, why))
        }
    };
    sides.iter().zip(&options.beside).map(read).collect()
}

/// Returns a column of numbers as the texts in which they are written.
fn as_texts(table: &Tabular<'_>, column: usize, options: &Options) -> Result<Values, ReadError> {
    let width = table.names().len();
    let kind = |j: usize| if j == column { Kind::Text } else { Kind::Skip };
    let mut read =
        table.columns((0..width).map(kind).collect(), &vec![usize::MAX; width], options.threads)?;
    Ok(std::mem::replace(&mut read.columns[column].values, Values::Skipped))
}

/// Returns the column that `y` names, unless it names a file.
fn response_of(
    names: &[String],
    table: &Tabular<'_>,
    options: &Options,
    path: &Path,
) -> Result<Option<usize>, ReadError> {
    let named = table.is_named().then_some(names);
    Ok(response::chosen(names.len(), named, options.y.as_deref(), path)?.column())
}
