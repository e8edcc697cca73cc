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
/// pairs of a test item and another unseen one that are in the right order, where ties count half; hit rate
/// the share of users with h > 0; MRR the mean of 1 / place of the first hit, or 0.
///
/// Two measures are of the lists themselves: coverage is the share of all items that are in a list, novelty
/// the mean over listed items of `log2(users / users who have seen the item)`, where 1 stands for none.
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
    /// Share of users with a hit.
    pub hit_rate: f64,
    /// Mean reciprocal rank of the first hit.
    pub mrr: f64,
    /// Share of the items that are recommended to anybody.
    pub coverage: f64,
    /// Mean self-information of the recommended items, in bits.
    pub novelty: f64,
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
        let mut lists = Lists::new(model.items(), seen, model.users());
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
                        if hits == 1 {
                            sums.mrr += 1.0 / (place as f64 + 1.0);
                        }
                        average += f64::from(hits) / (place as f64 + 1.0);
                    }
                }
                sums.precision += f64::from(hits) / at.max(1) as f64;
                sums.recall += f64::from(hits) / wanted.len() as f64;
                sums.ndcg += gains.share(best, wanted);
                sums.map += average / most.max(1) as f64;
                sums.hit_rate += f64::from(hits.min(1));
                lists.add(best);
            },
        );
        let count = users.len().max(1) as f64;
        let Self { precision, recall, ndcg, map, auc, hit_rate, mrr, .. } = &mut sums;
        for mean in [precision, recall, ndcg, map, auc, hit_rate, mrr] {
            *mean /= count;
        }
        Self { coverage: lists.coverage(), novelty: lists.novelty(), ..sums }
    }
}

/// Counts over the lists of all users.
struct Lists {
    /// Number of lists that each item is in.
    listed: Vec<u64>,
    /// Number of users who have seen each item.
    seen: Vec<u64>,
    users: usize,
}

impl Lists {
    fn new(items: usize, seen: &Seen, users: usize) -> Self {
        let mut lists = Self { listed: vec![0; items], seen: vec![0; items], users };
        for item in (0..users as u32).flat_map(|user| unique(seen.row(user))) {
            if let Some(count) = lists.seen.get_mut(*item as usize) {
                *count += 1;
            }
        }
        lists
    }

    fn add(&mut self, list: &[(u32, f32)]) {
        list.iter().for_each(|&(item, _)| self.listed[item as usize] += 1);
    }

    fn coverage(&self) -> f64 {
        self.listed.iter().filter(|&&count| count > 0).count() as f64 / self.listed.len().max(1) as f64
    }

    fn novelty(&self) -> f64 {
        let bits = |seen: u64| libm::log2(self.users as f64 / seen.max(1) as f64);
        let sum: f64 = self.listed.iter().zip(&self.seen).map(|(&n, &seen)| n as f64 * bits(seen)).sum();
        sum / self.listed.iter().sum::<u64>().max(1) as f64
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

    /// Computes all measures of lists by their definitions, for one user after another.
    fn naive_lists(model: &Model, train: &Triples, test: &Triples, at: usize) -> Ranking {
        let (users, items) = (model.users() as u32, model.items() as u32);
        let has = |of: &Triples, user: u32, item: u32| of.iter().any(|pair| (pair.0, pair.1) == (user, item));
        let mut found = Ranking { at, ..Ranking::default() };
        let (mut listed, mut bits) = (Vec::new(), 0.0);
        for user in (0..users).filter(|&user| (0..items).any(|item| has(test, user, item))) {
            let score = |item: &u32| model.user(user)[0] * model.item(*item)[0];
            let mut list: Vec<u32> = (0..items).filter(|&item| !has(train, user, item)).collect();
            list.sort_by(|a, b| score(b).total_cmp(&score(a)));
            list.truncate(at);
            let hits: Vec<f64> =
                list.iter().map(|&item| f64::from(u8::from(has(test, user, item)))).collect();
            let wanted = (0..items).filter(|&item| has(test, user, item)).count();
            let places = || (1..).zip(&hits);
            let gain = |place: usize| 1.0 / (place as f64 + 1.0).log2();
            let so_far = |place: usize| hits[..place].iter().sum::<f64>();
            found.users += 1;
            found.precision += hits.iter().sum::<f64>() / at as f64;
            found.recall += hits.iter().sum::<f64>() / wanted as f64;
            found.ndcg += places().map(|(place, hit)| hit * gain(place)).sum::<f64>()
                / (1..=at.min(wanted)).map(gain).sum::<f64>();
            found.map += places().map(|(place, hit)| hit * so_far(place) / place as f64).sum::<f64>()
                / at.min(wanted) as f64;
            found.hit_rate += if hits.contains(&1.0) { 1.0 } else { 0.0 };
            found.mrr += places().find(|(_, hit)| **hit > 0.0).map_or(0.0, |(place, _)| 1.0 / place as f64);
            for &item in &list {
                let seen = (0..users).filter(|&user| has(train, user, item)).count();
                bits += (f64::from(users) / seen.max(1) as f64).log2();
            }
            listed.extend(list);
        }
        let count = found.users.max(1) as f64;
        let of = |value: f64| value / count;
        let novelty = bits / listed.len().max(1) as f64;
        listed.sort_unstable();
        listed.dedup();
        Ranking {
            precision: of(found.precision),
            recall: of(found.recall),
            ndcg: of(found.ndcg),
            map: of(found.map),
            hit_rate: of(found.hit_rate),
            mrr: of(found.mrr),
            coverage: listed.len() as f64 / f64::from(items),
            novelty,
            ..found
        }
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
        fn lists_are_measured_as_by_the_definitions(
            train in proptest::collection::btree_set((0u32..7, 0u32..12), 0..40),
            test in proptest::collection::btree_set((0u32..7, 0u32..12), 0..30), at in 1usize..9, seed: u64,
        ) {
            // Scores are whole numbers, no two of a user's alike.
            let mut stream = raddle::random::Stream::new(&[seed]);
            let mut model = Model::zeros(7, 12, 1);
            model.user_factors.iter_mut().for_each(|one| *one = if stream.unit() < 0.5 { 1.0 } else { -1.0 });
            let mut order: Vec<(f64, usize)> = (0..12).map(|item| (stream.unit(), item)).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            order.iter().zip(1u8..).for_each(|(&(_, item), place)| model.item_factors[item] = f32::from(place));
            let test: Triples = test.difference(&train).map(|&(user, item)| (user, item, 1.0)).collect();
            let train: Triples = train.iter().map(|&(user, item)| (user, item, 1.0)).collect();
            let found = Ranking::measure(&model, &train, &test, at);
            let naive = naive_lists(&model, &train, &test, at);
            prop_assert_eq!(found.users, naive.users);
            for (found, naive) in [
                (found.precision, naive.precision), (found.recall, naive.recall), (found.ndcg, naive.ndcg),
                (found.map, naive.map), (found.hit_rate, naive.hit_rate), (found.mrr, naive.mrr),
                (found.coverage, naive.coverage), (found.novelty, naive.novelty),
            ] {
                prop_assert!((found - naive).abs() <= 1e-12, "{found} {naive}");
            }
        }

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
