//! [`PiecesWriter`]: fills a file of pieces.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use bytemuck::{Pod, cast_slice};
use flate2::Crc;
use serde::Serialize;

use super::layout::{Array, Entry, Index, MAGIC, ORDER, PIECE, damaged, refused};
use super::reader::Pieces;
use crate::error::ReadError;

/// A file that is being filled. If it is dropped unfinished, nothing is left on the disk.
pub(crate) struct PiecesWriter {
    out: BufWriter<File>,
    path: PathBuf,
    partial: Option<PathBuf>,
    at: u64,
    arrays: Vec<(Entry, Vec<u8>)>,
}

impl PiecesWriter {
    /// Starts a file with these arrays.
    pub(crate) fn create(path: &Path, arrays: impl IntoIterator<Item = Entry>) -> Result<Self, ReadError> {
        // Two runs may write the same file at once: each writes its own, and the later one stays.
        let partial = PathBuf::from(format!("{}.{}.partial", path.display(), std::process::id()));
        let begun = || {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            let mut out = BufWriter::with_capacity(1 << 18, File::create(&partial)?);
            out.write_all(MAGIC)?;
            Ok(out)
        };
        let out = begun().map_err(|why| refused(path, &why))?;
        let buffered = |entry: Entry| {
            let buffer = Vec::with_capacity(entry.width as usize * PIECE);
            (entry, buffer)
        };
        let arrays = arrays.into_iter().map(buffered).collect();
        Ok(Self { out, path: path.into(), partial: Some(partial), at: MAGIC.len() as u64, arrays })
    }

    /// Appends numbers to an array, one of those of [`create`](Self::create).
    pub(crate) fn push<T: Pod>(&mut self, array: Array<'_, T>, numbers: &[T]) -> Result<(), ReadError> {
        let place = self.arrays.iter().position(|(entry, _)| entry.name == array.name);
        let array = place.ok_or_else(|| damaged(&self.path))?;
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

    /// Writes the index and moves the file to its final name.
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

    fn write_index(&mut self, arrays: Vec<Entry>, about: &impl Serialize) -> io::Result<()> {
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
            // Best effort: the failure itself is reported elsewhere.
            let _ = fs::remove_file(partial);
        }
    }
}
