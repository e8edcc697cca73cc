//! [`CorpusOptions`]: options for reading a corpus.

use std::path::PathBuf;

use super::format::CorpusFormat;
use super::tokenizer::Tokenizer;
use crate::dialect::Dialect;

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
    /// The rule that splits texts into words.
    pub tokenizer: Tokenizer,
    /// `true` if a corpus in which no document has a word is not an error, as for inference.
    pub may_be_empty: bool,
    /// Number of threads, 0 for one; the result is the same for any number.
    pub threads: usize,
}
