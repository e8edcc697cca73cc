//! [`CorpusOptions`]: options for reading a corpus; [`CorpusFormat`], one of them.

use std::path::PathBuf;

use super::phrases::Phrases;
use super::tokenizer::Tokenizer;
use crate::dialect::Dialect;
use crate::names::named;

/// Options for reading a corpus.
#[derive(Clone, Debug, Default)]
pub struct CorpusOptions {
    /// The format; `None` recognises it from the content.
    pub format: Option<CorpusFormat>,
    /// File with one word per line. `None` takes the file next to the counts with a matching name, if there
    /// is one: `vocab.NAME.txt` for `docword.NAME.txt`, `NAME.vocab.txt` for `NAME.mtx`. A text has its own
    /// words; if this file is given for one, only the file's words are kept, with the file's numbers.
    pub vocabulary: Option<PathBuf>,
    /// The dialect of delimited text, and the encoding of any text.
    pub dialect: Dialect,
    /// The column of a table, or the field of JSON lines, with the documents' texts: its name, or its number
    /// from 1. Without it a file is not read as a table.
    pub text: Option<String>,
    /// The column or field with the documents' names.
    pub id: Option<String>,
    /// The column or field with a value of each document, such as its year: see
    /// [`Corpus::groups`](super::Corpus::groups).
    pub by: Option<String>,
    /// The rule that splits texts into words.
    pub tokenizer: Tokenizer,
    /// The pairs of neighbouring words that are read as one.
    pub phrases: Phrases,
    /// `true` if a corpus in which no document has a word is not an error, as for inference.
    pub may_be_empty: bool,
    /// Number of threads, 0 for one; the result is the same for any number.
    pub threads: usize,
}

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
