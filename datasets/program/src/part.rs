//! [`Part`]: the part of a download that has arrived, kept next to the target, and its origin.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use raddle_cli::{Error, write_atomic};
use serde::{Deserialize, Serialize};

use crate::place::{beside, remove};

/// The source of the bytes of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Origin {
    /// Address that was requested.
    pub(crate) address: String,
    /// Entity tag that the server gave the file, if any.
    pub(crate) tag: Option<String>,
    /// Size of the whole file in bytes, if the server stated it.
    pub(crate) bytes: Option<u64>,
}

/// A partial download: `NAME.part` with the bytes, and `NAME.part.json` with their [`Origin`].
#[derive(Debug)]
pub(crate) struct Part {
    /// Path of the bytes.
    pub(crate) path: PathBuf,
    about: PathBuf,
}

impl Part {
    /// Returns the part that belongs to a target path.
    pub(crate) fn of(place: &Path) -> Self {
        let path = beside(place, ".part");
        Self { about: beside(&path, ".json"), path }
    }

    /// Returns the number of stored bytes and their origin; `None` if there is no part with a known origin.
    pub(crate) fn here(&self) -> Option<(u64, Origin)> {
        let from = serde_json::from_slice(&fs::read(&self.about).ok()?).ok()?;
        let bytes = fs::metadata(&self.path).ok().filter(fs::Metadata::is_file)?.len();
        Some((bytes, from))
    }

    /// Starts an empty part, to be filled from this origin.
    pub(crate) fn begin(&self, from: &Origin) -> Result<File, Error> {
        // Removed first, so that the bytes of one origin never carry the name of another.
        self.discard()?;
        let text = serde_json::to_vec(from).map_err(Error::failed)?;
        write_atomic(&self.about, |out| out.write_all(&text))?;
        File::create(&self.path).map_err(|why| Error::write(&self.path, why))
    }

    /// Opens the part to append to it.
    pub(crate) fn go_on(&self) -> Result<File, Error> {
        OpenOptions::new().append(true).open(&self.path).map_err(|why| Error::write(&self.path, why))
    }

    /// Removes the part.
    pub(crate) fn discard(&self) -> Result<(), Error> {
        remove(&self.path)?;
        remove(&self.about)
    }

    /// Moves the complete part to its final name.
    pub(crate) fn finish(&self, place: &Path) -> Result<(), Error> {
        crate::place::rename(&self.path, place)?;
        remove(&self.about)
    }
}
