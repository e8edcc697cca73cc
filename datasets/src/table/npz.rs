//! Numpy's `.npz`, a set of named arrays: either `X` and `y`, or a sparse matrix as `scipy.sparse.save_npz`
//! writes it (csr, csc, coo or dia).

use std::collections::HashMap;
use std::io::{Cursor, Read};

use super::Matrix;
use super::data::Table;
use super::gaps::Gaps;
use super::triplets::Triplets;
use crate::arrays::npy::Array;
use crate::bytes::memory;
use crate::bytes::memory::believable;
use crate::bytes::source::Source;
use crate::error::ReadError;

/// Bytes with which every zip file starts.
pub(super) const MAGIC: &[u8] = b"PK\x03\x04";

const FEATURES: [&str; 4] = ["X", "x", "data", "arr_0"];
const RESPONSE: [&str; 4] = ["y", "Y", "target", "arr_1"];

pub(super) fn load(source: &Source, gaps: Gaps) -> Result<Table, ReadError> {
    members(source.stored())
        .and_then(|members| loaded(&members, gaps))
        .map_err(|message| ReadError::file(&source.path, message))
}

/// Parses a sparse matrix, with all its columns, from the content of a file that `scipy.sparse.save_npz`
/// wrote.
///
/// # Errors
/// If the content is not such a file, or there is too little memory for its columns; a sentence without the
/// file's name.
pub fn sparse_npz(bytes: &[u8]) -> Result<Matrix, String> {
    let Table { x, occurring, .. } = members(bytes).and_then(|members| sparse(&members, Gaps::Refused))?;
    match (x, occurring) {
        (Matrix::Sparse(x), Some(some)) => some.spread(x).map(Matrix::Sparse),
        (x, _) => Ok(x),
    }
}

type Members = HashMap<String, Vec<u8>>;

fn members(bytes: &[u8]) -> Result<Members, String> {
    let damaged = |error: &dyn std::error::Error| format!("the npz file is damaged ({error}): save it again");
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(&error))?;
    let mut members = Members::new();
    let mut rest = memory::for_content();
    for index in 0..archive.len() {
        let file = archive.by_index(index).map_err(|error| damaged(&error))?;
        let Some(name) =
            file.name().map_err(|error| damaged(&error))?.strip_suffix(".npy").map(str::to_owned)
        else {
            continue;
        };
        let mut content = Vec::new();
        // The size that the archive states may be wrong.
        file.take(rest + 1).read_to_end(&mut content).map_err(|error| damaged(&error))?;
        rest = rest.checked_sub(content.len() as u64).ok_or_else(|| {
            memory::too_large(memory::for_content(), &format!("with array `{name}` the inflated archive has"))
        })?;
        members.insert(name, content);
    }
    match members.is_empty() {
        true => Err(
            "this is a zip archive without numpy arrays: unpack it, or compress its file with gzip or zstd"
                .into(),
        ),
        false => Ok(members),
    }
}

fn loaded(members: &Members, gaps: Gaps) -> Result<Table, String> {
    let y = match RESPONSE.iter().find_map(|&name| members.get_key_value(name)) {
        Some((name, bytes)) => named(name, Array::parse(bytes).and_then(|array| array.column(gaps)))?,
        None => Vec::new(),
    };
    if members.contains_key("format") || members.contains_key("indptr") {
        return Ok(Table { y, ..sparse(members, gaps)? });
    }
    let Some((name, bytes)) = FEATURES.iter().find_map(|&name| members.get_key_value(name)) else {
        let mut names: Vec<&str> = members.keys().map(String::as_str).collect();
        names.sort_unstable();
        return Err(format!(
            "no array named X: save with numpy.savez(file, X=..., y=...); found {}",
            names.join(", ")
        ));
    };
    let x = named(name, Array::parse(bytes).and_then(|array| array.matrix(gaps)))?;
    Ok(Table { y, ..Table::of(x) })
}

fn named<T>(name: &str, result: Result<T, String>) -> Result<T, String> {
    result.map_err(|message| format!("array `{name}`: {message}"))
}

/// Parses a matrix of scipy.sparse in the format that its array `format` names.
fn sparse(members: &Members, gaps: Gaps) -> Result<Table, String> {
    match array(members, "format")?.word().as_str() {
        "csc" => compressed(members, true, gaps),
        "csr" => compressed(members, false, gaps),
        "coo" => coordinates(members, gaps),
        "dia" => diagonals(members, gaps),
        other => Err(format!("a sparse matrix in format `{other}`: save it with .tocsc()")),
    }
}

fn array<'m>(members: &'m Members, name: &str) -> Result<Array<'m>, String> {
    let bytes =
        members.get(name).ok_or_else(|| format!("array `{name}` is missing: use scipy.sparse.save_npz"))?;
    named(name, Array::parse(bytes))
}

fn whole(members: &Members, name: &str) -> Result<Vec<usize>, String> {
    let numbers = named(name, array(members, name)?.numbers())?;
    match numbers.iter().find(|&&number| !(number >= 0.0 && number.fract() == 0.0)) {
        None => Ok(numbers.into_iter().map(|number| number as usize).collect()),
        Some(number) => Err(format!("array `{name}`: {number} is not a whole number of 0 or more")),
    }
}

/// Returns the rows, if this number of values makes them plausible, and the columns, which take no memory if
/// they are empty.
fn shape(members: &Members, values: usize) -> Result<(usize, usize), String> {
    let shape = whole(members, "shape")?;
    let [rows, cols] = shape[..] else { return Err("array `shape`: a matrix has rows and columns".into()) };
    Ok((named("shape", believable("rows", rows as u64, values as u64))?, cols))
}

fn compressed(members: &Members, by_columns: bool, gaps: Gaps) -> Result<Table, String> {
    let (starts, inner) = (whole(members, "indptr")?, whole(members, "indices")?);
    let values = named("data", array(members, "data")?.numbers())?;
    // Rows or columns without values have an entry in `indptr`, too.
    let (rows, cols) = shape(members, starts.len() + inner.len())?;
    let lines = if by_columns { cols } else { rows };
    let ordered = starts.is_sorted() && starts.first() == Some(&0) && starts.last() == Some(&inner.len());
    if starts.len().checked_sub(1) != Some(lines) || !ordered || inner.len() != values.len() {
        return Err("`indptr`, `indices` and `data` do not fit together: save the matrix again".into());
    }
    let mut triplets = Triplets::new(rows, cols, gaps)?;
    for (outer, bounds) in starts.windows(2).enumerate() {
        for at in bounds[0]..bounds[1] {
            let (row, col) = if by_columns { (inner[at], outer) } else { (outer, inner[at]) };
            triplets.push(row, col, values[at])?;
        }
    }
    Ok(triplets.loaded())
}

/// Parses row, column and value of each entry; those with the same position add up.
fn coordinates(members: &Members, gaps: Gaps) -> Result<Table, String> {
    let (row, col) = (whole(members, "row")?, whole(members, "col")?);
    let values = named("data", array(members, "data")?.numbers())?;
    let (rows, cols) = shape(members, values.len())?;
    if row.len() != values.len() || col.len() != values.len() {
        return Err("`row`, `col` and `data` do not fit together: save the matrix again".into());
    }
    let mut triplets = Triplets::new(rows, cols, gaps)?;
    for ((row, col), value) in row.into_iter().zip(col).zip(values) {
        triplets.push(row, col, value)?;
    }
    Ok(triplets.loaded())
}

/// Parses diagonals: `data[k, j]` is the value at column j and row `j - offsets[k]`.
fn diagonals(members: &Members, gaps: Gaps) -> Result<Table, String> {
    let offsets = named("offsets", array(members, "offsets")?.numbers())?;
    let data = array(members, "data")?;
    let (count, length) = match data.shape() {
        &[count, length] if count == offsets.len() => (count, length),
        _ => return Err("`data` and `offsets` do not fit together: save the matrix again".into()),
    };
    let values = named("data", data.numbers())?;
    let (rows, cols) = shape(members, values.len())?;
    let mut triplets = Triplets::new(rows, cols, gaps)?;
    for (k, &offset) in offsets.iter().enumerate() {
        for j in 0..length.min(cols) {
            let row = j as f64 - offset;
            if row >= 0.0 && row < rows as f64 {
                let at = if data.is_by_columns() { j * count + k } else { k * length + j };
                triplets.push(row as usize, j, values[at])?;
            }
        }
    }
    Ok(triplets.loaded())
}
