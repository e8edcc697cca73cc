//! [`WordPriors`]: additions to beta for some words and topics.

/// For each word of a block, (topic, number added to beta).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WordPriors {
    /// Words of the block that have additions, ascending.
    words: Vec<u32>,
    /// Start of the entries of each of these words.
    starts: Vec<u32>,
    topics: Vec<u32>,
    weights: Vec<f32>,
}

raddle_base::state!(WordPriors { words, starts, topics, weights });

impl WordPriors {
    /// Makes the priors from (word of the block, topic, weight), sorted by word and topic. Weights of the
    /// same word and topic are added.
    pub fn new(entries: &[(u32, u32, f32)]) -> Self {
        let mut word_priors = Self::default();
        for (at, &(word, topic, weight)) in entries.iter().enumerate() {
            if at > 0 && (entries[at - 1].0, entries[at - 1].1) == (word, topic) {
                word_priors.weights[word_priors.topics.len() - 1] += weight;
                continue;
            }
            if word_priors.words.last() != Some(&word) {
                word_priors.words.push(word);
                word_priors.starts.push(word_priors.topics.len() as u32);
            }
            word_priors.topics.push(topic);
            word_priors.weights.push(weight);
        }
        word_priors.starts.push(word_priors.topics.len() as u32);
        word_priors
    }

    /// Returns (topic, weight) of a word.
    #[inline(always)]
    pub fn of(&self, word: usize) -> impl Iterator<Item = (u32, f32)> + '_ {
        let range = match self.words.is_empty() {
            true => 0..0,
            false => self.range(word),
        };
        self.topics[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }

    /// Checks that weights are above 0 and belong to existing words and topics, in order, as those of a
    /// checkpoint may be anything.
    pub fn are_sound(&self, words: usize, topics: usize) -> bool {
        let Self { words: seeded, starts, topics: names, weights } = self;
        let are_empty = seeded.is_empty() && names.is_empty() && weights.is_empty();
        are_empty
            || (seeded.is_sorted_by(|a, b| a < b)
                && seeded.last().is_some_and(|&last| (last as usize) < words)
                && starts.len() == seeded.len() + 1
                && starts.is_sorted()
                && starts.first() == Some(&0)
                && starts.last().is_some_and(|&last| last as usize == names.len())
                && names.len() == weights.len()
                && names.iter().all(|&topic| (topic as usize) < topics)
                && weights.iter().all(|weight| weight.is_finite() && *weight > 0.0))
    }

    fn range(&self, word: usize) -> std::ops::Range<usize> {
        match self.words.binary_search(&(word as u32)) {
            Ok(at) => self.starts[at] as usize..self.starts[at + 1] as usize,
            Err(_) => 0..0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::WordPriors;

    #[test]
    fn weights_of_the_same_word_and_topic_add_up() {
        let word_priors = WordPriors::new(&[(1, 4, 0.5), (1, 4, 2.0), (1, 6, 1.0), (3, 4, 8.0)]);
        assert_eq!(word_priors.of(1).collect::<Vec<_>>(), [(4, 2.5), (6, 1.0)]);
        assert_eq!(word_priors.of(3).collect::<Vec<_>>(), [(4, 8.0)]);
        assert_eq!(word_priors.of(2).count(), 0);
    }

    #[test]
    fn seeds_that_no_prior_gives_are_not_sound() {
        let word_priors = || WordPriors::new(&[(1, 4, 2.5), (1, 6, 1.0), (3, 4, 8.0)]);
        assert!(
            word_priors().are_sound(4, 7)
                && WordPriors::default().are_sound(4, 7)
                && WordPriors::new(&[]).are_sound(4, 7)
        );
        assert!(!word_priors().are_sound(3, 7) && !word_priors().are_sound(4, 6));
        type Damage = fn(&mut WordPriors);
        let rows: [(&str, Damage); 15] = [
            ("words that fall", |word_priors| word_priors.words = vec![3, 1]),
            ("a word twice", |word_priors| word_priors.words = vec![1, 1]),
            ("no words", |word_priors| word_priors.words.clear()),
            ("a first word that begins later", |word_priors| word_priors.starts[0] = 1),
            ("a second word that begins beyond the last", |word_priors| word_priors.starts[1] = 4),
            ("an end before the last", |word_priors| word_priors.starts[2] = 2),
            ("an end beyond the last", |word_priors| word_priors.starts[2] = 4),
            ("a word without an end", |word_priors| {
                word_priors.starts.truncate(word_priors.starts.len() - 1)
            }),
            ("an end too many", |word_priors| word_priors.starts.push(3)),
            ("a topic without a weight", |word_priors| {
                word_priors.weights.truncate(word_priors.weights.len() - 1)
            }),
            ("a topic that there is not", |word_priors| word_priors.topics[0] = 7),
            ("a weight of 0", |word_priors| word_priors.weights[1] = 0.0),
            ("a weight below 0", |word_priors| word_priors.weights[1] = -1.0),
            ("a weight that is no number", |word_priors| word_priors.weights[1] = f32::NAN),
            ("a weight without end", |word_priors| word_priors.weights[1] = f32::INFINITY),
        ];
        for (what, change) in rows {
            let mut changed = word_priors();
            change(&mut changed);
            assert!(!changed.are_sound(4, 7), "{what}");
        }
    }
}
