//! Sparse matrices in the format of `scipy.sparse.save_npz`, written as streams. [`table`](crate::table)
//! reads them.

use std::io::{self, Seek, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::arrays::npy::header;

/// Writes a sparse matrix of counts in compressed rows (CSR). `starts` has rows + 1 offsets; `indices` is the
/// number of entries and their columns, ascending within a row; `counts` are the entries' values, below 2^31.
/// Each iterator is run once.
///
/// # Errors
/// If `out` fails.
pub fn csr(
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
