//! Document completion: decides which documents are held out, and which of their tokens are observed.

use crate::counter::splitmix64;

/// Returns `true` if the document with this number, from 0, is in the test set of the published comparisons:
/// the SplitMix64 hash of its number from 1 is divisible by 10.
pub fn is_test_document(document: usize) -> bool {
    splitmix64(document as u64 + 1).is_multiple_of(10)
}

/// Returns `true` if the document with this number, from 0, is in the held-out `fraction`, by another hash of
/// the number: the other documents of the corpus have no influence.
pub fn is_validation_document(document: usize, fraction: f64) -> bool {
    let hash = splitmix64(splitmix64(document as u64 + 1) ^ 0x5bf0_3635_dcd5_d5a9);
    ((hash >> 11) as f64) < fraction * (1u64 << 53) as f64
}

/// A held-out document in two halves: of its tokens in ascending order of words, those at positions 0, 2, 4,
/// ... are observed and the others are scored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Pairs (word, times that it is observed).
    pub observed: Vec<(u32, u32)>,
    /// Pairs (word, times that it is scored).
    pub scored: Vec<(u32, u32)>,
}

impl Completion {
    /// Splits a document, given as (word, count) in ascending order of words; a word may come several times
    /// in a row.
    pub fn of(document: impl IntoIterator<Item = (u32, u16)>) -> Self {
        let (mut halves, mut position) = (Self::default(), 0u64);
        for (word, count) in document {
            let count = u64::from(count);
            let observed = (count + 1 - position % 2) / 2;
            add(&mut halves.observed, word, observed);
            add(&mut halves.scored, word, count - observed);
            position += count;
        }
        halves
    }

    /// Returns the number of scored tokens.
    pub fn scored_tokens(&self) -> u64 {
        self.scored.iter().map(|&(_, count)| u64::from(count)).sum()
    }
}

fn add(half: &mut Vec<(u32, u32)>, word: u32, count: u64) {
    match half.last_mut() {
        _ if count == 0 => {}
        Some((last, sum)) if *last == word => *sum += count as u32,
        _ => half.push((word, count as u32)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_test_documents_are_the_published_ones() {
        let numbers: Vec<usize> = (0..72).filter(|&at| is_test_document(at)).map(|at| at + 1).collect();
        assert_eq!(numbers, [2, 18, 29, 30, 31, 43, 68, 72]);
    }

    #[test]
    fn a_fraction_of_the_documents_is_held_out() {
        let held =
            |fraction| (0..100_000).filter(|&document| is_validation_document(document, fraction)).count();
        assert!((4_700..5_300).contains(&held(0.05)), "{}", held(0.05));
        assert_eq!((held(0.0), held(1.0)), (0, 100_000));
        let both =
            (0..100_000).filter(|&at| is_test_document(at) && is_validation_document(at, 0.05)).count();
        assert!((400..600).contains(&both), "the two hashes are related: {both}");
    }

    proptest! {
        #[test]
        fn completion_takes_every_second_token(counts in proptest::collection::vec(0u16..5, 0..20)) {
            let document: Vec<(u32, u16)> = (0..).zip(counts).collect();
            let tokens: Vec<u32> =
                document.iter().flat_map(|&(word, count)| vec![word; usize::from(count)]).collect();
            let expand = |half: &[(u32, u32)]| -> Vec<u32> {
                half.iter().flat_map(|&(word, count)| vec![word; count as usize]).collect()
            };
            let halves = Completion::of(document);
            let every_second = |first| tokens.iter().copied().skip(first).step_by(2).collect::<Vec<_>>();
            prop_assert_eq!(expand(&halves.observed), every_second(0));
            prop_assert_eq!(expand(&halves.scored), every_second(1));
        }
    }
}
