//! [`Record`]: the pinned block, with the evaluations of the boundaries.

use super::messages::Sums;
use crate::data::problem::{TEST, VALIDATION};

/// The measures of a boundary at which held-out documents were scored.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Evaluation {
    /// Completed epochs.
    pub epoch: u64,
    /// Perplexity of the validation documents, if there are any.
    pub validation: Option<f64>,
    /// Perplexity of the test documents, if there are any.
    pub test: Option<f64>,
    /// log p(words, topics) per token that has a topic.
    pub joint: f64,
    /// log p(words | topics) per token that has a topic.
    pub words: f64,
    /// Largest error of the topic counts that a shard read in the epoch before, per token: the sum over
    /// topics of the changes of n_k by other shards that it did not see and, if n_k is fixed within a task,
    /// of those of one task. 0 with one shard.
    pub count_drift: f64,
}

raddle::state!(Evaluation { epoch, validation, test, joint, words, count_drift });

impl Evaluation {
    /// Returns the perplexity of each held-out set with its name: [`VALIDATION`] or [`TEST`].
    pub fn held_out(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let sets = [(VALIDATION, self.validation), (TEST, self.test)];
        sets.into_iter().filter_map(|(set, perplexity)| Some((set, perplexity?)))
    }

    /// Returns the perplexity of the held-out set with this name, if there is one.
    pub(crate) fn of(&self, set: &str) -> Option<f64> {
        self.held_out().find(|&(name, _)| name == set).map(|(_, perplexity)| perplexity)
    }
}

/// The evaluations of the boundaries so far.
#[derive(Clone, Debug, Default)]
pub struct Record {
    pub(crate) evaluations: Vec<Evaluation>,
    /// Completed epochs and perplexity of the last estimate that was enough.
    pub(crate) estimate: Option<(u64, f64)>,
    /// Sums of the words in the current epoch.
    pub(crate) sums: Sums,
    /// Largest drift in the current epoch; then in the run, once all tokens have topics.
    pub(crate) epoch_drift: f64,
    pub(crate) count_drift: f64,
}

raddle::state!(Record { evaluations, estimate, sums, epoch_drift, count_drift });
