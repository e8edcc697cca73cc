//! [`Pieces`]: reads a file of pieces, and checks each piece as it is read.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytemuck::{Pod, cast_slice_mut};
use flate2::Crc;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::layout::{Array, Entry, Index, LARGEST_INDEX, MAGIC, ORDER, PIECE, TAIL, damaged};
use crate::error::ReadError;

/// An open file with a valid index. Pieces are checked as they are read.
#[derive(Debug)]
pub(crate) struct Pieces {
    path: PathBuf,
    file: Mutex<File>,
    arrays: Vec<Entry>,
    about: Value,
    /// Bytes of pieces read so far.
    read: AtomicU64,
}

impl Pieces {
    /// Opens a file; `None` if it does not exist, is incomplete, or is of another kind or machine.
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
        let fits = |array: &Entry| {
            let pieces = array.count.div_ceil(PIECE as u64) == array.pieces.len() as u64;
            let ends = array.pieces.last().is_none_or(|&(start, _)| start < at);
            pieces && ends && (1..=8).contains(&array.width)
        };
        arrays.iter().all(fits).then_some(())?;
        Some(Self { path: path.into(), file: Mutex::new(file), arrays, about, read: AtomicU64::new(0) })
    }

    /// Opens a file as [`open`](Self::open) does, and checks every piece. If several have the file open, only
    /// the first reads all of it; the others check the pieces that they read.
    pub(super) fn open_checked(path: &Path) -> Option<Self> {
        let (pieces, mut bytes) = (Self::open(path)?, Vec::<u8>::new());
        // Where the system has no file locks, each one reads it all.
        if matches!(pieces.locked().try_lock(), Err(TryLockError::WouldBlock)) {
            return Some(pieces);
        }
        for array in &pieces.arrays {
            for piece in 0..array.pieces.len() {
                bytes.resize(pieces.length(array, piece) * array.width as usize, 0);
                pieces.fill(array, piece, &mut bytes).ok()?;
            }
        }
        Some(pieces)
    }

    /// Holds a shared lock while the file is open, which tells others that it was checked.
    pub(super) fn share(&self) {
        // Best effort: without the lock the others check the file themselves.
        let file = self.locked();
        if cfg!(windows) {
            // There a lock is not converted: this file would keep the others from theirs.
            let _ = file.unlock();
        }
        let _ = file.try_lock_shared();
    }

    fn locked(&self) -> MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes of pieces read so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Adds bytes of another file that were read for this one.
    pub(crate) fn count_read(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Returns the facts stored with the arrays; `None` if the file holds data of another kind.
    pub(super) fn about<T: DeserializeOwned>(&self) -> Option<T> {
        T::deserialize(&self.about).ok()
    }

    /// Returns the file with the facts stored in it; `None` if it holds data of another kind, or its arrays
    /// do not fit its facts.
    pub(crate) fn fitting<T: DeserializeOwned>(
        self,
        fits: impl Fn(&Self, &T) -> Option<bool>,
    ) -> Option<(Self, T)> {
        let about = self.about()?;
        fits(&self, &about)?.then_some((self, about))
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the error for arrays that do not fit each other.
    pub(crate) fn damage(&self) -> ReadError {
        damaged(&self.path)
    }

    fn entry<T>(&self, array: Array<'_, T>) -> Result<&Entry, ReadError> {
        let found = self.arrays.iter().find(|entry| entry.name == array.name);
        found.filter(|entry| entry.width == size_of::<T>() as u64).ok_or_else(|| self.damage())
    }

    /// Returns the length of an array; 0 if the file has none of this name and type.
    pub(crate) fn count<T>(&self, array: Array<'_, T>) -> usize {
        self.entry(array).map_or(0, |entry| usize::try_from(entry.count).unwrap_or(usize::MAX))
    }

    /// Returns the length of a piece of an array.
    fn length(&self, array: &Entry, piece: usize) -> usize {
        (array.count as usize - piece * PIECE).min(PIECE)
    }

    /// Reads one piece of an array into a buffer of its length, of bytes or of numbers.
    fn fill<T: Pod>(&self, array: &Entry, piece: usize, to: &mut [T]) -> Result<(), ReadError> {
        let (at, expected) = array.pieces[piece];
        let bytes: &mut [u8] = cast_slice_mut(to);
        fill_at(&mut self.locked(), at, bytes).map_err(|why| ReadError::io(&self.path, why))?;
        self.count_read(bytes.len() as u64);
        let mut crc = Crc::new();
        crc.update(bytes);
        if crc.sum() == expected {
            return Ok(());
        }
        // Unlocks the file, so that the next process that opens it finds the damage, too.
        let _ = self.locked().unlock();
        Err(self.damage())
    }

    /// Appends one piece of an array to `to`, without a copy in between.
    fn append<T: Pod>(&self, array: &Entry, piece: usize, to: &mut Vec<T>) -> Result<(), ReadError> {
        let before = to.len();
        to.resize(before + self.length(array, piece), T::zeroed());
        self.fill(array, piece, &mut to[before..])
    }

    /// Reads one piece of an array.
    pub(crate) fn piece<T: Pod>(&self, array: Array<'_, T>, piece: usize) -> Result<Vec<T>, ReadError> {
        let array = self.entry(array)?;
        if piece >= array.pieces.len() {
            return Err(self.damage());
        }
        let mut numbers = Vec::new();
        self.append(array, piece, &mut numbers)?;
        Ok(numbers)
    }

    /// Reads a range of an array.
    pub(crate) fn read<T: Pod>(&self, array: Array<'_, T>, range: Range<usize>) -> Result<Vec<T>, ReadError> {
        let array = self.entry(array)?;
        if range.end > array.count as usize || range.start > range.end {
            return Err(self.damage());
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

    /// Reads a whole array.
    pub(crate) fn all<T: Pod>(&self, array: Array<'_, T>) -> Result<Vec<T>, ReadError> {
        self.read(array, 0..self.count(array))
    }
}

/// Returns the offsets of consecutive parts with these lengths, and the end of the last part.
pub(crate) fn starts_of(counts: &[u32]) -> Vec<usize> {
    let mut starts = Vec::with_capacity(counts.len() + 1);
    starts.push(0);
    starts.extend(counts.iter().scan(0, |end, &count| {
        *end += count as usize;
        Some(*end)
    }));
    starts
}

fn numbers_at<T: Pod>(file: &mut File, at: u64, count: usize) -> io::Result<Vec<T>> {
    let mut numbers = vec![T::zeroed(); count];
    fill_at(file, at, cast_slice_mut(&mut numbers))?;
    Ok(numbers)
}

fn fill_at(file: &mut File, at: u64, bytes: &mut [u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(bytes)
}
