//! [`Relevance`]: the words that a topic may show, whatever the reader weighs.

use std::collections::BTreeSet;

use raddle_lda::TopicWords;

use super::best::Best;

/// Words of a topic at each weight, and over all weights, at most.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    at_each: usize,
    over_all: usize,
}

/// Of a map of few topics.
pub(super) const FEW: Limits = Limits { at_each: 30, over_all: 60 };

/// Of a map of many topics, which is to stay a small file.
pub(super) const MANY: Limits = Limits { at_each: 10, over_all: 30 };

/// Weights L: 0, 0.1 and so on to 1.
const WEIGHTS: usize = 11;

/// Relevance of words to topics: L ln p + (1 - L) ln(p / q), for a word of share p in the topic and q in
/// everything (Sievert and Shirley 2014). p is that of `topic_word.npy`, q the share of the tokens.
pub(super) struct Relevance<'a> {
    counts: &'a TopicWords,
    limits: Limits,
    /// q of each word.
    overall: Vec<f64>,
    /// ln q of each word.
    logarithms: Vec<f64>,
    /// p of each word.
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

    /// q of a word.
    pub(super) fn overall(&self, word: u32) -> f64 {
        self.overall[word as usize]
    }

    /// Words of a topic and their shares p, by number: of those that it has, the m most relevant at each L,
    /// for the largest m that the limits allow.
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
