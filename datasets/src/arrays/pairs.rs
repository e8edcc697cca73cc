//! Pairs of rows and columns as a compressed sparse matrix of booleans, which `scipy.sparse.load_npz` reads.

use std::io::{self, Cursor, Read as _, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::npy::{header, parsed};
use crate::bytes::memory;

/// Writes a matrix of pairs into memory, row by row, compressed.
///
/// ```
/// use raddle_datasets::pairs::{Pairs, PairsWriter};
/// let mut out = PairsWriter::new(3, 9, 3)?;
/// for row in [&[2, 7][..], &[], &[8]] {
///     out.row(row)?;
/// }
/// let found = Pairs::parse(&out.finish()?)?;
/// assert_eq!((found.shape, found.starts, found.columns), ((3, 9), vec![0, 2, 2, 3], vec![2, 7, 8]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PairsWriter {
    archive: ZipWriter<Cursor<Vec<u8>>>,
    shape: (usize, usize),
    count: usize,
    starts: Vec<u64>,
    buffer: Vec<u8>,
}

impl std::fmt::Debug for PairsWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PairsWriter({:?}, {} of {})", self.shape, self.starts.len() - 1, self.count)
    }
}

/// Compression options: a quick level, as others shrink ascending numbers little more.
fn options() -> SimpleFileOptions {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    options.compression_level(Some(4)).large_file(true)
}

/// Returns `true` if the columns fit into 16 bits, which compress to three quarters of the size of 32 bits.
fn are_short(columns: usize) -> bool {
    columns <= 1 << 16
}

impl PairsWriter {
    /// Starts a matrix of this shape with `count` pairs.
    ///
    /// # Errors
    /// If a part of the archive is too large.
    pub fn new(rows: usize, columns: usize, count: usize) -> io::Result<Self> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        archive.start_file("indices.npy", options())?;
        header(&mut archive, if are_short(columns) { "<u2" } else { "<i4" }, &[count])?;
        let mut starts = Vec::with_capacity(rows + 1);
        starts.push(0);
        Ok(Self { archive, shape: (rows, columns), count, starts, buffer: Vec::new() })
    }

    /// Writes the next row: its columns, ascending, each once.
    ///
    /// # Errors
    /// If a part of the archive is too large.
    pub fn row(&mut self, columns: &[u32]) -> io::Result<()> {
        self.starts.push(self.starts.last().copied().unwrap_or(0) + columns.len() as u64);
        match are_short(self.shape.1) {
            true => columns
                .iter()
                .for_each(|&column| self.buffer.extend_from_slice(&(column as u16).to_le_bytes())),
            false => columns.iter().for_each(|&column| self.buffer.extend_from_slice(&column.to_le_bytes())),
        }
        if self.buffer.len() >= 1 << 16 {
            self.archive.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Ends the archive and returns its bytes.
    ///
    /// # Errors
    /// If the rows or pairs are not as many as [`new`](Self::new) was told, or a part of the archive is too
    /// large.
    pub fn finish(self) -> io::Result<Vec<u8>> {
        let Self { mut archive, shape, count, starts, buffer } = self;
        if (starts.len() - 1, starts.last().copied()) != (shape.0, Some(count as u64)) {
            return Err(io::Error::other("the number of pairs differs from the announced one"));
        }
        archive.write_all(&buffer)?;
        archive.start_file("indptr.npy", options())?;
        header(&mut archive, "<i8", &[starts.len()])?;
        let starts: Vec<u8> = starts.into_iter().flat_map(|start| (start as i64).to_le_bytes()).collect();
        archive.write_all(&starts)?;
        archive.start_file("format.npy", options())?;
        header(&mut archive, "|S3", &[])?;
        archive.write_all(b"csr")?;
        archive.start_file("shape.npy", options())?;
        header(&mut archive, "<i8", &[2])?;
        let sizes: Vec<u8> =
            [shape.0, shape.1].into_iter().flat_map(|size| (size as i64).to_le_bytes()).collect();
        archive.write_all(&sizes)?;
        archive.start_file("data.npy", options())?;
        header(&mut archive, "|b1", &[count])?;
        let truth = [1_u8; 1 << 12];
        let mut left = count;
        while left > 0 {
            let some = left.min(truth.len());
            archive.write_all(&truth[..some])?;
            left -= some;
        }
        Ok(archive.finish()?.into_inner())
    }
}

/// A matrix of pairs in compressed rows (CSR).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs {
    /// Numbers of rows and of columns.
    pub shape: (usize, usize),
    /// Offset of each row's first column in `columns`; rows + 1 numbers.
    pub starts: Vec<usize>,
    /// The columns of each row, ascending.
    pub columns: Vec<u32>,
}

impl Pairs {
    /// Parses the bytes of a file.
    ///
    /// # Errors
    /// If [`PairsWriter`] did not write the bytes; a sentence without the file's name.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let damaged = |why: &dyn std::fmt::Display| format!("not an array that --out wrote: {why}");
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|why| damaged(&why))?;
        let mut room = memory::for_content();
        let mut member = |name: &str| -> Result<Vec<u8>, String> {
            let file = archive.by_name(name).map_err(|why| damaged(&why))?;
            let mut content = Vec::new();
            // The size that the archive states may be wrong.
            file.take(room + 1).read_to_end(&mut content).map_err(|why| damaged(&why))?;
            room = room.checked_sub(content.len() as u64).ok_or_else(|| damaged(&"it is too large"))?;
            Ok(content)
        };
        let whole = |bytes: &[u8]| -> Result<Vec<usize>, String> {
            let (_, values) = parsed(bytes, "<i8", i64::from_le_bytes)?;
            values.into_iter().map(usize::try_from).collect::<Result<_, _>>().map_err(|why| damaged(&why))
        };
        let (starts, sizes) = (whole(&member("indptr.npy")?)?, whole(&member("shape.npy")?)?);
        let &[rows, width] = &sizes[..] else { return Err(damaged(&"it is no matrix")) };
        let indices = member("indices.npy")?;
        let columns = match are_short(width) {
            true => parsed(&indices, "<u2", u16::from_le_bytes)?.1.into_iter().map(u32::from).collect(),
            false => parsed(&indices, "<i4", u32::from_le_bytes)?.1,
        };
        let is_whole = starts.len() == rows + 1
            && starts.first() == Some(&0)
            && starts.last() == Some(&columns.len())
            && starts.is_sorted()
            && starts.windows(2).all(|ends| {
                let row = &columns[ends[0]..ends[1]];
                row.is_sorted_by(|a, b| a < b) && row.last().is_none_or(|&last| (last as usize) < width)
            });
        match is_whole {
            true => Ok(Self { shape: (rows, width), starts, columns }),
            false => Err(damaged(&"its rows do not fit together")),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pairs_are_read_back_and_nothing_else_is(
            rows in proptest::collection::vec(proptest::collection::btree_set(0_u32..5000, 0..200), 0..40),
            width in proptest::sample::select(vec![5000, 1 << 16, 70_000]),
            at: prop::sample::Index, bit in 0_u32..8,
        ) {
            let count = rows.iter().map(|row| row.len()).sum();
            let mut out = PairsWriter::new(rows.len(), width, count).unwrap();
            rows.iter().for_each(|row| out.row(&row.iter().copied().collect::<Vec<_>>()).unwrap());
            let bytes = out.finish().unwrap();
            let found = Pairs::parse(&bytes).unwrap();
            prop_assert_eq!(found.shape, (rows.len(), width));
            let expected: Vec<u32> = rows.iter().flatten().copied().collect();
            prop_assert_eq!(&found.columns, &expected);
            // Damage is refused or leaves rows that fit; the reader never panics.
            let mut damaged = bytes.clone();
            damaged[at.index(bytes.len())] ^= 1 << bit;
            let _ = Pairs::parse(&damaged);
            prop_assert!(Pairs::parse(&bytes[..at.index(bytes.len())]).is_err());
        }
    }

    #[test]
    fn other_numbers_of_rows_and_pairs_are_refused() {
        let mut out = PairsWriter::new(2, 4, 3).unwrap();
        out.row(&[1, 2]).unwrap();
        assert!(out.finish().is_err());
        let mut out = PairsWriter::new(1, 4, 3).unwrap();
        out.row(&[1, 2]).unwrap();
        assert!(out.finish().is_err());
    }
}
