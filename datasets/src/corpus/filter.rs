//! [`Filter`]: leaves words out, by how often they occur or by name. The words of a corpus are changed to
//! those of a vocabulary or of a model.

use std::collections::{HashMap, HashSet};

use super::assemble::sort_words;
use super::data::Corpus;
use super::vocabulary::Vocabulary;

/// A number of documents, or a fraction of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Frequency {
    /// A number of documents.
    Documents(u64),
    /// A fraction of the documents, from 0 to 1.
    Fraction(f64),
}

impl Frequency {
    /// Returns the number of documents that this means, of `documents` in all.
    fn of(self, documents: usize) -> f64 {
        match self {
            Self::Documents(number) => number as f64,
            Self::Fraction(fraction) => fraction * documents as f64,
        }
    }
}

impl std::str::FromStr for Frequency {
    type Err = String;

    /// Parses a whole number as a number of documents, and a number with a point, from 0.0 to 1.0, as a
    /// fraction.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(number) = text.parse() {
            return Ok(Self::Documents(number));
        }
        let fraction = text.parse().ok().filter(|fraction| (0.0..=1.0).contains(fraction));
        fraction.map(Self::Fraction).ok_or_else(|| {
            "give a whole number of documents, or a fraction from 0.0 to 1.0 with its point".into()
        })
    }
}

/// Rules for words to leave out of a corpus.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Leaves out words in fewer documents than this.
    pub min_df: Option<Frequency>,
    /// Leaves out words in more documents than this.
    pub max_df: Option<Frequency>,
    /// Leaves out this many of the words with the most tokens; of equally frequent ones those with lower
    /// numbers first.
    pub remove_top: usize,
    /// Leaves out these words.
    pub stop_words: HashSet<String>,
}

/// Numbers of words and tokens that a filter removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Removed words that had tokens.
    pub words: u64,
    /// Tokens of the removed words.
    pub tokens: u64,
}

impl Filter {
    /// Returns `true` if the filter leaves no word out.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns for each of the V words whether it stays.
    fn kept(&self, corpus: &Corpus) -> Vec<bool> {
        let mut kept = vec![true; corpus.words()];
        if self.min_df.is_some() || self.max_df.is_some() {
            let documents = corpus.documents();
            let least = self.min_df.map_or(0.0, |least| least.of(documents));
            let most = self.max_df.map_or(f64::INFINITY, |most| most.of(documents));
            for (kept, frequency) in kept.iter_mut().zip(corpus.document_frequencies()) {
                *kept = (least..=most).contains(&(frequency as f64));
            }
        }
        if let Some(vocabulary) = corpus.vocabulary.as_ref().filter(|_| !self.stop_words.is_empty()) {
            for (kept, word) in kept.iter_mut().zip(vocabulary.iter()) {
                *kept &= !self.stop_words.contains(word);
            }
        }
        if self.remove_top > 0 {
            let counts = corpus.word_counts();
            let mut order: Vec<u32> =
                (0..corpus.words() as u32).filter(|&word| kept[word as usize]).collect();
            order.sort_by_key(|&word| (std::cmp::Reverse(counts[word as usize]), word));
            order.iter().take(self.remove_top).for_each(|&word| kept[word as usize] = false);
        }
        kept
    }
}

impl Corpus {
    /// Leaves words out. The words keep their numbers and lose their tokens; with `renumber` they disappear,
    /// and the others are numbered again in the same order.
    pub fn filter(&mut self, filter: &Filter, renumber: bool) -> Removed {
        if filter.is_empty() {
            return Removed::default();
        }
        let kept = filter.kept(self);
        let counts = self.word_counts();
        let gone = counts.iter().zip(&kept).filter(|&(&count, &kept)| !kept && count > 0);
        let removed = gone.fold(Removed::default(), |sum, (&count, _)| Removed {
            words: sum.words + 1,
            tokens: sum.tokens + count,
        });
        let mut number = 0;
        let new: Vec<Option<u32>> = (0..self.width as u32)
            .zip(&kept)
            .map(|(word, &kept)| {
                kept.then(|| {
                    number += 1;
                    if renumber { number - 1 } else { word }
                })
            })
            .collect();
        self.renumber(&new);
        if renumber {
            self.width = number as usize;
            if let Some(words) = self.vocabulary.take() {
                let stay = words.iter().zip(&kept).filter(|&(_, &kept)| kept).map(|(word, _)| word);
                self.vocabulary = Some(stay.collect::<Vocabulary>());
            }
        }
        self.count_records();
        removed
    }
}

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
        let documents = [vec![(0, 5), (1, 1)], vec![(0, 4), (2, 1)], vec![(0, 1), (2, 2), (3, 9)]];
        let mut corpus = Corpus::from_documents(5, documents).expect("words below 5");
        corpus.vocabulary = Some(["the", "sea", "ship", "log", "never"].into_iter().collect());
        corpus
    }

    fn left(filter: Filter) -> Vec<u64> {
        let mut corpus = corpus();
        let (before, removed) = (corpus.tokens(), corpus.filter(&filter, false));
        assert_eq!(corpus.tokens() + removed.tokens, before);
        assert_eq!(corpus.words(), 5);
        corpus.word_counts()
    }

    #[test]
    fn words_are_left_out_and_keep_their_numbers() {
        let min = |least| Filter { min_df: Some(least), ..Filter::default() };
        assert_eq!(left(min(Frequency::Documents(2))), [10, 0, 3, 0, 0]);
        assert_eq!(left(min(Frequency::Fraction(0.5))), [10, 0, 3, 0, 0]);
        let most = Filter { max_df: Some(Frequency::Fraction(0.7)), ..Filter::default() };
        assert_eq!(left(most), [0, 1, 3, 9, 0]);
        assert_eq!(left(Filter { remove_top: 2, ..Filter::default() }), [0, 1, 3, 0, 0]);
        let stop = Filter { stop_words: ["the".into(), "log".into()].into(), ..Filter::default() };
        assert_eq!(left(stop), [0, 1, 3, 0, 0]);
    }

    #[test]
    fn words_are_numbered_anew_where_that_is_asked() {
        let mut corpus = corpus();
        let filter = Filter { min_df: Some(Frequency::Documents(2)), ..Filter::default() };
        assert_eq!(corpus.filter(&filter, true), Removed { words: 2, tokens: 10 });
        assert_eq!((corpus.words(), corpus.word_counts()), (2, vec![10, 3]));
        assert_eq!(corpus.vocabulary.as_ref().and_then(|words| words.get(1)), Some("ship"));
        assert_eq!(corpus.document(2).collect::<Vec<_>>(), [(0, 1), (1, 2)]);
    }

    #[test]
    fn frequencies_are_read() {
        assert_eq!("5".parse(), Ok(Frequency::Documents(5)));
        assert_eq!("0.5".parse(), Ok(Frequency::Fraction(0.5)));
        assert!("1.5".parse::<Frequency>().is_err() && "-1".parse::<Frequency>().is_err());
    }

    fn with_large_counts() -> Corpus {
        let documents = [vec![(0, 2), (1, 70_000)], vec![], vec![(1, 1), (2, 4)]];
        let mut corpus = Corpus::from_documents(3, documents).expect("words below 3");
        corpus.vocabulary = Some(["sea", "ship", "log"].into_iter().collect());
        corpus
    }

    #[test]
    fn words_are_matched_by_their_text() {
        let mut corpus = with_large_counts();
        let unknown = corpus.match_words(["log", "harbour", "sea", "mast"].into_iter().collect());
        assert_eq!((unknown, corpus.words(), corpus.documents()), (Ok(70_001), 4, 3));
        let all: Vec<Vec<(u32, u16)>> = (0..3).map(|document| corpus.document(document).collect()).collect();
        assert_eq!(all, [vec![(2, 2)], vec![], vec![(0, 4)]]);
        assert_eq!((corpus.word(0), corpus.word(3)), ("log".into(), "mast".into()));
    }

    #[test]
    fn the_order_of_words_follows_their_numbers() {
        let mut corpus = with_large_counts();
        assert_eq!(corpus.match_words(["log", "ship", "sea"].into_iter().collect()), Ok(0));
        assert_eq!(corpus.document(0).collect::<Vec<_>>(), [(1, 65_535), (1, 4_465), (2, 2)]);
        assert_eq!(corpus.document(2).collect::<Vec<_>>(), [(0, 4), (1, 1)]);
    }

    #[test]
    fn added_words_have_no_tokens() {
        let mut corpus = with_large_counts();
        let tokens = corpus.tokens();
        corpus.add_words(["mast", "sail"]);
        assert_eq!((corpus.words(), corpus.tokens(), corpus.word(4)), (5, tokens, "sail".into()));
        corpus.vocabulary = None;
        assert_eq!(corpus.match_words(Vocabulary::default()), Err(NoVocabulary));
    }
}
