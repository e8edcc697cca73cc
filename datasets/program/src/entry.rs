//! [`Entry`]: a public set, where it comes from, and what the programs read.

use serde::Serialize;

/// A public set.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Entry {
    /// The name to ask for.
    pub(crate) name: &'static str,
    /// The name that people know.
    pub(crate) title: &'static str,
    /// The form of the data.
    pub(crate) kind: Kind,
    /// The task that they are for.
    pub(crate) task: &'static str,
    /// Rows, users, documents.
    pub(crate) sizes: String,
    /// The licence in a line.
    pub(crate) licence: &'static str,
    /// Address of the licence, or of the page that states it.
    pub(crate) licence_address: &'static str,
    /// The files that the programs read, the one that is named on a line first.
    pub(crate) files: Vec<DataFile>,
    /// The way in which files that are at no address were made.
    pub(crate) made: Option<&'static str>,
    /// The best value that is known, where a source states one.
    pub(crate) best: Option<Best>,
}

/// The form of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// A table with a response.
    Table,
    /// Ratings, or pairs of users and items.
    Ratings,
    /// Bags of words.
    Corpus,
    /// Documents as they were written.
    Texts,
}

impl Kind {
    /// The word of a list.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Ratings => "ratings",
            Self::Corpus => "corpus",
            Self::Texts => "texts",
        }
    }
}

/// A file that the programs read.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DataFile {
    /// Its path below the data folder.
    pub(crate) file: &'static str,
    /// Its SHA-256, if it is known.
    pub(crate) sha256: Option<&'static str>,
    /// Another form of it that is as good: its path, and its SHA-256.
    pub(crate) or: Option<(&'static str, &'static str)>,
    /// The download that it is made of; `None` for files that are at no address.
    pub(crate) download: Option<Download>,
}

/// A file at one address or several.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Download {
    /// Addresses, in the order in which they are tried.
    pub(crate) addresses: &'static [&'static str],
    /// Name of the file, beside the place of what is made of it.
    pub(crate) name: &'static str,
    /// Its bytes, if they are known.
    pub(crate) bytes: Option<u64>,
    /// Its SHA-256, if it is known.
    pub(crate) sha256: Option<&'static str>,
    /// The way from it to what the programs read.
    pub(crate) converter: Converter,
}

/// The way from a download to a file that the programs read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Converter {
    /// It is read as it comes.
    Kept,
    /// bzip2 undone.
    Bunzip,
    /// This file of a zip archive.
    Member(&'static str),
    /// This file of ratings in a zip archive, with users and items numbered from 0 as they appear.
    Numbered(&'static str, Cells),
    /// The files of a gzipped tar archive as lines of JSON, a document each.
    Documents,
}

/// The way in which a line of ratings is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Cells {
    /// By tabs.
    Tabs,
    /// By `::`.
    Colons,
    /// By commas, below a header.
    Commas,
}

/// A value that a source states.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Best {
    /// The measure.
    pub(crate) metric: &'static str,
    /// Its value.
    pub(crate) value: &'static str,
    /// The source.
    pub(crate) source: &'static str,
}

/// The ways to have a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Provenance {
    /// Fetched; its digest is published.
    Known,
    /// Fetched; the first fetch is what later ones are compared with.
    Pinned,
    /// By file alone: it is at no address.
    File,
}

impl Provenance {
    /// The words of a list.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Known => "fetched, digest known",
            Self::Pinned => "fetched, digest pinned at the first fetch",
            Self::File => "by file only",
        }
    }
}

impl Entry {
    /// The way to have it.
    pub(crate) fn provenance(&self) -> Provenance {
        let downloads: Vec<&Download> = self.files.iter().filter_map(|file| file.download.as_ref()).collect();
        match downloads.is_empty() {
            true => Provenance::File,
            false if downloads.iter().all(|download| download.sha256.is_some()) => Provenance::Known,
            false => Provenance::Pinned,
        }
    }

    /// Bytes of its downloads, where all are known.
    pub(crate) fn bytes(&self) -> Option<u64> {
        let downloads = self.files.iter().filter_map(|file| file.download.as_ref());
        let bytes: Option<Vec<u64>> = downloads.map(|download| download.bytes).collect();
        bytes.filter(|bytes| !bytes.is_empty()).map(|bytes| bytes.iter().sum())
    }
}
