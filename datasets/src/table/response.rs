//! Chooses the response, for formats that do not have one.

use std::path::Path;

use ndarray::Axis;

use super::classes::{Classes, numbered};
use super::columns::{Column, Kind, RoleSource, Values};
use super::data::Table;
use super::gaps::Gaps;
use super::matrix::{Csc, Matrix};
use super::missing::Missing;
use super::options::{Format, Options};
use super::recognise::recognise;
use super::{csv, matrix_market, npy, npz};
use crate::bytes::source::Source;
use crate::dialect::{Dialect, Head, Known, Purpose, position};
use crate::error::ReadError;

/// Names of columns that are the response if none is chosen.
pub(super) const USUAL: [&str; 3] = ["y", "target", "label"];

/// Reads a file in a format without a response.
pub(super) fn load(source: &Source, format: Format, threads: usize, gaps: Gaps) -> Result<Table, ReadError> {
    match format {
        Format::Npy => npy::load(source, gaps),
        Format::Npz => npz::load(source, gaps),
        Format::MatrixMarket => matrix_market::load(source, threads, gaps),
        // The readers of these formats return more than numbers.
        Format::Csv | Format::Libsvm | Format::Parquet => {
            Err(ReadError::file(&source.path, format!("{format} has columns of its own")))
        }
    }
}

/// The response, with its texts if it has any.
pub(super) type Response = (Vec<f64>, Option<Vec<String>>);

/// Separates the response from the features, and checks that both exist and have the same number of rows.
pub(super) fn part(table: Table, options: &Options, path: &Path) -> Result<Table, ReadError> {
    let (width, names) = (table.width(), table.feature_names.as_deref());
    let choice = match options.y.is_none() && !table.y.is_empty() {
        true => None,
        false => Some(chosen(width, names, options.y.as_deref(), path)?),
    };
    let Table { mut x, mut occurring, feature_names: mut names, mut y, mut classes, .. } = table;
    match choice {
        Some(RoleSource::Column(j)) => {
            let place = match &occurring {
                None => Some(j),
                Some(some) => some.place(j as u32).map(|place| place as usize),
            };
            occurring = occurring.map(|some| some.without(j as u32));
            match place {
                Some(place) => (x, y) = without(x, place, occurring.is_some()),
                None => y = vec![0.0; x.rows()],
            }
            names.as_mut().map(|names| names.remove(j));
        }
        Some(RoleSource::File(file)) => {
            (y, classes) = vector(Path::new(&file), x.rows(), options, Missing::Refuse)?;
        }
        None => {}
    }
    if x.cols() == 0 {
        return Err(ReadError::file(path, "there is no feature besides the response"));
    }
    check_count(x.rows(), y.len(), path)?;
    Ok(Table { x, occurring, feature_names: names, y, classes, ..table })
}

/// Resolves the source of the response: as a column's name first, then as a number, then as a file.
pub(super) fn chosen(
    count: usize,
    names: Option<&[String]>,
    wanted: Option<&str>,
    path: &Path,
) -> Result<RoleSource, ReadError> {
    let named = |name: &str| position(names?, name).map(RoleSource::Column);
    let refuse = |why: String| Err(ReadError::file(path, why + &ask(count, names)));
    let Some(wanted) = wanted else {
        return USUAL.iter().find_map(|name| named(name)).map_or_else(|| refuse(String::new()), Ok);
    };
    if let Some(column) = named(wanted) {
        return Ok(column);
    }
    if let Ok(index) = wanted.parse::<i64>() {
        let column = if index < 0 { index + count as i64 } else { index - 1 };
        return match usize::try_from(column) {
            Ok(column) if column < count => Ok(RoleSource::Column(column)),
            _ => refuse(format!("there is no column {index}: ")),
        };
    }
    match Path::new(wanted).is_file() {
        true => Ok(RoleSource::File(wanted.to_owned())),
        false => refuse(format!("`{wanted}` is neither a column nor a file: ")),
    }
}

/// Refuses a response whose number of values is not that of the rows.
pub(super) fn check_count(rows: usize, values: usize, path: &Path) -> Result<(), ReadError> {
    let why = || format!("{rows} rows, but {values} values of the response: they must be as many");
    if values == rows { Ok(()) } else { Err(ReadError::file(path, why())) }
}

/// Returns a hint on how to choose the response.
fn ask(count: usize, names: Option<&[String]>) -> String {
    let by_name = match names {
        Some(names) if names.len() <= 20 => format!("a name ({}), ", names.join(", ")),
        Some(names) => format!("a name ({}, ...), ", names[..20].join(", ")),
        None => String::new(),
    };
    format!(
        "choose the response by `y` (--y): {by_name}an index (1 to {count}; -1 is the last column), or a \
         file with one value per row"
    )
}

/// Returns the matrix without column `j`, and the column. A wide matrix always keeps a column, even if it is
/// zero.
fn without(x: Matrix, j: usize, is_wide: bool) -> (Matrix, Vec<f64>) {
    match x {
        Matrix::Dense(mut x) => {
            let y = x.column(j).to_vec();
            x.remove_index(Axis(1), j);
            (Matrix::Dense(x), y)
        }
        Matrix::Sparse(x) => {
            let mut y = vec![0.0; x.rows()];
            x.outer_view(j).iter().flat_map(|column| column.iter()).for_each(|(i, &value)| y[i] = value);
            let rest = match is_wide && x.cols() == 1 {
                true => Csc::zero(x.shape()).into_csc(),
                false => without_sparse(&x, j),
            };
            (Matrix::Sparse(rest), y)
        }
    }
}

fn without_sparse(x: &Csc, j: usize) -> Csc {
    let column = x.indptr().outer_inds_sz(j);
    let starts = x.indptr().raw_storage().to_vec();
    let shift = |(k, &start): (usize, &usize)| if k > j { start - column.len() } else { start };
    let kept = starts.iter().enumerate().filter(|&(k, _)| k != j).map(shift).collect();
    let indices = [&x.indices()[..column.start], &x.indices()[column.end..]].concat();
    let values = [&x.data()[..column.start], &x.data()[column.end..]].concat();
    Csc::new_csc((x.rows(), x.cols() - 1), kept, indices, values)
}

/// Reads a response with one value per row from a file: numbers, or texts where they are allowed. A missing
/// value is NaN, if it is not refused.
pub(super) fn vector(
    path: &Path,
    rows: usize,
    options: &Options,
    missing: Missing,
) -> Result<Response, ReadError> {
    let classes = &options.classes;
    let kind = if *classes == Classes::Refused { Kind::Number } else { Kind::Label };
    let column = column_of(path, rows, &options.dialect, kind)?;
    let wrong = |at: &super::columns::Place, why: String| at.error(path, format!("the response: {why}"));
    if let (Classes::Refused, Some((at, odd))) = (classes, &column.odd) {
        let why = match &odd.cure {
            Some(cure) => format!("`{}` is not a number as numbers are read here: {cure}", odd.cell),
            None => format!("`{}` is not a number", odd.cell),
        };
        return Err(wrong(at, why));
    }
    if let (Missing::Refuse, Some(at)) = (missing, &column.first_missing) {
        return Err(wrong(
            at,
            "there is no value: give one, or leave such rows out by --missing drop".into(),
        ));
    }
    let read = match (column.values, classes) {
        // Known texts may look like numbers, even all of them.
        (Values::Numbers(y), Classes::Known(known)) => {
            let number = |y: f64| super::classes::place(known, &y.to_string());
            Some((y.into_iter().map(|y| number(y).map_or(f64::NAN, |at| at as f64)).collect(), None))
        }
        (values, classes) => numbered(values, classes),
    };
    read.ok_or_else(|| ReadError::file(path, "the response: its values cannot be read"))
}

/// Reads a file with one column of numbers or texts, one value per row. The dialect applies to its cells; its
/// encoding is determined separately. A file with one value more than there are rows has a header.
pub(super) fn column_of(
    path: &Path,
    rows: usize,
    dialect: &Dialect,
    kind: Kind,
) -> Result<Column, ReadError> {
    let source = Source::open_text(path, None)?;
    let dialect = &Dialect { header: None, encoding: None, ..*dialect };
    let format = recognise(&source.beginning(4096)?, dialect).unwrap_or(Format::Csv);
    let one = |count: usize| match count {
        1 => Ok(()),
        count => Err(ReadError::file(path, format!("{count} columns where one was expected: a value a row"))),
    };
    if matches!(format, Format::Csv | Format::Libsvm) {
        let read = |header: Option<bool>| {
            let dialect = Dialect { header, ..*dialect };
            let head = Head::of(&source, &dialect, Purpose::Column, Known::default())?;
            one(head.width)?;
            let mut columns = csv::columns(&source, &head, vec![kind], &[usize::MAX], 1)?.columns;
            let column = columns.pop().ok_or_else(|| ReadError::file(path, "there is no column"))?;
            Ok((column, head.names.is_some()))
        };
        let (column, is_headed) = read(None)?;
        return match column.values.len() {
            more if !is_headed && more == rows + 1 => read(Some(true)).map(|(column, _)| column),
            // Texts of which the first is a header, too.
            fewer if is_headed && fewer + 1 == rows && column.numbers == 0 => match column.values {
                Values::Texts { .. } => read(Some(false)).map(|(column, _)| column),
                _ => Ok(column),
            },
            _ => Ok(column),
        };
    }
    let loaded = load(&source, format, 1, Gaps::Refused)?;
    one(loaded.width())?;
    let values = loaded.x.to_dense().into_iter().collect();
    Ok(Column::new(String::new(), Values::Numbers(values)))
}
