//! [`Store`]: the few operations on files that a commit consists of, so that tests can make each of them fail.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use crate::checkpoint::sync_folder;

/// Where files are kept. Every operation stands for itself: what fails has not been done, but for a write, which may
/// have been done in part.
pub(super) trait Store: fmt::Debug + Send + Sync {
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    fn create(&self, path: &Path) -> io::Result<File> {
        File::create(path)
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        file.write(bytes)
    }

    /// Returns once the file's content outlives a loss of power.
    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    /// Returns once the folder's entries outlive a loss of power.
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        sync_folder(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, file: &Path) -> io::Result<()> {
        fs::remove_file(file)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }
}

/// The file system as it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Disk;

impl Store for Disk {}

/// Where a file's bytes go: streamed, never held whole.
#[derive(Debug)]
pub struct Out(BufWriter<Stored>);

#[derive(Debug)]
struct Stored {
    file: File,
    store: Arc<dyn Store>,
}

impl Out {
    pub(super) fn create(store: &Arc<dyn Store>, path: &Path) -> io::Result<Self> {
        let stored = Stored { file: store.create(path)?, store: Arc::clone(store) };
        Ok(Self(BufWriter::with_capacity(1 << 18, stored)))
    }

    /// Writes what is still held back, and returns once it outlives a loss of power.
    pub(super) fn close(mut self) -> io::Result<()> {
        self.0.flush()?;
        let Stored { file, store } = self.0.get_ref();
        store.sync(file)
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for Out {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
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
