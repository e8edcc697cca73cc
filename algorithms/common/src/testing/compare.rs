//! Comparisons that fail on empty input: [`pairs`] in place of `zip`, which stops at the shorter sequence,
//! and [`not_empty`] before `all`, which is true of no items.

use std::iter::Zip;
use std::vec::IntoIter;

/// Pairs of two sequences that must be equally long, and of which there must be at least one.
#[track_caller]
pub fn pairs<A: IntoIterator, B: IntoIterator>(
    left: A,
    right: B,
) -> Zip<IntoIter<A::Item>, IntoIter<B::Item>> {
    let (left, right): (Vec<_>, Vec<_>) = (left.into_iter().collect(), right.into_iter().collect());
    assert_eq!(left.len(), right.len(), "two sequences of different lengths are compared");
    assert!(!left.is_empty(), "nothing is compared");
    left.into_iter().zip(right)
}

/// Items of which there must be at least one.
#[track_caller]
pub fn not_empty<A: IntoIterator>(items: A) -> IntoIter<A::Item> {
    let items: Vec<_> = items.into_iter().collect();
    assert!(!items.is_empty(), "nothing is examined");
    items.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "different lengths")]
    fn a_shorter_side_fails() {
        let _ = pairs([1, 2], [1]);
    }

    #[test]
    #[should_panic(expected = "nothing is compared")]
    fn two_empty_sides_fail() {
        let _ = pairs([0; 0], [0; 0]);
    }

    #[test]
    #[should_panic(expected = "nothing is examined")]
    fn no_item_fails() {
        let _ = not_empty("".lines());
    }
}
