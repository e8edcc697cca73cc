//! [`Corpus`]: documents as bags of words, and what is known of them.

use std::path::PathBuf;

use super::format::CorpusFormat;
use super::tokenizer::{Tokenizer, TokensLeftOut};
use super::vocabulary::Vocabulary;
use crate::bytes::source::Source;
use crate::error::ReadError;
use crate::records::RecordCounts;

/// Documents as bags of words: D documents over V words, documents and words counted from 0.
///
/// Six bytes are held for each word that a document has. A document's words ascend. How often a word occurs
/// in it is a 16-bit number; where that is not enough, the word follows several times, and what counts is the
/// sum.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Corpus {
    /// The registry's name, or the file's name without its endings.
    pub name: String,
    /// Where the words of each document begin in `words`; D + 1 of them.
    pub(super) starts: Vec<usize>,
    pub(super) words: Vec<u32>,
    pub(super) counts: Vec<u16>,
    /// V.
    pub(super) width: usize,
    /// `true` if the words were found in plain text, and so have no numbers but those given here.
    pub is_text: bool,
    /// The rule that divided a text into words; `None` of bags of words.
    pub tokenizer: Option<Tokenizer>,
    /// Tokens of a text that are no words.
    pub tokens_left_out: TokensLeftOut,
    /// The words as text, where there is a vocabulary.
    pub vocabulary: Option<Vocabulary>,
    /// The documents' names, where there are: the files of a folder, and what
    /// [`CorpusOptions::id`](super::CorpusOptions::id) names.
    pub document_names: Option<Vocabulary>,
    /// SHA-256 of the file's bytes as stored, 64 hexadecimal digits; of a folder, of its files' digests in
    /// order.
    pub digest: String,
    /// File or folder that was read; `None` for embedded data.
    pub path: Option<PathBuf>,
    /// The name of its format; `embedded` where there is no file.
    pub format: String,
    /// The documents of the data, and those that say nothing, as they have no words.
    pub records: RecordCounts,
    /// Notes for users on how the corpus was read.
    pub notes: Vec<String>,
}

/// The reason for which nothing is learned of a document, as [`Corpus::records`] has it.
pub const WITHOUT_WORDS: &str = "without words";

impl Corpus {
    /// A corpus from (word, count) pairs by document, over `width` words.
    ///
    /// # Errors
    /// If a word is not below `width`; the text names it.
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

    /// [`from_documents`](Self::from_documents) with room for so many (document, word) pairs from the start:
    /// where they are no more, 6 bytes are held of each, and never more. Words of a document may come in any
    /// order and several times; those with a count of 0 are left out.
    ///
    /// # Errors
    /// If a word is not below `width`, or there is no memory for the pairs; the text says which.
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

    /// Number of documents, D; those without words count.
    pub fn documents(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Number of words, V; those that no document has count.
    pub fn words(&self) -> usize {
        self.width
    }

    /// Number of tokens: the sum of all counts.
    pub fn tokens(&self) -> u64 {
        self.counts.iter().map(|&count| u64::from(count)).sum()
    }

    /// Number of (document, word) pairs.
    pub fn nonzeros(&self) -> usize {
        self.words.len()
    }

    /// The (word, count) pairs of a document, words ascending; none for a document that does not exist.
    pub fn document(&self, document: usize) -> impl Iterator<Item = (u32, u16)> + '_ {
        let range = match self.starts.get(document..document + 2) {
            Some(bounds) => bounds[0]..bounds[1],
            None => 0..0,
        };
        self.words[range.clone()].iter().copied().zip(self.counts[range].iter().copied())
    }

    /// Number of tokens of a document.
    pub fn length(&self, document: usize) -> u64 {
        self.document(document).map(|(_, count)| u64::from(count)).sum()
    }

    /// How often each word occurs; V numbers.
    pub fn word_counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.width];
        for (&word, &count) in self.words.iter().zip(&self.counts) {
            counts[word as usize] += u64::from(count);
        }
        counts
    }

    /// In how many documents each word occurs; V numbers.
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

    /// A word as text: from the vocabulary, else its number from 1.
    pub fn word(&self, word: u32) -> String {
        let text = self.vocabulary.as_ref().and_then(|words| words.get(word as usize));
        text.map_or_else(|| format!("word {}", u64::from(word) + 1), str::to_owned)
    }

    /// Counts the documents, and those without words, of which nothing is learned.
    pub(super) fn count_records(&mut self) {
        let without = self.starts.windows(2).filter(|ends| ends[0] == ends[1]).count();
        self.records = RecordCounts::of(self.documents());
        self.records.leave_out(WITHOUT_WORDS, without);
    }

    /// Adds a word to the document under way.
    pub(super) fn push(&mut self, word: u32, mut count: u64) {
        while count > 0 {
            let some = count.min(u64::from(u16::MAX));
            self.words.push(word);
            self.counts.push(some as u16);
            count -= some;
        }
    }

    /// Gives the vocabulary, one word for each of V; LDA-C does not say V, and may have words that no
    /// document has.
    pub(super) fn name_words(&mut self, vocabulary: Vocabulary, source: &Source) -> Result<(), ReadError> {
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
