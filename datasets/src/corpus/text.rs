//! Plain text: one document per line, or per file of a folder. Words are numbered in the order of their first
//! appearance.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::assemble::{self, Piece};
use super::data::Corpus;
use super::options::CorpusOptions;
use super::phrases::{Pairs, Phrases};
use super::tokenizer::{Tokenizer, TokensLeftOut};
use super::vocabulary::Vocabulary;
use crate::bytes::encoding::utf8;
use crate::bytes::foreign::foreign;
use crate::bytes::parallel::{self, on_threads};
use crate::bytes::source::{self, Source};
use crate::error::ReadError;

/// The documents of a part of the text, over the part's own vocabulary.
#[derive(Default)]
pub(super) struct Part {
    tokenizer: Tokenizer,
    left_out: TokensLeftOut,
    words: HashMap<String, u32>,
    /// The words, in the order of their numbers.
    order: Vec<String>,
    /// The tokens of all documents in a row; the next field has the end of each document.
    tokens: Vec<u32>,
    ends: Vec<usize>,
}

impl Part {
    pub(super) fn new(tokenizer: Tokenizer) -> Self {
        Self { tokenizer, ..Self::default() }
    }

    pub(super) fn add_document(&mut self, text: &str) {
        let Self { words, order, tokens: held, .. } = self;
        self.left_out += self.tokenizer.tokens(text, |word| {
            let number = words.get(word).copied().unwrap_or_else(|| {
                let number = order.len() as u32;
                words.insert(word.to_owned(), number);
                order.push(word.to_owned());
                number
            });
            held.push(number);
        });
        self.ends.push(self.tokens.len());
    }

    /// Iterates over the documents, each as the numbers of its words in order.
    fn documents(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.tokens[start..end])
    }
}

/// Reads one document per line; an empty line is a document without words.
pub(super) fn load_lines(source: &Source, options: &CorpusOptions) -> Result<Corpus, ReadError> {
    let parts = parallel::parse(source, source.blocks(), 1, options.threads, |text| {
        let mut part = Part::new(options.tokenizer);
        for (number, line) in text.split_inclusive(|&byte| byte == b'\n').enumerate() {
            part.add_document(utf8(line).map_err(|why| (number, why))?);
        }
        let lines = part.ends.len();
        part.words.clear();
        Ok((part, lines))
    })?;
    Ok(joined(parts, &options.phrases))
}

/// Reads one document per file, sorted by path. Subfolders are searched, too; files whose name starts with a
/// point are skipped.
pub(super) fn load_folder(folder: &Path, options: &CorpusOptions) -> Result<Corpus, ReadError> {
    let mut files = Vec::new();
    list(folder, &mut files)?;
    files.sort();
    if files.is_empty() {
        return Err(ReadError::file(folder, "the folder has no files: a document is a file"));
    }
    let each = files.len().div_ceil(options.threads.max(1));
    let read = |some: &[PathBuf]| -> Result<(Part, String), ReadError> {
        let (mut part, mut digests) = (Part::new(options.tokenizer), String::new());
        for path in some {
            if fs::metadata(path).map_err(|error| ReadError::io(path, error))?.len() == 0 {
                digests += &source::digest(b"");
                part.add_document("");
                continue;
            }
            let source = Source::open_text(path, options.dialect.encoding)?;
            if let Some(why) = foreign(&source.beginning(1 << 12)?) {
                return Err(ReadError::file(path, why));
            }
            digests += &source.digest();
            let content = source.content()?;
            let text = utf8(&content).map_err(|why| {
                let bad = content.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
                ReadError::at(path, 1 + crate::bytes::line_ends::count(&content[..bad]), why)
            })?;
            part.add_document(text);
        }
        part.words.clear();
        Ok((part, digests))
    };
    let tasks = files.chunks(each).map(|some| move || read(some)).collect();
    let results = on_threads(tasks).into_iter().collect::<Result<Vec<_>, _>>()?;
    let (parts, digests): (Vec<_>, Vec<_>) = results.into_iter().unzip();
    let mut corpus = joined(parts, &options.phrases);
    let names: Vec<String> = files
        .iter()
        .map(|path| path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned())
        .collect();
    corpus.document_names = Some(names.iter().map(String::as_str).collect());
    (corpus.digest, corpus.format) = (source::digest(digests.concat().as_bytes()), "text".into());
    Ok(corpus)
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), ReadError> {
    let failed = |error| ReadError::io(folder, error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        match path.is_dir() {
            _ if hidden => {}
            true => list(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}

/// Joins parts in order; words get the numbers that a single reader from top to bottom would give them, and
/// pairs that are read as one the next.
pub(super) fn joined(mut parts: Vec<Part>, phrases: &Phrases) -> Corpus {
    let (mut numbers, mut vocabulary) = (HashMap::<String, u32>::new(), Vocabulary::default());
    let (mut pieces, mut documents) = (Vec::new(), 0u32);
    let (mut tokenizer, mut left_out) = (Tokenizer::default(), TokensLeftOut::default());
    for part in &mut parts {
        tokenizer = part.tokenizer;
        left_out += part.left_out;
        let mut number = |word: String| match numbers.get(&word) {
            Some(&number) => number,
            None => {
                let number = vocabulary.len() as u32;
                vocabulary.push(&word);
                numbers.insert(word, number);
                number
            }
        };
        let new: Vec<u32> = std::mem::take(&mut part.order).into_iter().map(&mut number).collect();
        part.tokens.iter_mut().for_each(|word| *word = new[*word as usize]);
    }
    drop(numbers);
    let pairs = Pairs::of(phrases, &mut vocabulary, parts.iter().flat_map(Part::documents));
    for part in parts {
        let mut piece = Piece::default();
        for words in part.documents() {
            let mut words = pairs.joined(words);
            words.sort_unstable();
            for run in words.chunk_by(|a, b| a == b) {
                piece.push(documents, run[0], run.len() as u64);
            }
            documents += 1;
        }
        pieces.push(piece);
    }
    let mut corpus = assemble::corpus(documents as usize, vocabulary.len(), pieces);
    (corpus.vocabulary, corpus.is_text) = (Some(vocabulary), true);
    (corpus.tokenizer, corpus.tokens_left_out) = (Some(tokenizer), left_out);
    (corpus.notes, corpus.phrases) = (left_out.notes(&tokenizer), pairs.names);
    corpus
}
