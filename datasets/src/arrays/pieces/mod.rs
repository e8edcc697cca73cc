//! Arrays kept in a file that is written and read piece by piece: memory holds one piece of each array, never
//! the whole.
//!
//! Layout: a magic; pieces of arrays, numbers in the machine's order, in the order in which they were filled;
//! an index as JSON (for every array its name, the bytes of a number, how many there are, how many a piece
//! has, and where each piece begins, with its CRC-32; beside it, what the file is about); where the index
//! begins, its length and its CRC-32, as three `u64`, and a word that reads otherwise where bytes are in
//! another order. A file appears whole or not at all.

mod layout;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

pub(crate) use self::layout::PIECE;
use self::layout::refused;
pub(crate) use self::reader::{Pieces, starts_of};
pub(crate) use self::writer::PiecesWriter;
use crate::error::ReadError;

/// A file that is removed in the end.
pub(crate) struct RemovedOnDrop(pub(crate) PathBuf);

impl Drop for RemovedOnDrop {
    fn drop(&mut self) {
        // Best effort: what is left is only room on a disk.
        let _ = fs::remove_file(&self.0);
    }
}

/// Opens the file of this path, or makes it: once for all processes of a machine that ask at the same time.
/// It is made anew where it is damaged, of another kind, or its arrays do not fit what it says of them.
pub(crate) fn open_or_make<T: DeserializeOwned, E: From<ReadError>>(
    path: &Path,
    fits: impl Fn(&Pieces, &T) -> Option<bool>,
    make: impl FnOnce(&Path) -> Result<(Pieces, T), E>,
) -> Result<(Pieces, T), E> {
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
    if let Ok((pieces, _)) = &found {
        pieces.share();
    }
    // The lock's file stays: who waits for it holds it, and another one would be another lock.
    drop(held);
    found
}
