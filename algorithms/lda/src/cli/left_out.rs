//! [`LeftOut`]: words that were left out of a corpus.

use std::collections::HashSet;

use raddle_datasets::Corpus;

/// Words that were left out of the corpus: as texts if there is a vocabulary, else as numbers.
#[derive(Default)]
pub(crate) struct LeftOut {
    texts: HashSet<String>,
    numbers: HashSet<u32>,
}

impl LeftOut {
    /// Returns `true` for a word that was left out.
    pub(crate) fn has(&self, number: u32, text: Option<&str>) -> bool {
        match text {
            Some(text) => self.texts.contains(text),
            None => self.numbers.contains(&number),
        }
    }

    /// Returns the words that have tokens in a corpus.
    pub(super) fn of(corpus: &Corpus) -> Self {
        let there = (0..).zip(corpus.word_counts()).filter(|&(_, count)| count > 0).map(|(word, _)| word);
        match corpus.vocabulary {
            Some(_) => Self { texts: there.map(|word| corpus.word(word)).collect(), ..Self::default() },
            None => Self { numbers: there.collect(), ..Self::default() },
        }
    }

    /// Removes the words of `other`.
    pub(super) fn less(mut self, other: &Self) -> Self {
        self.texts.retain(|word| !other.texts.contains(word));
        self.numbers.retain(|word| !other.numbers.contains(word));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_left_out_whose_tokens_another_corpus_lacks() {
        let of = |words: &[u32]| {
            let document: Vec<(u32, u64)> = words.iter().map(|&word| (word, 1)).collect();
            LeftOut::of(&Corpus::from_documents(4, [document]).expect("words below 4"))
        };
        let left_out = of(&[0, 2, 3]).less(&of(&[0, 3]));
        assert_eq!([0, 1, 2, 3].map(|word| left_out.has(word, None)), [false, false, true, false]);
    }
}
