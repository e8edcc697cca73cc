//! [`Provenance`]: how a public set can be obtained.

use raddle_datasets::registry::PublicSet;
use serde::Serialize;

/// How a set can be obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Provenance {
    /// Downloaded and compared with a published digest.
    Known,
    /// Downloaded; later fetches are compared with the digest of the first one.
    Pinned,
    /// Not available for download: the file must be put into the folder.
    File,
}

impl Provenance {
    /// Returns how this set can be obtained.
    pub(crate) fn from_set(set: &PublicSet) -> Self {
        match set.downloads().next() {
            None => Self::File,
            Some(_) if set.downloads().all(|download| download.sha256.is_some()) => Self::Known,
            Some(_) => Self::Pinned,
        }
    }

    /// Returns the words that `list` prints.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Known => "fetched, digest known",
            Self::Pinned => "fetched, digest pinned at the first fetch",
            Self::File => "by file only",
        }
    }
}
