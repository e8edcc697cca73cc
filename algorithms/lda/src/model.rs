//! [`Fit`]: a fitted topic model.

use raddle::{EpochRecord, Outcome, RunReport};

use crate::block::WordBlock;
use crate::program::LdaProgram;
use crate::record::{Evaluation, Record};
use crate::rows::Packing;
use crate::shard::DocumentShard;
use crate::totals::Totals;

/// A fitted topic model, as the run left it: counts in sparse rows, nowhere a dense matrix.
pub struct Fit {
    pub(crate) packing: Packing,
    pub(crate) shards: Vec<DocumentShard>,
    pub(crate) blocks: Vec<WordBlock>,
    pub(crate) totals: Totals,
    record: Record,
    documents: usize,
    /// What the run counted, and its certificate.
    pub report: RunReport,
    /// A record an epoch.
    pub trace: Vec<EpochRecord>,
}

impl Fit {
    /// The fit that a run of [`Lda::engine`](crate::Lda::engine) on a corpus of so many documents has come to.
    pub fn new(outcome: Outcome<LdaProgram>, documents: usize) -> Self {
        let Outcome { parts, report, trace } = outcome;
        Self {
            packing: Packing::of(parts.replica.topics.len()),
            shards: parts.shards,
            blocks: parts.blocks,
            totals: parts.replica,
            record: parts.pinned,
            documents,
            report,
            trace,
        }
    }

    /// Number of topics, K.
    pub fn topics(&self) -> usize {
        self.totals.topics.len()
    }

    /// Number of words, V.
    pub fn words(&self) -> usize {
        self.blocks.iter().map(|block| block.words.len()).sum()
    }

    /// Number of documents of the corpus.
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// Tokens of each topic.
    pub fn totals(&self) -> &[i64] {
        &self.totals.topics
    }

    /// alpha of each topic.
    pub fn alpha(&self) -> &[f64] {
        &self.totals.alpha
    }

    /// beta.
    pub fn beta(&self) -> f64 {
        self.totals.beta
    }

    /// Every evaluation, in order.
    pub fn evaluations(&self) -> &[Evaluation] {
        &self.record.evaluations
    }

    /// The largest staleness of the totals in an epoch over all documents: sum |n_k after - n_k before| over tokens.
    pub fn staleness(&self) -> f64 {
        self.record.worst
    }

    /// (word, topic, count) of all words, in the order of blocks.
    pub fn word_topics(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        self.blocks.iter().flat_map(|block| {
            let words = block.words.iter().enumerate();
            words.flat_map(move |(at, &word)| block.rows.of(at).map(move |(topic, count)| (word, topic, count)))
        })
    }
}
