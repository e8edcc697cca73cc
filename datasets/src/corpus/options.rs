//! [`CorpusOptions`]: how to read a corpus.

use std::path::PathBuf;

use super::format::CorpusFormat;
use super::tokenizer::Tokenizer;
use crate::dialect::Dialect;

/// How to read a corpus.
#[derive(Clone, Debug)]
pub struct CorpusOptions {
    /// The format; `None` recognises it by the content.
    pub format: Option<CorpusFormat>,
    /// The file that holds the words, one a line. `None` takes the one beside the counts that is named alike,
    /// if there is one: `vocab.NAME.txt` for `docword.NAME.txt`, `NAME.vocab.txt` for `NAME.mtx`. Text has
    /// its own words; with a file given here, those words of the text are kept that it holds, and have its
    /// numbers.
    pub vocabulary: Option<PathBuf>,
    /// How delimited text is written, and how the bytes of any text are letters.
    pub dialect: Dialect,
    /// The column of a table, or the field of JSON lines, that holds the documents' texts: its name, or its
    /// number from 1. Without it a file is no table.
    pub text: Option<String>,
    /// The column or field that names the documents.
    pub id: Option<String>,
    /// The rule that divides texts into words.
    pub tokenizer: Tokenizer,
    /// `true` if documents without any word are no error, as where their topics are asked for.
    pub may_be_empty: bool,
    /// How many threads may compute; the result is the same for any number.
    pub threads: usize,
}

impl Default for CorpusOptions {
    fn default() -> Self {
        Self {
            format: None,
            vocabulary: None,
            dialect: Dialect::default(),
            text: None,
            id: None,
            tokenizer: Tokenizer::default(),
            may_be_empty: false,
            threads: 1,
        }
    }
}
