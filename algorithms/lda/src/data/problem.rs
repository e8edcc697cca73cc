//! [`Problem`]: a corpus assigned to shards and blocks, with the documents that are held out.

use std::sync::Arc;

use raddle_datasets::{Completion, Corpus, StoredCorpus};

use super::carried::Carried;
use super::held_out::HeldOut;
use super::layout::{Layout, shards_for};
use super::place::Place;
use super::shard::DocumentShard;
use super::source::Source;
use super::taken::{Held, Taken};
use super::way::{Sizes, Way};
use crate::error::LdaError;
use raddle_kernels::topics::counts::documents::{DocumentRows, Kind, SparseRows};
use raddle_kernels::topics::counts::packing::Packing;
use raddle_kernels::topics::counts::streams::assign_streams;
use raddle_kernels::topics::counts::words::WordRows;

/// The held-out set that ends a run.
pub const VALIDATION: &str = "validation documents";

/// The held-out set that measures a run.
pub const TEST: &str = "test documents";

/// How a corpus is prepared.
#[derive(Debug, Clone)]
pub struct Preparation {
    /// Documents whose perplexity ends the run.
    pub validation: Held,
    /// Documents whose perplexity is measured, and ends the run if it has a target.
    pub test: Held,
    /// How many shards the documents are assigned to. Default: by the number of tokens. A shard has at most
    /// 65,536 documents: where that needs more shards, there are more.
    pub shards: Option<usize>,
    /// How many blocks the words are assigned to. Default: twice the shards.
    pub blocks: Option<usize>,
    /// Names the order in which documents are assigned.
    pub seed: u64,
}

impl Default for Preparation {
    fn default() -> Self {
        Self { validation: Held::Fraction(0.05), test: Held::None, shards: None, blocks: None, seed: 42 }
    }
}

/// A corpus assigned to shards and blocks: what [`Lda::fit`](crate::Lda::fit) takes.
#[derive(Debug, Clone)]
pub struct Problem {
    pub(crate) shards: Vec<DocumentShard>,
    /// The words of each block.
    pub(crate) blocks: Vec<Vec<u32>>,
    pub(crate) word_counts: Vec<u64>,
    pub(crate) places: Vec<Place>,
    pub(crate) tokens: u64,
    /// Names of the held-out sets, in the order of their numbers.
    pub(crate) sets: Vec<&'static str>,
    documents: usize,
    held_out_documents: usize,
    longest: u64,
    /// The corpus, where shards read their documents from it: they have none yet.
    pub(crate) stored: Option<Arc<StoredCorpus>>,
}

impl Problem {
    /// Deals a corpus out.
    ///
    /// # Errors
    /// If no token is left to train on, a held-out corpus has other words, held-out documents that were asked
    /// for have nothing to score, or a word or a shard has more tokens than can be counted.
    pub fn new(corpus: &Corpus, preparation: &Preparation) -> Result<Self, LdaError> {
        Self::partitioned(Source::Memory(corpus), preparation)
    }

    /// Deals a corpus out that stays in its file: each shard reads its documents where it lives, and the rows
    /// of each block are made where it begins. Of several processes none then holds more than its share.
    /// Models are those of the same corpus in memory.
    ///
    /// # Errors
    /// As [`new`](Self::new), and if the file cannot be read.
    pub fn by_parts(corpus: Arc<StoredCorpus>, preparation: &Preparation) -> Result<Self, LdaError> {
        let problem = Self::partitioned(Source::Stored(&corpus), preparation)?;
        Ok(Self { stored: Some(corpus), ..problem })
    }

    fn partitioned(corpus: Source<'_>, preparation: &Preparation) -> Result<Self, LdaError> {
        let Preparation { shards, blocks, seed, .. } = *preparation;
        Self::laid(corpus, preparation, |train, tokens| {
            let shards = shards.unwrap_or_else(|| shards_for(tokens));
            Layout::new(corpus, train, shards, blocks.unwrap_or(2 * shards), seed)
        })
    }

    /// Deals the next version of a corpus out. Documents and words have the numbers that they had, with new
    /// ones behind them, and stay in their shards and blocks; documents that were retracted are left in the
    /// corpus without words. How many shards and blocks there are is as it was.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn going_on(corpus: &Corpus, preparation: &Preparation, carried: &Carried) -> Result<Self, LdaError> {
        let corpus = Source::Memory(corpus);
        Self::laid(corpus, preparation, |train, _| Layout::carried(corpus, train, carried))
    }

    fn laid(
        corpus: Source<'_>,
        preparation: &Preparation,
        lay_out: impl FnOnce(Vec<u32>, u64) -> Result<Layout, LdaError>,
    ) -> Result<Self, LdaError> {
        let Preparation { validation, test, .. } = preparation;
        let test = Taken::of(test);
        let validation = Taken::of(validation).or_one(corpus, &test);
        let (mut sets, mut held_out) = (Vec::new(), Vec::new());
        for (name, taken) in [(VALIDATION, &validation), (TEST, &test)] {
            if !matches!(taken, Taken::None) {
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
            // Dealt in turn, so that every shard has as many to score.
            let some: Vec<(u8, Completion)> = held_out.iter().skip(number).step_by(count).cloned().collect();
            shard.held_out = HeldOut::new(&some, &places, blocks.len());
        }
        let longest = shards.iter().flat_map(|shard| (0..shard.documents.len()).map(|at| shard.length(at)));
        let longest = longest.max().unwrap_or(0);
        let (documents, stored) = (corpus.documents(), None);
        let held_out_documents = documents - trained;
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

    /// Number of documents of the corpus, held-out ones included.
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// Number of words of the corpus, V.
    pub fn words(&self) -> usize {
        self.word_counts.len()
    }

    /// Number of tokens that are trained on.
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Number of documents of the corpus that are held out; those of other corpora do not count.
    pub fn held_out_documents(&self) -> usize {
        self.held_out_documents
    }

    /// The sets of held-out documents: [`VALIDATION`], [`TEST`], both or neither.
    pub fn held_out(&self) -> &[&'static str] {
        &self.sets
    }

    /// Number of shards.
    pub fn shards(&self) -> usize {
        self.shards.len()
    }

    /// Makes room for the topic counts of every document and word. `kept` are counts of words without
    /// training tokens, as (word, topic, count) in order: they are there from the start, and no task changes
    /// them. `follow` asks for draws that see all moves of their shard before them.
    pub(crate) fn make_rows(
        &mut self,
        topics: usize,
        kept: &[(u32, u32, u32)],
        follow: bool,
    ) -> Result<Vec<WordRows>, LdaError> {
        let way = self.way(topics, follow)?;
        let rows = self.blocks.iter().map(|words| word_rows(words, &self.word_counts, kept, (topics, way)));
        let rows: Vec<WordRows> = rows.collect();
        for shard in &mut self.shards {
            make_shard_rows(shard, (topics, way), |block, word| rows[block].full.has(word))?;
        }
        Ok(rows)
    }

    /// How topics are drawn.
    pub(crate) fn way(&self, topics: usize, follow: bool) -> Result<Way, LdaError> {
        let of = |shard: &DocumentShard| SparseRows::bytes_for(shard.lengths(), topics);
        let sizes = Sizes {
            topics,
            shards: self.shards.len(),
            longest: self.longest,
            documents: self.shards.iter().map(|shard| shard.documents.len() as u64).sum(),
            sparse: self.shards.iter().map(of).sum(),
        };
        let way = Way::of(sizes, follow);
        let most = u64::from(Packing::of(topics).most());
        if way.kind() == Kind::Sparse && self.longest > most {
            return Err(LdaError::Document { tokens: self.longest, most, topics });
        }
        Ok(way)
    }
}

/// Room for the topic counts of a block's words, of which `word_counts` says how many tokens they have.
pub(super) fn word_rows(
    words: &[u32],
    word_counts: &[u64],
    kept: &[(u32, u32, u32)],
    (topics, way): (usize, Way),
) -> WordRows {
    let kept_of = |word: u32| {
        let start = kept.partition_point(|&(other, ..)| other < word);
        kept[start..].iter().take_while(move |&&(other, ..)| other == word)
    };
    let room = |&word: &u32| word_counts[word as usize].max(kept_of(word).count() as u64);
    let mut rows = WordRows::new(words.iter().map(room), topics, way.full());
    for (at, &word) in words.iter().enumerate().filter(|_| !kept.is_empty()) {
        rows.put(at, kept_of(word).map(|&(_, topic, count)| (topic, count)));
    }
    rows
}

/// Makes room for the topic counts of a shard's documents. `has_full` says which words of which blocks have
/// full rows.
pub(super) fn make_shard_rows(
    shard: &mut DocumentShard,
    (topics, way): (usize, Way),
    has_full: impl Fn(usize, usize) -> bool,
) -> Result<(), LdaError> {
    let rows = DocumentRows::new(shard.lengths(), topics, way.kind());
    shard.rows = rows.ok_or(LdaError::Shard { what: "rows", documents: shard.documents.len() })?;
    if matches!(way, Way::Lockstep(_)) {
        for (block, slice) in shard.slices.iter_mut().enumerate() {
            assign_streams(slice, |word| has_full(block, word));
        }
    }
    Ok(())
}
