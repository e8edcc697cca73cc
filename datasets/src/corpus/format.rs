//! [`CorpusFormat`]: the file formats of corpora.

use std::fmt;
use std::str::FromStr;

/// A file format of corpora. Files may be compressed with gzip or zstd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorpusFormat {
    /// UCI bag of words: D, W and N on three lines, then lines `document word count`.
    Docword,
    /// Matrix Market, documents by words.
    MatrixMarket,
    /// LDA-C: a line per document, `N word:count ...` with N pairs; words count from 0.
    Ldac,
    /// Plain text: one document per line, or per file of a folder.
    /// [`CorpusOptions::tokenizer`](super::CorpusOptions::tokenizer) splits it into words.
    Text,
    /// Delimited text, one document per row, in the column that
    /// [`CorpusOptions::text`](super::CorpusOptions::text) names.
    Csv,
    /// JSON lines, one document per object, in the field that
    /// [`CorpusOptions::text`](super::CorpusOptions::text) names.
    JsonLines,
    /// Apache Parquet, one document per row; in builds with the feature `parquet`.
    Parquet,
}

impl CorpusFormat {
    const ALL: [Self; 7] = [
        Self::Docword,
        Self::MatrixMarket,
        Self::Ldac,
        Self::Text,
        Self::Csv,
        Self::JsonLines,
        Self::Parquet,
    ];

    /// Returns the formats that this build reads.
    pub fn readable() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|format| *format != Self::Parquet || cfg!(feature = "parquet"))
    }

    /// Returns `true` if documents are rows of a table.
    pub(super) fn is_table(self) -> bool {
        matches!(self, Self::Csv | Self::JsonLines | Self::Parquet)
    }

    /// Returns the name that [`FromStr`] parses: `docword`, `mtx`, `ldac`, `text`, `csv`, `jsonl` or
    /// `parquet`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Docword => "docword",
            Self::MatrixMarket => "mtx",
            Self::Ldac => "ldac",
            Self::Text => "text",
            Self::Csv => "csv",
            Self::JsonLines => "jsonl",
            Self::Parquet => "parquet",
        }
    }
}

impl fmt::Display for CorpusFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for CorpusFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = || {
            format!(
                "`{name}` is no format: choose {}",
                Self::readable().map(Self::name).collect::<Vec<_>>().join(", ")
            )
        };
        let name = if name == "tsv" { "csv" } else { name };
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(known)
    }
}
