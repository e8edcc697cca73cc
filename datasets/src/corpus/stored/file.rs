//! [`StoredCorpus`]: a corpus in a file, whose documents are read on demand.

use std::path::Path;

use super::convert;
use super::layout::{COUNTS, ENTRIES, LENGTHS, WORD_COUNTS, WORDS, fits};
use crate::arrays::pieces::{PIECE, Pieces, open_or_make, starts_of};
use crate::bytes::source::Source;
use crate::corpus::{Corpus, CorpusFormat, CorpusOptions, WITHOUT_WORDS};
use crate::error::ReadError;
use crate::records::RecordCounts;

/// A corpus in a file. Memory holds its sizes, its words and the lengths of its documents; documents are read
/// on demand.
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
    /// Offset of each document's first entry, then the number of all entries; D + 1 numbers.
    starts: Vec<usize>,
    lengths: Vec<u64>,
    word_counts: Vec<u64>,
}

impl StoredCorpus {
    /// Opens the corpus that a source contains, under this name, from a file of `folder`. The file is made if
    /// it does not exist, is incomplete, or comes from another kind of machine.
    pub(crate) fn of_file(
        source: &Source,
        format: CorpusFormat,
        path: &Path,
        name: String,
        options: &CorpusOptions,
        folder: &Path,
    ) -> Result<Self, ReadError> {
        let place = folder.join(format!("{}-{format}.corpus", source.digest()));
        let make = |place: &Path| convert::write(source, format, options.threads, place);
        let (pieces, about) = open_or_make(&place, fits, make)?;
        let mut described = Corpus {
            name,
            width: about.width,
            digest: source.digest(),
            format: about.format,
            path: Some(path.into()),
            ..Corpus::default()
        };
        described.name_words_of(path, options)?;
        let starts = starts_of(&pieces.all(ENTRIES)?);
        let (lengths, mut word_counts) = (pieces.all(LENGTHS)?, pieces.all(WORD_COUNTS)?);
        described.records = RecordCounts::of(lengths.len());
        let without = starts.windows(2).filter(|ends| ends[0] == ends[1]).count();
        described.records.leave_out(WITHOUT_WORDS, without);
        word_counts.resize(described.width, 0);
        let stored = Self { pieces, described, starts, lengths, word_counts };
        match stored.tokens() {
            0 => Err(ReadError::file(path, "no document has a word")),
            _ => Ok(stored),
        }
    }

    /// Returns everything known about the corpus except its documents, which this one lacks.
    pub fn described(&self) -> &Corpus {
        &self.described
    }

    /// Returns the number of documents, D.
    pub fn documents(&self) -> usize {
        self.lengths.len()
    }

    /// Returns the number of words, V.
    pub fn words(&self) -> usize {
        self.described.width
    }

    /// Returns the number of tokens.
    pub fn tokens(&self) -> u64 {
        self.lengths.iter().sum()
    }

    /// Returns the number of (document, word) pairs.
    pub fn nonzeros(&self) -> usize {
        self.starts[self.documents()]
    }

    /// Returns the number of tokens of a document; 0 if it does not exist.
    pub fn length(&self, document: usize) -> u64 {
        self.lengths.get(document).copied().unwrap_or(0)
    }

    /// Returns how often each word occurs; V numbers.
    pub fn word_counts(&self) -> &[u64] {
        &self.word_counts
    }

    /// Calls `see` with each entry (document, word, count) of these documents, whose numbers must ascend.
    ///
    /// # Errors
    /// If the file cannot be read, or was damaged since it was opened.
    pub fn each(&self, documents: &[u32], mut see: impl FnMut(u32, u32, u16)) -> Result<(), ReadError> {
        let (mut piece, mut words, mut counts) = (usize::MAX, Vec::new(), Vec::new());
        for &document in documents {
            for at in self.starts[document as usize]..self.starts[document as usize + 1] {
                if at / PIECE != piece {
                    piece = at / PIECE;
                    words = self.pieces.piece(WORDS, piece)?;
                    counts = self.pieces.piece(COUNTS, piece)?;
                }
                see(document, words[at % PIECE], counts[at % PIECE]);
            }
        }
        Ok(())
    }

    /// Returns a corpus in which these documents have their words and all others are empty. The numbers must
    /// ascend.
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
