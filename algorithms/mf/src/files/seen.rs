//! [`SeenFile`]: the pairs that users have rated, in the folder of a model: `seen.npz`, a sparse matrix of
//! truth values, compressed.

use std::io::{self, Write as _};

use raddle::files::{FileError, ModelFiles, ModelFolder};
use raddle_datasets::pairs::{Pairs, PairsWriter};

use crate::recommend::Seen;

/// Name of the file.
const NAME: &str = "seen.npz";

/// The file of what users have rated, in memory: compressed, about 1.2 bytes a pair.
#[derive(Debug)]
pub struct SeenFile(Vec<u8>);

impl SeenFile {
    /// The file of these pairs, for this many items.
    ///
    /// # Errors
    /// If it would be too large for an archive.
    pub fn new(seen: &Seen, items: usize) -> io::Result<Self> {
        let mut out = SeenWriter::new((seen.users(), items), seen.pairs())?;
        out.push(seen)?;
        out.finish()
    }

    /// Writes it beside a model; whoever calls commits.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, files: &mut impl ModelFiles) -> Result<(), FileError> {
        files.write(NAME, |out| out.write_all(&self.0))
    }
}

/// The file of what users have rated, of users that come some at a time.
#[derive(Debug)]
pub struct SeenWriter(PairsWriter);

impl SeenWriter {
    /// For this many users and items, and pairs of them.
    ///
    /// # Errors
    /// If it would be too large for an archive.
    pub fn new(sizes: (usize, usize), pairs: usize) -> io::Result<Self> {
        PairsWriter::new(sizes, pairs).map(Self)
    }

    /// Takes the next users in.
    ///
    /// # Errors
    /// If it would be too large for an archive.
    pub fn push(&mut self, seen: &Seen) -> io::Result<()> {
        (0..seen.users() as u32).try_for_each(|user| self.0.row(seen.row(user)))
    }

    /// The file.
    ///
    /// # Errors
    /// If users or pairs are not as many as were announced.
    pub fn finish(self) -> io::Result<SeenFile> {
        self.0.finish().map(SeenFile)
    }
}

impl Seen {
    /// Rated items in the folder of a model of this many users and items; `None` where the folder does not
    /// keep them: an earlier version has written it, or `--no-seen`.
    ///
    /// # Errors
    /// If the file is not as it was written.
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
