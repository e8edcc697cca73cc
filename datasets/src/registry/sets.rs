//! [`PublicSet`]: the public sets, which `data/sets.json` lists.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize, Serializer};

/// Returns every public set, of all kinds.
pub fn public_sets() -> &'static [PublicSet] {
    static SETS: LazyLock<Vec<PublicSet>> = LazyLock::new(|| {
        // The file is part of the program and a test reads it, so it is valid.
        serde_json::from_str(include_str!("../../data/sets.json")).unwrap_or_default()
    });
    &SETS
}

/// Returns the sets of a kind whose files are verified by the readers.
pub fn verified_sets(kind: SetKind) -> impl Iterator<Item = &'static PublicSet> {
    public_sets().iter().filter(move |set| set.kind == kind && set.reading == Reading::Verified)
}

/// Returns the verified set of a kind with this name.
pub fn verified_set(kind: SetKind, name: &str) -> Option<&'static PublicSet> {
    verified_sets(kind).find(|set| set.name == name)
}

/// Returns the names of the verified sets of a kind, separated by commas.
pub fn verified_names(kind: SetKind) -> String {
    verified_sets(kind).map(|set| set.name).collect::<Vec<_>>().join(", ")
}

/// A public set, where it comes from, and what the programs read.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct PublicSet {
    /// Name on the command line.
    pub name: &'static str,
    /// Title.
    pub title: &'static str,
    /// Kind of the data.
    pub kind: SetKind,
    /// How the readers treat the set's name.
    #[serde(skip_serializing)]
    pub reading: Reading,
    /// Task that the data are for.
    pub task: &'static str,
    /// Sizes, each with what it counts, such as rows and columns; serialized as text.
    #[serde(serialize_with = "as_text")]
    pub sizes: Vec<(usize, &'static str)>,
    /// Other counts, by which tests know that all was read.
    #[serde(default, skip_serializing)]
    pub counts: BTreeMap<&'static str, u64>,
    /// Licence, in one line.
    pub licence: &'static str,
    /// Address of the licence, or of a page that states it.
    pub licence_address: &'static str,
    /// Files that the programs read; the first is the one that a command line names.
    pub files: Vec<SetFile>,
    /// How files that cannot be downloaded were made.
    pub made: Option<&'static str>,
    /// Best known value, where a source states one.
    pub best: Option<BestKnown>,
}

/// The kind of data in a public set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SetKind {
    /// A table with a response.
    Table,
    /// Ratings, or pairs of users and items.
    Ratings,
    /// Bags of words.
    Corpus,
    /// Documents as they were written.
    Texts,
}

/// How the readers treat the name of a public set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reading {
    /// The file must be the known one, byte for byte.
    Verified,
    /// The name stands for the path of the file.
    Unverified,
    /// No reader reads the file.
    None,
}

/// A file that the programs read.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SetFile {
    /// Path in the data folder.
    pub file: &'static str,
    /// SHA-256, if known.
    pub sha256: Option<&'static str>,
    /// Another form of the file that may take its place: its path and SHA-256.
    pub or: Option<(&'static str, &'static str)>,
    /// SHA-256 of the decompressed text.
    #[serde(skip_serializing)]
    pub text_sha256: Option<&'static str>,
    /// The download that the file is made from; `None` if there is none.
    pub download: Option<Download>,
}

/// A file that can be downloaded.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Download {
    /// Addresses, in the order in which they are tried.
    pub addresses: Vec<&'static str>,
    /// File name under which the download is kept, next to the file made from it.
    pub name: &'static str,
    /// Size in bytes, if known.
    pub bytes: Option<u64>,
    /// SHA-256, if known.
    pub sha256: Option<&'static str>,
    /// Conversion to the file that the programs read.
    pub converter: Converter,
}

/// A conversion from a download to a file that the programs read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Converter {
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Cells {
    /// Tabs.
    Tabs,
    /// Two colons, `::`.
    Colons,
    /// Commas, below a header line.
    Commas,
}

/// A value that a source states.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct BestKnown {
    /// The measure.
    pub metric: &'static str,
    /// The value, as text.
    pub value: &'static str,
    /// The source.
    pub source: &'static str,
}

impl SetKind {
    /// Returns the kind's name, one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Ratings => "ratings",
            Self::Corpus => "corpus",
            Self::Texts => "texts",
        }
    }
}

/// Writes the kind, with the programs that read it.
impl fmt::Display for SetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Table => "a table, which lasso and linear read",
            Self::Ratings => "a set of ratings, which mf reads",
            Self::Corpus => "a corpus, which lda reads",
            Self::Texts => "a set of texts, which lda reads with --text text",
        })
    }
}

impl PublicSet {
    /// Returns the downloads that the set's files are made from.
    pub fn downloads(&self) -> impl Iterator<Item = &Download> {
        self.files.iter().filter_map(|file| file.download.as_ref())
    }

    /// Returns the number of what is called `noun` in the set: one of its sizes or other counts.
    pub fn count(&self, noun: &str) -> Option<usize> {
        let size = self.sizes.iter().find(|(_, of)| *of == noun).map(|(size, _)| *size);
        size.or_else(|| self.counts.get(noun).map(|&count| count as usize))
    }

    /// Returns the sizes as text, such as `442 rows, 10 columns`.
    pub fn sizes_as_text(&self) -> String {
        text(&self.sizes)
    }

    /// Returns the forms in which the readers look for the set's main file, in order: its path in the data
    /// folder and its SHA-256.
    pub(super) fn forms(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.files.first().into_iter().flat_map(|&SetFile { file, sha256, or, text_sha256, .. }| {
            let text = text_sha256.map(|sha256| (file.trim_end_matches(".gz"), sha256));
            or.into_iter().chain(sha256.map(|sha256| (file, sha256))).chain(text)
        })
    }

    /// Returns the path of the set's main file in the data folder.
    pub(super) fn main_file(&self) -> &'static str {
        let file = self.files.first().map(|file| file.or.map_or(file.file, |(file, _)| file));
        file.unwrap_or_default()
    }
}

fn as_text<S: Serializer>(sizes: &[(usize, &'static str)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&text(sizes))
}

fn text(sizes: &[(usize, &'static str)]) -> String {
    sizes.iter().map(|(size, noun)| format!("{} {noun}", grouped(*size))).collect::<Vec<_>>().join(", ")
}

/// Formats a number with thousands separators.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(2 * digits.len());
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sets_are_read_and_thousands_are_divided() {
        assert_eq!(public_sets().len(), 37);
        let sizes = |name| verified_set(SetKind::Corpus, name).map(PublicSet::sizes_as_text);
        assert_eq!(sizes("ap").as_deref(), Some("2,246 documents, 10,473 words, 435,838 tokens"));
        assert_eq!([0, 999, 1_000, 12_345_678].map(grouped), ["0", "999", "1,000", "12,345,678"]);
    }
}
