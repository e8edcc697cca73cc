//! [`Corpus`]: documents as bags of words, with their metadata.

use std::path::{Path, PathBuf};

use super::options::{CorpusFormat, CorpusOptions};
use super::tokenizer::{Tokenizer, TokensLeftOut};
use super::vocabulary;
use super::vocabulary::Vocabulary;
use crate::bytes::source::Source;
use crate::error::ReadError;
use crate::records::RecordCounts;

/// Documents as bags of words: D documents over V words, documents and words counted from 0.
///
/// Memory holds six bytes for each word of a document. The words of a document ascend. A count has 16 bits; a
/// larger count is stored as several entries of the same word, which add up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Corpus {
    /// Name in the registry, or the file's name without its extensions.
    pub name: String,
    /// Offset of each document's first word in `words`; D + 1 numbers.
    pub(super) starts: Vec<usize>,
    pub(super) words: Vec<u32>,
    pub(super) counts: Vec<u16>,
    /// Number of words, V.
    pub(super) width: usize,
    /// `true` if the words come from plain text, so that their numbers are those assigned here.
    pub is_text: bool,
    /// The rule that split a text into words; `None` for bags of words.
    pub tokenizer: Option<Tokenizer>,
    /// Tokens of a text that are not words.
    pub tokens_left_out: TokensLeftOut,
    /// The words as texts, if there is a vocabulary.
    pub vocabulary: Option<Vocabulary>,
    /// Names of the documents, if there are any: the paths of a folder's files, or the column or field that
    /// [`CorpusOptions::id`](super::CorpusOptions::id) names.
    pub document_names: Option<Vocabulary>,
    /// The value of each document in the column or field that [`CorpusOptions::by`](super::CorpusOptions::by)
    /// names; empty where there is none.
    pub groups: Option<Vocabulary>,
    /// Pairs of words that are read as one, each as its words with a blank between:
    /// [`CorpusOptions::phrases`](super::CorpusOptions::phrases).
    pub phrases: Vec<String>,
    /// SHA-256 of the stored bytes as 64 hexadecimal digits; for a folder, of the digests of its files in
    /// order.
    pub digest: String,
    /// File or folder that was read; `None` for embedded data.
    pub path: Option<PathBuf>,
    /// Name of the format; `embedded` if there is no file.
    pub format: String,
    /// Numbers of documents: all in the data, and those left out as they have no words.
    pub records: RecordCounts,
    /// Notes for users on how the corpus was read.
    pub notes: Vec<String>,
}

/// Reason in [`Corpus::records`] for documents from which nothing is learned.
pub const WITHOUT_WORDS: &str = "without words";

impl Corpus {
    /// Makes a corpus from the (word, count) pairs of each document, over `width` words.
    ///
    /// # Errors
    /// If a word is not below `width`; the message names it.
    ///
    /// ```
    /// use raddle_datasets::Corpus;
    /// let corpus = Corpus::from_documents(3, [vec![(2, 1), (0, 2)], vec![]])?;
    /// assert_eq!((corpus.documents(), corpus.words(), corpus.tokens()), (2, 3, 3));
    /// assert_eq!(corpus.document(0).collect::<Vec<_>>(), [(0, 2), (2, 1)]);
    /// # Ok::<(), String>(())
    /// ```
    pub fn from_documents(
        width: usize,
        documents: impl IntoIterator<Item = Vec<(u32, u64)>>,
    ) -> Result<Self, String> {
        Self::from_rows(width, 0, documents)
    }

    /// Makes a corpus as [`from_documents`](Self::from_documents) does, with memory reserved for `pairs`
    /// (document, word) pairs: 6 bytes each if there are no more than that. The words of a document may come
    /// in any order and several times; those with a count of 0 are left out.
    ///
    /// # Errors
    /// If a word is not below `width`, or there is no memory for the pairs; the message says which.
    ///
    /// ```
    /// use raddle_datasets::Corpus;
    /// let (starts, words, counts) = ([0, 2, 3], [2, 0, 1], [1, 2, 5]); // compressed rows
    /// let row = |ends: &[usize]| (ends[0]..ends[1]).map(|at| (words[at], counts[at]));
    /// let corpus = Corpus::from_rows(3, 3, starts.windows(2).map(row))?;
    /// assert_eq!(corpus.document(0).collect::<Vec<_>>(), [(0, 2), (2, 1)]);
    /// # Ok::<(), String>(())
    /// ```
    pub fn from_rows(
        width: usize,
        pairs: usize,
        rows: impl IntoIterator<Item = impl IntoIterator<Item = (u32, u64)>>,
    ) -> Result<Self, String> {
        let mut corpus = Self { starts: vec![0], width, ..Self::default() };
        let has_room =
            corpus.words.try_reserve_exact(pairs).and_then(|()| corpus.counts.try_reserve_exact(pairs));
        has_room.map_err(|_| format!("no memory for {pairs} counts of words in documents"))?;
        let mut row = Vec::new();
        for (number, document) in rows.into_iter().enumerate() {
            row.clear();
            row.extend(document);
            row.sort_by_key(|&(word, _)| word);
            if let Some((word, _)) = row.last().filter(|(word, _)| *word as usize >= width) {
                return Err(format!("document {number} has word {word}, but there are {width} words"));
            }
            row.iter().for_each(|&(word, count)| corpus.push(word, count));
            corpus.starts.push(corpus.words.len());
        }
        corpus.count_records();
        Ok(corpus)
    }

    /// Returns the number of documents, D, including those without words.
    pub fn documents(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Returns the number of words, V, including those that no document has.
    pub fn words(&self) -> usize {
        self.width
    }

    /// Returns the number of tokens: the sum of all counts.
    pub fn tokens(&self) -> u64 {
        self.counts.iter().map(|&count| u64::from(count)).sum()
    }

    /// Returns the number of (document, word) pairs.
    pub fn nonzeros(&self) -> usize {
        self.words.len()
    }

    /// Returns the (word, count) pairs of a document with ascending words; none if the document does not
    /// exist.
    pub fn document(&self, document: usize) -> impl Iterator<Item = (u32, u16)> + '_ {
        let range = match self.starts.get(document..document + 2) {
            Some(bounds) => bounds[0]..bounds[1],
            None => 0..0,
        };
        self.words[range.clone()].iter().copied().zip(self.counts[range].iter().copied())
    }

    /// Returns the number of tokens of a document.
    pub fn length(&self, document: usize) -> u64 {
        self.document(document).map(|(_, count)| u64::from(count)).sum()
    }

    /// Returns how often each word occurs; V numbers.
    pub fn word_counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.width];
        for (&word, &count) in self.words.iter().zip(&self.counts) {
            counts[word as usize] += u64::from(count);
        }
        counts
    }

    /// Returns in how many documents each word occurs; V numbers.
    pub fn document_frequencies(&self) -> Vec<u64> {
        let mut frequencies = vec![0; self.width];
        for document in 0..self.documents() {
            let mut last = None;
            for (word, _) in self.document(document) {
                if last.replace(word) != Some(word) {
                    frequencies[word as usize] += 1;
                }
            }
        }
        frequencies
    }

    /// Returns a word as text: from the vocabulary, else its number from 1.
    pub fn word(&self, word: u32) -> String {
        let text = self.vocabulary.as_ref().and_then(|words| words.get(word as usize));
        text.map_or_else(|| format!("word {}", u64::from(word) + 1), str::to_owned)
    }

    /// Counts the documents, and those without words.
    pub(super) fn count_records(&mut self) {
        let without = self.starts.windows(2).filter(|ends| ends[0] == ends[1]).count();
        self.records = RecordCounts::of(self.documents());
        self.records.leave_out(WITHOUT_WORDS, without);
    }

    /// Adds a word to the document in progress.
    pub(super) fn push(&mut self, word: u32, mut count: u64) {
        while count > 0 {
            let some = count.min(u64::from(u16::MAX));
            self.words.push(word);
            self.counts.push(some as u16);
            count -= some;
        }
    }

    /// Names the words of a bag of words that was read from `path`: by the vocabulary in options, else by one
    /// next to it.
    pub(super) fn name_words_of(&mut self, path: &Path, options: &CorpusOptions) -> Result<(), ReadError> {
        let Some(words) = options.vocabulary.clone().or_else(|| vocabulary::beside(path)) else {
            return Ok(());
        };
        let source = Source::open_text(&words, options.dialect.encoding)?;
        self.name_words(Vocabulary::read(&source)?, &source)
    }

    /// Sets the vocabulary, which must have V words. LDA-C does not state V: then the vocabulary may have
    /// more words than the documents.
    fn name_words(&mut self, vocabulary: Vocabulary, source: &Source) -> Result<(), ReadError> {
        if self.format == CorpusFormat::Ldac.name() && vocabulary.len() > self.width {
            self.width = vocabulary.len();
        }
        if vocabulary.len() != self.width {
            let message = format!(
                "{} words, but the corpus has {}: it is another corpus's vocabulary",
                vocabulary.len(),
                self.width
            );
            return Err(ReadError::file(&source.path, message));
        }
        self.vocabulary = Some(vocabulary);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_documents_and_take_the_room_that_was_asked_for() {
        let documents: Vec<Vec<(u32, u64)>> =
            (0..50).map(|at| (0..at % 7).map(|word| (word * 5 % 7, u64::from(word) % 3)).collect()).collect();
        let pairs = documents.iter().flatten().count();
        let rows = Corpus::from_rows(7, pairs, documents.iter().map(|row| row.iter().copied())).unwrap();
        assert_eq!((rows.words.capacity(), rows.counts.capacity()), (pairs, pairs));
        assert_eq!(Corpus::from_documents(7, documents), Ok(rows));
        let far = Corpus::from_rows(7, 1, [[(7, 1)]]).unwrap_err();
        assert_eq!(far, "document 0 has word 7, but there are 7 words");
        assert!(Corpus::from_rows(7, usize::MAX, [[(0, 1)]]).unwrap_err().contains("no memory"));
    }

    #[test]
    fn counts_above_16_bits_follow_several_times() {
        let corpus = Corpus::from_rows(2, 1, [[(1, 200_000)]]).unwrap();
        assert_eq!((corpus.length(0), corpus.nonzeros()), (200_000, 4));
    }
}
