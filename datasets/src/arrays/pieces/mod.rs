//! Arrays in a file that is written and read piece by piece: memory holds one piece of each array, never the
//! whole array.
//!
//! Layout: a magic number; the pieces, in the machine's byte order and in the order in which they were
//! filled; an index in JSON, which has for each array its name, bytes per number, length, numbers per piece,
//! and the offset and CRC-32 of each piece, and the facts that the caller stored with the file; then the
//! offset, length and CRC-32 of the index and the byte-order mark, four `u64`. A file appears complete or not
//! at all.

mod layout;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use self::layout::refused;
pub(crate) use self::layout::{Array, PIECE};
pub(crate) use self::reader::{Pieces, starts_of};
pub(crate) use self::writer::PiecesWriter;
use crate::error::ReadError;

/// A path whose file is removed when this is dropped.
pub(crate) struct RemovedOnDrop(pub(crate) PathBuf);

impl Drop for RemovedOnDrop {
    fn drop(&mut self) {
        // Best effort: a file that stays only takes disk space.
        let _ = fs::remove_file(&self.0);
    }
}

/// Opens the file at this path, or makes it, once for all processes on the machine that ask at the same time.
/// A file that is damaged, of another kind, or whose arrays do not fit its facts is made again.
pub(crate) fn open_or_make<T: DeserializeOwned, E: From<ReadError>>(
    path: &Path,
    fits: impl Fn(&Pieces, &T) -> Option<bool>,
    make: impl FnOnce(&Path) -> Result<(Pieces, T), E>,
) -> Result<(Pieces, T), E> {
    let open = || Pieces::open_checked(path)?.fitting(&fits);
    let lock = PathBuf::from(format!("{}.lock", path.display()));
    let held = || {
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        let held = File::options().create(true).truncate(false).write(true).open(&lock)?;
        // Where the system has no file locks, each process makes its own copy, and the last one stays.
        match held.lock() {
            Err(why) if why.kind() != io::ErrorKind::Unsupported => Err(why),
            _ => Ok(held),
        }
    };
    let held = held().map_err(|why| refused(path, &why))?;
    let found = open().map_or_else(|| make(path), Ok);
    if let Ok((pieces, _)) = &found {
        pieces.share();
    }
    // The lock file stays: another process may hold it open, and a new file would be a different lock.
    drop(held);
    found
}
