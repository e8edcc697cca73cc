//! [`SeenFile`]: the pairs that users have rated, in the folder of a model: `seen.npz`, a compressed sparse
//! matrix of booleans.

use std::io::{self, Write as _};

use raddle::files::{FileError, ModelFiles, ModelFolder};
use raddle_datasets::pairs::{Pairs, PairsWriter};

use crate::recommend::Seen;

/// Name of the file.
const NAME: &str = "seen.npz";

/// The file of the pairs that users have rated, in memory: compressed, about 1.2 bytes per pair.
#[derive(Debug)]
pub struct SeenFile(Vec<u8>);

impl SeenFile {
    /// Makes the file of these pairs, for `items` items.
    ///
    /// # Errors
    /// If it would be too large for an archive.
    pub fn new(seen: &Seen, items: usize) -> io::Result<Self> {
        let mut out = SeenWriter::new((seen.users(), items), seen.pairs())?;
        out.push(seen)?;
        out.finish()
    }

    /// Writes the file into the folder of a model; the caller commits it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, files: &mut impl ModelFiles) -> Result<(), FileError> {
        files.write(NAME, |out| out.write_all(&self.0))
    }
}

/// Writer of the file for users that are added in batches.
#[derive(Debug)]
pub struct SeenWriter(PairsWriter);

impl SeenWriter {
    /// A writer for this many users, items and pairs.
    ///
    /// # Errors
    /// If it would be too large for an archive.
    pub fn new(sizes: (usize, usize), pairs: usize) -> io::Result<Self> {
        PairsWriter::new(sizes.0, sizes.1, pairs).map(Self)
    }

    /// Adds the next users.
    ///
    /// # Errors
    /// If it would be too large for an archive.
    pub fn push(&mut self, seen: &Seen) -> io::Result<()> {
        (0..seen.users() as u32).try_for_each(|user| self.0.row(seen.row(user)))
    }

    /// Returns the file.
    ///
    /// # Errors
    /// If the numbers of users or pairs differ from those announced.
    pub fn finish(self) -> io::Result<SeenFile> {
        self.0.finish().map(SeenFile)
    }
}

impl Seen {
    /// Reads the rated items in the folder of a model with this many users and items; `None` if the folder
    /// does not store them, because of `--no-seen` or an earlier version.
    ///
    /// # Errors
    /// If the file was changed.
    pub fn of_model(opened: &ModelFolder, sizes: (usize, usize)) -> Result<Option<Self>, FileError> {
        if !opened.has(NAME) {
            return Ok(None);
        }
        let refuse = |why: String| FileError::refused(&opened.path().join(NAME), why);
        let found = Pairs::parse(&opened.read(NAME)?).map_err(refuse)?;
        match found.shape == sizes {
            true => Ok(Some(Self::of_rows(found.starts, found.columns))),
            false => {
                Err(refuse(format!("its shape is {:?}, but model.json asks for {sizes:?}", found.shape)))
            }
        }
    }
}
