//! Choice of a few places among many.

use std::collections::BTreeSet;

/// Approximate number of lambdas in a picture: more would be closer together than a reader can see.
const DRAWN: usize = 300;

/// Largest number of counts above a picture.
const COUNTED: usize = 8;

/// Returns the places of the lambdas to draw, including those of `with`.
pub fn drawn(lambdas: usize, with: &[usize]) -> Vec<usize> {
    let last = lambdas.checked_sub(1);
    let every = (0..lambdas).step_by(lambdas.div_ceil(DRAWN).max(1));
    every.chain(last).chain(with.iter().copied()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns the places of the lambdas that have a count above them: evenly spread, with the first and the
/// last.
pub fn counted(lambdas: usize) -> Vec<usize> {
    let (parts, last) = (COUNTED - 1, lambdas.saturating_sub(1));
    let places = (0..=parts).map(|part| (part * last + parts / 2) / parts);
    places.filter(|&at| at < lambdas).collect::<BTreeSet<_>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_are_there_and_no_place_twice() {
        for lambdas in [1, 2, 3, 8, 9, 100, 299, 300, 301, 100_000] {
            for places in [drawn(lambdas, &[]), counted(lambdas)] {
                assert_eq!((places[0], places[places.len() - 1]), (0, lambdas - 1));
                assert!(places.is_sorted_by(|a, b| a < b), "{places:?}");
            }
            assert!(drawn(lambdas, &[]).len() <= DRAWN + 1 && counted(lambdas).len() <= COUNTED);
            assert_eq!(drawn(lambdas, &[]).len() == lambdas, lambdas <= DRAWN);
        }
        assert!(drawn(0, &[]).is_empty() && counted(0).is_empty());
        assert!(drawn(1_000, &[1, 998]).contains(&998));
    }
}
