//! [`CorpusFormat`]: the file formats of corpora.

use crate::names::named;

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

named! {
    pub CorpusFormat {
        Docword = "docword", MatrixMarket = "mtx", Ldac = "ldac", Text = "text", Csv = "csv", JsonLines = "jsonl",
        Parquet = "parquet", Csv = "tsv",
    }
    unknown
}

impl CorpusFormat {
    /// Returns the formats that this build reads.
    pub fn readable() -> impl Iterator<Item = Self> {
        let is_read = |format: &Self| *format != Self::Parquet || cfg!(feature = "parquet");
        Self::ALL.iter().filter(|(name, _)| *name != "tsv").map(|&(_, format)| format).filter(is_read)
    }

    /// Returns `true` if documents are rows of a table.
    pub(super) fn is_table(self) -> bool {
        matches!(self, Self::Csv | Self::JsonLines | Self::Parquet)
    }
}

fn unknown(name: &str) -> String {
    let known: Vec<&str> = CorpusFormat::readable().map(CorpusFormat::name).collect();
    format!("`{name}` is no format: choose {}", known.join(", "))
}
