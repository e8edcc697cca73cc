//! Reading the corpus that a command line names, and leaving words out.

use std::path::{Path, PathBuf};

use clap::Args;
use raddle::cli::{Data, Error, count};
use raddle_datasets::registry::CORPORA;
use raddle_datasets::{
    Corpus, CorpusOptions, Filter, Frequency, english_stop_words, read_any_corpus, read_stop_words,
};
use serde::Serialize;

/// The embedded default.
pub(crate) const DEFAULT: &str = "pydoc";

/// What DATA may be, for the help.
pub(crate) fn known() -> String {
    let names = CORPORA.each_ref().map(|entry| entry.name).join(", ");
    format!(
        "a UCI docword or Matrix Market file (documents by words), plain text with a document a line, gzip or not; a folder \
         with a document a file; or a public corpus by name, read from the folder RADDLE_DATA ({names}; {DEFAULT} is \
         embedded)"
    )
}

/// What DATA of training may be.
pub(crate) fn known_or_default() -> String {
    format!("The corpus: {}. The embedded {DEFAULT} if none is given", known())
}

/// How a corpus is read, and which words are left out.
#[derive(Debug, Args, Serialize)]
pub(crate) struct CorpusArgs {
    /// The words, one a line; else the file beside DATA that is named alike, such as vocab.NAME.txt for
    /// docword.NAME.txt.
    #[arg(long, value_name = "FILE")]
    vocab: Option<PathBuf>,
    /// Leave out words in fewer documents: a number, or a fraction such as 0.01.
    #[arg(long, value_name = "N|X", value_parser = str::parse::<Frequency>, allow_negative_numbers = true)]
    #[serde(serialize_with = "as_debug")]
    min_df: Option<Frequency>,
    /// Leave out words in more documents: a number, or a fraction such as 0.5.
    #[arg(long, value_name = "N|X", value_parser = str::parse::<Frequency>, allow_negative_numbers = true)]
    #[serde(serialize_with = "as_debug")]
    max_df: Option<Frequency>,
    /// Leave out the N words with the most tokens.
    #[arg(long, value_name = "N", default_value_t = 0)]
    remove_top: usize,
    /// Leave out stop words: english, or a file with one a line.
    #[arg(long, value_name = "english|FILE")]
    stop_words: Option<String>,
}

fn as_debug<S: serde::Serializer>(value: &Option<Frequency>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        None => serializer.serialize_none(),
        Some(value) => serializer.collect_str(&format_args!("{value:?}")),
    }
}

impl CorpusArgs {
    /// Reads DATA, or the embedded default, and leaves words out. With what was left out, in words.
    pub(crate) fn read(
        &self,
        source: Option<&str>,
        format: Option<&str>,
        threads: usize,
    ) -> Result<(Corpus, Option<String>), Error> {
        let mut corpus = read(source.unwrap_or(DEFAULT), format, self.vocab.as_deref(), threads)?;
        let stop_words = match self.stop_words.as_deref() {
            None => Default::default(),
            Some("english") => english_stop_words(),
            Some(file) => read_stop_words(Path::new(file)).map_err(Error::input)?,
        };
        if !stop_words.is_empty() && corpus.vocabulary.is_none() {
            let why = "--stop-words needs the words of the corpus: give them with --vocab FILE";
            return Err(Error::usage(why));
        }
        let (min_df, max_df, remove_top) = (self.min_df, self.max_df, self.remove_top);
        let filter = Filter { min_df, max_df, remove_top, stop_words };
        if filter.is_empty() {
            return Ok((corpus, None));
        }
        // The words of plain text got their numbers here, so nobody misses those that are left out.
        let renumber = corpus.is_text;
        let removed = corpus.filter(&filter, renumber);
        let (words, tokens) = (count(removed.words, "word"), count(removed.tokens, "token"));
        match corpus.tokens() {
            0 => Err(Error::input(format!("no word is left of {}: leave out fewer", corpus.name))),
            _ => Ok((corpus, Some(format!("left out: {words} with {tokens}")))),
        }
    }

    /// Part of a run's identity.
    pub(crate) fn identity(&self) -> String {
        let Self { min_df, max_df, remove_top, stop_words, .. } = self;
        format!("min-df {min_df:?} max-df {max_df:?} remove-top {remove_top} stop-words {stop_words:?}")
    }
}

/// Reads a corpus.
pub(crate) fn read(
    source: &str,
    format: Option<&str>,
    vocab: Option<&Path>,
    threads: usize,
) -> Result<Corpus, Error> {
    let format =
        format.map(str::parse).transpose().map_err(|why| Error::usage(format!("--format: {why}")))?;
    let options =
        CorpusOptions { format, vocabulary: vocab.map(Path::to_owned), threads, ..CorpusOptions::default() };
    read_any_corpus(source, &options).map_err(Error::input)
}

/// What the report says of the corpus.
pub(crate) fn describe(corpus: &Corpus, train_tokens: u64) -> Data {
    let sizes = [
        ("documents", corpus.documents() as u64),
        ("words", corpus.words() as u64),
        ("tokens", corpus.tokens()),
        ("train_tokens", train_tokens),
    ];
    Data {
        path: corpus.path.as_ref().map_or_else(|| corpus.name.clone(), |path| path.display().to_string()),
        sizes: sizes.into_iter().map(|(name, size)| (name.to_owned(), size)).collect(),
        nonzeros: corpus.nonzeros() as u64,
        digest: corpus.digest.clone(),
    }
}
