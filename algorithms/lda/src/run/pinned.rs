//! [`Record`]: the pinned block. What boundaries have found, and when the run is done.

use super::messages::Sums;
use crate::data::problem::{TEST, VALIDATION};

/// A boundary at which held-out documents were scored.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Evaluation {
    /// Epochs completed.
    pub epoch: u64,
    /// The perplexity of the validation documents, if there are some.
    pub validation: Option<f64>,
    /// The perplexity of the test documents, if there are some.
    pub test: Option<f64>,
    /// log p(words, topics) for each token that has a topic.
    pub joint: f64,
    /// log p(words | topics) for each token that has a topic.
    pub words: f64,
    /// How far the topic counts that a shard read were from the true ones, in the epoch before: the largest
    /// sum over topics of the changes of n_k by other shards that it did not see, and of those of one task
    /// where n_k is fixed within a task, divided by the number of tokens. 0 with one shard.
    pub count_drift: f64,
}

raddle::state!(Evaluation { epoch, validation, test, joint, words, count_drift });

impl Evaluation {
    /// The perplexity of each held-out set, by its name: [`VALIDATION`] or [`TEST`].
    pub fn held_out(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let sets = [(VALIDATION, self.validation), (TEST, self.test)];
        sets.into_iter().filter_map(|(set, perplexity)| Some((set, perplexity?)))
    }

    /// The perplexity of the held-out set of this name, if there is one.
    pub(crate) fn of(&self, set: &str) -> Option<f64> {
        self.held_out().find(|&(name, _)| name == set).map(|(_, perplexity)| perplexity)
    }
}

/// Evaluations of the boundaries so far.
#[derive(Clone, Debug, Default)]
pub struct Record {
    pub(crate) evaluations: Vec<Evaluation>,
    /// Sums of the epoch under way: those of the words.
    pub(crate) sums: Sums,
    /// The largest drift of the epoch under way, and of the run once all tokens have topics.
    pub(crate) epoch_drift: f64,
    pub(crate) count_drift: f64,
}

raddle::state!(Record { evaluations, sums, epoch_drift, count_drift });
