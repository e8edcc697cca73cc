//! Splits that are a function of the pair alone: the same in any order, in any language.

use super::Triples;
use crate::counter::splitmix64;

/// The hash of a pair: splitmix64 of `user << 32 | item`.
#[inline]
pub fn pair_hash(user: u32, item: u32) -> u64 {
    splitmix64(u64::from(user) << 32 | u64::from(item))
}

/// Training and held-out observations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Held {
    /// What is left to train on, in the order it had.
    pub train: Triples,
    /// What is held out.
    pub out: Triples,
    /// Observations held out and then dropped, as their user or item has no training observation.
    pub cold: usize,
}

impl Held {
    /// Holds out the observations that `is_out` names, and drops of these the ones that nothing could be learned for.
    ///
    /// The training observations stay in the memory that they are in.
    pub fn out(mut triples: Triples, users: usize, items: usize, is_out: impl Fn(u32, u32) -> bool) -> Self {
        let mut out = Triples::default();
        let (mut trained_users, mut trained_items) = (vec![false; users], vec![false; items]);
        let mut to = 0;
        for at in 0..triples.len() {
            let (user, item, value) = (triples.users[at], triples.items[at], triples.values[at]);
            if is_out(user, item) {
                out.push(user, item, value);
                continue;
            }
            (trained_users[user as usize], trained_items[item as usize]) = (true, true);
            (triples.users[to], triples.items[to], triples.values[to]) = (user, item, value);
            to += 1;
        }
        triples.users.truncate(to);
        triples.items.truncate(to);
        triples.values.truncate(to);
        let number = out.len();
        let known =
            |&(user, item, _): &(u32, u32, f32)| trained_users[user as usize] && trained_items[item as usize];
        let out: Triples = out.iter().filter(known).collect();
        Self { train: triples, cold: number - out.len(), out }
    }

    /// The split by which sets are compared: a pair is held out where [`pair_hash`] is a multiple of 10.
    pub fn compared(triples: Triples, users: usize, items: usize) -> Self {
        Self::out(triples, users, items, |user, item| pair_hash(user, item).is_multiple_of(10))
    }
}

/// Whether the hash of a pair, under a seed of its own, falls into this share of all; folds and validation sets are
/// made of it. It is independent of [`Held::compared`].
///
/// ```
/// use raddle_datasets::ratings::hashed;
/// let out = (0..10_000).filter(|&item| hashed(3, item, 42, 0.25, 0.5)).count();
/// assert!((2300..2700).contains(&out));
/// ```
#[inline]
pub fn hashed(user: u32, item: u32, seed: u64, from: f64, to: f64) -> bool {
    let hash = splitmix64(pair_hash(user, item) ^ splitmix64(seed ^ VALIDATION));
    let place = (hash >> 11) as f64 * (1.0 / (1_u64 << 53) as f64);
    (from..to).contains(&place)
}

/// Keeps the validation's hash apart from other uses of the same seed.
const VALIDATION: u64 = 0x7661_6c69_6461_7465;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compared_split_is_the_documented_one() {
        // splitmix64 of 0 and of 1, as published with the generator.
        assert_eq!(pair_hash(0, 0), 0xE220_A839_7B1D_CDAF);
        assert_eq!(pair_hash(0, 1), 0x910A_2DEC_8902_5CC1);
        let all: Triples = (0..40).flat_map(|user| (0..50).map(move |item| (user, item, 1.0))).collect();
        let held = Held::compared(all, 40, 50);
        assert!(held.out.iter().all(|(user, item, _)| pair_hash(user, item).is_multiple_of(10)));
        assert_eq!((held.train.len() + held.out.len(), held.cold), (2000, 0));
        assert!((150..250).contains(&held.out.len()), "{}", held.out.len());
    }

    #[test]
    fn what_nothing_was_learned_for_is_dropped() {
        let triples: Triples = [(0, 0, 1.0), (0, 1, 2.0), (1, 0, 3.0)].into_iter().collect();
        let held = Held::out(triples, 2, 2, |user, item| user == 1 || item == 1);
        assert_eq!((held.train.len(), held.out.len(), held.cold), (1, 0, 2));
    }
}
