//! [`StoredCorpus`]: a bag of words in a file of pieces, which is read by parts.
//!
//! The file's name is the SHA-256 of the data's bytes as stored. It has, document by document, the words and how often
//! each occurs, as a [`Corpus`] holds them, and of each document how many entries and tokens it has.

mod convert;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::known::{self, corpus_entry};
use super::read::{CorpusFormat, CorpusOptions, opened};
use super::{Corpus, Vocabulary, WITHOUT_WORDS, names};
use crate::error::ReadError;
use crate::pieces::{PIECE, Pieces, open_or_make};
use crate::records::RecordCounts;
use crate::registry;
use crate::source::Source;
use crate::table::stem;

/// The arrays of a file, and the bytes of a number of each.
const ARRAYS: [(&str, usize); 5] = [
    ("words", 4),
    ("counts", 2),
    ("entries of document", 4),
    ("tokens of document", 8),
    ("tokens of word", 8),
];

/// What a file says of its documents beside its arrays.
#[derive(Debug, Serialize, Deserialize)]
struct About {
    format: String,
    width: usize,
}

/// A corpus in a file, of which memory holds what is asked for: sizes, words, and how long documents are.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// use raddle_datasets::{CorpusOptions, StoredCorpus};
/// let path = folder.path().join("docword.few.txt");
/// std::fs::write(&path, "2\n3\n3\n1 1 2\n1 3 1\n2 2 5\n")?;
/// let name = path.to_str().unwrap_or_default();
/// let stored = StoredCorpus::open(name, &CorpusOptions::default(), folder.path())?.ok_or("a bag of words")?;
/// assert_eq!((stored.documents(), stored.tokens(), stored.length(1)), (2, 8, 5));
/// assert_eq!(stored.some(&[1])?.document(1).collect::<Vec<_>>(), [(1, 5)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct StoredCorpus {
    pieces: Pieces,
    described: Corpus,
    /// Where the entries of each document begin; one more.
    starts: Vec<usize>,
    lengths: Vec<u64>,
    word_counts: Vec<u64>,
}

impl StoredCorpus {
    /// The corpus that users name so, as [`read_any_corpus`](crate::read_any_corpus) has it: from a file of `folder`, which
    /// is made if it is not there, not whole, or of another machine. Several processes that ask at once make it once. Where
    /// the entries of documents follow each other, as such files have them, they are never in memory as a whole. `None`
    /// where the source is no file of a bag of words: texts, folders, standard input, the embedded corpus.
    ///
    /// # Errors
    /// Those of [`read_any_corpus`](crate::read_any_corpus); a folder that cannot be written to.
    pub fn open(source: &str, options: &CorpusOptions, folder: &Path) -> Result<Option<Self>, ReadError> {
        let (path, options, entry) = match corpus_entry(source) {
            Some(entry) if options.vocabulary.is_none() => {
                let (path, vocabulary) = known::paths(entry)?;
                let vocabulary = Some(vocabulary);
                let options =
                    CorpusOptions { vocabulary, threads: options.threads, ..CorpusOptions::default() };
                (path, options, Some(entry))
            }
            _ => (PathBuf::from(source), options.clone(), None),
        };
        if !path.is_file() {
            return Ok(None);
        }
        let (source, format) = opened(&path, &options)?;
        if !matches!(format, CorpusFormat::Docword | CorpusFormat::MatrixMarket | CorpusFormat::Ldac) {
            return Ok(None);
        }
        if let Some(entry) = entry {
            registry::compare(&path, &source.digest(), entry.sha256)?;
        }
        let place = folder.join(format!("{}-{format}.corpus", source.digest()));
        let make = |place: &Path| convert::write(&source, format, options.threads, place);
        let (pieces, about) = open_or_make(&place, checked, make)?;
        let mut described = Corpus {
            name: entry.map_or_else(|| stem(&path), |entry| entry.name.into()),
            width: about.width,
            digest: source.digest(),
            format: about.format,
            path: Some(path.clone()),
            ..Corpus::default()
        };
        if let Some(words) = options.vocabulary.clone().or_else(|| names::beside(&path)) {
            let source = Source::open_text(&words, options.dialect.encoding)?;
            described.name_words(Vocabulary::read(&source)?, &source)?;
        }
        let entries: Vec<u32> = pieces.all(ARRAYS[2].0)?;
        let mut starts = vec![0];
        starts.extend(entries.iter().scan(0, |end, &entries| {
            *end += entries as usize;
            Some(*end)
        }));
        let (lengths, mut word_counts): (Vec<u64>, Vec<u64>) =
            (pieces.all(ARRAYS[3].0)?, pieces.all(ARRAYS[4].0)?);
        described.records = RecordCounts::of(lengths.len());
        let without = starts.windows(2).filter(|ends| ends[0] == ends[1]).count();
        described.records.leave_out(WITHOUT_WORDS, without);
        word_counts.resize(described.width, 0);
        let stored = Self { pieces, described, starts, lengths, word_counts };
        match stored.tokens() {
            0 => Err(ReadError::file(&path, "no document has a word")),
            _ => Ok(Some(stored)),
        }
    }

    /// All that is known of the corpus but for its documents: it has none.
    pub fn described(&self) -> &Corpus {
        &self.described
    }

    /// Number of documents, D.
    pub fn documents(&self) -> usize {
        self.lengths.len()
    }

    /// Number of words, V.
    pub fn words(&self) -> usize {
        self.described.width
    }

    /// Number of tokens.
    pub fn tokens(&self) -> u64 {
        self.lengths.iter().sum()
    }

    /// Number of (document, word) pairs.
    pub fn nonzeros(&self) -> usize {
        self.starts[self.documents()]
    }

    /// Number of tokens of a document; 0 of one that does not exist.
    pub fn length(&self, document: usize) -> u64 {
        self.lengths.get(document).copied().unwrap_or(0)
    }

    /// How often each word occurs; V numbers.
    pub fn word_counts(&self) -> &[u64] {
        &self.word_counts
    }

    /// Passes over the entries of these documents, which ascend: (document, word, count), in the order of the documents.
    ///
    /// # Errors
    /// If the file cannot be read, or was damaged since it was opened.
    pub fn each(&self, documents: &[u32], mut see: impl FnMut(u32, u32, u16)) -> Result<(), ReadError> {
        let (mut piece, mut words, mut counts) = (usize::MAX, Vec::new(), Vec::new());
        for &document in documents {
            for at in self.starts[document as usize]..self.starts[document as usize + 1] {
                if at / PIECE != piece {
                    piece = at / PIECE;
                    words = self.pieces.piece::<u32>(ARRAYS[0].0, piece)?;
                    counts = self.pieces.piece::<u16>(ARRAYS[1].0, piece)?;
                }
                see(document, words[at % PIECE], counts[at % PIECE]);
            }
        }
        Ok(())
    }

    /// The corpus with the words of these documents, which ascend; all others are there without any.
    ///
    /// # Errors
    /// If the file cannot be read, or was damaged since it was opened.
    pub fn some(&self, documents: &[u32]) -> Result<Corpus, ReadError> {
        let entries = |&document: &u32| self.starts[document as usize + 1] - self.starts[document as usize];
        let count = documents.iter().map(entries).sum();
        let mut corpus =
            Corpus { width: self.words(), starts: vec![0; self.documents() + 1], ..Corpus::default() };
        (corpus.words, corpus.counts) = (Vec::with_capacity(count), Vec::with_capacity(count));
        self.each(documents, |document, word, count| {
            corpus.words.push(word);
            corpus.counts.push(count);
            corpus.starts[document as usize + 1] += 1;
        })?;
        for document in 0..self.documents() {
            corpus.starts[document + 1] += corpus.starts[document];
        }
        Ok(corpus)
    }
}

/// A file that is whole, and is one of a corpus.
fn checked(path: &Path) -> Option<(Pieces, About)> {
    let pieces = Pieces::open_checked(path)?;
    let about: About = pieces.about()?;
    let count = |array: usize| pieces.count(ARRAYS[array].0);
    let entries: Vec<u32> = pieces.all(ARRAYS[2].0).ok()?;
    let sum: usize = entries.iter().map(|&entries| entries as usize).sum();
    let fits = count(0) == sum && count(1) == sum && count(2) == count(3) && count(4) == about.width;
    fits.then_some((pieces, about))
}
