//! [`TopicWords`]: how often each topic has each word, topic by topic; what files are written from.

use raddle::ModelDigest;

/// Counts of K topics by V words in compressed rows: a topic's words ascend.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicWords {
    /// V.
    pub words: usize,
    /// Where each topic begins; K + 1 of them.
    pub starts: Vec<u64>,
    /// The words, from 0.
    pub indices: Vec<u32>,
    /// Their counts.
    pub counts: Vec<u32>,
    /// Additions of word priors to beta: (word, topic, weight).
    pub priors: Vec<(u32, u32, f32)>,
    /// beta.
    pub beta: f64,
}

impl TopicWords {
    /// For K topics and V words, from (word, topic, count) with words ascending, what priors add, and beta.
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

    /// K.
    pub fn topics(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// (word, count) of a topic.
    pub fn topic(&self, topic: usize) -> impl Iterator<Item = (u32, u32)> + Clone + '_ {
        let range = self.starts[topic] as usize..self.starts[topic + 1] as usize;
        self.indices[range.clone()].iter().copied().zip(self.counts[range].iter().copied())
    }

    /// Tokens of a topic.
    pub fn total(&self, topic: usize) -> u64 {
        self.topic(topic).map(|(_, count)| u64::from(count)).sum()
    }

    /// Additions of word priors to beta for a topic, as (word, weight).
    fn priors_of(&self, topic: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let of = self.priors.iter().filter(move |&&(_, of, _)| of as usize == topic);
        of.map(|&(word, _, weight)| (word, f64::from(weight)))
    }

    /// n_k + V beta, and what priors add.
    pub(crate) fn norm(&self, topic: usize) -> f64 {
        let priors: f64 = self.priors_of(topic).map(|(_, weight)| weight).sum();
        self.total(topic) as f64 + self.words as f64 * self.beta + priors
    }

    /// A topic's words as probabilities, (n_kw + beta) / (n_k + V beta), into V numbers.
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

    /// SHA-256 over the counts topic by topic: starts (u64), words (u32, from 0), counts (u32); then alpha
    /// and beta (f64). All little-endian.
    pub fn digest(&self, alpha: &[f64]) -> String {
        let digest = ModelDigest::default().u64s(&self.starts).u32s(&self.indices).u32s(&self.counts);
        digest.f64s(alpha).f64s(&[self.beta]).finish()
    }

    /// The words with the most tokens of a topic, most first, of equal ones the lower number: at most `most`.
    pub fn top(&self, topic: usize, most: usize) -> Vec<(u32, u32)> {
        let mut order: Vec<(u32, u32)> = self.topic(topic).collect();
        order.sort_by_key(|&(word, count)| (std::cmp::Reverse(count), word));
        order.truncate(most);
        order
    }
}
