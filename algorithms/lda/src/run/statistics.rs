//! Sums over words and over documents, from which priors and likelihood follow.

use super::messages::Sums;
use super::replica::Replica;
use super::spec::Spec;
use crate::data::block::WordBlock;
use crate::data::shard::DocumentShard;
use crate::evaluate::special::{Steps, digamma_step, gamma_step};

impl Spec {
    /// Returns the terms of a block's words in beta and in the likelihood.
    pub(super) fn statistics(&self, block: &WordBlock, totals: &Replica) -> Sums {
        let steps = Steps::new(totals.beta);
        let (mut beta, mut words) = (0.0, 0.0);
        for word in 0..block.rows.words() {
            let is_seeded = block.word_priors.of(word).next().is_some();
            for (topic, count) in block.rows.of(word) {
                if is_seeded {
                    let prior = block.word_priors.of(word).filter(|&(of, _)| of == topic);
                    let prior = prior.fold(totals.beta, |sum, (_, weight)| sum + f64::from(weight));
                    beta += digamma_step(prior, count);
                    words += gamma_step(prior, count);
                } else {
                    beta += steps.digamma(count);
                    words += steps.gamma(count);
                }
            }
        }
        Sums { beta, words, ..Sums::default() }
    }

    /// Returns the shard's sums for alpha in an epoch: see [`new_alpha`](Spec::new_alpha).
    pub(super) fn alpha_sums(&self, shard: &DocumentShard, totals: &Replica, epoch: u64) -> Sums {
        let mut share = Sums::default();
        let all: f64 = totals.alpha.iter().sum();
        let short: Vec<[f64; 2]> =
            totals.alpha.iter().map(|&alpha| [1.0 / alpha, 1.0 / alpha + 1.0 / (alpha + 1.0)]).collect();
        share.alpha = vec![0.0; self.topics];
        for document in 0..shard.first_documents(self.course.pass(epoch).has) {
            for (topic, count) in shard.rows.of(document, self.topics) {
                let topic = topic as usize;
                share.alpha[topic] += match short[topic].get(count as usize - 1) {
                    Some(step) => *step,
                    None => digamma_step(totals.alpha[topic], count),
                };
            }
            share.alpha_all += digamma_step(all, shard.length(document) as u32);
        }
        share
    }

    /// Returns the term of a shard's documents in the joint log-likelihood after an epoch: log p(topics).
    pub(super) fn documents_likelihood(&self, shard: &DocumentShard, totals: &Replica, epoch: u64) -> f64 {
        let all: f64 = totals.alpha.iter().sum();
        let first = totals.alpha.first().copied().unwrap_or(1.0);
        let same = totals.alpha.iter().all(|&alpha| alpha == first).then(|| Steps::new(first));
        let mut sum = 0.0;
        for document in 0..shard.first_documents(self.course.pass(epoch).has) {
            for (topic, count) in shard.rows.of(document, self.topics) {
                let topic = topic as usize;
                sum += match &same {
                    Some(steps) => steps.gamma(count),
                    None => gamma_step(totals.alpha[topic], count),
                };
            }
            sum -= gamma_step(all, shard.length(document) as u32);
        }
        sum
    }
}
