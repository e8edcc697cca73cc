//! Arrays kept in a file that is written and read piece by piece: memory holds one piece of each array, never
//! the whole.
//!
//! Layout: [`MAGIC`]; pieces of arrays, numbers in the machine's order, in the order in which they were
//! filled; an index as JSON (for every array its name, the bytes of a number, how many there are, how many a
//! piece has, and where each piece begins, with its CRC-32; beside it, what the file is about); where the
//! index begins, its length and its CRC-32, as three `u64`, and a word that reads otherwise where bytes are
//! in another order. A file appears whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use bytemuck::{Pod, Zeroable, cast_slice, cast_slice_mut};
use flate2::Crc;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::ReadError;

const MAGIC: &[u8; 16] = b"raddle pieces 1\n";

/// Reads as something else where bytes are in another order.
const ORDER: u64 = 0x0102_0304_0506_0708;

/// Numbers of a piece, but for the last of an array. A multiple of 8.
pub(crate) const PIECE: usize = 1 << 16;

/// Bytes behind the index.
const TAIL: u64 = 32;

/// The largest index that is believed.
const LARGEST_INDEX: u64 = 1 << 28;

/// One array of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Array {
    name: String,
    /// Bytes of a number.
    width: u64,
    count: u64,
    /// Where each piece begins, and its CRC-32.
    pieces: Vec<(u64, u32)>,
}

#[derive(Serialize, Deserialize)]
struct Index {
    arrays: Vec<Array>,
    about: Value,
}

/// A file that is being filled. One that is not finished leaves nothing behind.
pub(crate) struct PiecesWriter {
    out: BufWriter<File>,
    path: PathBuf,
    partial: Option<PathBuf>,
    at: u64,
    arrays: Vec<(Array, Vec<u8>)>,
}

impl PiecesWriter {
    /// Begins a file with arrays of these names and of numbers of so many bytes.
    pub(crate) fn create(path: &Path, arrays: &[(&str, usize)]) -> Result<Self, ReadError> {
        // Two runs may write the same file at once: each its own, and the later one stays.
        let partial = PathBuf::from(format!("{}.{}.partial", path.display(), std::process::id()));
        let begun = || {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            let mut out = BufWriter::with_capacity(1 << 18, File::create(&partial)?);
            out.write_all(MAGIC)?;
            Ok(out)
        };
        let out = begun().map_err(|why| refused(path, &why))?;
        let array = |&(name, width): &(&str, usize)| {
            let array = Array { name: name.into(), width: width as u64, count: 0, pieces: Vec::new() };
            (array, Vec::with_capacity(width * PIECE))
        };
        let arrays = arrays.iter().map(array).collect();
        Ok(Self { out, path: path.into(), partial: Some(partial), at: MAGIC.len() as u64, arrays })
    }

    /// Adds numbers to the end of an array, which is named by its place among those of
    /// [`create`](Self::create).
    pub(crate) fn push<T: Pod>(&mut self, array: usize, numbers: &[T]) -> Result<(), ReadError> {
        let mut bytes: &[u8] = cast_slice(numbers);
        self.arrays[array].0.count += numbers.len() as u64;
        while !bytes.is_empty() {
            let (array_index, buffer) = &mut self.arrays[array];
            let room = array_index.width as usize * PIECE - buffer.len();
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            buffer.extend_from_slice(now);
            bytes = later;
            if now.len() == room {
                self.flush(array)?;
            }
        }
        Ok(())
    }

    fn flush(&mut self, array: usize) -> Result<(), ReadError> {
        let (array, buffer) = &mut self.arrays[array];
        let mut crc = Crc::new();
        crc.update(buffer);
        array.pieces.push((self.at, crc.sum()));
        self.at += buffer.len() as u64;
        let written = self.out.write_all(buffer);
        buffer.clear();
        written.map_err(|why| refused(&self.path, &why))
    }

    /// Writes the index, and makes the file appear.
    pub(crate) fn finish(mut self, about: &impl Serialize) -> Result<Pieces, ReadError> {
        for array in 0..self.arrays.len() {
            if !self.arrays[array].1.is_empty() {
                self.flush(array)?;
            }
        }
        let arrays = self.arrays.iter().map(|(array, _)| array.clone()).collect();
        let written = self.write_index(arrays, about);
        let path = self.path.clone();
        written.map_err(|why| refused(&path, &why))?;
        self.partial = None;
        Pieces::open(&path).ok_or_else(|| damaged(&path))
    }

    fn write_index(&mut self, arrays: Vec<Array>, about: &impl Serialize) -> io::Result<()> {
        let index = serde_json::to_vec(&Index { arrays, about: serde_json::to_value(about)? })?;
        let mut crc = Crc::new();
        crc.update(&index);
        self.out.write_all(&index)?;
        self.out.write_all(cast_slice(&[self.at, index.len() as u64, u64::from(crc.sum()), ORDER]))?;
        self.out.flush()?;
        match &self.partial {
            Some(partial) => fs::rename(partial, &self.path),
            None => Ok(()),
        }
    }
}

impl Drop for PiecesWriter {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            // Best effort: what failed is told already.
            let _ = fs::remove_file(partial);
        }
    }
}

fn refused(path: &Path, why: &io::Error) -> ReadError {
    ReadError::file(path, format!("cannot write what was read: {why}; name another cache"))
}

/// Error for a file that has changed since it was opened.
fn damaged(path: &Path) -> ReadError {
    ReadError::file(path, "this copy of the data is damaged: remove it, and it is made again")
}

/// A file that is removed in the end.
pub(crate) struct RemovedOnDrop(pub(crate) PathBuf);

impl Drop for RemovedOnDrop {
    fn drop(&mut self) {
        // Best effort: what is left is only room on a disk.
        let _ = fs::remove_file(&self.0);
    }
}

/// A file that is whole as far as its index says. Pieces are checked as they are read.
#[derive(Debug)]
pub(crate) struct Pieces {
    path: PathBuf,
    file: Mutex<File>,
    arrays: Vec<Array>,
    about: Value,
}

impl Pieces {
    /// Opens a file; `None` if it is not there, or not whole, or not of this kind or machine.
    pub(crate) fn open(path: &Path) -> Option<Self> {
        let mut file = File::open(path).ok()?;
        let length = file.metadata().ok()?.len();
        let mut magic = [0; MAGIC.len()];
        file.read_exact(&mut magic).ok()?;
        let tail_at = length.checked_sub(TAIL).filter(|_| magic == *MAGIC)?;
        let [at, size, crc, ORDER] = numbers_at::<u64>(&mut file, tail_at, 4).ok()?[..] else { return None };
        if at.checked_add(size)? != tail_at || size > LARGEST_INDEX {
            return None;
        }
        let index: Vec<u8> = numbers_at(&mut file, at, usize::try_from(size).ok()?).ok()?;
        let mut found = Crc::new();
        found.update(&index);
        let Index { arrays, about } =
            serde_json::from_slice(&index).ok().filter(|_| u64::from(found.sum()) == crc)?;
        let fits = |array: &Array| {
            let pieces = array.count.div_ceil(PIECE as u64) == array.pieces.len() as u64;
            let ends = array.pieces.last().is_none_or(|&(start, _)| start < at);
            pieces && ends && (1..=8).contains(&array.width)
        };
        arrays.iter().all(fits).then_some(())?;
        Some(Self { path: path.into(), file: Mutex::new(file), arrays, about })
    }

    /// [`open`](Self::open), and every piece is what it was.
    fn open_checked(path: &Path) -> Option<Self> {
        let (pieces, mut bytes) = (Self::open(path)?, Vec::<u8>::new());
        for array in &pieces.arrays {
            for piece in 0..array.pieces.len() {
                bytes.resize(pieces.length(array, piece) * array.width as usize, 0);
                pieces.fill(array, piece, &mut bytes).ok()?;
            }
        }
        Some(pieces)
    }

    /// Facts of the file; `None` if it holds data of another kind.
    fn about<T: DeserializeOwned>(&self) -> Option<T> {
        T::deserialize(&self.about).ok()
    }

    /// Error for arrays that do not fit each other.
    pub(crate) fn damage(&self) -> ReadError {
        damaged(&self.path)
    }

    fn array<T>(&self, name: &str) -> Result<&Array, ReadError> {
        let found = self.arrays.iter().find(|array| array.name == name);
        found.filter(|array| array.width == size_of::<T>() as u64).ok_or_else(|| damaged(&self.path))
    }

    /// How many numbers an array has; 0 if it is not there.
    pub(crate) fn count(&self, name: &str) -> usize {
        let count = self.arrays.iter().find(|array| array.name == name).map_or(0, |array| array.count);
        usize::try_from(count).unwrap_or(usize::MAX)
    }

    /// How many numbers a piece of an array has.
    fn length(&self, array: &Array, piece: usize) -> usize {
        (array.count as usize - piece * PIECE).min(PIECE)
    }

    /// Reads one piece of an array to where there is room for all of it, as bytes or as what they are.
    fn fill<T: Pod>(&self, array: &Array, piece: usize, to: &mut [T]) -> Result<(), ReadError> {
        let (at, expected) = array.pieces[piece];
        let bytes: &mut [u8] = cast_slice_mut(to);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        fill_at(&mut file, at, bytes).map_err(|why| ReadError::io(&self.path, why))?;
        drop(file);
        let mut crc = Crc::new();
        crc.update(bytes);
        if crc.sum() == expected { Ok(()) } else { Err(damaged(&self.path)) }
    }

    /// Reads one piece of an array to the end of `to`, without a copy between.
    fn append<T: Pod + Zeroable>(
        &self,
        array: &Array,
        piece: usize,
        to: &mut Vec<T>,
    ) -> Result<(), ReadError> {
        let before = to.len();
        to.resize(before + self.length(array, piece), T::zeroed());
        self.fill(array, piece, &mut to[before..])
    }

    /// One piece of an array.
    pub(crate) fn piece<T: Pod + Zeroable>(&self, name: &str, piece: usize) -> Result<Vec<T>, ReadError> {
        let array = self.array::<T>(name)?;
        if piece >= array.pieces.len() {
            return Err(damaged(&self.path));
        }
        let mut numbers = Vec::new();
        self.append(array, piece, &mut numbers)?;
        Ok(numbers)
    }

    /// A range of an array.
    pub(crate) fn read<T: Pod + Zeroable>(
        &self,
        name: &str,
        range: Range<usize>,
    ) -> Result<Vec<T>, ReadError> {
        let array = self.array::<T>(name)?;
        if range.end > array.count as usize || range.start > range.end {
            return Err(damaged(&self.path));
        }
        let (mut numbers, mut cut) = (Vec::with_capacity(range.len()), Vec::new());
        for piece in range.start / PIECE..range.end.div_ceil(PIECE) {
            let (first, length) = (piece * PIECE, self.length(array, piece));
            if range.start <= first && first + length <= range.end {
                self.append(array, piece, &mut numbers)?;
                continue;
            }
            cut.clear();
            self.append(array, piece, &mut cut)?;
            numbers
                .extend_from_slice(&cut[range.start.saturating_sub(first)..(range.end - first).min(length)]);
        }
        Ok(numbers)
    }

    /// All of an array.
    pub(crate) fn all<T: Pod + Zeroable>(&self, name: &str) -> Result<Vec<T>, ReadError> {
        self.read(name, 0..self.count(name))
    }
}

/// Places where parts of so many numbers each begin that follow each other, and where the last of them ends.
pub(crate) fn starts_of(counts: &[u32]) -> Vec<usize> {
    let mut starts = Vec::with_capacity(counts.len() + 1);
    starts.push(0);
    starts.extend(counts.iter().scan(0, |end, &count| {
        *end += count as usize;
        Some(*end)
    }));
    starts
}

fn numbers_at<T: Pod + Zeroable>(file: &mut File, at: u64, count: usize) -> io::Result<Vec<T>> {
    let mut numbers = vec![T::zeroed(); count];
    fill_at(file, at, cast_slice_mut(&mut numbers))?;
    Ok(numbers)
}

fn fill_at(file: &mut File, at: u64, bytes: &mut [u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(bytes)
}

/// Opens the file of this path, or makes it: once for all processes of a machine that ask at the same time. It is made anew
/// where it is damaged, of another kind, or its arrays do not fit what it says of them.
pub(crate) fn open_or_make<T: DeserializeOwned>(
    path: &Path,
    fits: impl Fn(&Pieces, &T) -> Option<bool>,
    make: impl FnOnce(&Path) -> Result<(Pieces, T), ReadError>,
) -> Result<(Pieces, T), ReadError> {
    let open = || {
        let pieces = Pieces::open_checked(path)?;
        let about = pieces.about()?;
        fits(&pieces, &about)?.then_some((pieces, about))
    };
    let lock = PathBuf::from(format!("{}.lock", path.display()));
    let held = || {
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        let held = File::options().create(true).truncate(false).write(true).open(&lock)?;
        // Where the system has no locks each makes its own copy, and the last one stays.
        match held.lock() {
            Err(why) if why.kind() != io::ErrorKind::Unsupported => Err(why),
            _ => Ok(held),
        }
    };
    let held = held().map_err(|why| refused(path, &why))?;
    let found = open().map_or_else(|| make(path), Ok);
    // The lock's file stays: who waits for it holds it, and another one would be another lock.
    drop(held);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(path: &Path, count: usize) -> Pieces {
        let mut out = PiecesWriter::create(path, &[("rows", 4), ("times", 8)]).unwrap();
        let rows: Vec<u32> = (0..count as u32).collect();
        for some in rows.chunks(1000) {
            out.push(0, some).unwrap();
            out.push(1, &some.iter().map(|&row| f64::from(row) / 2.0).collect::<Vec<_>>()).unwrap();
        }
        out.finish(&("what it is", count)).unwrap()
    }

    #[test]
    fn ranges_are_read_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pieces");
        for count in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 17] {
            let pieces = written(&path, count);
            assert_eq!(pieces.about(), Some(("what it is".to_owned(), count)));
            assert_eq!((pieces.count("rows"), pieces.count("times")), (count, count));
            for range in [0..count, count / 3..count / 2, count.saturating_sub(9)..count, count..count] {
                let rows: Vec<u32> = pieces.read("rows", range.clone()).unwrap();
                assert_eq!(rows, range.clone().map(|row| row as u32).collect::<Vec<_>>());
                let times: Vec<f64> = pieces.read("times", range.clone()).unwrap();
                assert_eq!(times, range.map(|row| row as f64 / 2.0).collect::<Vec<_>>());
            }
            assert!(pieces.read::<u32>("rows", 0..count + 1).is_err());
            assert!(pieces.read::<u64>("rows", 0..count).is_err() && pieces.all::<u32>("no").is_err());
        }
    }

    #[test]
    fn damage_is_found_wherever_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pieces");
        drop(written(&path, PIECE + 100));
        let whole = fs::read(&path).unwrap();
        assert!(Pieces::open_checked(&path).is_some());
        let index = whole.len() - 900;
        for at in (0..whole.len()).step_by(whole.len() / 40).chain(index..whole.len()) {
            let mut flipped = whole.clone();
            flipped[at] ^= 1;
            fs::write(&path, &flipped).unwrap();
            assert!(Pieces::open_checked(&path).is_none(), "byte {at} of {}", whole.len());
            fs::write(&path, &whole[..at]).unwrap();
            assert!(Pieces::open_checked(&path).is_none(), "cut off at {at}");
        }
        // Damage after a file was opened is named when it is read.
        fs::write(&path, &whole).unwrap();
        let pieces = Pieces::open_checked(&path).unwrap();
        let mut file = File::options().write(true).open(&path).unwrap();
        file.seek(SeekFrom::Start(40)).unwrap();
        file.write_all(&[255; 8]).unwrap();
        let error = pieces.all::<u32>("rows").unwrap_err().to_string();
        assert!(error.contains("a.pieces") && error.contains("made again"), "{error}");
    }

    #[test]
    fn what_is_not_finished_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut out = PiecesWriter::create(&folder.path().join("a.pieces"), &[("rows", 4)]).unwrap();
        out.push(0, &[1_u32, 2]).unwrap();
        drop(out);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let file = folder.path().join("a.pieces/b.pieces");
        fs::write(folder.path().join("a.pieces"), "").unwrap();
        let refused = PiecesWriter::create(&file, &[]).err().unwrap().to_string();
        assert!(refused.contains("b.pieces") && refused.contains("name another cache"), "{refused}");
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "several ask at once")]
    fn of_several_that_ask_at_once_one_makes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pieces");
        let made = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let make = |path: &Path| {
                        made.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        Ok((written(path, 10), ("what it is".to_owned(), 10)))
                    };
                    let fits =
                        |pieces: &Pieces, about: &(String, usize)| Some(pieces.count("rows") == about.1);
                    open_or_make(&path, fits, make).unwrap();
                });
            }
        });
        assert_eq!(made.into_inner(), 1);
    }
}
