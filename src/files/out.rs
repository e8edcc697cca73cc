//! [`Out`]: the writer of a model's files.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use crate::base::store::{Store, Stored};

/// Writer of a file: bytes are streamed, never held whole.
#[derive(Debug)]
pub struct Out(BufWriter<Stored>);

impl Out {
    pub(crate) fn create(store: &Arc<dyn Store>, path: &Path) -> io::Result<Self> {
        Ok(Self(BufWriter::with_capacity(1 << 18, Stored::create(store, path)?)))
    }

    /// Makes a writer into an open file.
    pub(crate) fn of(store: &Arc<dyn Store>, file: File) -> Self {
        Self(BufWriter::with_capacity(1 << 18, Stored::of(store, file)))
    }

    /// Writes the buffered bytes, and returns once they survive a loss of power.
    pub(super) fn close(mut self) -> io::Result<()> {
        self.0.flush()?;
        self.0.get_ref().sync()
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
