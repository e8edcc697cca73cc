//! [`Recommender`]: the best items for users, in memory that does not grow with the users.

use raddle_datasets::Triples;

use crate::kernels::{LANES, TOGETHER, Vector, padded, scores};
use crate::model::Model;

/// Which items each user has seen: compressed rows, 4 bytes an observation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    starts: Vec<usize>,
    items: Vec<u32>,
}

impl Seen {
    /// From observations, for `users` users; those of other users are left out.
    pub fn new(triples: &Triples, users: usize) -> Self {
        let mut starts = vec![0; users + 1];
        let known = |user: u32| (user as usize) < users;
        triples.users.iter().filter(|&&user| known(user)).for_each(|&user| starts[user as usize + 1] += 1);
        (0..users).for_each(|user| starts[user + 1] += starts[user]);
        let (mut next, mut items) = (starts.clone(), vec![0; starts[users]]);
        for (&user, &item) in triples.users.iter().zip(&triples.items).filter(|pair| known(*pair.0)) {
            items[next[user as usize]] = item;
            next[user as usize] += 1;
        }
        let mut seen = Self { starts, items };
        (0..users as u32).for_each(|user| seen.row_mut(user).sort_unstable());
        seen
    }

    /// The items of a user, ascending; none for a user beyond them.
    pub fn row(&self, user: u32) -> &[u32] {
        match self.starts.get(user as usize..user as usize + 2) {
            Some(&[start, end]) => &self.items[start..end],
            _ => &[],
        }
    }

    fn row_mut(&mut self, user: u32) -> &mut [u32] {
        &mut self.items[self.starts[user as usize]..self.starts[user as usize + 1]]
    }
}

/// Scores all items for users and keeps the best.
#[derive(Debug)]
pub struct Recommender<'a> {
    model: &'a Model,
    items: Vec<Vector>,
    chunks: usize,
    seen: Option<&'a Seen>,
    /// Items that may be recommended; all if none are named.
    allowed: Option<Vec<bool>>,
}

impl<'a> Recommender<'a> {
    /// For a model; it holds a padded copy of the items' factors, 4 (rank + 15) bytes an item at most.
    pub fn new(model: &'a Model) -> Self {
        let chunks = model.rank.div_ceil(LANES).max(1);
        Self { model, items: padded(&model.item_factors, model.rank), chunks, seen: None, allowed: None }
    }

    /// Leaves out what users have seen.
    pub fn without(mut self, seen: &'a Seen) -> Self {
        self.seen = Some(seen);
        self
    }

    /// Recommends these items only.
    pub fn only(mut self, items: &[u32]) -> Self {
        let mut allowed = vec![false; self.model.items()];
        for &item in items {
            if let Some(allowed) = allowed.get_mut(item as usize) {
                *allowed = true;
            }
        }
        self.allowed = Some(allowed);
        self
    }

    /// Calls `take` with each user and the `count` best items for it, as (item, predicted rating), the best first; ties
    /// go to the lower item. A user that the model does not have gets the items of the highest bias.
    pub fn each(&self, users: &[u32], count: usize, mut take: impl FnMut(u32, &[(u32, f32)])) {
        let mut out: [Vec<f32>; TOGETHER] = Default::default();
        let mut best = Vec::new();
        for some in users.chunks(TOGETHER) {
            self.score(some, &mut out);
            for (&user, scores) in some.iter().zip(&mut out) {
                self.mask(user, scores);
                top(scores, count, &mut best);
                let base = self.model.mean as f32
                    + self.model.user_biases.get(user as usize).copied().unwrap_or(0.0);
                best.iter_mut().for_each(|(_, score)| *score += base);
                take(user, &best);
            }
        }
    }

    /// Calls `take` with each user and the scores of all items, as they are ranked by; nothing is left out.
    pub(crate) fn scored(&self, users: &[u32], mut take: impl FnMut(u32, &[f32])) {
        let mut out: [Vec<f32>; TOGETHER] = Default::default();
        for some in users.chunks(TOGETHER) {
            self.score(some, &mut out);
            some.iter().zip(&out).for_each(|(&user, scores)| take(user, scores));
        }
    }

    /// The best items of one user.
    pub fn one(&self, user: u32, count: usize) -> Vec<(u32, f32)> {
        let mut found = Vec::new();
        self.each(&[user], count, |_, best| found = best.to_vec());
        found
    }

    /// Products and items' biases of up to four users.
    fn score(&self, users: &[u32], out: &mut [Vec<f32>; TOGETHER]) {
        let rows: Vec<Vec<Vector>> = (0..TOGETHER)
            .map(|j| {
                let row = users.get(j).map_or(&[][..], |&user| self.model.user(user));
                let mut row = padded(row, self.model.rank);
                row.resize(self.chunks, Vector([0.0; LANES]));
                row
            })
            .collect();
        scores([&rows[0], &rows[1], &rows[2], &rows[3]], &self.items, self.chunks, out);
        for scores in out {
            scores.iter_mut().zip(&self.model.item_biases).for_each(|(score, bias)| *score += bias);
        }
    }

    fn mask(&self, user: u32, scores: &mut [f32]) {
        if let Some(allowed) = &self.allowed {
            let excluded = scores.iter_mut().zip(allowed).filter(|(_, allowed)| !**allowed);
            excluded.for_each(|(score, _)| *score = f32::NEG_INFINITY);
        }
        for &item in self.seen.map_or(&[][..], |seen| seen.row(user)) {
            if let Some(score) = scores.get_mut(item as usize) {
                *score = f32::NEG_INFINITY;
            }
        }
    }
}

/// The `count` largest, the largest first; ties go to the lower position. What is masked never appears.
fn top(scores: &[f32], count: usize, best: &mut Vec<(u32, f32)>) {
    best.clear();
    let mut least = f32::NEG_INFINITY;
    for (item, &score) in (0..).zip(scores) {
        // Most items fail here; a score that is no number fails too.
        if score <= least || score.is_nan() || count == 0 {
            continue;
        }
        let place = best.partition_point(|&(_, other)| other >= score);
        if best.len() == count {
            best.pop();
        }
        best.insert(place, (item, score));
        if best.len() == count {
            least = best[count - 1].1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_best_are_those_of_a_full_sort(scores in proptest::collection::vec(-3i8..3, 0..60), count in 0usize..12) {
            let scores: Vec<f32> = scores.into_iter().map(f32::from).collect();
            let mut order: Vec<(u32, f32)> = (0..).zip(scores.iter().copied()).collect();
            order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            order.truncate(count);
            let mut best = Vec::new();
            top(&scores, count, &mut best);
            prop_assert_eq!(best, order);
        }
    }
}
