//! [`Part`]: what has come of a download, beside its place, and where it came from.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use raddle::cli::{Error, write_atomic};
use serde::{Deserialize, Serialize};

use crate::place::{beside, remove};

/// Where the bytes of a part came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Origin {
    /// The address.
    pub(crate) address: String,
    /// The server's tag of the file, if it has one.
    pub(crate) tag: Option<String>,
    /// Bytes of all of the file, if the server has said so.
    pub(crate) bytes: Option<u64>,
}

/// `NAME.part`, and `NAME.part.json` that says where its bytes came from.
#[derive(Debug)]
pub(crate) struct Part {
    /// Path of the bytes.
    pub(crate) path: PathBuf,
    about: PathBuf,
}

impl Part {
    /// The part of the file of this place.
    pub(crate) fn of(place: &Path) -> Self {
        let path = beside(place, ".part");
        Self { about: beside(&path, ".json"), path }
    }

    /// Number of bytes that are here, and their source; none of a part that does not say it.
    pub(crate) fn here(&self) -> Option<(u64, Origin)> {
        let from = serde_json::from_slice(&fs::read(&self.about).ok()?).ok()?;
        let bytes = fs::metadata(&self.path).ok().filter(fs::Metadata::is_file)?.len();
        Some((bytes, from))
    }

    /// Begins anew, with bytes from there.
    pub(crate) fn begin(&self, from: &Origin) -> Result<File, Error> {
        // Never bytes of one source with the name of another.
        self.discard()?;
        let text = serde_json::to_vec(from).map_err(Error::failed)?;
        write_atomic(&self.about, |out| out.write_all(&text))?;
        File::create(&self.path).map_err(|why| Error::write(&self.path, why))
    }

    /// Goes on behind the bytes that are here.
    pub(crate) fn go_on(&self) -> Result<File, Error> {
        OpenOptions::new().append(true).open(&self.path).map_err(|why| Error::write(&self.path, why))
    }

    /// Removes what is here.
    pub(crate) fn discard(&self) -> Result<(), Error> {
        remove(&self.path)?;
        remove(&self.about)
    }

    /// Gives the bytes, which are all here, the file's name.
    pub(crate) fn finish(&self, place: &Path) -> Result<(), Error> {
        crate::place::rename(&self.path, place)?;
        remove(&self.about)
    }
}
