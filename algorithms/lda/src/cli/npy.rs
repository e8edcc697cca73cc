//! numpy's files: arrays as `.npy`, and sparse matrices as `scipy.sparse.save_npz` writes them, streamed.

use std::io::{self, Seek, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The header of an array in C order; `kind` is numpy's, such as `<f4`.
pub(crate) fn header(out: &mut impl Write, kind: &str, shape: &[usize]) -> io::Result<()> {
    let shape = match shape {
        [] => "()".to_owned(),
        [length] => format!("({length},)"),
        more => format!("({})", more.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    };
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    // Magic, version, length and text fill a multiple of 64 bytes; the text ends with a line.
    while !(10 + text.len() + 1).is_multiple_of(64) {
        text.push(' ');
    }
    text.push('\n');
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&(text.len() as u16).to_le_bytes())?;
    out.write_all(text.as_bytes())
}

/// Numbers as they lie in memory.
pub(crate) fn f32s(out: &mut impl Write, values: &[f32]) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(4 * values.len());
    values.iter().for_each(|value| buffer.extend_from_slice(&value.to_le_bytes()));
    out.write_all(&buffer)
}

/// A sparse matrix of counts in compressed rows; each part is given as an iterator that is run once.
pub(crate) fn csr(
    out: &mut (impl Write + Seek),
    shape: (usize, usize),
    starts: impl ExactSizeIterator<Item = u64>,
    indices: (usize, impl Iterator<Item = u32>),
    counts: impl Iterator<Item = u32>,
) -> io::Result<()> {
    let mut archive = ZipWriter::new(out);
    let options =
        || SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored).large_file(true);
    archive.start_file("indices.npy", options())?;
    header(&mut archive, "<i4", &[indices.0])?;
    stream(&mut archive, indices.1.map(|index| (index as i32).to_le_bytes()))?;
    archive.start_file("indptr.npy", options())?;
    header(&mut archive, "<i8", &[starts.len()])?;
    stream(&mut archive, starts.map(|start| (start as i64).to_le_bytes()))?;
    archive.start_file("format.npy", options())?;
    header(&mut archive, "|S3", &[])?;
    archive.write_all(b"csr")?;
    archive.start_file("shape.npy", options())?;
    header(&mut archive, "<i8", &[2])?;
    stream(&mut archive, [shape.0, shape.1].into_iter().map(|size| (size as i64).to_le_bytes()))?;
    archive.start_file("data.npy", options())?;
    header(&mut archive, "<i4", &[indices.0])?;
    stream(&mut archive, counts.map(|count| (count as i32).to_le_bytes()))?;
    archive.finish()?;
    Ok(())
}

fn stream<const N: usize>(out: &mut impl Write, values: impl Iterator<Item = [u8; N]>) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(1 << 16);
    for value in values {
        buffer.extend_from_slice(&value);
        if buffer.len() >= (1 << 16) - N {
            out.write_all(&buffer)?;
            buffer.clear();
        }
    }
    out.write_all(&buffer)
}
