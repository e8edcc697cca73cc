//! The best of many scores, and the gain of a list of items.

/// Finds the `count` largest scores, the largest first; ties go to the lower position. Scores of minus
/// infinity, which mask items, and NaN never appear.
pub(crate) fn top(scores: &[f32], count: usize, best: &mut Vec<(u32, f32)>) {
    best.clear();
    merge(0, scores, count, best);
}

/// Merges further scores, the first of which has the position `first`, into the `count` largest before them.
pub(crate) fn merge(first: u32, scores: &[f32], count: usize, best: &mut Vec<(u32, f32)>) {
    let mut least = least_of(best, count);
    for (items, scores) in (first..).step_by(COMPARED).zip(scores.chunks(COMPARED)) {
        // Most items fail here, many at a time; so does NaN.
        if !any_above(scores, least) {
            continue;
        }
        for (item, &score) in (items..).zip(scores) {
            if score > least {
                least = insert(best, count, (item, score));
            }
        }
    }
}

/// Number of scores that are compared at a time.
pub(crate) const COMPARED: usize = 16;

/// Returns `true` if a score is above the least of a list. No comparison branches, so that they go together.
pub(crate) fn any_above(scores: &[f32], least: f32) -> bool {
    scores.iter().fold(false, |any, &score| any | (score > least))
}

/// Returns the score that an item must exceed to enter a list of `count`.
pub(crate) fn least_of(best: &[(u32, f32)], count: usize) -> f32 {
    match best.last() {
        _ if count == 0 => f32::INFINITY,
        Some(&(_, least)) if best.len() == count => least,
        _ => f32::NEG_INFINITY,
    }
}

/// Inserts an item that exceeds the least score of a list, after those of equal scores; returns the score
/// that the next must exceed.
pub(crate) fn insert(best: &mut Vec<(u32, f32)>, count: usize, (item, score): (u32, f32)) -> f32 {
    if best.len() < count {
        best.push((item, score));
    }
    // Lists are short: to move what is less costs less than to search for the place and move memory.
    let mut place = best.len() - 1;
    while place > 0 && best[place - 1].1 < score {
        best[place] = best[place - 1];
        place -= 1;
    }
    best[place] = (item, score);
    least_of(best, count)
}

/// Gain of a hit at each of the first places: `1 / log2(1 + place)`, with places counted from 1.
#[derive(Debug, Clone)]
pub(crate) struct Gains(Vec<f64>);

impl Gains {
    /// The gains of this number of places, at least 1.
    pub(crate) fn new(places: usize) -> Self {
        Self((0..places.max(1)).map(|place| 1.0 / libm::log2(place as f64 + 2.0)).collect())
    }

    /// Returns the NDCG of a list, the best first: its gain for a user who turned to the items `wanted`
    /// (ascending), divided by the largest gain that a list could have. 0 if nothing is wanted.
    pub(crate) fn share(&self, list: &[(u32, f32)], wanted: &[u32]) -> f64 {
        let Self(gains) = self;
        let is_hit = |item: &u32| wanted.binary_search(item).is_ok();
        let hits = list.iter().zip(gains).filter(|((item, _), _)| is_hit(item));
        let gain: f64 = hits.map(|(_, gain)| gain).sum();
        let most: f64 = gains.iter().take(wanted.len()).sum();
        gain / most.max(f64::MIN_POSITIVE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_best_are_those_of_a_full_sort(
            scores in proptest::collection::vec(-3i8..3, 0..60), count in 0usize..12, block in 1usize..70,
        ) {
            let scores: Vec<f32> = scores.into_iter().map(f32::from).collect();
            let mut order: Vec<(u32, f32)> = (0..).zip(scores.iter().copied()).collect();
            order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            order.truncate(count);
            let mut best = Vec::new();
            top(&scores, count, &mut best);
            prop_assert_eq!(&best, &order);
            // The same in pieces.
            best.clear();
            for (at, some) in scores.chunks(block).enumerate() {
                merge((at * block) as u32, some, count, &mut best);
            }
            prop_assert_eq!(best, order);
        }
    }

    #[test]
    fn a_perfect_list_gains_everything_and_a_late_hit_less() {
        let gains = Gains::new(3);
        let list = |items: [u32; 3]| items.map(|item| (item, 0.0));
        assert_eq!(gains.share(&list([4, 2, 9]), &[2, 4]), 1.0);
        assert_eq!(gains.share(&list([4, 2, 9]), &[2, 4, 7, 8, 9]), 1.0);
        assert_eq!(gains.share(&list([1, 2, 9]), &[9]), 0.5);
        assert_eq!(gains.share(&list([1, 2, 9]), &[5]), 0.0);
        assert_eq!(gains.share(&list([1, 2, 9]), &[]), 0.0);
    }
}
