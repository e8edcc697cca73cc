//! Which numbers are the response, where a format does not say.

use std::path::Path;

use ndarray::Axis;

use super::columns::{Columns, Kind, Place, Values};
use super::features::{Feature, matrix};
use super::read::{Format, recognise};
use super::{Csc, Matrix, csv, head::Head, matrix_market, npy, npz};
use crate::error::ReadError;
use crate::source::Source;

/// Columns taken for the response when none is named.
pub(super) const USUAL: [&str; 3] = ["y", "target", "label"];

/// All that a file holds, the response still among it.
pub(super) struct Loaded {
    pub(super) x: Matrix,
    pub(super) names: Option<Vec<String>>,
    /// The response, where the format keeps it apart.
    pub(super) y: Option<Vec<f64>>,
}

/// Reads a file of a format that does not know responses.
pub(super) fn load(source: &Source, format: Format, threads: usize) -> Result<Loaded, ReadError> {
    match format {
        Format::Npy => npy::load(source),
        Format::Npz => npz::load(source),
        Format::MatrixMarket => matrix_market::load(source, threads),
        // Those have readers that know of more than numbers.
        Format::Csv | Format::Libsvm | Format::Parquet => {
            Err(ReadError::file(&source.path, format!("{format} has columns of its own")))
        }
    }
}

/// Parts the response from the features, and checks that both are there and fit.
pub(super) fn part(
    loaded: Loaded,
    wanted: Option<&str>,
    path: &Path,
) -> Result<(Loaded, Vec<f64>), ReadError> {
    let Loaded { x, names, y } = loaded;
    let (x, names, y) = match (chosen(x.cols(), names.as_deref(), y.is_some(), wanted, path)?, y) {
        (Choice::Column(j), _) => {
            let (x, y) = without(x, j);
            let names = names.map(|mut names| {
                names.remove(j);
                names
            });
            (x, names, y)
        }
        (Choice::File(file), _) => (x, names, vector(Path::new(file))?),
        (Choice::Apart, y) => (x, names, y.unwrap_or_default()),
    };
    if x.cols() == 0 {
        return Err(ReadError::file(path, "there is no feature beside the response"));
    }
    if y.len() != x.rows() {
        let message =
            format!("{} rows, but {} values of the response: they must be as many", x.rows(), y.len());
        return Err(ReadError::file(path, message));
    }
    Ok((Loaded { x, names, y: None }, y))
}

/// Where the response is.
pub(super) enum Choice<'a> {
    Column(usize),
    File(&'a str),
    Apart,
}

/// A column's name comes first, then a number, then a file.
pub(super) fn chosen<'a>(
    count: usize,
    names: Option<&[String]>,
    apart: bool,
    wanted: Option<&'a str>,
    path: &Path,
) -> Result<Choice<'a>, ReadError> {
    let named = |name: &str| names?.iter().position(|column| column == name).map(Choice::Column);
    let Some(wanted) = wanted else {
        if apart {
            return Ok(Choice::Apart);
        }
        return USUAL
            .iter()
            .find_map(|name| named(name))
            .ok_or_else(|| ReadError::file(path, ask(count, names)));
    };
    if let Some(column) = named(wanted) {
        return Ok(column);
    }
    if let Ok(index) = wanted.parse::<i64>() {
        let column = if index < 0 { index + count as i64 } else { index - 1 };
        return match usize::try_from(column) {
            Ok(column) if column < count => Ok(Choice::Column(column)),
            _ => Err(ReadError::file(path, format!("there is no column {index}: {}", ask(count, names)))),
        };
    }
    match Path::new(wanted).is_file() {
        true => Ok(Choice::File(wanted)),
        false => Err(ReadError::file(
            path,
            format!("`{wanted}` is neither a column nor a file: {}", ask(count, names)),
        )),
    }
}

/// How to choose a response.
fn ask(count: usize, names: Option<&[String]>) -> String {
    let by_name = match names {
        Some(names) if names.len() <= 20 => format!("a name ({}), ", names.join(", ")),
        Some(names) => format!("a name ({}, ...), ", names[..20].join(", ")),
        None => String::new(),
    };
    format!(
        "choose the response by `y` (--y): {by_name}an index (1 to {count}; -1 is the last column), or a file with one \
         value a row"
    )
}

/// The matrix without column `j`, and the column.
fn without(x: Matrix, j: usize) -> (Matrix, Vec<f64>) {
    match x {
        Matrix::Dense(mut x) => {
            let y = x.column(j).to_vec();
            x.remove_index(Axis(1), j);
            (Matrix::Dense(x), y)
        }
        Matrix::Sparse(x) => {
            let mut y = vec![0.0; x.rows()];
            x.outer_view(j).iter().flat_map(|column| column.iter()).for_each(|(i, &value)| y[i] = value);
            (Matrix::Sparse(without_sparse(&x, j)), y)
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

/// A file that holds one column.
pub(super) fn vector(path: &Path) -> Result<Vec<f64>, ReadError> {
    let source = Source::open_text(path, None)?;
    let format = recognise(&source.beginning(4096)?).unwrap_or(Format::Csv);
    let x = match format {
        Format::Csv | Format::Libsvm => {
            let head = Head::of(&source, false)?;
            let columns = csv::columns(&source, &head, vec![Kind::Number; head.width], 1, 1)?;
            one_column(columns, path)?
        }
        _ => load(&source, format, 1)?.x,
    };
    match &x {
        x if x.cols() != 1 => {
            Err(ReadError::file(path, format!("{} columns where one was expected: the response", x.cols())))
        }
        x => Ok(x.to_dense().into_iter().collect()),
    }
}

/// Numbers, or the first cell that is none.
fn one_column(columns: Columns, path: &Path) -> Result<Matrix, ReadError> {
    let count = columns.columns.len();
    let wrong = |at: &Place, why: String| Err(at.error(path, format!("the response: {why}")));
    for column in columns.columns {
        match (column.values, &column.odd, &column.first_missing) {
            (_, Some((at, cell)), _) => return wrong(at, format!("`{cell}` is not a number")),
            (_, None, Some(at)) => return wrong(at, "there is no value".into()),
            (Values::Numbers(values), ..) if count == 1 => {
                return matrix(values.len(), vec![Feature::Number(values)])
                    .map_err(|why| ReadError::file(path, why));
            }
            _ => {}
        }
    }
    Ok(Matrix::Dense(ndarray::Array2::zeros((0, count))))
}
