//! [`Phrases`]: pairs of neighbouring words of texts that are read as one word.

use std::collections::{BTreeSet, HashMap};

use super::vocabulary::Vocabulary;

/// Fewest occurrences of a pair: fewer are chance, whatever the words.
const FEWEST: u64 = 10;

/// Pairs of neighbouring words of texts that are read as one word, such as `new_york`.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Phrases {
    /// No pairs.
    #[default]
    None,
    /// At most `most` pairs, those with the largest normalised pointwise mutual information above 0:
    /// `log(p(v, w) / (p(v) p(w))) / -log p(v, w)`, of neighbours (Bouma, "Normalized (pointwise) mutual
    /// information in collocation extraction", 2009). A pair occurs ten times or more.
    Best {
        /// Limit on the number of pairs.
        most: usize,
        /// Words that no pair has.
        without: BTreeSet<String>,
    },
    /// Pairs that are given, each as its words with a blank between.
    Known(Vec<String>),
}

/// Numbers of the words of each pair, and the number of the word that it is read as.
#[derive(Default)]
pub(super) struct Pairs {
    numbers: HashMap<(u32, u32), u32>,
    /// The pairs, each as its words with a blank between.
    pub(super) names: Vec<String>,
}

impl Pairs {
    /// Finds the pairs in documents, given as the numbers of their words in order, and adds the words that
    /// they are read as to the vocabulary.
    pub(super) fn of<'a>(
        phrases: &Phrases,
        vocabulary: &mut Vocabulary,
        documents: impl Iterator<Item = &'a [u32]>,
    ) -> Self {
        let pairs: Vec<(u32, u32)> = match phrases {
            Phrases::None => return Self::default(),
            Phrases::Best { most, without } => best(vocabulary, documents, *most, without),
            Phrases::Known(names) => {
                let numbers: HashMap<&str, u32> = vocabulary.iter().zip(0..).collect();
                let pair = |name: &String| {
                    let (first, second) = name.split_once(' ')?;
                    Some((*numbers.get(first)?, *numbers.get(second)?))
                };
                names.iter().filter_map(pair).collect()
            }
        };
        let mut found = Self::default();
        for (first, second) in pairs {
            let word = |number: u32| vocabulary.get(number as usize).unwrap_or_default();
            let name = format!("{} {}", word(first), word(second));
            found.numbers.insert((first, second), vocabulary.len() as u32);
            vocabulary.push(&name.replace(' ', "_"));
            found.names.push(name);
        }
        found
    }

    /// Returns the words of a document, with each pair as one word; of pairs that overlap the first counts.
    pub(super) fn joined(&self, words: &[u32]) -> Vec<u32> {
        if self.numbers.is_empty() {
            return words.to_vec();
        }
        let (mut joined, mut at) = (Vec::with_capacity(words.len()), 0);
        while let Some(&word) = words.get(at) {
            let pair = words.get(at + 1).and_then(|&next| self.numbers.get(&(word, next)));
            joined.push(pair.copied().unwrap_or(word));
            at += if pair.is_some() { 2 } else { 1 };
        }
        joined
    }
}

/// Returns the pairs with the largest normalised pointwise mutual information; of equal ones those that occur
/// more often come first, then those whose words appear first.
fn best<'a>(
    vocabulary: &Vocabulary,
    documents: impl Iterator<Item = &'a [u32]>,
    most: usize,
    without: &BTreeSet<String>,
) -> Vec<(u32, u32)> {
    let may: Vec<bool> = vocabulary.iter().map(|word| !without.contains(word)).collect();
    let (mut singles, mut pairs) = (vec![0u64; vocabulary.len()], HashMap::<(u32, u32), u64>::new());
    for words in documents {
        words.iter().for_each(|&word| singles[word as usize] += 1);
        let neighbours = words.windows(2).map(|pair| (pair[0], pair[1]));
        let allowed = neighbours.filter(|&(a, b)| a != b && may[a as usize] && may[b as usize]);
        allowed.for_each(|pair| *pairs.entry(pair).or_default() += 1);
    }
    let tokens = singles.iter().sum::<u64>() as f64;
    let share = |count: u64| count as f64 / tokens;
    let association = |((a, b), count): ((u32, u32), u64)| {
        let expected = share(singles[a as usize]) * share(singles[b as usize]);
        (libm::log(share(count) / expected) / -libm::log(share(count)), count, (a, b))
    };
    let often = pairs.into_iter().filter(|&(_, count)| count >= FEWEST);
    let mut found: Vec<_> = often.map(association).filter(|&(npmi, ..)| npmi > 0.0).collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2)));
    found.into_iter().take(most).map(|(.., pair)| pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(documents: &[&str], phrases: &Phrases) -> (Vec<String>, Vec<String>) {
        let mut vocabulary = Vocabulary::default();
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut number = |word: &str| {
            *numbers.entry(word.to_owned()).or_insert_with(|| {
                vocabulary.push(word);
                vocabulary.len() as u32 - 1
            })
        };
        let read: Vec<Vec<u32>> =
            documents.iter().map(|text| text.split(' ').map(&mut number).collect()).collect();
        let pairs = Pairs::of(phrases, &mut vocabulary, read.iter().map(Vec::as_slice));
        let joined = read.iter().map(|words| {
            let words = pairs.joined(words).into_iter();
            words.filter_map(|word| vocabulary.get(word as usize)).collect::<Vec<_>>().join(" ")
        });
        (joined.collect(), pairs.names)
    }

    #[test]
    fn words_that_occur_together_more_than_by_chance_become_one() {
        let mut documents = vec!["in new york the sea"; 12];
        documents.extend([
            "the new sea in the york",
            "sea the in",
            "the in sea the",
            "in the sea in the sea",
        ]);
        let best = |most, without: &[&str]| {
            let without = without.iter().map(|&word| word.to_owned()).collect();
            found(&documents, &Phrases::Best { most, without })
        };
        let (joined, names) = best(1, &[]);
        assert_eq!(
            (joined[0].as_str(), names.as_slice()),
            ("in new_york the sea", ["new york".to_owned()].as_slice())
        );
        assert_eq!(joined[12], "the new sea in the york");
        // Of overlapping pairs the first counts.
        assert_eq!(best(2, &[]).1.len(), 2);
        assert!(!best(9, &["york"]).1.iter().any(|name| name.contains("york")));
        let known = Phrases::Known(vec!["the sea".into(), "no such".into()]);
        assert_eq!(found(&["in the sea the sea the"], &known).0, ["in the_sea the_sea the"]);
        assert_eq!(found(&["a b", "b a"], &Phrases::Best { most: 5, without: BTreeSet::new() }).1.len(), 0);
    }
}
