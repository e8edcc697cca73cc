//! [`Dependencies`]: how strongly candidates depend on each other, and a cache of what is known.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::random::splitmix64;

/// How strongly each pair of candidates depends on each other: 0 for independent, 1 for the same.
///
/// For the Lasso it is the absolute correlation of two columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Dependencies {
    count: usize,
    /// Strength of (i, j), j < i, row by row: what is asked of one candidate lies together.
    strengths: Vec<f32>,
}

impl Dependencies {
    /// `count` candidates, all independent.
    pub fn none(count: usize) -> Self {
        Self { count, strengths: vec![0.0; count * count.saturating_sub(1) / 2] }
    }

    /// The strengths between all pairs of `candidates`, each pair asked once.
    pub fn of_pairs(candidates: &[u32], strength: impl Fn(u32, u32) -> f32) -> Self {
        let mut dependencies = Self::none(candidates.len());
        for (row, (&i, at)) in dependencies.rows_mut().zip(candidates.iter().zip(0..)) {
            for (place, &j) in row.iter_mut().zip(&candidates[..at]) {
                *place = strength(i, j);
            }
        }
        dependencies
    }

    /// Sets the strength between the candidates at two different positions.
    pub fn set(&mut self, i: usize, j: usize, strength: f32) {
        let at = self.position(i, j);
        self.strengths[at] = strength;
    }

    /// The strength between the candidates at two positions; 1 for a candidate and itself.
    pub fn between(&self, i: usize, j: usize) -> f32 {
        if i == j { 1.0 } else { self.strengths[self.position(i, j)] }
    }

    /// For each candidate, the strengths between it and those before it.
    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        let mut rest = &mut self.strengths[..];
        (0..self.count).map(move |row| {
            let (row, behind) = std::mem::take(&mut rest).split_at_mut(row);
            rest = behind;
            row
        })
    }

    /// How many candidates there are.
    pub fn count(&self) -> usize {
        self.count
    }

    fn position(&self, i: usize, j: usize) -> usize {
        let (i, j) = (i.max(j), i.min(j));
        debug_assert!(j < i && i < self.count, "a pair of {} candidates", self.count);
        i * (i - 1) / 2 + j
    }
}

/// Strengths already known, by pair of variables.
///
/// A pure memory: what it holds equals what the program would answer again, so forgetting changes nothing but
/// the work. It forgets everything when it holds `LIMIT` pairs.
#[derive(Debug, Default)]
pub(super) struct Cache {
    known: HashMap<u64, f32, BuildHasherDefault<PairHasher>>,
}

/// About 64 MB of pairs.
const LIMIT: usize = 1 << 21;

impl Cache {
    pub(super) fn get(&self, i: u32, j: u32) -> Option<f32> {
        self.known.get(&pair(i, j)).copied()
    }

    /// Takes in all pairs of `variables` as related by `dependencies`.
    pub(super) fn extend(&mut self, variables: &[u32], dependencies: &Dependencies) {
        if self.known.len() + dependencies.strengths.len() > LIMIT {
            self.known.clear();
        }
        for (a, &i) in variables.iter().enumerate() {
            for (b, &j) in variables.iter().enumerate().skip(a + 1) {
                self.known.insert(pair(i, j), dependencies.between(a, b));
            }
        }
    }
}

fn pair(i: u32, j: u32) -> u64 {
    u64::from(i.min(j)) << 32 | u64::from(i.max(j))
}

/// Pairs are small integers: one mixing step spreads them well, and a keyed hash would cost more than the lookup.
#[derive(Debug, Default)]
pub(super) struct PairHasher(u64);

impl Hasher for PairHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = splitmix64(self.0 ^ value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_has_its_own_place() {
        let mut dependencies = Dependencies::none(5);
        for i in 0..5 {
            for j in i + 1..5 {
                dependencies.set(i, j, (10 * i + j) as f32);
            }
        }
        for i in 0..5 {
            for j in i + 1..5 {
                assert_eq!(dependencies.between(j, i), (10 * i + j) as f32);
            }
        }
    }
}
