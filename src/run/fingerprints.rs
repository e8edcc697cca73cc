//! [`Fingerprints`] of boundaries, to compare two runs part by part, and the replicas within one.

use crate::base::random::splitmix64;
use crate::base::state::{State, to_bytes};

/// Extent of fingerprinting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fingerprints {
    /// Nothing.
    Off,
    /// At each boundary the replica of every worker: they must be equal.
    Replicas,
    /// Every change, and at each boundary every part.
    All,
}

impl Fingerprints {
    /// Returns the level of a run that is not compared with others: replicas in debug builds, to find those
    /// that differ, and off otherwise.
    pub(crate) fn usual() -> Self {
        if cfg!(debug_assertions) { Self::Replicas } else { Self::Off }
    }
}

/// A part of a run's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Component {
    /// The change of a round.
    Change(u64),
    /// The learned state of a shard.
    Shard(u32),
    Block(u32),
    Pinned,
    /// The replica of a worker.
    Replica(u32),
    /// Metric, objective and change that a boundary concluded.
    Conclusion,
}

crate::state!(
    enum Component {
        Change(round),
        Shard(number),
        Block(number),
        Pinned,
        Replica(worker),
        Conclusion,
    }
);

/// The fingerprints of a boundary and of the epoch before it.
#[derive(Debug, Clone, Default)]
pub(crate) struct BoundaryFingerprint {
    pub(crate) epoch: u64,
    /// Changes in their order, then the parts, each kind by number.
    pub(crate) parts: Vec<(Component, u64)>,
}

/// Returns the fingerprint of bytes.
pub(crate) fn fingerprint(bytes: &[u8]) -> u64 {
    let words = bytes.chunks_exact(8);
    let rest = words.remainder().iter().fold(1, |rest, &byte| rest << 8 | u64::from(byte));
    let word = |word: &[u8]| word.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
    let sum = words.fold(bytes.len() as u64, |sum, bytes| splitmix64(sum ^ word(bytes)));
    splitmix64(sum ^ rest)
}

/// Returns the fingerprint of a value.
pub(crate) fn fingerprint_of<T: State>(value: &T) -> u64 {
    fingerprint(&to_bytes(value))
}

/// Returns two workers whose replicas differ, if there are any.
pub(crate) fn unequal_replicas(fingerprints: &[(Component, u64)]) -> Option<(u32, u32)> {
    let replicas = fingerprints.iter().filter_map(|&(part, fingerprint)| match part {
        Component::Replica(worker) => Some((worker, fingerprint)),
        _ => None,
    });
    let mut replicas: Vec<(u32, u64)> = replicas.collect();
    replicas.sort_unstable();
    let &(first, fingerprint) = replicas.first()?;
    replicas.iter().find(|&&(_, other)| other != fingerprint).map(|&(worker, _)| (first, worker))
}
