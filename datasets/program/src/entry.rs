//! [`Entry`]: a public set, where it comes from, and what the programs read.

use serde::Serialize;

/// A public set.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Entry {
    /// Name on the command line.
    pub(crate) name: &'static str,
    /// Title.
    pub(crate) title: &'static str,
    /// Kind of the data.
    pub(crate) kind: Kind,
    /// Task that the data are for.
    pub(crate) task: &'static str,
    /// Sizes as text, such as rows and columns.
    pub(crate) sizes: String,
    /// Licence, in one line.
    pub(crate) licence: &'static str,
    /// Address of the licence, or of a page that states it.
    pub(crate) licence_address: &'static str,
    /// Files that the programs read; the first is the one that a command line names.
    pub(crate) files: Vec<DataFile>,
    /// How files that cannot be downloaded were made.
    pub(crate) made: Option<&'static str>,
    /// Best known value, where a source states one.
    pub(crate) best: Option<Best>,
}

/// The kind of data in a set.
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
    /// Returns the word that `list` prints.
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
    /// Path in the data folder.
    pub(crate) file: &'static str,
    /// SHA-256, if known.
    pub(crate) sha256: Option<&'static str>,
    /// Another form of the file that may take its place: its path and SHA-256.
    pub(crate) or: Option<(&'static str, &'static str)>,
    /// The download that the file is made from; `None` if there is none.
    pub(crate) download: Option<Download>,
}

/// A file that can be downloaded.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Download {
    /// Addresses, in the order in which they are tried.
    pub(crate) addresses: &'static [&'static str],
    /// File name under which the download is kept, next to the file made from it.
    pub(crate) name: &'static str,
    /// Size in bytes, if known.
    pub(crate) bytes: Option<u64>,
    /// SHA-256, if known.
    pub(crate) sha256: Option<&'static str>,
    /// Conversion to the file that the programs read.
    pub(crate) converter: Converter,
}

/// A conversion from a download to a file that the programs read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Converter {
    /// No conversion: the download is read as it is.
    Kept,
    /// Decompression from bzip2.
    Bunzip,
    /// Extraction of this file from a zip archive.
    Member(&'static str),
    /// Extraction of this file of ratings from a zip archive, with users and items numbered from 0 in the
    /// order of their first appearance.
    Numbered(&'static str, Cells),
    /// The files of a gzipped tar archive as JSON lines, one document each.
    Documents,
}

/// The separator of fields in a line of ratings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Cells {
    /// Tabs.
    Tabs,
    /// Two colons, `::`.
    Colons,
    /// Commas, below a header line.
    Commas,
}

/// A value that a source states.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Best {
    /// The measure.
    pub(crate) metric: &'static str,
    /// The value, as text.
    pub(crate) value: &'static str,
    /// The source.
    pub(crate) source: &'static str,
}

/// How a set can be obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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
    /// Returns the words that `list` prints.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Known => "fetched, digest known",
            Self::Pinned => "fetched, digest pinned at the first fetch",
            Self::File => "by file only",
        }
    }
}

impl Entry {
    /// Returns how the set can be obtained.
    pub(crate) fn provenance(&self) -> Provenance {
        let downloads: Vec<&Download> = self.files.iter().filter_map(|file| file.download.as_ref()).collect();
        match downloads.is_empty() {
            true => Provenance::File,
            false if downloads.iter().all(|download| download.sha256.is_some()) => Provenance::Known,
            false => Provenance::Pinned,
        }
    }

    /// Returns the total size of the downloads in bytes, if all are known.
    pub(crate) fn bytes(&self) -> Option<u64> {
        let downloads = self.files.iter().filter_map(|file| file.download.as_ref());
        let bytes: Option<Vec<u64>> = downloads.map(|download| download.bytes).collect();
        bytes.filter(|bytes| !bytes.is_empty()).map(|bytes| bytes.iter().sum())
    }
}
