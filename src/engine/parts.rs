//! [`Parts`]: what goes into a run, and [`Outcome`]: what comes out.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::base::state::to_bytes;
use crate::program::Program;
use crate::run::fingerprints::BoundaryFingerprint;
use crate::run::record::{EpochRecord, RunReport};
use crate::run::saved_state::{pinned_state, shard_state};

/// Everything a run trains on and trains: what goes in, and what comes out.
pub struct Parts<P: Program> {
    /// The shards, in shard order. How many there are is fixed by the data, never by the workers.
    pub shards: Vec<P::Shard>,
    /// The travelling blocks, in block order; none if the program has none.
    pub blocks: Vec<P::Block>,
    /// The block that stays where rounds are aggregated.
    pub pinned: P::Pinned,
    /// What every worker keeps a copy of.
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

/// What a run leaves behind.
pub struct Outcome<P: Program> {
    /// Shards, blocks and replica as the last boundary left them.
    pub parts: Parts<P>,
    /// What was counted and measured.
    pub report: RunReport,
    /// A record an epoch, the boundary before the first included.
    pub trace: Vec<EpochRecord>,
    pub(crate) program: Arc<P>,
    /// Fingerprints of the boundaries, in a run that is compared with another.
    pub(crate) fingerprints: Vec<BoundaryFingerprint>,
    /// What came before the first generation; zeros in a run on one process.
    pub(crate) beginning: PreparationSeconds,
}

/// Seconds of a process among several before its first generation.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PreparationSeconds {
    /// Until all others were as far.
    pub(crate) awaited: f64,
    /// While what is placed here was made.
    pub(crate) made: f64,
}

impl<P: Program> Outcome<P> {
    /// SHA-256 in hexadecimal over everything that the run leaves behind: what each shard and the pinned block have learned
    /// ([`Program::save_state`], [`Program::save_pinned`]), the blocks and the replica. Equal for any number of workers, and
    /// through every rescale, checkpoint and resume.
    pub fn digest(&self) -> String {
        let Parts { shards, blocks, pinned, replica } = &self.parts;
        let mut hash = Sha256::new();
        let mut add = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        (0..).zip(shards).for_each(|(number, shard)| add(&shard_state(&*self.program, number, shard)));
        blocks.iter().for_each(|block| add(&to_bytes(block)));
        add(&pinned_state(&*self.program, pinned));
        add(&to_bytes(replica));
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
