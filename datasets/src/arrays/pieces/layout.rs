//! The layout of a file of pieces, which its [index](Index) describes.

use std::io;
use std::marker::PhantomData;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::ReadError;

pub(super) const MAGIC: &[u8; 16] = b"raddle pieces 1\n";

/// Byte-order mark: reads as another number on a machine with another byte order.
pub(super) const ORDER: u64 = 0x0102_0304_0506_0708;

/// Numbers in a piece, except the last one of an array. A multiple of 8.
pub(crate) const PIECE: usize = 1 << 16;

/// Bytes after the index.
pub(super) const TAIL: u64 = 32;

/// Limit on the size of an index, so that a damaged length is not believed.
pub(super) const LARGEST_INDEX: u64 = 1 << 28;

/// The name of an array, and the type of its numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Array<'a, T> {
    pub(super) name: &'a str,
    numbers: PhantomData<T>,
}

impl<'a, T> Array<'a, T> {
    pub(crate) const fn new(name: &'a str) -> Self {
        Self { name, numbers: PhantomData }
    }

    /// Returns the entry of a file that has no numbers yet.
    pub(crate) fn entry(self) -> Entry {
        Entry { name: self.name.into(), width: size_of::<T>() as u64, count: 0, pieces: Vec::new() }
    }
}

/// One array of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(super) name: String,
    /// Bytes per number.
    pub(super) width: u64,
    pub(super) count: u64,
    /// Offset and CRC-32 of each piece.
    pub(super) pieces: Vec<(u64, u32)>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Index {
    pub(super) arrays: Vec<Entry>,
    pub(super) about: Value,
}

/// Makes the error for a file that cannot be written.
pub(super) fn refused(path: &Path, why: &io::Error) -> ReadError {
    ReadError::file(
        path,
        format!("cannot write what was read: {why}; make room there, or name another cache (--cache FOLDER)"),
    )
}

/// Makes the error for a file that changed since it was opened.
pub(super) fn damaged(path: &Path) -> ReadError {
    ReadError::file(path, "this copy of the data is damaged: remove it, and it is made again")
}
