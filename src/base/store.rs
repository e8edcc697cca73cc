//! [`Store`]: the few operations on files that a commit consists of, so that tests can make each of them
//! fail.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

/// Operations of a file system. An operation that fails has not been done, except for a write, which may have
/// been done in part.
pub trait Store: fmt::Debug + Send + Sync {
    /// Makes a folder.
    ///
    /// # Errors
    /// If the folder cannot be made, as for the other operations.
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    /// Creates a file, or empties one that is there.
    fn create(&self, path: &Path) -> io::Result<File> {
        File::create(path)
    }

    /// Writes bytes to a file, and returns how many.
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        file.write(bytes)
    }

    /// Syncs a file: returns once its content survives a loss of power.
    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    /// Syncs a folder: returns once its entries survive a loss of power.
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        // Only some systems can open a folder; the others order its entries themselves.
        if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
    }

    /// Renames a file or a folder.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    /// Removes a file.
    fn remove(&self, file: &Path) -> io::Result<()> {
        fs::remove_file(file)
    }

    /// Removes an empty folder.
    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }
}

/// The real file system.
#[derive(Debug, Clone, Copy)]
pub struct Disk;

impl Store for Disk {}

/// A file of a store that is being written.
#[derive(Debug)]
pub struct Stored {
    file: File,
    store: Arc<dyn Store>,
}

/// Writes a file of a store, and returns once its content survives a loss of power.
///
/// # Errors
/// If the store cannot create, write or sync it.
pub fn write_synced(store: &Arc<dyn Store>, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = Stored::create(store, path)?;
    file.write_all(bytes)?;
    file.sync()
}

impl Stored {
    /// Creates a file of a store at this path.
    ///
    /// # Errors
    /// If the store cannot create it.
    pub fn create(store: &Arc<dyn Store>, path: &Path) -> io::Result<Self> {
        Ok(Self { file: store.create(path)?, store: Arc::clone(store) })
    }

    /// Makes a file of a store from an open file.
    pub fn of(store: &Arc<dyn Store>, file: File) -> Self {
        Self { file, store: Arc::clone(store) }
    }

    /// Syncs the file: returns once the written bytes survive a loss of power.
    pub fn sync(&self) -> io::Result<()> {
        self.store.sync(&self.file)
    }
}

impl Write for Stored {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.store.write(&mut self.file, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Stored {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
