//! Splits that depend on the pair alone: the same in any order and any language.

use super::data::Triples;
use crate::counter::splitmix64;

/// Returns the hash of a pair: SplitMix64 of `user << 32 | item`.
#[inline]
pub fn pair_hash(user: u32, item: u32) -> u64 {
    splitmix64(u64::from(user) << 32 | u64::from(item))
}

/// Training observations and held-out observations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeldOut {
    /// Training observations, in their order.
    pub train: Triples,
    /// Held-out observations.
    pub out: Triples,
    /// Number of held-out observations that were dropped, as their user or item has no training observation.
    pub cold: usize,
}

impl HeldOut {
    /// Holds out the observations for which `is_out` returns `true`, and drops those of them whose user or
    /// item has no training observation.
    ///
    /// The training observations stay in the same memory.
    pub fn out(triples: Triples, users: usize, items: usize, is_out: impl Fn(u32, u32) -> bool) -> Self {
        Self::split(triples, users, items, |_, user, item| is_out(user, item), |_, _| {})
    }

    /// Holds out the observations for which `is_out` returns `true` at their position, user and item. Calls
    /// `moved` with the old and the new position of each training observation.
    fn split(
        mut triples: Triples,
        users: usize,
        items: usize,
        is_out: impl Fn(usize, u32, u32) -> bool,
        mut moved: impl FnMut(usize, usize),
    ) -> Self {
        let mut out = Triples::default();
        let (mut trained_users, mut trained_items) = (vec![false; users], vec![false; items]);
        let mut to = 0;
        for at in 0..triples.len() {
            let (user, item, value) = (triples.users[at], triples.items[at], triples.values[at]);
            if is_out(at, user, item) {
                out.push(user, item, value);
                continue;
            }
            (trained_users[user as usize], trained_items[item as usize]) = (true, true);
            (triples.users[to], triples.items[to], triples.values[to]) = (user, item, value);
            moved(at, to);
            to += 1;
        }
        triples.truncate(to);
        let number = out.len();
        let known =
            |&(user, item, _): &(u32, u32, f32)| trained_users[user as usize] && trained_items[item as usize];
        let out: Triples = out.iter().filter(known).collect();
        Self { train: triples, cold: number - out.len(), out }
    }

    /// Holds out the latest `share` of the observations, with one time limit for all users. Observations of
    /// equal time stay together, so at least that many are held out; none of them is older than a training
    /// observation.
    ///
    /// Returns the split and the times of the training observations; `None` if no training observation would
    /// be left.
    pub fn latest(
        triples: Triples,
        mut times: Vec<f64>,
        users: usize,
        items: usize,
        share: f64,
    ) -> Option<(Self, Vec<f64>)> {
        let count = ((triples.len() as f64 * share).ceil() as usize).min(triples.len());
        let mut order = times.clone();
        order.sort_unstable_by(f64::total_cmp);
        let Some(&cut) = order.get(triples.len() - count) else {
            return Some((Self { train: triples, ..Self::default() }, times));
        };
        let is_out: Vec<bool> = times.iter().map(|&time| time >= cut).collect();
        if is_out.iter().all(|&is_out| is_out) {
            return None;
        }
        let held = |at: usize, _, _| is_out[at];
        let split = Self::split(triples, users, items, held, |from, to| times[to] = times[from]);
        times.truncate(split.train.len());
        Some((split, times))
    }

    /// Makes the split of the published comparisons: a pair is held out if [`pair_hash`] is a multiple of 10.
    pub fn compared(triples: Triples, users: usize, items: usize) -> Self {
        Self::out(triples, users, items, |user, item| pair_hash(user, item).is_multiple_of(10))
    }
}

/// Returns `true` if the hash of a pair under this seed, as a number in [0, 1), is from `from` to below `to`.
/// Folds and validation sets are made with it; it is independent of [`HeldOut::compared`].
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

/// Constant that separates this hash from other uses of the seed.
const VALIDATION: u64 = 0x7661_6c69_6461_7465;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compared_split_is_the_documented_one() {
        // SplitMix64 of 0 and of 1, as published with the generator.
        assert_eq!(pair_hash(0, 0), 0xE220_A839_7B1D_CDAF);
        assert_eq!(pair_hash(0, 1), 0x910A_2DEC_8902_5CC1);
        let all: Triples = (0..40).flat_map(|user| (0..50).map(move |item| (user, item, 1.0))).collect();
        let held = HeldOut::compared(all, 40, 50);
        assert!(held.out.iter().all(|(user, item, _)| pair_hash(user, item).is_multiple_of(10)));
        assert_eq!((held.train.len() + held.out.len(), held.cold), (2000, 0));
        assert!((150..250).contains(&held.out.len()), "{}", held.out.len());
    }

    #[test]
    fn the_latest_are_held_out_and_ties_go_together() {
        let triples: Triples = (0..10).map(|at| (at % 2, at % 3, at as f32)).collect();
        let times = vec![3.0, 9.0, 1.0, 7.0, 7.0, 2.0, 7.0, 4.0, 5.0, 0.0];
        for share in [0.01, 0.1, 0.2, 0.35, 0.5, 0.9] {
            let (held, left) =
                HeldOut::latest(triples.clone(), times.clone(), 2, 3, share).expect("some are left");
            let time = |(_, _, value): (u32, u32, f32)| times[value as usize];
            assert_eq!(held.train.iter().map(time).collect::<Vec<_>>(), left);
            let newest = left.iter().copied().fold(f64::MIN, f64::max);
            assert!(held.out.iter().map(time).all(|time| time > newest), "{share}");
            let out = held.out.len() + held.cold;
            assert_eq!(out + held.train.len(), 10);
            assert!(
                out as f64 >= share * 10.0 && (out <= (share * 10.0).ceil() as usize + 2),
                "{share}: {out}"
            );
        }
        assert!(HeldOut::latest(triples.clone(), vec![1.0; 10], 2, 3, 0.1).is_none());
        assert_eq!(HeldOut::latest(triples, times, 2, 3, 0.0).expect("all are left").0.train.len(), 10);
    }

    #[test]
    fn what_nothing_was_learned_for_is_dropped() {
        let triples: Triples = [(0, 0, 1.0), (0, 1, 2.0), (1, 0, 3.0)].into_iter().collect();
        let held = HeldOut::out(triples, 2, 2, |user, item| user == 1 || item == 1);
        assert_eq!((held.train.len(), held.out.len(), held.cold), (1, 0, 2));
    }
}
