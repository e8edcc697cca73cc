//! Numpy's `.npy` format, version 1.0, in C order: writes arrays, and reads back those of saved models.
//! [`table`](crate::table) reads any.

use std::io::{self, Write};
use std::str;

const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";

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
    out.write_all(MAGIC)?;
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
    let (length, rest) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<2>()?;
    let (head, data) = rest.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
    let head = str::from_utf8(head).ok()?;
    if !head.contains(&format!("'{kind}'")) || !head.contains("'fortran_order': False") {
        return None;
    }
    let (_, shape) = head.split_once("'shape': (")?;
    let (shape, _) = shape.split_once(')')?;
    let lengths = shape.split(',').map(str::trim).filter(|length| !length.is_empty());
    let shape: Vec<usize> = lengths.map(|length| length.parse().ok()).collect::<Option<_>>()?;
    let count = shape.iter().try_fold(1_usize, |count, &length| count.checked_mul(length))?;
    let (values, rest) = data.as_chunks::<N>();
    (values.len() == count && rest.is_empty())
        .then(|| (shape, values.iter().map(|&bytes| value(bytes)).collect()))
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
