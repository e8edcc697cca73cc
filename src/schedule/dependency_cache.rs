//! [`Cache`]: known strengths of dependencies between variables.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::Dependencies;
use crate::base::random::splitmix64;

/// Known strengths, by pair of variables.
///
/// A pure cache: an entry equals the answer that the program would give again, so dropping it changes nothing
/// but the work. All entries are dropped when it holds `LIMIT` pairs.
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

    /// Adds the strengths of all pairs of `variables`, from `dependencies`.
    pub(super) fn extend(&mut self, variables: &[u32], dependencies: &Dependencies) {
        if self.known.len() + dependencies.count() * dependencies.count().saturating_sub(1) / 2 > LIMIT {
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

/// Pairs are small integers: one mixing step spreads them well, and a keyed hash would cost more than the
/// lookup.
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
