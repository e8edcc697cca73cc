//! The cache: parsed text in binary files, so that the next run reads numbers instead of parsing them.
//!
//! A file is named after the SHA-256 of the stored text, the format, and the way in which it was read, so
//! that it is never out of date. Layout, with all numbers in the machine's byte order: [`MAGIC`]; a header of
//! eight `u64` (byte-order mark, kind, rows, columns, stored values, whether there is a response, bytes of
//! the metadata, 0); the response; the matrix (dense: values column by column; sparse: column starts as
//! `u64`, values, row numbers as `u32`); the metadata in JSON (names, columns that occur, the encoding); and
//! the CRC-32 of all of this as `u32`. A file that is damaged or from another kind of machine is written
//! again.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use bytemuck::{Pod, Zeroable, cast_slice, cast_slice_mut};
use flate2::Crc;
use ndarray::{Array2, ShapeBuilder};
use serde::{Deserialize, Serialize};

use super::data::Table;
use super::encoding::Encoding;
use super::features::Filled;
use super::format::Format;
use super::gaps::Gaps;
use super::libsvm::Indices;
use super::loaded::Loaded;
use super::options::Options;
use super::{Csc, Matrix, Occurring, libsvm, response};
use crate::bytes::source::Source;
use crate::error::ReadError;
use crate::metadata::metadata;
use crate::records::RecordCounts;

const MAGIC: &[u8; 16] = b"raddle table 4\n\0";

/// Byte-order mark: reads as another number on a machine with another byte order.
const ORDER: u64 = 0x0102_0304_0506_0708;

const DENSE: u64 = 0;
const SPARSE: u64 = 1;

/// Returns the content of a file, from the folder of [`Options::cache`] if it was parsed before; otherwise
/// parses it and stores it there. Also returns how many values lie beyond the requested width.
pub(super) fn parsed(source: &Source, format: Format, options: &Options) -> Result<(Loaded, u64), ReadError> {
    let gaps = Gaps::of(options.columns.missing);
    let indices = Indices { zero_based: options.zero_based, width: options.width, gaps };
    let parse = || match format {
        Format::Libsvm => libsvm::load(source, &indices, options.threads),
        _ => response::load(source, format, options.threads, gaps).map(|loaded| (loaded, 0)),
    };
    let mut variant = String::new();
    if options.zero_based && format == Format::Libsvm {
        variant += "-0";
    }
    if gaps == Gaps::Taken {
        variant += "-gaps";
    }
    let kept = Kept::of(source, options, format, &variant);
    if let Some((loaded, _)) = kept.load() {
        return Ok((loaded, 0));
    }
    let (loaded, beyond) = parse()?;
    Ok((kept.save(loaded, None)?, beyond))
}

metadata! {
    /// Metadata that are cached with a table.
    Extra of Table {
        encoding: Option<Encoding>,
        filled: Vec<Filled>,
        classes: Option<Vec<String>>,
        records: RecordCounts,
        notes: Vec<String>,
    }
}

/// The metadata at the end of a file.
#[derive(Serialize, Deserialize)]
struct End<'a> {
    names: Option<Cow<'a, [String]>>,
    occurring: Option<Cow<'a, Occurring>>,
    extra: Option<Cow<'a, Extra>>,
}

/// The path of a table in the folder of [`Options::cache`], if there is one.
pub(super) struct Kept(Option<PathBuf>);

impl Kept {
    /// Returns no path: nothing is cached.
    pub(super) fn none() -> Self {
        Self(None)
    }

    /// Returns the path for a file that is read as `variant` says.
    pub(super) fn of(source: &Source, options: &Options, format: Format, variant: &str) -> Self {
        let is_text = matches!(format, Format::Libsvm | Format::Csv | Format::MatrixMarket | Format::Parquet);
        // A table that is cut to a width is not cached, as it differs.
        let folder = options.cache.as_deref().filter(|_| is_text && options.width.is_none());
        Self(folder.map(|folder| folder.join(format!("{}.{format}{variant}.table", source.digest()))))
    }

    pub(super) fn load(&self) -> Option<(Loaded, Option<Extra>)> {
        load(self.0.as_deref()?)
    }

    /// Stores a table in the cache and returns it.
    pub(super) fn save(&self, loaded: Loaded, extra: Option<&Extra>) -> Result<Loaded, ReadError> {
        let Some(path) = &self.0 else { return Ok(loaded) };
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| save(path, &loaded, extra)).map_err(|why| {
            ReadError::file(path, format!("cannot write what was parsed: {why}; make room there, or name another cache (--cache FOLDER)"))
        })?;
        Ok(loaded)
    }
}

fn save(path: &Path, loaded: &Loaded, extra: Option<&Extra>) -> io::Result<()> {
    // Two runs may write the same file at once: each writes its own, and the later one stays.
    let partial = PathBuf::from(format!("{}.{}.partial", path.display(), std::process::id()));
    let written = File::create(&partial).and_then(|file| write(file, loaded, extra));
    let done = written.and_then(|()| fs::rename(&partial, path));
    if done.is_err() {
        // Best effort: the error that matters is returned.
        let _ = fs::remove_file(&partial);
    }
    done
}

fn write(file: File, loaded: &Loaded, extra: Option<&Extra>) -> io::Result<()> {
    let mut out = Summed { inner: BufWriter::with_capacity(1 << 18, file), crc: Crc::new() };
    let Loaded { x, occurring, names, y } = loaded;
    let end = serde_json::to_vec(&End {
        names: names.as_deref().map(Cow::Borrowed),
        occurring: occurring.as_ref().map(Cow::Borrowed),
        extra: extra.map(Cow::Borrowed),
    })?;
    let (kind, stored) = match x {
        Matrix::Dense(x) => (DENSE, x.len()),
        Matrix::Sparse(x) => (SPARSE, x.nnz()),
    };
    let sizes = [x.rows(), x.cols(), stored, usize::from(y.is_some()), end.len(), 0].map(|size| size as u64);
    out.write_all(MAGIC)?;
    out.write_all(cast_slice(&[ORDER, kind]))?;
    out.write_all(cast_slice(&sizes))?;
    out.write_all(cast_slice(y.as_deref().unwrap_or(&[])))?;
    match x {
        Matrix::Dense(x) => {
            for column in x.columns() {
                out.write_all(cast_slice(&column.to_vec()))?;
            }
        }
        Matrix::Sparse(x) => {
            let starts: Vec<u64> = x.indptr().raw_storage().iter().map(|&start| start as u64).collect();
            out.write_all(cast_slice(&starts))?;
            out.write_all(cast_slice(x.data()))?;
            out.write_all(cast_slice(x.indices()))?;
        }
    }
    out.write_all(&end)?;
    let sum = out.crc.sum();
    out.inner.write_all(&sum.to_ne_bytes())?;
    out.inner.flush()
}

/// Reads a file; `None` if it does not exist or is incomplete.
fn load(path: &Path) -> Option<(Loaded, Option<Extra>)> {
    let file = File::open(path).ok()?;
    let mut rest = file.metadata().ok()?.len();
    let mut from = Summed { inner: BufReader::with_capacity(1 << 18, file), crc: Crc::new() };
    let magic: Vec<u8> = from.take_numbers(&mut rest, 16)?;
    let header: Vec<u64> = from.take_numbers(&mut rest, 8)?;
    let [ORDER, kind, rows, cols, stored, has_y, end, _] = header[..] else { return None };
    if magic != MAGIC || has_y > 1 {
        return None;
    }
    let y: Vec<f64> = from.take_numbers(&mut rest, has_y.checked_mul(rows)?)?;
    let shape = (usize::try_from(rows).ok()?, usize::try_from(cols).ok()?);
    let x = match kind {
        DENSE => {
            let values: Vec<f64> = from.take_numbers(&mut rest, stored)?;
            Matrix::Dense(Array2::from_shape_vec(shape.f(), values).ok()?)
        }
        SPARSE => {
            let starts: Vec<u64> = from.take_numbers(&mut rest, cols.checked_add(1)?)?;
            let values: Vec<f64> = from.take_numbers(&mut rest, stored)?;
            let indices: Vec<u32> = from.take_numbers(&mut rest, stored)?;
            let starts = starts.into_iter().map(usize::try_from).collect::<Result<_, _>>().ok()?;
            Matrix::Sparse(Csc::try_new_csc(shape, starts, indices, values).ok()?)
        }
        _ => return None,
    };
    let end: Vec<u8> = from.take_numbers(&mut rest, end)?;
    let sum = from.crc.sum();
    let expected: Vec<u32> = from.take_numbers(&mut rest, 1)?;
    if expected != [sum] || rest != 0 {
        return None;
    }
    let End { names, occurring, extra } = serde_json::from_slice(&end).ok()?;
    let names = names.map(Cow::into_owned);
    let occurring = occurring.map(Cow::into_owned);
    let fits = names.as_ref().is_none_or(|names| names.len() == shape.1)
        && occurring.as_ref().is_none_or(|some| some.is_sound(shape.1));
    let loaded = Loaded { x, occurring, names, y: (has_y == 1).then_some(y) };
    fits.then(|| (loaded, extra.map(Cow::into_owned)))
}

/// A stream with the CRC-32 of its bytes.
struct Summed<T> {
    inner: T,
    crc: Crc,
}

impl<W: Write> Summed<W> {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.crc.update(bytes);
        self.inner.write_all(bytes)
    }
}

impl<R: Read> Summed<R> {
    /// Reads `count` numbers, if the remaining `rest` bytes of the file suffice.
    fn take_numbers<T: Pod + Zeroable>(&mut self, rest: &mut u64, count: u64) -> Option<Vec<T>> {
        let bytes = count.checked_mul(size_of::<T>() as u64).filter(|bytes| bytes <= rest)?;
        *rest -= bytes;
        let mut numbers = vec![T::zeroed(); usize::try_from(count).ok()?];
        let bytes: &mut [u8] = cast_slice_mut(&mut numbers);
        self.inner.read_exact(bytes).ok()?;
        self.crc.update(bytes);
        Some(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;

    fn only_file(folder: &Path) -> PathBuf {
        let mut files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let file = files.next().unwrap();
        assert_eq!(files.next(), None, "one table, nothing half written");
        file
    }

    /// A complete table of the previous version, which read the text differently.
    fn of_earlier_version(mut table: Vec<u8>) -> Vec<u8> {
        let (number, first_value, end) = (MAGIC.len() - 3, MAGIC.len() + 64, table.len() - size_of::<u32>());
        table[number] -= 1;
        table[first_value] ^= 1;
        let mut crc = Crc::new();
        crc.update(&table[..end]);
        table[end..].copy_from_slice(&crc.sum().to_ne_bytes());
        table
    }

    /// Every text format, with the response inside or in its own file: the table from the cache is the same.
    #[test]
    fn what_was_kept_is_what_was_parsed() {
        let texts = [
            ("a.svm", "1.5 1:2 3:0.5\n-1 2:4\n", None),
            ("a.csv", "age,height,weight\n31,1.7,68\n45,0,80\n", Some("weight")),
            ("a.csv", "age,height,weight\n31,1.7,68\n45,0,80\n", Some("age")),
            ("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 2.5\n2 3 7\n", Some("3")),
        ];
        for (name, text, y) in texts {
            let folder = tempfile::tempdir().unwrap();
            let (file, cache) = (folder.path().join(name), folder.path().join("cache"));
            fs::write(&file, text).unwrap();
            let plain = Options { y: y.map(str::to_owned), ..Options::default() };
            let kept = Options { cache: Some(cache.clone()), ..plain.clone() };
            let expected = read(&file, &plain).unwrap();
            assert_eq!(read(&file, &kept).unwrap(), expected, "{name} as it is parsed");
            let table = only_file(&cache);
            let written = fs::metadata(&table).unwrap().modified().unwrap();
            assert_eq!(read(&file, &kept).unwrap(), expected, "{name} from the cache");
            assert_eq!(
                fs::metadata(&table).unwrap().modified().unwrap(),
                written,
                "{name} is not written again"
            );
            // Truncated, changed or foreign: parsed again, and repaired.
            let whole = fs::read(&table).unwrap();
            let mut flipped = whole.clone();
            flipped[whole.len() / 2] ^= 1;
            let earlier = of_earlier_version(whole.clone());
            for damaged in [&whole[..whole.len() - 5], &flipped, &whole[..3], b"", &[7; 400], &earlier] {
                fs::write(&table, damaged).unwrap();
                assert_eq!(read(&file, &kept).unwrap(), expected, "{name} beside a damaged table");
                assert_eq!(fs::read(&table).unwrap(), whole, "{name} is mended");
            }
        }
    }

    #[test]
    fn another_content_is_another_table() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.svm");
        let options = Options { cache: Some(folder.path().join("cache")), ..Options::default() };
        for value in [2.0, 3.0] {
            fs::write(&file, format!("{value} 1:1\n1 1:2\n")).unwrap();
            assert_eq!(read(&file, &options).unwrap().y[0], value);
        }
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.svm");
        fs::write(&file, "1 1:1\n2 1:2\n").unwrap();
        let options = Options { cache: Some(file.join("cache")), ..Options::default() };
        let error = read(&file, &options).unwrap_err().to_string();
        assert!(error.contains("a.svm/cache") && error.contains("name another cache"), "{error}");
    }
}
