//! Numpy's `.npy` format: writes arrays in version 1.0 and C order, reads back those of saved models, and
//! `Array`, any array of numbers, which [`table`](crate::table) reads.

use std::io::{self, Write};
use std::str;

/// Bytes with which every `.npy` file starts.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// Bytes with which a file of version 1.0 starts, the version that is written here.
const VERSION_1: &[u8] = b"\x93NUMPY\x01\x00";

/// Writes the header of an array of this shape, with the last index varying fastest. `kind` is numpy's type,
/// such as `<f4`. The header is padded so that the values start at a multiple of 64 bytes.
///
/// # Errors
/// If `out` fails.
pub fn header(out: &mut impl Write, kind: &str, shape: &[usize]) -> io::Result<()> {
    let lengths: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let text =
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({}{comma}), }}", lengths.join(", "));
    // Ten bytes stand before the text (magic, version, length), and a line feed ends it.
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    out.write_all(VERSION_1)?;
    out.write_all(&(length as u16).to_le_bytes())?;
    out.write_all(format!("{text:<width$}\n", width = length - 1).as_bytes())
}

/// Writes single-precision numbers as `<f4`.
///
/// # Errors
/// If `out` fails.
pub fn f32s(out: &mut impl Write, values: &[f32]) -> io::Result<()> {
    each(out, values, f32::to_le_bytes)
}

/// Writes double-precision numbers as `<f8`.
///
/// # Errors
/// If `out` fails.
pub fn f64s(out: &mut impl Write, values: &[f64]) -> io::Result<()> {
    each(out, values, f64::to_le_bytes)
}

fn each<T: Copy, const N: usize>(
    out: &mut impl Write,
    values: &[T],
    bytes: impl Fn(T) -> [u8; N],
) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(1 << 16);
    for some in values.chunks((1 << 16) / N) {
        buffer.clear();
        some.iter().for_each(|&value| buffer.extend_from_slice(&bytes(value)));
        out.write_all(&buffer)?;
    }
    Ok(())
}

/// Parses an array of single precision that [`f32s`] wrote; returns its shape and its values.
///
/// # Errors
/// A sentence, without the file's name, if it is no such array.
pub fn parse_f32s(bytes: &[u8]) -> Result<(Vec<usize>, Vec<f32>), String> {
    parsed(bytes, "<f4", f32::from_le_bytes)
}

/// Parses an array of double precision that [`f64s`] wrote; returns its shape and its values.
///
/// # Errors
/// A sentence, without the file's name, if it is no such array.
pub fn parse_f64s(bytes: &[u8]) -> Result<(Vec<usize>, Vec<f64>), String> {
    parsed(bytes, "<f8", f64::from_le_bytes)
}

pub(super) fn parsed<T, const N: usize>(
    bytes: &[u8],
    kind: &str,
    value: fn([u8; N]) -> T,
) -> Result<(Vec<usize>, Vec<T>), String> {
    parse(bytes, kind, value).ok_or_else(|| {
        format!(
            "not an array that --out wrote: expected npy 1.0, `{kind}`, in C order; was the file cut off?"
        )
    })
}

fn parse<T, const N: usize>(
    bytes: &[u8],
    kind: &str,
    value: fn([u8; N]) -> T,
) -> Option<(Vec<usize>, Vec<T>)> {
    let array = Array::parse(bytes).ok().filter(|_| bytes.starts_with(VERSION_1))?;
    let (values, rest) = array.data.as_chunks::<N>();
    let is_whole = array.count() == Some(values.len()) && rest.is_empty();
    (is_whole && array.kind == kind && !array.by_columns)
        .then(|| (array.shape, values.iter().map(|&bytes| value(bytes)).collect()))
}

/// An array as it is stored in a file.
pub(crate) struct Array<'a> {
    /// Byte order, kind and size, such as `<f8`.
    kind: String,
    by_columns: bool,
    shape: Vec<usize>,
    data: &'a [u8],
}

impl<'a> Array<'a> {
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, String> {
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

    /// Returns the number of values that the shape states.
    fn count(&self) -> Option<usize> {
        self.shape.iter().try_fold(1_usize, |product, &axis| product.checked_mul(axis))
    }

    pub(crate) fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns `true` if the array is stored column by column.
    pub(crate) fn is_by_columns(&self) -> bool {
        self.by_columns
    }

    /// Returns the text of an array with one word, `numpy.array("csr")` or its bytes.
    pub(crate) fn word(&self) -> String {
        self.data.iter().filter(|&&byte| byte != 0).map(|&byte| char::from(byte)).collect()
    }

    /// Returns a range of values in the order of the file; `None` if the array is not numeric, or truncated.
    pub(crate) fn part(&self, range: std::ops::Range<usize>) -> Option<Vec<f64>> {
        let count = self.count()?;
        let width = self.data.len().checked_div(count)?;
        if width.checked_mul(count)? != self.data.len() {
            return None;
        }
        let data = self.data.get(range.start * width..range.end * width)?;
        let part = Self { kind: self.kind.clone(), by_columns: true, shape: vec![range.len()], data };
        part.numbers().ok()
    }

    /// Returns all values in the order of the file.
    pub(crate) fn numbers(&self) -> Result<Vec<f64>, String> {
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
        if self.count().and_then(|count| count.checked_mul(N)) != Some(self.data.len()) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for shape in [vec![3, 2], vec![6], vec![0, 4], vec![], vec![20_000]] {
            let values: Vec<f32> = (0..shape.iter().product::<usize>()).map(|i| i as f32 / 3.0).collect();
            let mut bytes = Vec::new();
            header(&mut bytes, "<f4", &shape).unwrap();
            assert_eq!(bytes.len() % 64, 0);
            assert_eq!(bytes.last(), Some(&b'\n'));
            f32s(&mut bytes, &values).unwrap();
            assert_eq!(parse_f32s(&bytes), Ok((shape.clone(), values.clone())));
            bytes.push(0);
            assert!(parse_f32s(&bytes).is_err());
            let values: Vec<f64> = values.iter().map(|&value| f64::from(value) / 7.0).collect();
            bytes.clear();
            header(&mut bytes, "<f8", &shape).unwrap();
            f64s(&mut bytes, &values).unwrap();
            assert_eq!(parse_f64s(&bytes), Ok((shape, values)));
        }
        assert!(parse_f32s(b"nonsense").is_err());
        let mut other = Vec::new();
        header(&mut other, "<f8", &[0]).unwrap();
        assert!(parse_f32s(&other).is_err() && parse_f64s(&other).is_ok());
    }
}
