//! [`Held`]: documents that are not trained on, and which of a corpus these are.

use raddle::random::Stream;
use raddle_datasets::{Completion, Corpus, is_test_document, is_validation_document};

use super::source::Source;
use crate::error::LdaError;

/// Number of documents of a held-out set that are scored: the first ones that have something to score.
const SCORED: usize = 1_000;

/// Tokens of a document that can be scored: completion observes the first of them.
const SCORABLE: u64 = 2;

/// Keys of the stream that draws a document where the hash takes none.
const SPARE: u64 = 0x7370_6172;

/// Documents that are not trained on.
#[derive(Debug, Clone, Default)]
pub enum Held {
    /// None.
    #[default]
    None,
    /// The part of the documents that a hash of their numbers takes. Where these have no tokens to score, or
    /// nothing is left to train on, one document is held out instead; where there is no such document, none
    /// ([`Problem::held_out`](crate::Problem::held_out) tells).
    Fraction(f64),
    /// The test documents of the split that comparisons share: [`is_test_document`].
    Split,
    /// Those of another corpus over the same words.
    Corpus(Box<Corpus>),
}

/// The documents that a [`Held`] takes.
#[derive(Clone, Copy)]
pub(super) enum Taken<'a> {
    None,
    Hash(f64),
    One(u32),
    Split,
    Other(&'a Corpus),
}

impl<'a> Taken<'a> {
    pub(super) fn of(held: &'a Held) -> Self {
        match held {
            Held::Fraction(fraction) if *fraction > 0.0 => Self::Hash(*fraction),
            Held::None | Held::Fraction(_) => Self::None,
            Held::Split => Self::Split,
            Held::Corpus(other) => Self::Other(other),
        }
    }

    /// `true` for a document of the corpus that is held out.
    pub(super) fn has(self, document: u32) -> bool {
        match self {
            Self::Hash(fraction) => is_validation_document(document as usize, fraction),
            Self::One(one) => document == one,
            Self::Split => is_test_document(document as usize),
            Self::None | Self::Other(_) => false,
        }
    }

    /// Where a hash takes no document that can be scored, or leaves none to train on: one document, drawn
    /// from those that can be scored while another one has words; none if there is no such document. What
    /// belongs to the test set is neither trained nor validated on.
    pub(super) fn or_one(self, corpus: Source<'_>, test: &Self) -> Self {
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

    /// The halves of a set's documents; what belongs to the test set is not validated on.
    pub(super) fn scored(self, corpus: Source<'_>, test: &Self) -> Result<Vec<Completion>, LdaError> {
        let from = match self {
            Self::Other(other) if other.words() != corpus.words() => {
                return Err(LdaError::Words { words: other.words(), expected: corpus.words() });
            }
            Self::Other(other) => Source::Memory(other),
            _ => corpus,
        };
        let belongs = |&document: &u32| match self {
            Self::Other(_) => true,
            Self::Hash(_) => self.has(document) && !test.has(document),
            _ => self.has(document),
        };
        let documents: Vec<u32> = (0..from.documents() as u32).filter(belongs).take(SCORED).collect();
        let from = from.some(&documents)?;
        let halves = documents.iter().map(|&document| Completion::of(from.document(document as usize)));
        Ok(halves.filter(|halves| !halves.scored.is_empty()).collect())
    }
}
