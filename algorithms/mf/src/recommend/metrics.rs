//! [`Ranking`]: how well the items that users turned to stand in their recommendations.

use raddle_datasets::Triples;

use super::{Recommender, Seen};
use crate::model::Model;
use crate::ranking::Gains;

/// Quality of recommendations, over users with test items. What was seen in training is never recommended.
///
/// With t test items of a user and h of them among the first k: precision is the sum of h over the sum of min(k, t);
/// recall the mean of h / t; NDCG the mean of `sum over hits of 1/log2(1 + place)` over its largest possible value; MAP the
/// mean of `sum over hits of (hits up to there / place)` over min(k, t); AUC the mean share of pairs of a test item and
/// another unseen one that are in the right order, where ties count half.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct Ranking {
    /// Users with test items.
    pub users: usize,
    /// k.
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
    /// Measures a model on test observations, whatever their values are.
    pub fn measure(model: &Model, train: &Triples, test: &Triples, at: usize) -> Self {
        let (seen, wanted) = (Seen::new(train, model.users()), Seen::new(test, model.users()));
        let users: Vec<u32> =
            (0..model.users() as u32).filter(|&user| !wanted.row(user).is_empty()).collect();
        let recommender = Recommender::new(model).without(&seen);
        let gains = Gains::new(at);
        let mut sums = Self { users: users.len(), at, ..Self::default() };
        let (mut hit, mut possible) = (0, 0);
        recommender.each(&users, at, |user, best| {
            let wanted = wanted.row(user);
            let most = at.min(wanted.len());
            let (mut hits, mut average) = (0, 0.0);
            for (place, (item, _)) in best.iter().enumerate() {
                if wanted.binary_search(item).is_ok() {
                    hits += 1;
                    average += f64::from(hits) / (place as f64 + 1.0);
                }
            }
            (hit, possible) = (hit + hits as usize, possible + most);
            sums.recall += f64::from(hits) / wanted.len() as f64;
            sums.ndcg += gains.share(best, wanted);
            sums.map += average / most.max(1) as f64;
        });
        recommender.scored(&users, |user, scores| {
            sums.auc += area(scores, wanted.row(user), seen.row(user));
        });
        let count = users.len().max(1) as f64;
        sums.precision = hit as f64 / possible.max(1) as f64;
        for mean in [&mut sums.recall, &mut sums.ndcg, &mut sums.map, &mut sums.auc] {
            *mean /= count;
        }
        sums
    }
}

/// The share of pairs (Mann and Whitney), counted for one test item after the other, as they are few; one half where
/// there is nothing to compare.
fn area(scores: &[f32], wanted: &[u32], seen: &[u32]) -> f64 {
    let score = |item: u32| scores.get(item as usize).map(|score| score.max(f32::NEG_INFINITY));
    // Twice the wins and once the ties of a score over others: all of them, then less those that do not count.
    let over = |mine: f32, other: f32| 2 * u64::from(other < mine) + u64::from(other == mine);
    let others = |item: &&u32| wanted.binary_search(item).is_err();
    let left_out: Vec<f32> =
        unique(wanted).chain(unique(seen).filter(others)).filter_map(|&item| score(item)).collect();
    let (mut right, mut positives) = (0, 0);
    for mine in unique(wanted).filter_map(|&item| score(item)) {
        let all: u64 = scores.iter().map(|other| over(mine, other.max(f32::NEG_INFINITY))).sum();
        right += all - left_out.iter().map(|&other| over(mine, other)).sum::<u64>();
        positives += 1;
    }
    let pairs = positives * (scores.len() - left_out.len()) as u64;
    if pairs == 0 { 0.5 } else { right as f64 / (2 * pairs) as f64 }
}

/// Each of ascending items once.
fn unique(items: &[u32]) -> impl Iterator<Item = &u32> {
    items.chunk_by(|a, b| a == b).filter_map(|same| same.first())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_counts_pairs_in_the_right_order() {
        assert_eq!(area(&[0.9, 0.1, 0.5], &[0], &[]), 1.0);
        assert_eq!(area(&[0.9, 0.1, 0.5], &[2], &[]), 0.5);
        assert_eq!(area(&[0.9, 0.1, 0.5], &[2], &[0]), 1.0);
        assert_eq!(area(&[0.5, 0.5], &[1], &[]), 0.5);
        assert_eq!(area(&[0.5], &[0], &[]), 0.5);
        assert_eq!(area(&[0.5, f32::NAN, 0.7], &[0, 0], &[]), 0.5);
        assert_eq!(area(&[0.5, f32::NAN, 0.7, 0.1], &[0], &[0, 2, 2]), 1.0);
    }
}
