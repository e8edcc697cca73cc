//! [`LocalState`]: the part of a run that one process holds between generations; and [`GenerationResult`]:
//! the result of a generation.

use std::time::Instant;

use crate::program::Program;
use crate::program::shard::Shard;
use crate::run::hub::{GenerationTotals, HubState};

/// Shards and blocks by number, `None` for those of another process.
pub(crate) struct LocalState<P: Program> {
    pub(crate) shards: Vec<Option<P::Shard>>,
    pub(crate) blocks: Vec<Option<P::Block>>,
    pub(crate) replica: P::Replica,
}

/// All shards and blocks of a run, or those that stay in a process.
pub(crate) struct WholeState<P: Program> {
    pub(crate) shards: Vec<P::Shard>,
    pub(crate) blocks: Vec<P::Block>,
    pub(crate) replica: P::Replica,
}

impl<P: Program> From<WholeState<P>> for LocalState<P> {
    fn from(held: WholeState<P>) -> Self {
        let WholeState { shards, blocks, replica } = held;
        let (shards, blocks) = (shards.into_iter().map(Some), blocks.into_iter().map(Some));
        Self { shards: shards.collect(), blocks: blocks.collect(), replica }
    }
}

impl<P: Program> LocalState<P> {
    /// Returns the whole state; `None` if another process holds a part of it. Shards that stay where they are
    /// are those here.
    pub(crate) fn whole(self) -> Option<WholeState<P>> {
        let Self { shards, blocks, replica } = self;
        let is_due = |shard: &Option<P::Shard>| shard.is_some() || !P::Shard::STAYS;
        let shards = shards.into_iter().filter(is_due).collect::<Option<Vec<_>>>()?;
        let blocks = blocks.into_iter().collect::<Option<Vec<_>>>()?;
        Some(WholeState { shards, blocks, replica })
    }
}

/// Result of a generation. While the generation runs, these are slots for its state: a slot is empty from
/// when its worker takes the state until it puts the state back.
pub(crate) struct GenerationResult<P: Program> {
    pub(crate) local: LocalState<P>,
    /// The hub's state, in the process of the first worker.
    pub(crate) hub: Option<HubState<P>>,
    pub(crate) began: Option<Instant>,
    /// Epochs completed when the generation started.
    pub(crate) epoch: u64,
    pub(crate) ended: GenerationTotals,
}
