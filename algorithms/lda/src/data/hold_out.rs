//! [`HoldOut`]: the documents to hold out, and the selection of them from a corpus.

use raddle::random::Stream;
use raddle_datasets::{Completion, Corpus, is_test_document, is_validation_document};

use super::source::CorpusSource;
use crate::error::LdaError;

/// Number of documents of a held-out set that are scored: the first ones that have something to score.
const SCORED: usize = 1_000;

/// Fewest tokens of a document that can be scored, as completion observes the first.
pub(crate) const SCORABLE: u64 = 2;

/// Key of the stream that draws a document if the hash selects none.
const SPARE: u64 = 0x7370_6172;

/// The documents to hold out.
#[derive(Debug, Clone, Default)]
pub enum HoldOut {
    /// No documents.
    #[default]
    None,
    /// A fraction of the documents, chosen by a hash of their numbers. If they have no tokens to score, or
    /// nothing would be left to train on, one document is held out instead; if that is not possible either,
    /// none ([`Problem::held_out`](crate::Problem::held_out) shows this).
    Fraction(f64),
    /// The test documents of the split of published comparisons: [`is_test_document`].
    Split,
    /// The documents of another corpus over the same words.
    Corpus(Box<Corpus>),
    /// Documents of the corpus by their numbers in ascending order, such as those of a fold. Of more
    /// than a thousand, every nth is scored, so that the scored ones are like all.
    Documents(Vec<u32>),
}

/// The documents of a corpus that a [`HoldOut`] selects.
#[derive(Clone, Copy)]
pub(super) enum Selection<'a> {
    None,
    Hash(f64),
    One(u32),
    Split,
    Other(&'a Corpus),
    Documents(&'a [u32]),
}

impl<'a> Selection<'a> {
    pub(super) fn of(held: &'a HoldOut) -> Self {
        match held {
            HoldOut::Fraction(fraction) if *fraction > 0.0 => Self::Hash(*fraction),
            HoldOut::None | HoldOut::Fraction(_) => Self::None,
            HoldOut::Split => Self::Split,
            HoldOut::Corpus(other) => Self::Other(other),
            HoldOut::Documents(documents) => Self::Documents(documents),
        }
    }

    /// Returns `true` for a document of the corpus that is held out.
    pub(super) fn has(self, document: u32) -> bool {
        match self {
            Self::Hash(fraction) => is_validation_document(document as usize, fraction),
            Self::One(one) => document == one,
            Self::Split => is_test_document(document as usize),
            Self::Documents(documents) => documents.binary_search(&document).is_ok(),
            Self::None | Self::Other(_) => false,
        }
    }

    /// Replaces the selection if the hash selects no document that can be scored, or leaves none to train on:
    /// by one document, drawn from those that can be scored while another one has words; by none if there is
    /// no such document. Documents of the test set are neither trained nor validated on.
    pub(super) fn or_one(self, corpus: CorpusSource<'_>, test: &Self) -> Self {
        let Self::Hash(fraction) = self else { return self };
        let others = || (0..corpus.documents() as u32).filter(|&document| !test.has(document));
        let length = |document: u32| corpus.length(document);
        let scores = others().any(|document| self.has(document) && length(document) >= SCORABLE);
        let trains = others().any(|document| !self.has(document) && length(document) > 0);
        if fraction >= 1.0 || (scores && trains) {
            return self;
        }
        let with_words = others().filter(|&document| length(document) > 0).take(2).count();
        let candidates = others().filter(|&document| with_words > 1 && length(document) >= SCORABLE);
        let drawn = candidates.min_by_key(|&document| Stream::new(&[SPARE, document.into()]).bits());
        drawn.map_or(Self::None, Self::One)
    }

    /// Returns the halves of a set's documents; those of the test set are not validated on.
    pub(super) fn scored(self, corpus: CorpusSource<'_>, test: &Self) -> Result<Vec<Completion>, LdaError> {
        let from = match self {
            Self::Other(other) if other.words() != corpus.words() => {
                return Err(LdaError::Words { words: other.words(), expected: corpus.words() });
            }
            Self::Other(other) => CorpusSource::Memory(other),
            _ => corpus,
        };
        let belongs = |&document: &u32| match self {
            Self::Other(_) => true,
            Self::Hash(_) | Self::Documents(_) => self.has(document) && !test.has(document),
            _ => self.has(document),
        };
        let documents: Vec<u32> = match self {
            Self::Documents(all) => {
                all.iter().copied().step_by(all.len().div_ceil(SCORED).max(1)).filter(belongs).collect()
            }
            _ => (0..from.documents() as u32).filter(belongs).take(SCORED).collect(),
        };
        let from = from.some(&documents)?;
        let halves = documents.iter().map(|&document| Completion::of(from.document(document as usize)));
        Ok(halves.filter(|halves| !halves.scored.is_empty()).collect())
    }
}
