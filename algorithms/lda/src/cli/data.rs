//! Reads the corpus that a command line names, and leaves words out.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::Args;
use raddle_cli::{Data, Error, Records, TrainOptions, between, count, refuse_without_effect};
use raddle_common::DialectArgs;
use raddle_datasets::registry::{SetKind, verified_names, verified_set};
use raddle_datasets::{
    Corpus, CorpusFormat, CorpusOptions, Filter, Frequency, Phrases, Tokenizer, english_stop_words,
    read_any_corpus, read_stop_words, vocabulary_names,
};
use raddle_lda::CorpusSource;
use raddle_lda::files::Model;
use serde::Serialize;

use super::left_out::LeftOut;
use super::words::WordArgs;

/// The embedded corpus, which is the default.
pub(crate) const DEFAULT: &str = "pydoc";

/// Returns the help text of DATA, which is this kind of data.
pub(crate) fn known(kind: &str) -> String {
    let has_parquet = CorpusFormat::readable().any(|format| format == CorpusFormat::Parquet);
    let tables = if has_parquet { "csv, jsonl or parquet" } else { "csv or jsonl" };
    let names = verified_names(SetKind::Corpus);
    format!(
        "{kind}: a file, - for stdin, or the name of a dataset. Formats: docword (UCI), mtx (documents \
         by words), ldac (LDA-C), text (one document per line), or with --text a table ({tables}); gzip and \
         zstd are unpacked. A folder has one file per document. Datasets in the data folder (see \
         `raddle data`): {names}, or any that `raddle data fetch` has fetched; {DEFAULT} is embedded"
    )
}

/// Returns the help text of DATA for `fit`.
pub(crate) fn known_or_default() -> String {
    format!("{}. Default: {DEFAULT}", known("Corpus"))
}

/// Limit on the pairs of words that a note names.
const NAMED: usize = 5;

/// Limit on the number of words, whose numbers have 32 bits.
const MOST_WORDS: usize = u32::MAX as usize;

/// Options for the source and the encoding of texts.
#[derive(Debug, Clone, Default, Args, Serialize)]
pub(crate) struct TextArgs {
    /// Column or field with the documents' texts. A table has columns, and JSON lines have fields.
    #[arg(long, value_name = "NAME")]
    text: Option<String>,
    /// Column or field with the documents' names.
    #[arg(long, value_name = "NAME", requires = "text")]
    id: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    dialect: DialectArgs,
}

impl TextArgs {
    /// Returns `true` if an option was given.
    pub(crate) fn is_given(&self) -> bool {
        let dialect = self.dialect.dialect();
        self.text.is_some() || self.id.is_some() || dialect.given().iter().any(|(_, is_given)| *is_given)
    }
}

/// Options for reading a source.
pub(crate) struct ReadOptions<'a> {
    pub(crate) format: Option<&'a str>,
    pub(crate) vocab: Option<&'a Path>,
    pub(crate) texts: &'a TextArgs,
    /// The column whose values group the documents.
    pub(crate) by: Option<&'a str>,
    /// The rule that splits texts into words.
    pub(crate) tokenizer: Tokenizer,
    pub(crate) phrases: Phrases,
    /// `true` if a corpus without words is not an error.
    pub(crate) may_be_empty: bool,
}

/// Format and vocabulary of documents for a model.
#[derive(Debug, Args)]
pub(crate) struct FormatArgs {
    /// Format of the documents: docword, mtx, ldac, text, csv or jsonl. Default: recognised by their content.
    #[arg(long, value_name = "NAME", requires = "data")]
    format: Option<String>,
    /// Vocabulary: a file with one word per line. Default: a file next to DATA with a matching name.
    #[arg(long, value_name = "FILE", requires = "data")]
    vocab: Option<PathBuf>,
}

impl FormatArgs {
    /// Returns the options for reading documents for a model, whose texts are split as the model's were.
    pub(crate) fn given<'a>(&'a self, texts: &'a TextArgs, model: &Model) -> ReadOptions<'a> {
        let (format, vocab) = (self.format.as_deref(), self.vocab.as_deref());
        let (tokenizer, phrases) = (model.tokenizer.unwrap_or_default(), model.known_phrases());
        ReadOptions { format, vocab, texts, by: None, tokenizer, phrases, may_be_empty: false }
    }
}

/// Options for reading a corpus and leaving words out.
#[derive(Debug, Args, Serialize)]
pub(crate) struct CorpusArgs {
    /// Vocabulary: a file with one word per line. Default: a file next to DATA with a matching name, such as
    /// vocab.NAME.txt for docword.NAME.txt. Of texts, only these words are kept.
    #[arg(long, value_name = "FILE")]
    vocab: Option<PathBuf>,
    #[command(flatten)]
    #[serde(flatten)]
    pub(crate) texts: TextArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub(crate) words: WordArgs,
    /// Join the N pairs of neighbouring words that occur together most, by normalised pointwise mutual
    /// information. A pair becomes one word, such as new_york, in the model and in texts that it is
    /// applied to.
    #[arg(long, value_name = "N", value_parser = between::<1, MOST_WORDS>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) phrases: Option<usize>,
    /// Leave out words in fewer documents than this. Give a whole number of documents, or a fraction with its
    /// point, such as 0.01 (1.0 is all documents). Default: none.
    #[arg(long, value_name = "N|X", value_parser = str::parse::<Frequency>)]
    #[serde(serialize_with = "as_debug")]
    min_df: Option<Frequency>,
    /// Leave out words in more documents than this. Give a whole number, or a fraction with its point, such
    /// as 0.5. Default: none.
    #[arg(long, value_name = "N|X", value_parser = str::parse::<Frequency>)]
    #[serde(serialize_with = "as_debug")]
    max_df: Option<Frequency>,
    /// Leave out the N most frequent words.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = between::<0, MOST_WORDS>)]
    remove_top: usize,
    /// Leave out stop words. Give english, or a file with one word per line.
    #[arg(long, value_name = "english|FILE")]
    stop_words: Option<String>,
}

fn as_debug<S: serde::Serializer>(value: &Option<Frequency>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        None => serializer.serialize_none(),
        Some(value) => serializer.collect_str(&format_args!("{value:?}")),
    }
}

/// A corpus and how it was read.
pub(crate) struct ReadCorpus {
    pub(crate) corpus: Corpus,
    pub(crate) left_out: LeftOut,
    /// Notes for the screen: on words left out, or a missing vocabulary.
    pub(crate) notes: Vec<String>,
}

impl CorpusArgs {
    /// Reads DATA, or the embedded default; returns it complete, with the filter that leaves words out. Texts
    /// are split as those of `model` were, if there is one.
    pub(crate) fn read_whole(
        &self,
        train: &TrainOptions,
        model: Option<&Model>,
    ) -> Result<(Corpus, Filter), Error> {
        let corpus = read_any_corpus(source(train), &self.options(train, model)?).map_err(Error::input)?;
        self.words.check(&corpus)?;
        let stop_words = self.stop_words(&corpus)?;
        let &Self { min_df, max_df, remove_top, .. } = self;
        Ok((corpus, Filter { min_df, max_df, remove_top, stop_words }))
    }

    /// Returns the stop words; an error if the words of the corpus have no texts.
    fn stop_words(&self, corpus: &Corpus) -> Result<HashSet<String>, Error> {
        let stop_words = self.named_stop_words()?;
        match !stop_words.is_empty() && corpus.vocabulary.is_none() {
            true => {
                Err(Error::usage("--stop-words needs the words of the corpus: give them with --vocab FILE"))
            }
            false => Ok(stop_words),
        }
    }

    /// Returns the words that `--stop-words` names.
    fn named_stop_words(&self) -> Result<HashSet<String>, Error> {
        match self.stop_words.as_deref() {
            None => Ok(HashSet::new()),
            Some("english") => Ok(english_stop_words()),
            Some(file) => read_stop_words(Path::new(file)).map_err(Error::input),
        }
    }

    /// Refuses options that do not work with a corpus that changes.
    pub(crate) fn check_changes(&self) -> Result<(), Error> {
        refuse_without_effect(&[("--phrases", self.phrases.is_some())], "with --changes")?;
        match self.remove_top {
            0 => Ok(()),
            _ => Err(Error::usage("--remove-top is not supported with --changes: give --max-df")),
        }
    }

    /// Returns `true` if an option may leave words out.
    pub(crate) fn leaves_out(&self) -> bool {
        self.min_df.is_some() || self.max_df.is_some() || self.remove_top > 0 || self.stop_words.is_some()
    }

    /// Returns the library's options for reading DATA, as in [`read_whole`](Self::read_whole).
    pub(crate) fn options(
        &self,
        train: &TrainOptions,
        model: Option<&Model>,
    ) -> Result<CorpusOptions, Error> {
        let tokenizer = self.words.rule(model.and_then(|model| model.tokenizer))?;
        let (format, vocab, texts) = (train.format.as_deref(), self.vocab.as_deref(), &self.texts);
        let phrases = match self.phrases {
            None => model.map_or(Phrases::None, Model::known_phrases),
            Some(most) => Phrases::Best { most, without: self.named_stop_words()?.into_iter().collect() },
        };
        let given = ReadOptions { format, vocab, texts, by: None, tokenizer, phrases, may_be_empty: false };
        reading(source(train), given, train.worker_count())
    }

    /// Reads DATA, or the embedded default, and leaves words out. Texts are split as those of the
    /// initial model were, if there is one.
    pub(crate) fn read(&self, train: &TrainOptions, model: Option<&Model>) -> Result<ReadCorpus, Error> {
        let (mut corpus, filter) = self.read_whole(train, model)?;
        let mut notes: Vec<String> = unnamed(&corpus).into_iter().collect();
        notes.append(&mut corpus.notes);
        notes.extend(self.phrases.map(|_| joined(&corpus.phrases)));
        if filter.is_empty() {
            return Ok(ReadCorpus { corpus, left_out: LeftOut::default(), notes });
        }
        // The words of plain text got their numbers here, so they can be numbered again.
        let renumber = corpus.is_text;
        let before = LeftOut::of(&corpus);
        let removed = corpus.filter(&filter, renumber);
        if corpus.tokens() == 0 {
            return Err(Error::input(self.nothing_left(&corpus)));
        }
        if removed.words > 0 {
            notes.push(format!(
                "left out: {} with {}",
                count(removed.words, "word"),
                count(removed.tokens, "token")
            ));
        }
        let left_out = before.less(&LeftOut::of(&corpus));
        Ok(ReadCorpus { corpus, left_out, notes })
    }

    /// Returns the message for a corpus of which no word is left.
    fn nothing_left(&self, corpus: &Corpus) -> String {
        let documents = corpus.documents() as u64;
        let name = &corpus.name;
        match (self.min_df, self.max_df) {
            (Some(Frequency::Documents(least)), _) if least > documents => format!(
                "no word is left of {name}: it has {}{}, and --min-df {least} leaves out words that fewer \
                 than {least} have",
                count(documents, "document"),
                if documents == 1 && corpus.is_text { " (a line is a document)" } else { "" },
            ),
            (Some(Frequency::Documents(least)), Some(Frequency::Documents(most))) if least > most => {
                format!("no word is left of {name}: --min-df {least} is above --max-df {most}")
            }
            _ => format!(
                "no word is left of {name}, which has {}: leave out fewer",
                count(documents, "document")
            ),
        }
    }
}

/// Returns DATA, or the embedded default.
pub(crate) fn source(train: &TrainOptions) -> &str {
    train.data.as_deref().unwrap_or(DEFAULT)
}

/// Reads a corpus.
pub(crate) fn read(source: &str, given: ReadOptions<'_>, threads: usize) -> Result<Corpus, Error> {
    read_any_corpus(source, &reading(source, given, threads)?).map_err(Error::input)
}

/// Returns the library's options for reading a corpus.
fn reading(source: &str, given: ReadOptions<'_>, threads: usize) -> Result<CorpusOptions, Error> {
    let ReadOptions { format, vocab, texts, by, tokenizer, phrases, may_be_empty } = given;
    let TextArgs { text, id, dialect } = texts.clone();
    let dialect = dialect.dialect();
    if is_known(source) {
        let mut idle =
            vec![("--format", format.is_some()), ("--text", text.is_some()), ("--id", id.is_some())];
        idle.extend([("--by", by.is_some()), ("--phrases", matches!(phrases, Phrases::Best { .. }))]);
        idle.extend(dialect.given());
        refuse_without_effect(&idle, &format!("on {source}, which is known by name"))?;
    }
    let format =
        format.map(str::parse).transpose().map_err(|why| Error::usage(format!("--format: {why}")))?;
    let vocabulary = vocab.map(Path::to_owned);
    let by = by.map(str::to_owned);
    Ok(CorpusOptions { format, vocabulary, text, id, by, dialect, tokenizer, phrases, may_be_empty, threads })
}

/// Returns `true` for the name of a known corpus, which is not a path.
pub(crate) fn is_known(source: &str) -> bool {
    source == DEFAULT || verified_set(SetKind::Corpus, source).is_some()
}

/// Returns a note if the words have no texts; the note names the files that were looked for.
pub(crate) fn unnamed(corpus: &Corpus) -> Option<String> {
    let path = corpus.path.as_ref().filter(|_| corpus.vocabulary.is_none())?;
    if path.as_os_str() == "-" {
        return Some("words are shown by number: give the words with --vocab FILE".into());
    }
    let names =
        vocabulary_names(path).into_iter().filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
    let names: Vec<String> = names.filter(|name| !name.ends_with(".gz")).collect();
    Some(format!(
        "words are shown by number: there is no {} next to {} (or with .gz); give the words with --vocab FILE",
        names.join(" or "),
        path.display()
    ))
}

/// Returns a note on the pairs of words that are read as one.
fn joined(phrases: &[String]) -> String {
    let first: Vec<String> = phrases.iter().take(NAMED).map(|pair| pair.replace(' ', "_")).collect();
    match phrases.len() as u64 {
        0 => "joined: no words, as no pair of them occurs often enough next to each other".into(),
        pairs => format!("joined: {} of words, such as {}", count(pairs, "pair"), first.join(", ")),
    }
}

/// Returns the report's entry for a corpus.
pub(crate) fn describe(source: CorpusSource<'_>) -> Data {
    let corpus = source.described();
    let (documents, words) = (source.documents() as u64, source.words() as u64);
    let sizes = [("documents", documents), ("words", words), ("tokens", source.tokens())];
    Data {
        path: corpus.path.as_ref().map_or_else(|| corpus.name.clone(), |path| path.display().to_string()),
        sizes: sizes.into_iter().map(|(name, size)| (name.to_owned(), size)).collect(),
        nonzeros: source.nonzeros() as u64,
        digest: corpus.digest.clone(),
        format: corpus.format.clone(),
        records: Records::new(corpus.records.read, corpus.records.left_out.clone()),
        notes: Vec::new(),
    }
}

/// Adds the number of training tokens.
pub(crate) fn with_training(mut data: Data, tokens: u64) -> Data {
    data.sizes.insert("train_tokens".into(), tokens);
    data
}
