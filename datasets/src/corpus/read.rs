//! Reads a corpus from files of any format.

use std::path::Path;

use super::data::Corpus;
use super::options::{CorpusFormat, CorpusOptions};
use super::phrases::Phrases;
use super::table::{self, Fields};
use super::vocabulary::Vocabulary;
use super::{assemble, docword, ldac, looks, matrix_market, text};
use crate::bytes::foreign::{foreign, is_json};
use crate::bytes::market;
use crate::bytes::quoting::Extent;
use crate::bytes::source::{Source, stem};
use crate::error::ReadError;

/// Reads a corpus from a file of any known format, compressed with gzip or zstd or not (`-` is standard
/// input), or from a folder of text files.
///
/// # Errors
/// If a file cannot be read or has no tokens, a vocabulary has the wrong length, or the format's reader finds
/// an error; the message names the file and, in text, the line.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("notes.txt");
/// use raddle_datasets::{CorpusOptions, read_corpus};
/// std::fs::write(&path, "the ship at sea\n\nthe sea, the sea\n")?;
/// let corpus = read_corpus(&path, &CorpusOptions::default())?;
/// assert_eq!((corpus.documents(), corpus.words(), corpus.tokens()), (3, 4, 8));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_corpus(path: impl AsRef<Path>, options: &CorpusOptions) -> Result<Corpus, ReadError> {
    let path = path.as_ref();
    let corpus = match path.is_dir() {
        true => folder(path, options)?,
        false => file(path, options)?,
    };
    let corpus = match &options.vocabulary {
        Some(words) if corpus.is_text => over(corpus, path, words, options)?,
        _ => corpus,
    };
    match fault(&corpus) {
        Some(why) if !options.may_be_empty => Err(ReadError::file(path, why)),
        _ => Ok(Corpus { path: Some(path.into()), name: stem(path), ..corpus }),
    }
}

/// Returns why nothing can be learned from a corpus, or `None`.
fn fault(corpus: &Corpus) -> Option<String> {
    let (tokens, left_out) = (corpus.tokens(), corpus.tokens_left_out);
    if corpus.is_text && left_out.numbers > MOSTLY * tokens {
        let all = tokens + left_out.numbers;
        return Some(format!(
            "{} of its {all} words and numbers are numbers: counts of words are read as UCI docword, Matrix \
             Market or LDA-C; if numbers stand for words, give --words blanks",
            left_out.numbers
        ));
    }
    let why = corpus.notes.iter().map(|note| format!("; {note}")).collect::<String>();
    (tokens == 0).then(|| format!("no document has a word{why}"))
}

/// Numbers for each word above which a file is not taken for text.
const MOSTLY: u64 = 9;

fn folder(path: &Path, options: &CorpusOptions) -> Result<Corpus, ReadError> {
    if options.text.is_some() || options.id.is_some() || options.by.is_some() {
        let why = "--text, --id and --by name columns of a table, and this is a folder";
        return Err(ReadError::file(path, why));
    }
    match options.format {
        None | Some(CorpusFormat::Text) => text::load_folder(path, options),
        Some(format) => Err(ReadError::file(path, format!("a folder is no {format}: name a file"))),
    }
}

fn file(path: &Path, options: &CorpusOptions) -> Result<Corpus, ReadError> {
    let (source, format) = opened(path, options)?;
    let path = &source.path;
    let fields = options
        .text
        .as_deref()
        .map(|text| Fields { names: [Some(text), options.id.as_deref(), options.by.as_deref()], options });
    let mut corpus = match format {
        CorpusFormat::Docword => docword::load(&source, options.threads)?,
        CorpusFormat::MatrixMarket => {
            assemble::load(&source, options.threads, &matrix_market::stated(&source)?)?
        }
        CorpusFormat::Ldac => ldac::load(&source, options.threads)?,
        CorpusFormat::Text => text::load_lines(&source, options)?,
        CorpusFormat::Csv | CorpusFormat::JsonLines | CorpusFormat::Parquet => match fields {
            Some(fields) => table::load(&source, format, fields)?,
            None => Corpus::default(),
        },
    };
    (corpus.digest, corpus.format) = (source.digest(), format.to_string());
    if corpus.is_text {
        return Ok(corpus);
    }
    corpus.name_words_of(path, options)?;
    Ok(corpus)
}

/// Bytes that are examined to distinguish text from a table.
const LOOKED_AT: usize = 1 << 16;

/// Opens a file and determines its format, which must suit the options.
pub(crate) fn opened(path: &Path, options: &CorpusOptions) -> Result<(Source, CorpusFormat), ReadError> {
    let source = options.dialect.open(path)?;
    let path = &source.path;
    let beginning = source.beginning(1 << 12)?;
    let refuse = |why: String| Err(ReadError::file(path, why));
    let is_parquet = beginning.starts_with(b"PAR1");
    let format = match options.format {
        Some(format) => format,
        None if is_parquet => CorpusFormat::Parquet,
        None if options.text.is_some() && is_json(&beginning) => CorpusFormat::JsonLines,
        None if options.text.is_some() => CorpusFormat::Csv,
        None => recognise(&beginning),
    };
    match foreign(&beginning) {
        Some(why) if !(is_parquet && format == CorpusFormat::Parquet && cfg!(feature = "parquet")) => {
            return refuse(why);
        }
        _ => {}
    }
    if let Some(why) = fault_of_options(options, format, &beginning) {
        return refuse(why);
    }
    if options.format.is_none() && format == CorpusFormat::Text {
        let beginning = source.beginning(LOOKED_AT)?;
        let extent = if beginning.len() < LOOKED_AT { Extent::Whole } else { Extent::Beginning };
        let why = looks::libsvm(&beginning).or_else(|| looks::table(path, &beginning, extent));
        if let Some(why) = why {
            return refuse(why);
        }
    }
    Ok((source, format))
}

/// Returns what is wrong with options that do not suit the format, or `None`.
fn fault_of_options(options: &CorpusOptions, format: CorpusFormat, beginning: &[u8]) -> Option<String> {
    match &options.text {
        None if format.is_table() => {
            Some(format!("this is {format}: name the column of the texts by --text NAME"))
        }
        None if format == CorpusFormat::Text && is_json(beginning) => {
            Some("this is JSON: name the field of the texts by --text NAME".into())
        }
        None if options.id.is_some() => {
            Some("--id names documents of a table: name the column of the texts by --text, too".into())
        }
        None if options.by.is_some() => {
            let what = if format == CorpusFormat::Text { "a document a line" } else { "counts of words" };
            Some(format!(
                "--by names a column of a table, and this is {format}, {what} without columns: give the texts \
                 with their columns as csv or jsonl, and --text NAME"
            ))
        }
        _ if matches!(options.phrases, Phrases::Best { .. }) && !has_texts(format) => Some(format!(
            "--phrases joins neighbouring words of texts, and this is {format}, counts of words"
        )),
        text => options.dialect.fault_of(format, format == CorpusFormat::Csv).or_else(|| {
            let is_idle = text.is_some() && !format.is_table();
            is_idle.then(|| format!("--text names a column of csv, jsonl or parquet, and this is {format}"))
        }),
    }
}

fn has_texts(format: CorpusFormat) -> bool {
    format == CorpusFormat::Text || format.is_table()
}

/// Restricts a text to the words of a file.
fn over(mut corpus: Corpus, path: &Path, words: &Path, options: &CorpusOptions) -> Result<Corpus, ReadError> {
    let vocabulary = Vocabulary::read(&Source::open_text(words, options.dialect.encoding)?)?;
    let none = || ReadError::file(path, format!("no document has a word of {}", words.display()));
    let unknown = corpus.match_words(vocabulary).map_err(|_| none())?;
    if unknown > 0 {
        let words = words.display();
        corpus.notes.push(format!("tokens left out: {unknown} of words that {words} does not have"));
    }
    // The words now have the numbers of the file, which must not change.
    corpus.is_text = false;
    if corpus.tokens() == 0 && !options.may_be_empty { Err(none()) } else { Ok(corpus) }
}

/// Recognises the format from the first bytes; a text of no other format has one document per line.
fn recognise(beginning: &[u8]) -> CorpusFormat {
    if beginning.starts_with(market::MAGIC) {
        CorpusFormat::MatrixMarket
    } else if docword::begins(beginning) {
        CorpusFormat::Docword
    } else if ldac::begins(beginning) {
        CorpusFormat::Ldac
    } else {
        CorpusFormat::Text
    }
}
