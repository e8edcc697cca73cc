//! [`TopicWords`]: the counts of words in topics, topic by topic.

use raddle::ModelDigest;

/// Counts of K topics by V words in compressed rows, with ascending words in each topic.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicWords {
    /// Number of words, V.
    pub words: usize,
    /// Offset of each topic's first entry, then the number of entries; K + 1 numbers.
    pub starts: Vec<u64>,
    /// Word of each entry, from 0.
    pub indices: Vec<u32>,
    /// Count of each entry.
    pub counts: Vec<u32>,
    /// Additions of word priors to beta: (word, topic, weight).
    pub priors: Vec<(u32, u32, f32)>,
    /// beta.
    pub beta: f64,
}

impl TopicWords {
    /// Makes counts of K topics and V words from (word, topic, count) with ascending words, the additions of
    /// priors, and beta.
    pub fn from_counts(
        (topics, words): (usize, usize),
        entries: impl Iterator<Item = (u32, u32, u32)> + Clone,
        (priors, beta): (Vec<(u32, u32, f32)>, f64),
    ) -> Self {
        let mut starts = vec![0u64; topics + 1];
        entries.clone().for_each(|(_, topic, _)| starts[topic as usize + 1] += 1);
        for topic in 0..topics {
            starts[topic + 1] += starts[topic];
        }
        let length = starts[topics] as usize;
        let (mut indices, mut counts, mut next) = (vec![0; length], vec![0; length], starts.clone());
        for (word, topic, count) in entries {
            let at = next[topic as usize] as usize;
            (indices[at], counts[at]) = (word, count);
            next[topic as usize] += 1;
        }
        Self { words, starts, indices, counts, priors, beta }
    }

    /// Returns the number of topics, K.
    pub fn topics(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Iterates over (word, count) of a topic.
    pub fn topic(&self, topic: usize) -> impl Iterator<Item = (u32, u32)> + Clone + '_ {
        let range = self.starts[topic] as usize..self.starts[topic + 1] as usize;
        self.indices[range.clone()].iter().copied().zip(self.counts[range].iter().copied())
    }

    /// Returns the number of tokens of a topic.
    pub fn total(&self, topic: usize) -> u64 {
        self.topic(topic).map(|(_, count)| u64::from(count)).sum()
    }

    /// Iterates over the additions of word priors to beta for a topic, as (word, weight).
    fn priors_of(&self, topic: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let of = self.priors.iter().filter(move |&&(_, of, _)| of as usize == topic);
        of.map(|&(word, _, weight)| (word, f64::from(weight)))
    }

    /// Returns n_k + V beta plus the additions of priors.
    pub(crate) fn norm(&self, topic: usize) -> f64 {
        let priors: f64 = self.priors_of(topic).map(|(_, weight)| weight).sum();
        self.total(topic) as f64 + self.words as f64 * self.beta + priors
    }

    /// Writes the probabilities of a topic's words, (n_kw + beta) / (n_k + V beta), to V numbers.
    pub fn probabilities(&self, topic: usize, into: &mut [f32]) {
        let norm = self.norm(topic);
        let seeded = !self.priors.is_empty();
        let weigh = |count: f64, prior: f64| ((count + self.beta + prior) / norm) as f32;
        into.fill(weigh(0.0, 0.0));
        let mut extra = vec![0.0; if seeded { self.words } else { 0 }];
        for (word, weight) in self.priors_of(topic) {
            extra[word as usize] += weight;
            into[word as usize] = weigh(0.0, extra[word as usize]);
        }
        for (word, count) in self.topic(topic) {
            into[word as usize] = weigh(f64::from(count), extra.get(word as usize).copied().unwrap_or(0.0));
        }
    }

    /// Returns the SHA-256 of the counts topic by topic: starts (u64), words (u32, from 0), counts (u32);
    /// then alpha and beta (f64). All numbers are little-endian.
    pub fn digest(&self, alpha: &[f64]) -> String {
        let digest = ModelDigest::default().u64s(&self.starts).u32s(&self.indices).u32s(&self.counts);
        digest.f64s(alpha).f64s(&[self.beta]).finish()
    }

    /// Returns at most `most` words with the most tokens of a topic, in descending order; of equal ones the
    /// lower number comes first.
    pub fn top(&self, topic: usize, most: usize) -> Vec<(u32, u32)> {
        let mut order: Vec<(u32, u32)> = self.topic(topic).collect();
        order.sort_by_key(|&(word, count)| (std::cmp::Reverse(count), word));
        order.truncate(most);
        order
    }
}
