//! [`Relevance`]: the words that a topic may show, for any weight that the reader chooses.

use std::collections::BTreeSet;

use raddle_lda::TopicWords;

use super::best::Best;

/// Limits on the words of a topic, at each weight and over all weights.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    at_each: usize,
    over_all: usize,
}

/// Limits for a map of few topics.
pub(super) const FEW: Limits = Limits { at_each: 30, over_all: 60 };

/// Limits for a map of many topics, so that its file stays small.
pub(super) const MANY: Limits = Limits { at_each: 10, over_all: 30 };

/// Weights L: 0, 0.1, ..., 1.
const WEIGHTS: usize = 11;

/// Relevance of words to topics: L ln p + (1 - L) ln(p / q), for a word with share p in the topic and q in
/// all tokens (Sievert and Shirley, 2014). p is as in `topic_word.npy`.
pub(super) struct Relevance<'a> {
    counts: &'a TopicWords,
    limits: Limits,
    /// Share q of each word.
    overall: Vec<f64>,
    /// ln q of each word.
    logarithms: Vec<f64>,
    /// Share p of each word.
    shares: Vec<f32>,
}

impl<'a> Relevance<'a> {
    pub(super) fn new(counts: &'a TopicWords, limits: Limits) -> Self {
        let mut overall = vec![0.0; counts.words];
        let entries = counts.indices.iter().zip(&counts.counts);
        entries.for_each(|(&word, &count)| overall[word as usize] += f64::from(count));
        let tokens = overall.iter().sum::<f64>().max(1.0);
        overall.iter_mut().for_each(|share| *share /= tokens);
        let logarithms = overall.iter().map(|&share| libm::log(share)).collect();
        Self { counts, limits, overall, logarithms, shares: vec![0.0; counts.words] }
    }

    /// Returns the share q of a word.
    pub(super) fn overall(&self, word: u32) -> f64 {
        self.overall[word as usize]
    }

    /// Returns words of a topic with their shares p, sorted by number: the m most relevant of its words at
    /// each L, for the largest m within the limits.
    pub(super) fn of(&mut self, topic: usize) -> Vec<(u32, f64)> {
        let Limits { at_each, over_all } = self.limits;
        self.counts.probabilities(topic, &mut self.shares);
        let mut best = vec![Best::new(at_each); WEIGHTS];
        for (word, _) in self.counts.topic(topic) {
            let (p, q) = (libm::log(self.shares[word as usize].into()), self.logarithms[word as usize]);
            for (at, best) in best.iter_mut().enumerate() {
                let rest = 1.0 - at as f64 / (WEIGHTS - 1) as f64;
                best.offer(p - rest * q, word);
            }
        }
        let mut words = BTreeSet::new();
        for place in 0..at_each {
            let at_place = best.iter().filter_map(|best| best.found().get(place));
            let with: BTreeSet<u32> = at_place.map(|&(_, word)| word).chain(words.iter().copied()).collect();
            if with.len() > over_all {
                break;
            }
            words = with;
        }
        words.into_iter().map(|word| (word, f64::from(self.shares[word as usize]))).collect()
    }
}
