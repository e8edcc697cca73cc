//! [`Problem`]: a corpus assigned to shards and blocks, with its held-out documents.

use std::sync::Arc;

use raddle_datasets::{Completion, Corpus, StoredCorpus};

use super::carried::Carried;
use super::held_out::HeldOut;
use super::hold_out::{HoldOut, Selection};
use super::layout::{Layout, shards_for};
use super::place::Place;
use super::sampler::{SamplerKind, Sizes};
use super::shard::DocumentShard;
use super::source::CorpusSource;
use crate::error::LdaError;
use raddle_kernels::topics::counts::documents::{Kind, SparseRows};
use raddle_kernels::topics::counts::packing::Packing;

/// Name of the held-out set that ends a run.
pub const VALIDATION: &str = "validation documents";

/// Name of the held-out set that is only measured.
pub const TEST: &str = "test documents";

/// Options for preparing a corpus.
#[derive(Debug, Clone)]
pub struct Preparation {
    /// Documents whose perplexity ends the run.
    pub validation: HoldOut,
    /// Documents whose perplexity is measured; with a target, it ends the run.
    pub test: HoldOut,
    /// Number of shards. `None` chooses it by the number of tokens. As a shard has at most 65,536 documents,
    /// there may be more shards.
    pub shards: Option<usize>,
    /// Number of blocks. `None` takes twice the number of shards.
    pub blocks: Option<usize>,
    /// Seed for the order in which documents are assigned.
    pub seed: u64,
}

impl Default for Preparation {
    fn default() -> Self {
        Self {
            validation: HoldOut::Fraction(0.05),
            test: HoldOut::None,
            shards: None,
            blocks: None,
            seed: 42,
        }
    }
}

/// A corpus assigned to shards and blocks: the input of [`Lda::fit`](crate::Lda::fit).
#[derive(Debug, Clone)]
pub struct Problem {
    pub(crate) shards: Vec<DocumentShard>,
    /// Words of each block.
    pub(crate) blocks: Vec<Vec<u32>>,
    pub(crate) word_counts: Vec<u64>,
    pub(crate) places: Vec<Place>,
    pub(crate) tokens: u64,
    /// Names of the held-out sets, in the order of their numbers.
    pub(crate) sets: Vec<&'static str>,
    documents: usize,
    held_out_documents: usize,
    longest: u64,
    /// The corpus, if it is read on demand: then the shards have no documents yet.
    pub(crate) stored: Option<Arc<StoredCorpus>>,
}

impl Problem {
    /// Prepares a corpus. One in a file stays there: each shard reads its documents where it is placed, and
    /// the rows of each block are made where they are placed, so that no process holds more than its share.
    /// The model is the same as for the corpus in memory.
    ///
    /// # Errors
    /// If no token is left to train on, a held-out corpus has other words, requested held-out documents have
    /// nothing to score, a word or a shard has too many tokens to count, or a file cannot be read.
    pub fn new<'a>(corpus: impl Into<CorpusSource<'a>>, preparation: &Preparation) -> Result<Self, LdaError> {
        let Preparation { shards, blocks, seed, .. } = *preparation;
        let corpus = corpus.into();
        Self::laid(corpus, preparation, |train, tokens| {
            let shards = shards.unwrap_or_else(|| shards_for(tokens));
            Layout::new(corpus, train, shards, blocks.unwrap_or(2 * shards), seed)
        })
    }

    /// Prepares the next version of a corpus. Documents and words keep their numbers, shards and blocks, and
    /// new ones get the next numbers; retracted documents stay in the corpus without words. The numbers of
    /// shards and blocks do not change.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn going_on(corpus: &Corpus, preparation: &Preparation, carried: &Carried) -> Result<Self, LdaError> {
        let corpus = CorpusSource::Memory(corpus);
        Self::laid(corpus, preparation, |train, _| Layout::carried(corpus, train, carried))
    }

    fn laid(
        corpus: CorpusSource<'_>,
        preparation: &Preparation,
        lay_out: impl FnOnce(Vec<u32>, u64) -> Result<Layout, LdaError>,
    ) -> Result<Self, LdaError> {
        let Preparation { validation, test, .. } = preparation;
        let test = Selection::of(test);
        let validation = Selection::of(validation).or_one(corpus, &test);
        let (mut sets, mut held_out) = (Vec::new(), Vec::new());
        for (name, taken) in [(VALIDATION, &validation), (TEST, &test)] {
            if !matches!(taken, Selection::None) {
                let documents = taken.scored(corpus, &test)?;
                if documents.is_empty() {
                    return Err(LdaError::NothingToScore { set: name });
                }
                held_out.extend(documents.into_iter().map(|halves| (sets.len() as u8, halves)));
                sets.push(name);
            }
        }
        let is_train = |&document: &u32| !validation.has(document) && !test.has(document);
        let train: Vec<u32> = (0..corpus.documents() as u32).filter(is_train).collect();
        let tokens: u64 = train.iter().map(|&document| corpus.length(document)).sum();
        if tokens == 0 {
            return Err(LdaError::Empty {
                documents: corpus.documents(),
                held_out: corpus.documents() - train.len(),
            });
        }
        let trained = train.len();
        let Layout { mut shards, blocks, word_counts, places, tokens } = lay_out(train, tokens)?;
        let count = shards.len();
        for (number, shard) in shards.iter_mut().enumerate() {
            // Distributed in turn, so that every shard has the same number to score.
            let some: Vec<(u8, Completion)> = held_out.iter().skip(number).step_by(count).cloned().collect();
            shard.held_out = HeldOut::new(&some, &places, blocks.len());
        }
        let longest = shards.iter().flat_map(|shard| (0..shard.documents.len()).map(|at| shard.length(at)));
        let longest = longest.max().unwrap_or(0);
        let documents = corpus.documents();
        let held_out_documents = documents - trained;
        let stored = match corpus {
            CorpusSource::Memory(_) => None,
            CorpusSource::Stored(stored) => Some(Arc::clone(stored)),
        };
        Ok(Self {
            shards,
            blocks,
            word_counts,
            places,
            tokens,
            sets,
            documents,
            held_out_documents,
            longest,
            stored,
        })
    }

    /// Returns the number of documents of the corpus, held-out ones included.
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// Returns the number of words of the corpus, V.
    pub fn words(&self) -> usize {
        self.word_counts.len()
    }

    /// Returns the number of training tokens.
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Returns the number of documents of the corpus that are held out; documents of other corpora do not
    /// count.
    pub fn held_out_documents(&self) -> usize {
        self.held_out_documents
    }

    /// Returns the names of the held-out sets: [`VALIDATION`], [`TEST`], both or neither.
    pub fn held_out(&self) -> &[&'static str] {
        &self.sets
    }

    /// Returns the number of shards.
    pub fn shards(&self) -> usize {
        self.shards.len()
    }

    /// Chooses how topics are drawn.
    pub(crate) fn sampler(&self, topics: usize, follow: bool) -> Result<SamplerKind, LdaError> {
        let of = |shard: &DocumentShard| SparseRows::bytes_for(shard.lengths(), topics);
        let sizes = Sizes {
            topics,
            shards: self.shards.len(),
            longest: self.longest,
            documents: self.shards.iter().map(|shard| shard.documents.len() as u64).sum(),
            sparse: self.shards.iter().map(of).sum(),
        };
        let sampler = SamplerKind::of(sizes, follow);
        let most = u64::from(Packing::of(topics).most());
        if sampler.kind() == Kind::Sparse && self.longest > most {
            return Err(LdaError::Document { tokens: self.longest, most, topics });
        }
        Ok(sampler)
    }
}
