//! numpy's `.npz`: arrays by name. Either `X` and `y`, or a sparse matrix as `scipy.sparse.save_npz` writes it.

use std::collections::HashMap;
use std::io::{Cursor, Read};

use super::Matrix;
use super::npy::Array;
use super::response::Loaded;
use super::triplets::Triplets;
use crate::error::ReadError;
use crate::source::Source;

/// What every zip file begins with.
pub(super) const MAGIC: &[u8] = b"PK\x03\x04";

const FEATURES: [&str; 4] = ["X", "x", "data", "arr_0"];
const RESPONSE: [&str; 4] = ["y", "Y", "target", "arr_1"];

pub(super) fn load(source: &Source) -> Result<Loaded, ReadError> {
    members(source.stored())
        .and_then(|members| loaded(&members))
        .map_err(|message| ReadError::file(&source.path, message))
}

type Members = HashMap<String, Vec<u8>>;

fn members(bytes: &[u8]) -> Result<Members, String> {
    let damaged = |error: &dyn std::error::Error| format!("the npz file is damaged ({error}): save it again");
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(&error))?;
    let mut members = Members::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).map_err(|error| damaged(&error))?;
        let name = file.name().map_err(|error| damaged(&error))?.trim_end_matches(".npy").to_owned();
        let mut content = Vec::new();
        file.read_to_end(&mut content).map_err(|error| damaged(&error))?;
        members.insert(name, content);
    }
    Ok(members)
}

fn loaded(members: &Members) -> Result<Loaded, String> {
    let y = match RESPONSE.iter().find_map(|&name| members.get_key_value(name)) {
        Some((name, bytes)) => Some(named(name, Array::parse(bytes).and_then(|array| array.column()))?),
        None => None,
    };
    if members.contains_key("indptr") {
        return Ok(Loaded { x: sparse(members)?, names: None, y });
    }
    let Some((name, bytes)) = FEATURES.iter().find_map(|&name| members.get_key_value(name)) else {
        let mut names: Vec<&str> = members.keys().map(String::as_str).collect();
        names.sort_unstable();
        return Err(format!(
            "no array named X: save with numpy.savez(file, X=..., y=...); found {}",
            names.join(", ")
        ));
    };
    let x = named(name, Array::parse(bytes).and_then(|array| array.matrix()))?;
    Ok(Loaded { x, names: None, y })
}

fn named<T>(name: &str, result: Result<T, String>) -> Result<T, String> {
    result.map_err(|message| format!("array `{name}`: {message}"))
}

fn sparse(members: &Members) -> Result<Matrix, String> {
    let array = |name: &str| {
        let bytes = members
            .get(name)
            .ok_or_else(|| format!("array `{name}` is missing: use scipy.sparse.save_npz"))?;
        named(name, Array::parse(bytes))
    };
    let whole = |name: &str| -> Result<Vec<usize>, String> {
        let numbers = named(name, array(name)?.numbers())?;
        match numbers.iter().find(|&&number| number < 0.0 || number.fract() != 0.0) {
            None => Ok(numbers.into_iter().map(|number| number as usize).collect()),
            Some(number) => Err(format!("array `{name}`: {number} is not a whole number of 0 or more")),
        }
    };
    let by_columns = match array("format")?.word().as_str() {
        "csc" => true,
        "csr" => false,
        other => return Err(format!("a sparse matrix in format `{other}`: save it with .tocsc()")),
    };
    let (shape, starts, inner) = (whole("shape")?, whole("indptr")?, whole("indices")?);
    let values = named("data", array("data")?.numbers())?;
    let [rows, cols] = shape[..] else { return Err("array `shape`: a matrix has rows and columns".into()) };
    let lines = if by_columns { cols } else { rows };
    let ordered = starts.is_sorted() && starts.first() == Some(&0) && starts.last() == Some(&inner.len());
    if starts.len().checked_sub(1) != Some(lines) || !ordered || inner.len() != values.len() {
        return Err("`indptr`, `indices` and `data` do not fit together: save the matrix again".into());
    }
    let mut triplets = Triplets::new(rows, cols)?;
    for (outer, bounds) in starts.windows(2).enumerate() {
        for at in bounds[0]..bounds[1] {
            let (row, col) = if by_columns { (inner[at], outer) } else { (outer, inner[at]) };
            triplets.push(row, col, values[at])?;
        }
    }
    Ok(triplets.into_matrix())
}
