//! [`Fit`]: a fitted topic model.

use raddle::{EpochRecord, Outcome, RunReport};

use crate::data::block::WordBlock;
use crate::data::carried::Carried;
use crate::data::shard::DocumentShard;
use crate::run::pinned::{Evaluation, Record};
use crate::run::program::LdaProgram;
use crate::run::replica::Replica;
use crate::topic_words::TopicWords;

/// A fitted topic model. Its counts are in sparse rows; no dense matrix is stored.
pub struct Fit {
    pub(crate) shards: Vec<DocumentShard>,
    pub(crate) blocks: Vec<WordBlock>,
    pub(crate) totals: Replica,
    record: Record,
    documents: usize,
    /// Report of the run, with its counts and its metric.
    pub report: RunReport,
    /// One record per epoch.
    pub trace: Vec<EpochRecord>,
}

impl Fit {
    /// Makes the fit from the outcome of [`Lda::engine`](crate::Lda::engine) on a corpus with this number of
    /// documents.
    pub fn new(outcome: Outcome<LdaProgram>, documents: usize) -> Self {
        let Outcome { parts, report, trace, .. } = outcome;
        Self {
            shards: parts.shards,
            blocks: parts.blocks,
            totals: parts.replica,
            record: parts.pinned,
            documents,
            report,
            trace,
        }
    }

    /// Returns the state from which a fit of the next version of the corpus continues
    /// ([`Lda::going_on`](crate::Lda::going_on)). A run on several processes has it only with
    /// [`Lda::to_carry`](crate::Lda::to_carry).
    pub fn carried(&self) -> Carried {
        let blocks = self.blocks.iter().map(|block| block.words.clone()).collect();
        Carried::of(&self.shards, blocks, self.totals.alpha.clone(), self.totals.beta)
    }

    /// Returns the number of topics, K.
    pub fn topics(&self) -> usize {
        self.totals.topics.len()
    }

    /// Returns the number of words, V.
    pub fn words(&self) -> usize {
        self.blocks.iter().map(|block| block.words.len()).sum()
    }

    /// Returns the number of documents of the corpus.
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// Returns the number of documents of the corpus that were held out.
    pub fn held_out_documents(&self) -> usize {
        self.documents - self.shards.iter().map(|shard| shard.documents.len()).sum::<usize>()
    }

    /// Returns the number of tokens of each topic.
    pub fn totals(&self) -> &[i64] {
        &self.totals.topics
    }

    /// Returns alpha of each topic.
    pub fn alpha(&self) -> &[f64] {
        &self.totals.alpha
    }

    /// Returns beta.
    pub fn beta(&self) -> f64 {
        self.totals.beta
    }

    /// Returns every evaluation, in order. Estimates on the way to a target, which the trace has, are none.
    pub fn evaluations(&self) -> &[Evaluation] {
        &self.record.evaluations
    }

    /// Returns the largest drift of the topic counts in an epoch with all documents:
    /// [`Evaluation::count_drift`].
    pub fn count_drift(&self) -> f64 {
        self.record.count_drift
    }

    /// Returns the size of the trained state in bytes: tokens with their topics, and the rows of documents
    /// and words.
    pub fn state_bytes(&self) -> usize {
        let words = self.blocks.iter().map(|block| size_of_val(&*block.words) + block.rows.bytes());
        self.shards.iter().map(DocumentShard::bytes).chain(words).sum()
    }

    /// Returns the count of each word in each topic.
    pub fn topic_words(&self) -> TopicWords {
        let mut places = vec![(0u32, 0u32); self.words()];
        for (number, block) in (0..).zip(&self.blocks) {
            (0..).zip(&block.words).for_each(|(at, &word)| places[word as usize] = (number, at));
        }
        let entries = (0..).zip(&places).flat_map(|(word, &(block, at))| {
            let row = self.blocks[block as usize].rows.of(at as usize);
            row.map(move |(topic, count)| (word, topic, count))
        });
        let priors = self.blocks.iter().flat_map(|block| {
            let words = block.words.iter().enumerate();
            words.flat_map(|(at, &word)| {
                block.word_priors.of(at).map(move |(topic, weight)| (word, topic, weight))
            })
        });
        let mut priors: Vec<(u32, u32, f32)> = priors.collect();
        priors.sort_by_key(|&(word, topic, _)| (word, topic));
        TopicWords::from_counts((self.topics(), self.words()), entries, (priors, self.totals.beta))
    }

    /// Returns [`TopicWords::digest`] of this model, which is equal exactly for equal counts and priors.
    pub fn digest(&self) -> String {
        self.topic_words().digest(self.alpha())
    }

    /// Returns a view from which (topic, count) of each document can be read.
    pub fn document_topics(&self) -> DocumentTopics<'_> {
        let mut places = vec![None; self.documents];
        for (number, shard) in (0..).zip(&self.shards) {
            (0..)
                .zip(&shard.documents)
                .for_each(|(at, &document)| places[document as usize] = Some((number, at)));
        }
        DocumentTopics { fit: self, places }
    }
}

/// The topics of documents, by their numbers in the corpus.
pub struct DocumentTopics<'a> {
    fit: &'a Fit,
    /// Shard of each document and position in it.
    places: Vec<Option<(u32, u32)>>,
}

impl DocumentTopics<'_> {
    /// Returns (topic, count) of a document, with ascending topics; empty for a held-out document.
    pub fn of(&self, document: usize) -> Vec<(u32, u32)> {
        let Some(&Some((shard, at))) = self.places.get(document) else { return Vec::new() };
        let rows = &self.fit.shards[shard as usize].rows;
        let mut topics: Vec<(u32, u32)> = rows.of(at as usize, self.fit.topics()).collect();
        topics.sort_unstable();
        topics
    }
}
