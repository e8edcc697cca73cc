//! [`Spec`]: the specification of a run, which every part of it may read.

use std::sync::Arc;

use raddle::Visibility;

use super::annealing::Course;
use super::replica::Replica;

/// The specification of a run: the model, its priors, and when the run ends.
#[derive(Debug)]
pub(crate) struct Spec {
    pub(crate) topics: usize,
    /// Number of words, V.
    pub(crate) words: usize,
    /// Number of training tokens.
    pub(crate) tokens: u64,
    pub(crate) course: Arc<Course>,
    pub(crate) seed: u64,
    pub(crate) visibility: Visibility,
    /// `true` if the priors are optimised.
    pub(crate) optimise: bool,
    /// `true` if a run on several processes keeps its tokens.
    pub(crate) to_carry: bool,
    /// For each topic, the addition of word priors to V beta; empty without priors.
    pub(crate) seeded: Vec<f64>,
    /// For each topic, the tokens of the initial model; empty without one.
    pub(crate) warm: Vec<f64>,
    /// Words of each block.
    pub(crate) blocks: Vec<Vec<u32>>,
    /// Names of the held-out sets.
    pub(crate) sets: Vec<&'static str>,
    /// Perplexity that ends the run.
    pub(crate) target: Option<f64>,
}

impl Spec {
    /// Returns n_k + V beta plus the additions of priors; in the first epoch, plus the tokens of the initial
    /// model.
    pub(crate) fn norms(&self, totals: &Replica, beta: f64, first: bool) -> Vec<f64> {
        let add = |list: &[f64], topic: usize| list.get(topic).copied().unwrap_or(0.0);
        let norm = |(topic, &total): (usize, &i64)| {
            let warm = if first { add(&self.warm, topic) } else { 0.0 };
            total as f64 + self.words as f64 * beta + add(&self.seeded, topic) + warm
        };
        totals.topics.iter().enumerate().map(norm).collect()
    }

    /// Returns the changes of the topics' totals that a task or shard did not see, per token.
    pub(crate) fn drift(&self, unseen: u64) -> f64 {
        unseen as f64 / self.tokens as f64
    }

    /// Returns 1 / N_k after an epoch.
    pub(crate) fn inverse(&self, totals: &Replica) -> Vec<f64> {
        self.norms(totals, totals.beta, false).into_iter().map(|norm| 1.0 / norm).collect()
    }
}
