//! Layout of a file of pieces, as its [index](Index) tells.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::ReadError;

pub(super) const MAGIC: &[u8; 16] = b"raddle pieces 1\n";

/// Reads as something else where bytes are in another order.
pub(super) const ORDER: u64 = 0x0102_0304_0506_0708;

/// Numbers of a piece, but for the last of an array. A multiple of 8.
pub(crate) const PIECE: usize = 1 << 16;

/// Bytes behind the index.
pub(super) const TAIL: u64 = 32;

/// The largest index that is believed.
pub(super) const LARGEST_INDEX: u64 = 1 << 28;

/// One array of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Array {
    pub(super) name: String,
    /// Bytes of a number.
    pub(super) width: u64,
    pub(super) count: u64,
    /// Where each piece begins, and its CRC-32.
    pub(super) pieces: Vec<(u64, u32)>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Index {
    pub(super) arrays: Vec<Array>,
    pub(super) about: Value,
}

/// Fault of a file that cannot be written.
pub(super) fn refused(path: &Path, why: &io::Error) -> ReadError {
    ReadError::file(
        path,
        format!("cannot write what was read: {why}; make room there, or name another cache (--cache FOLDER)"),
    )
}

/// Fault of a file that has changed since it was opened.
pub(super) fn damaged(path: &Path) -> ReadError {
    ReadError::file(path, "this copy of the data is damaged: remove it, and it is made again")
}
