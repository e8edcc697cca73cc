//! Numpy's `.npy`: one array of numbers, with 1 or 2 axes and any byte order.

use super::gaps::Gaps;
use super::loaded::Loaded;
use super::matrix::{Matrix, dense, not_finite};
use crate::bytes::source::Source;
use crate::error::ReadError;

/// Bytes with which every `.npy` file starts.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

pub(super) fn load(source: &Source, gaps: Gaps) -> Result<Loaded, ReadError> {
    let content = source.content()?;
    let x = Array::parse(&content).and_then(|array| array.matrix(gaps));
    let x = x.map_err(|message| ReadError::file(&source.path, message))?;
    Ok(Loaded::of(x))
}

/// An array as it is stored in a file.
pub(super) struct Array<'a> {
    /// Byte order, kind and size, such as `<f8`.
    kind: String,
    by_columns: bool,
    shape: Vec<usize>,
    data: &'a [u8],
}

impl<'a> Array<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, String> {
        let damaged = "the npy header is damaged: save the array again with numpy.save";
        let (header, data) = split_header(bytes).ok_or(damaged)?;
        let value = |key: &str| {
            let (_, rest) = header.split_once(&format!("'{key}':"))?;
            Some(rest.trim_start())
        };
        let kind = value("descr").ok_or(damaged)?;
        let kind = kind.strip_prefix('\'').and_then(|rest| rest.split_once('\''));
        let (kind, _) = kind.ok_or("the array has named fields: save plain numbers")?;
        let by_columns = value("fortran_order").ok_or(damaged)?.starts_with("True");
        let shape = value("shape").and_then(|rest| rest.strip_prefix('(')?.split_once(')')).ok_or(damaged)?.0;
        let axes = shape.split(',').map(str::trim).filter(|axis| !axis.is_empty());
        let shape: Vec<usize> =
            axes.map(|axis| axis.parse().map_err(|_| damaged)).collect::<Result<_, _>>()?;
        Ok(Self { kind: kind.into(), by_columns, shape, data })
    }

    pub(super) fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns `true` if the array is stored column by column.
    pub(super) fn is_by_columns(&self) -> bool {
        self.by_columns
    }

    /// Returns the text of an array with one word, `numpy.array("csr")` or its bytes.
    pub(super) fn word(&self) -> String {
        self.data.iter().filter(|&&byte| byte != 0).map(|&byte| char::from(byte)).collect()
    }

    /// Returns an array with 1 axis (a column) or 2 as a matrix of finite values, with NaN where numbers may
    /// be missing.
    pub(super) fn matrix(&self, gaps: Gaps) -> Result<Matrix, String> {
        let (rows, cols) = match self.shape[..] {
            [rows] => (rows, 1),
            [rows, cols] => (rows, cols),
            _ => return Err(format!("an array of {} axes: a table has rows and columns", self.shape.len())),
        };
        let values = self.numbers()?;
        if values.is_empty() {
            return Err("the array is empty".into());
        }
        if let Some(at) = values.iter().position(|&value| !gaps.take(value)) {
            let (row, col) = if self.by_columns { (at % rows, at / rows) } else { (at / cols, at % cols) };
            return Err(not_finite(row, col, values[at]));
        }
        dense((rows, cols), self.by_columns, values)
    }

    /// Returns the values of an array with one column.
    pub(super) fn column(&self, gaps: Gaps) -> Result<Vec<f64>, String> {
        match self.matrix(gaps)? {
            Matrix::Dense(x) if x.ncols() == 1 => Ok(x.into_iter().collect()),
            x => Err(format!("{} columns where one was expected", x.cols())),
        }
    }

    /// Returns a range of values in the order of the file; `None` if the array is not numeric, or truncated.
    pub(super) fn part(&self, range: std::ops::Range<usize>) -> Option<Vec<f64>> {
        let count = self.shape.iter().try_fold(1_usize, |product, &axis| product.checked_mul(axis))?;
        let width = self.data.len().checked_div(count)?;
        if width.checked_mul(count)? != self.data.len() {
            return None;
        }
        let data = self.data.get(range.start * width..range.end * width)?;
        let part = Self { kind: self.kind.clone(), by_columns: true, shape: vec![range.len()], data };
        part.numbers().ok()
    }

    /// Returns all values in the order of the file.
    pub(super) fn numbers(&self) -> Result<Vec<f64>, String> {
        let (order, kind) = self.kind.split_at_checked(1).unwrap_or_default();
        let big = order == ">";
        match kind {
            "f8" => self.decode(big, f64::from_le_bytes),
            "f4" => self.decode(big, |bytes| f32::from_le_bytes(bytes).into()),
            "i8" => self.decode(big, |bytes| i64::from_le_bytes(bytes) as f64),
            "i4" => self.decode(big, |bytes| i32::from_le_bytes(bytes).into()),
            "i2" => self.decode(big, |bytes| i16::from_le_bytes(bytes).into()),
            "i1" => self.decode(big, |bytes| i8::from_le_bytes(bytes).into()),
            "u8" => self.decode(big, |bytes| u64::from_le_bytes(bytes) as f64),
            "u4" => self.decode(big, |bytes| u32::from_le_bytes(bytes).into()),
            "u2" => self.decode(big, |bytes| u16::from_le_bytes(bytes).into()),
            "u1" | "b1" => self.decode(big, |[byte]| f64::from(byte)),
            _ => {
                Err(format!("an array of kind `{}`: save it as numbers, with .astype('float64')", self.kind))
            }
        }
    }

    fn decode<const N: usize>(&self, big: bool, value: impl Fn([u8; N]) -> f64) -> Result<Vec<f64>, String> {
        let count = self.shape.iter().try_fold(1_usize, |product, &axis| product.checked_mul(axis));
        if count.and_then(|count| count.checked_mul(N)) != Some(self.data.len()) {
            let (shape, bytes) = (&self.shape, self.data.len());
            return Err(format!(
                "{bytes} bytes of values do not fill the shape {shape:?}: the file was cut off"
            ));
        }
        let (words, _) = self.data.as_chunks::<N>();
        let swapped = |mut word: [u8; N]| {
            word.reverse();
            word
        };
        Ok(words.iter().map(|&word| value(if big { swapped(word) } else { word })).collect())
    }
}

/// Splits a file into the text of the header and the values.
fn split_header(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let (&version, rest) = bytes.strip_prefix(MAGIC)?.split_first()?;
    let rest = rest.get(1..)?;
    let (length, rest) = match version {
        1 => {
            rest.split_first_chunk().map(|(length, rest)| (usize::from(u16::from_le_bytes(*length)), rest))?
        }
        _ => rest.split_first_chunk().map(|(length, rest)| (u32::from_le_bytes(*length) as usize, rest))?,
    };
    let (header, data) = rest.split_at_checked(length)?;
    Some((std::str::from_utf8(header).ok()?, data))
}
