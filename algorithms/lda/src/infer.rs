//! [`Inference`]: finds the topics of documents that a model was not trained on.

use std::ops::Range;
use std::sync::Arc;

use raddle::schedule::even_parts;
use raddle_datasets::{Completion, Corpus};

use crate::error::LdaError;
use crate::evaluate::perplexity::{ROUNDS, Score};
use crate::topic_words::TopicWords;
use raddle_kernels::topics::theta::{Theta, TopicModel};

/// A model prepared for inference: the rows of its words, and the priors.
///
/// theta of a document is estimated by 50 rounds of expectation-maximisation with phi fixed, from uniform (as
/// for held-out perplexity). The result for a document does not depend on other documents or the number of
/// workers.
#[derive(Debug, Clone)]
pub struct Inference {
    /// Offset of each word's row; then the rows of (topic, n_kw plus the addition of priors).
    starts: Vec<usize>,
    rows: Vec<(u32, f32)>,
    inverse: Vec<f64>,
    alpha: Vec<f64>,
    beta: f64,
}

impl Inference {
    /// Prepares a model, given by its counts and the alpha of each topic.
    ///
    /// # Errors
    /// If alpha is not K numbers above 0.
    pub fn new(counts: &TopicWords, alpha: Vec<f64>) -> Result<Self, LdaError> {
        let is_one = |alpha: &f64| alpha.is_finite() && *alpha > 0.0;
        if alpha.len() != counts.topics() || !alpha.iter().all(is_one) {
            let value = format!("{} numbers for {} topics", alpha.len(), counts.topics());
            return Err(LdaError::Parameter { name: "alpha", value, range: "give each topic one above 0" });
        }
        let mut starts = vec![0usize; counts.words + 1];
        let entries = (0..counts.topics() as u32).flat_map(|topic| {
            counts.topic(topic as usize).map(move |(word, count)| (word, topic, count as f32))
        });
        let priors = counts.priors.iter().copied();
        entries.clone().chain(priors.clone()).for_each(|(word, ..)| starts[word as usize + 1] += 1);
        for word in 0..counts.words {
            starts[word + 1] += starts[word];
        }
        let (mut rows, mut next) = (vec![(0, 0.0); starts[counts.words]], starts.clone());
        for (word, topic, weight) in entries.chain(priors) {
            rows[next[word as usize]] = (topic, weight);
            next[word as usize] += 1;
        }
        let inverse = (0..counts.topics()).map(|topic| 1.0 / counts.norm(topic)).collect();
        Ok(Self { starts, rows, inverse, alpha, beta: counts.beta })
    }

    /// Returns the number of topics, K.
    pub fn topics(&self) -> usize {
        self.alpha.len()
    }

    /// Returns the sum of alpha.
    pub(crate) fn alpha_sum(&self) -> f64 {
        self.alpha.iter().sum()
    }

    /// Returns theta of one document, given as (word, count). Words that the model lacks are ignored.
    pub fn theta(&self, document: impl IntoIterator<Item = (u32, u16)>) -> Vec<f32> {
        let given = self.given();
        let mut theta = Theta::new(&given);
        self.estimate(&mut theta, document)
    }

    fn estimate(&self, theta: &mut Theta, document: impl IntoIterator<Item = (u32, u16)>) -> Vec<f32> {
        theta.estimate(&self.words(document), ROUNDS);
        theta.shares().iter().map(|&share| share as f32).collect()
    }

    /// Returns theta of a range of documents: K numbers each, document by document.
    ///
    /// # Errors
    /// If the corpus has more words than the model, or the run fails.
    pub fn thetas(
        self: &Arc<Self>,
        corpus: &Arc<Corpus>,
        documents: Range<usize>,
        workers: usize,
    ) -> Result<Vec<f32>, LdaError> {
        let shards = self.parts(corpus, documents)?;
        let (model, corpus) = (Arc::clone(self), Arc::clone(corpus));
        let thetas = raddle::map(shards, workers, move |&(start, end): &(u32, u32)| {
            let given = model.given();
            let mut theta = Theta::new(&given);
            let documents = start as usize..end as usize;
            let thetas = documents.flat_map(|document| model.estimate(&mut theta, corpus.document(document)));
            thetas.collect::<Vec<f32>>()
        })?;
        Ok(thetas.concat())
    }

    /// Scores the documents of a corpus by completion, as a fit scores held-out documents: of each document
    /// the tokens at even positions are observed, and the others scored. The result has the same bits for any
    /// number of workers.
    ///
    /// # Errors
    /// If the corpus has more words than the model, or the run fails.
    pub fn score(self: &Arc<Self>, corpus: &Arc<Corpus>, workers: usize) -> Result<Score, LdaError> {
        let shards = self.parts(corpus, 0..corpus.documents())?;
        let (model, corpus) = (Arc::clone(self), Arc::clone(corpus));
        let scores = raddle::map(shards, workers, move |&(start, end): &(u32, u32)| {
            let given = model.given();
            let (mut theta, mut score) = (Theta::new(&given), Score::default());
            for document in start as usize..end as usize {
                let halves = Completion::of(corpus.document(document));
                theta.estimate(&model.words(halves.observed.iter().copied()), ROUNDS);
                for (count, row) in model.words(halves.scored.iter().copied()) {
                    score.log_likelihood += count * libm::log(theta.probability(row));
                }
                score.tokens += halves.scored_tokens();
            }
            score
        })?;
        let mut all = Score::default();
        scores.into_iter().for_each(|score| all.add(score));
        Ok(all)
    }

    fn given(&self) -> TopicModel<'_> {
        TopicModel { inverse: &self.inverse, alpha: &self.alpha, beta: self.beta }
    }

    /// Returns (count, row) of each word; words that the model lacks are left out.
    fn words<C: Into<f64>>(&self, document: impl IntoIterator<Item = (u32, C)>) -> Vec<(f64, &[(u32, f32)])> {
        let row = |(word, count): (u32, C)| {
            let end = *self.starts.get(word as usize + 1)?;
            Some((count.into(), &self.rows[self.starts[word as usize]..end]))
        };
        document.into_iter().filter_map(row).collect()
    }

    /// Cuts the documents into ranges of equal cost.
    fn parts(&self, corpus: &Corpus, documents: Range<usize>) -> Result<Vec<(u32, u32)>, LdaError> {
        if corpus.words() + 1 > self.starts.len() {
            return Err(LdaError::Words { words: corpus.words(), expected: self.starts.len() - 1 });
        }
        let first = documents.start;
        let costs: Vec<u64> = documents.map(|document| corpus.length(document) + 20).collect();
        let shards = even_parts(&costs, (costs.len() / 64).clamp(1, 64));
        let bound = |at: usize| (first + at) as u32;
        Ok(shards.iter().map(|range| (bound(range.start), bound(range.end))).collect())
    }
}
