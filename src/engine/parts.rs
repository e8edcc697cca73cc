//! [`Parts`]: the input of a run, and [`Outcome`]: its result.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::base::digest::hex;
use crate::base::state::to_bytes;
use crate::program::Program;
use crate::run::fingerprints::BoundaryFingerprint;
use crate::run::record::{EpochRecord, RunReport};
use crate::run::saved_state::{pinned_state, shard_state};

/// Everything that a run trains on and trains, before and after it.
pub struct Parts<P: Program> {
    /// The shards, in shard order. Their number is fixed by the data, never by the workers.
    pub shards: Vec<P::Shard>,
    /// The travelling blocks, in block order; none if the program has none.
    pub blocks: Vec<P::Block>,
    /// The block that stays where rounds are aggregated.
    pub pinned: P::Pinned,
    /// The replica, of which every worker has a copy.
    pub replica: P::Replica,
}

impl<P: Program<Pinned = ()>> Parts<P> {
    /// Shards and a replica, for programs without blocks.
    pub fn new(shards: Vec<P::Shard>, replica: P::Replica) -> Self {
        Self { shards, blocks: Vec::new(), pinned: (), replica }
    }

    /// Adds travelling blocks.
    pub fn blocks(mut self, blocks: Vec<P::Block>) -> Self {
        self.blocks = blocks;
        self
    }
}

/// Result of a run.
pub struct Outcome<P: Program> {
    /// Shards, blocks and replica as the last boundary left them.
    pub parts: Parts<P>,
    /// Counts and measurements of the run.
    pub report: RunReport,
    /// One record for each boundary: the one before the first epoch, and one after each.
    pub trace: Vec<EpochRecord>,
    pub(crate) program: Arc<P>,
    /// Fingerprints of the boundaries, in a run that is compared with another.
    pub(crate) fingerprints: Vec<BoundaryFingerprint>,
    /// Seconds before the first generation; zeros in a run on one process.
    #[doc(hidden)]
    pub preparation: PreparationSeconds,
    /// Seconds in which the run was held at its boundaries.
    #[doc(hidden)]
    pub held: f64,
}

/// Seconds of a process among several before its first generation.
#[derive(Debug, Clone, Copy, Default)]
pub struct PreparationSeconds {
    /// Seconds until all other processes were ready.
    pub awaited: f64,
    /// Seconds in which the parts placed here were made.
    pub made: f64,
}

impl<P: Program> Outcome<P> {
    /// SHA-256, as 64 hexadecimal digits, over the result of the run: the learned state of each shard and of
    /// the pinned block ([`Program::save_state`], [`Program::save_pinned`]), the blocks and the replica.
    /// Equal for any number of workers, and through every rescale, checkpoint and resume.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        self.each_part(|_, bytes| {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        });
        hex(&hash.finalize())
    }

    /// Calls `add` with the name and the bytes of each part of the result.
    fn each_part(&self, mut add: impl FnMut(String, &[u8])) {
        let Parts { shards, blocks, pinned, replica } = &self.parts;
        for (number, shard) in (0..).zip(shards) {
            add(format!("shard {number}"), &shard_state(&*self.program, number, shard));
        }
        for (number, block) in blocks.iter().enumerate() {
            add(format!("block {number}"), &to_bytes(block));
        }
        add("the pinned block".into(), &pinned_state(&*self.program, pinned));
        add("the replica".into(), &to_bytes(replica));
    }

    /// Name of the first part that differs from that of another run with as many parts.
    pub(crate) fn first_difference(&self, other: &Self) -> Option<String> {
        let parts = |of: &Self| {
            let mut parts = Vec::new();
            of.each_part(|name, bytes| parts.push((name, bytes.to_vec())));
            parts
        };
        let differ = parts(self).into_iter().zip(parts(other)).find(|(one, other)| one != other);
        differ.map(|((name, _), _)| name)
    }
}
