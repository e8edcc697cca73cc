//! Arrays of single precision in numpy's `.npy` format, version 1.0.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use raddle::cli::Error;

const MAGIC: &[u8] = b"\x93NUMPY";

/// Writes an array of this shape, the last index fastest.
pub(super) fn write(out: &mut impl Write, shape: &[usize], values: &[f32]) -> io::Result<()> {
    let lengths: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let head =
        format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}{comma}), }}", lengths.join(", "));
    // Magic, version and length take 10 bytes; the data begins at a multiple of 64.
    let length = (10 + head.len() + 1).next_multiple_of(64) - 10;
    out.write_all(MAGIC)?;
    out.write_all(&[1, 0])?;
    out.write_all(&(length as u16).to_le_bytes())?;
    out.write_all(format!("{head:<width$}\n", width = length - 1).as_bytes())?;
    out.write_all(bytemuck::cast_slice(values))
}

/// Reads such an array: its shape and values.
pub(super) fn read(path: &Path) -> Result<(Vec<usize>, Vec<f32>), Error> {
    let bytes = fs::read(path).map_err(|why| Error::input(format!("{}: {why}", path.display())))?;
    parse(&bytes).ok_or_else(|| {
        Error::input(format!(
            "{}: not an array that --out wrote: expected npy 1.0, `<f4`, in C order; was the file cut off?",
            path.display()
        ))
    })
}

fn parse(bytes: &[u8]) -> Option<(Vec<usize>, Vec<f32>)> {
    let rest = bytes.strip_prefix(MAGIC)?.strip_prefix(&[1, 0])?;
    let (length, rest) = rest.split_at_checked(2)?;
    let (head, data) = rest.split_at_checked(usize::from(u16::from_le_bytes(length.try_into().ok()?)))?;
    let head = std::str::from_utf8(head).ok()?;
    if !head.contains("'<f4'") || !head.contains("'fortran_order': False") {
        return None;
    }
    let (_, shape) = head.split_once("'shape': (")?;
    let (shape, _) = shape.split_once(')')?;
    let lengths = shape.split(',').map(str::trim).filter(|length| !length.is_empty());
    let shape: Vec<usize> = lengths.map(|length| length.parse().ok()).collect::<Option<_>>()?;
    let count = shape.iter().try_fold(1_usize, |count, &length| count.checked_mul(length))?;
    (data.len() == count.checked_mul(4)?).then(|| {
        let value = |four: &[u8]| bytemuck::pod_read_unaligned::<f32>(four);
        (shape, data.chunks_exact(4).map(value).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for shape in [vec![3, 2], vec![6], vec![0, 4]] {
            let values: Vec<f32> = (0..shape.iter().product::<usize>()).map(|i| i as f32 / 3.0).collect();
            let mut bytes = Vec::new();
            write(&mut bytes, &shape, &values).unwrap();
            assert_eq!((bytes.len() - values.len() * 4) % 64, 0);
            assert_eq!(parse(&bytes), Some((shape, values)));
            bytes.push(0);
            assert_eq!(parse(&bytes), None);
        }
        assert_eq!(parse(b"nonsense"), None);
    }
}
