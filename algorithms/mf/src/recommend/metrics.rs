//! [`Ranking`]: measures of how high test items are in their users' recommendations.

use raddle_datasets::Triples;

use super::{Query, Recommender, Seen};
use crate::model::Model;
use crate::ranking::Gains;

/// Quality of recommendations, averaged over users with test items. Training items are never recommended.
///
/// If a user has t test items, h of them among the first k: precision is the mean of h / k, whatever t is;
/// recall the mean of h / t; NDCG the mean of `sum over hits of 1/log2(1 + place)` over its largest possible
/// value; MAP the mean of `sum over hits of (hits up to there / place)` over min(k, t); AUC the mean share of
/// pairs of a test item and another unseen one that are in the right order, where ties count half.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct Ranking {
    /// Number of users with test items.
    pub users: usize,
    /// k, the length of the lists.
    pub at: usize,
    /// Precision at k.
    pub precision: f64,
    /// Recall at k.
    pub recall: f64,
    /// Normalised discounted cumulative gain at k.
    pub ndcg: f64,
    /// Mean average precision at k.
    pub map: f64,
    /// Area under the ROC curve.
    pub auc: f64,
}

impl Ranking {
    /// Measures a model on test observations, whatever their values are. Lists use the users' own rows, even
    /// those of users of whom nothing was learned.
    pub fn measure(model: &Model, train: &Triples, test: &Triples, at: usize) -> Self {
        Self::measure_unseen(model, &Seen::new(train, model.users()), test, at)
    }

    /// Measures a model as [`measure`](Self::measure) does, with lists that leave out what users have seen.
    pub fn measure_unseen(model: &Model, seen: &Seen, test: &Triples, at: usize) -> Self {
        let wanted = Seen::new(test, model.users());
        let users: Vec<u32> =
            (0..model.users() as u32).filter(|&user| !wanted.row(user).is_empty()).collect();
        let recommender = Recommender::new(model).by_own_rows();
        // A list is at most as long as the number of items.
        let gains = Gains::new(at.min(model.items()));
        let mut sums = Self { users: users.len(), at, ..Self::default() };
        let mut ranks = Ranks::default();
        recommender.judged(
            &users,
            &Query::best(at).without_seen(seen),
            |user, scores| {
                sums.auc += ranks.area(scores, wanted.row(user), seen.row(user));
            },
            |user, best| {
                let wanted = wanted.row(user);
                let most = at.min(wanted.len());
                let (mut hits, mut average) = (0, 0.0);
                for (place, (item, _)) in best.iter().enumerate() {
                    if wanted.binary_search(item).is_ok() {
                        hits += 1;
                        average += f64::from(hits) / (place as f64 + 1.0);
                    }
                }
                sums.precision += f64::from(hits) / at.max(1) as f64;
                sums.recall += f64::from(hits) / wanted.len() as f64;
                sums.ndcg += gains.share(best, wanted);
                sums.map += average / most.max(1) as f64;
            },
        );
        let count = users.len().max(1) as f64;
        for mean in [&mut sums.precision, &mut sums.recall, &mut sums.ndcg, &mut sums.map, &mut sums.auc] {
            *mean /= count;
        }
        sums
    }
}

/// Buffers for comparing the scores of a user's items.
#[derive(Debug, Default)]
struct Ranks {
    /// The scores of the test items, ascending.
    positives: Vec<f32>,
    /// The scores that are not below all test items.
    above: Vec<f32>,
}

impl Ranks {
    /// Returns the share of pairs in order (Mann and Whitney); one half if there is nothing to compare. Takes
    /// n log t for t test items among n; most items are below all test items and cost one comparison.
    fn area(&mut self, scores: &[f32], wanted: &[u32], seen: &[u32]) -> f64 {
        // NaN is below everything.
        let score = |item: &u32| scores.get(*item as usize).map(|score| score.max(f32::NEG_INFINITY));
        self.positives.clear();
        self.positives.extend(unique(wanted).filter_map(score));
        self.positives.sort_unstable_by(f32::total_cmp);
        let Some(&lowest) = self.positives.first() else { return 0.5 };
        self.above.resize(scores.len(), 0.0);
        let mut count = 0;
        for other in scores {
            let other = other.max(f32::NEG_INFINITY);
            // Without a branch, which would be unpredictable.
            self.above[count] = other;
            count += usize::from(other >= lowest);
        }
        // Each pair counts two: twice the test items above another item, plus those that tie with it.
        let most = 2 * self.positives.len();
        let won = |other: f32| {
            let below = self.positives.partition_point(|&mine| mine < other);
            most - below - self.positives.partition_point(|&mine| mine <= other)
        };
        let all = most * (scores.len() - count)
            + self.above[..count].iter().map(|&other| won(other)).sum::<usize>();
        // All items, less those that do not count.
        let others = |item: &&u32| wanted.binary_search(item).is_err();
        let left_out = unique(wanted).chain(unique(seen).filter(others)).filter_map(score);
        let (few, less) = left_out.fold((0, 0), |(few, less), other| (few + 1, less + won(other)));
        let pairs = self.positives.len() * (scores.len() - few);
        if pairs == 0 { 0.5 } else { (all - less) as f64 / (2 * pairs) as f64 }
    }
}

/// Returns each of ascending items once.
fn unique(items: &[u32]) -> impl Iterator<Item = &u32> {
    items.chunk_by(|a, b| a == b).filter_map(|same| same.first())
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_area_counts_pairs_in_the_right_order() {
        let area = |scores: &[f32], wanted: &[u32], seen: &[u32]| Ranks::default().area(scores, wanted, seen);
        assert_eq!(area(&[0.9, 0.1, 0.5], &[0], &[]), 1.0);
        assert_eq!(area(&[0.9, 0.1, 0.5], &[2], &[]), 0.5);
        assert_eq!(area(&[0.9, 0.1, 0.5], &[2], &[0]), 1.0);
        assert_eq!(area(&[0.5, 0.5], &[1], &[]), 0.5);
        assert_eq!(area(&[0.5], &[0], &[]), 0.5);
        assert_eq!(area(&[0.5, f32::NAN, 0.7], &[0, 0], &[]), 0.5);
        assert_eq!(area(&[0.5, f32::NAN, 0.7, 0.1], &[0], &[0, 2, 2]), 1.0);
    }

    /// Computes the share pair by pair.
    fn naive(scores: &[f32], wanted: &[u32], seen: &[u32]) -> f64 {
        let score = |item: u32| match scores[item as usize] {
            score if score.is_nan() => f32::NEG_INFINITY,
            score => score,
        };
        let items = 0..scores.len() as u32;
        let (mut right, mut pairs) = (0.0, 0.0);
        for mine in items.clone().filter(|item| wanted.contains(item)) {
            for other in items.clone().filter(|item| !wanted.contains(item) && !seen.contains(item)) {
                pairs += 1.0;
                right += match score(mine).partial_cmp(&score(other)) {
                    Some(Ordering::Greater) => 1.0,
                    Some(Ordering::Equal) => 0.5,
                    _ => 0.0,
                };
            }
        }
        if pairs == 0.0 { 0.5 } else { right / pairs }
    }

    proptest! {
        #[test]
        fn the_area_is_that_of_all_pairs(
            scores in proptest::collection::vec(-4i8..5, 1..40),
            mut wanted in proptest::collection::vec(0u32..60, 0..12),
            mut seen in proptest::collection::vec(0u32..60, 0..12),
        ) {
            let number = |score: i8| match score { 4 => f32::NAN, 3 => f32::INFINITY, -4 => -0.0, score => f32::from(score) };
            let scores: Vec<f32> = scores.into_iter().map(number).collect();
            wanted.sort_unstable();
            seen.sort_unstable();
            let mut ranks = Ranks::default();
            // Buffers may hold anything from the user before.
            ranks.area(&[0.5; 50], &[3, 4], &[]);
            prop_assert_eq!(ranks.area(&scores, &wanted, &seen), naive(&scores, &wanted, &seen));
        }
    }
}
