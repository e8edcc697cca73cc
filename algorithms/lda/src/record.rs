//! [`Record`]: the pinned block. What boundaries have found, and when the run is done.

use crate::partial::Partial;

/// A boundary at which held-out documents were scored.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Evaluation {
    /// Epochs completed.
    pub epoch: u64,
    /// The perplexity of each held-out set.
    pub perplexity: Vec<f64>,
    /// log p(words, topics) for each token that has a topic.
    pub joint: f64,
    /// log p(words | topics) for each token that has a topic.
    pub words: f64,
    /// The staleness of the totals in the epoch before: by how much the totals that a shard's tasks read differed from
    /// the true ones at most, sum over topics of what the other shards changed in n_k unseen, over tokens. 0 with one
    /// shard.
    pub staleness: f64,
}

raddle::state!(Evaluation { epoch, perplexity, joint, words, staleness });

/// What boundaries have found.
#[derive(Clone, Debug, Default)]
pub struct Record {
    pub(crate) evaluations: Vec<Evaluation>,
    /// Sums of the epoch under way: those of the words.
    pub(crate) sums: Partial,
    /// The largest staleness of the epoch under way, and of the run once all tokens have topics.
    pub(crate) staleness: f64,
    pub(crate) worst: f64,
}

raddle::state!(Record { evaluations, sums, staleness, worst });
