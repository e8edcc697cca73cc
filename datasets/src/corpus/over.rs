//! Changes the words of a corpus to those of a vocabulary or of a model.

use std::collections::HashMap;

use super::assemble::sort_words;
use super::data::Corpus;
use super::vocabulary::Vocabulary;

impl Corpus {
    /// Replaces the words by those of `vocabulary`, matched by their text: a word's number becomes its
    /// position there, and words that are not there are left out. Returns the number of tokens left out.
    ///
    /// # Errors
    /// If the corpus has no vocabulary.
    ///
    /// ```
    /// use raddle_datasets::Corpus;
    /// let mut corpus = Corpus::from_documents(2, [vec![(0, 3), (1, 1)]])?;
    /// corpus.vocabulary = Some(["sea", "ship"].into_iter().collect());
    /// assert_eq!(corpus.match_words(["harbour", "ship"].into_iter().collect()), Ok(3));
    /// assert_eq!((corpus.words(), corpus.document(0).collect::<Vec<_>>()), (2, vec![(1, 1)]));
    /// # Ok::<(), String>(())
    /// ```
    pub fn match_words(&mut self, vocabulary: Vocabulary) -> Result<u64, NoVocabulary> {
        Ok(self.match_words_by_document(vocabulary)?.iter().sum())
    }

    /// Does what [`match_words`](Self::match_words) does, and returns the number of tokens left out of each
    /// document.
    ///
    /// # Errors
    /// If the corpus has no vocabulary.
    pub fn match_words_by_document(&mut self, vocabulary: Vocabulary) -> Result<Vec<u64>, NoVocabulary> {
        let own = self.vocabulary.take().ok_or(NoVocabulary)?;
        let places: HashMap<&str, u32> = vocabulary.iter().zip(0..).collect();
        let places: Vec<Option<u32>> = own.iter().map(|word| places.get(word).copied()).collect();
        let unknown = self.renumber(&places);
        sort_words(&self.starts, &mut self.words, &mut self.counts);
        (self.width, self.vocabulary) = (vocabulary.len(), Some(vocabulary));
        self.count_records();
        Ok(unknown)
    }

    /// Gives each word its new number; words without one are left out. Returns the number of tokens left out
    /// of each document.
    pub(super) fn renumber(&mut self, new: &[Option<u32>]) -> Vec<u64> {
        let (mut to, mut from, mut left_out) = (0, 0, vec![0; self.documents()]);
        for (document, left_out) in left_out.iter_mut().enumerate() {
            let end = self.starts[document + 1];
            for at in from..end {
                match new[self.words[at] as usize] {
                    Some(word) => {
                        (self.words[to], self.counts[to]) = (word, self.counts[at]);
                        to += 1;
                    }
                    None => *left_out += u64::from(self.counts[at]),
                }
            }
            (from, self.starts[document + 1]) = (end, to);
        }
        self.words.truncate(to);
        self.counts.truncate(to);
        left_out
    }

    /// Appends words that no document has; without a vocabulary only the number of words grows.
    pub fn add_words<'a>(&mut self, words: impl IntoIterator<Item = &'a str>) {
        for word in words {
            self.width += 1;
            if let Some(vocabulary) = &mut self.vocabulary {
                vocabulary.push(word);
            }
        }
    }
}

/// Error: a corpus whose words have numbers but no texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the corpus has no vocabulary")]
pub struct NoVocabulary;

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus() -> Corpus {
        let documents = [vec![(0, 2), (1, 70_000)], vec![], vec![(1, 1), (2, 4)]];
        let mut corpus = Corpus::from_documents(3, documents).expect("words below 3");
        corpus.vocabulary = Some(["sea", "ship", "log"].into_iter().collect());
        corpus
    }

    #[test]
    fn words_are_matched_by_their_text() {
        let mut corpus = corpus();
        let unknown = corpus.match_words(["log", "harbour", "sea", "mast"].into_iter().collect());
        assert_eq!((unknown, corpus.words(), corpus.documents()), (Ok(70_001), 4, 3));
        let all: Vec<Vec<(u32, u16)>> = (0..3).map(|document| corpus.document(document).collect()).collect();
        assert_eq!(all, [vec![(2, 2)], vec![], vec![(0, 4)]]);
        assert_eq!((corpus.word(0), corpus.word(3)), ("log".into(), "mast".into()));
    }

    #[test]
    fn the_order_of_words_follows_their_numbers() {
        let mut corpus = corpus();
        assert_eq!(corpus.match_words(["log", "ship", "sea"].into_iter().collect()), Ok(0));
        assert_eq!(corpus.document(0).collect::<Vec<_>>(), [(1, 65_535), (1, 4_465), (2, 2)]);
        assert_eq!(corpus.document(2).collect::<Vec<_>>(), [(0, 4), (1, 1)]);
    }

    #[test]
    fn added_words_have_no_tokens() {
        let mut corpus = corpus();
        let tokens = corpus.tokens();
        corpus.add_words(["mast", "sail"]);
        assert_eq!((corpus.words(), corpus.tokens(), corpus.word(4)), (5, tokens, "sail".into()));
        corpus.vocabulary = None;
        assert_eq!(corpus.match_words(Vocabulary::default()), Err(NoVocabulary));
    }
}
