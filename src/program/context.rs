//! Arguments of a program's verbs: [`TaskOf`], [`BlockTaskOf`], [`Aggregate`], [`Evaluate`] and [`Conclude`].

use super::partials::Partials;
use super::{Boundary, Program, Round, Task};

/// A task and the state it works on, for [`Update::update`](crate::Update::update).
pub struct TaskOf<'a, P: Program> {
    /// The task: where and when it runs, its phase, and the variables to update.
    pub task: &'a Task<P::Phase>,
    /// The shard `task.shard`, of which no other task runs.
    pub shard: &'a mut P::Shard,
    /// The worker's copy of the replica, as the commits that this round reads have left it.
    pub replica: &'a P::Replica,
}

/// A task and the state it works on, for [`UpdateBlock::update_block`](crate::UpdateBlock::update_block).
pub struct BlockTaskOf<'a, P: Program> {
    /// The task: where and when it runs, and its phase.
    pub task: &'a Task<P::Phase>,
    /// The shard `task.shard`, of which no other task runs.
    pub shard: &'a mut P::Shard,
    /// Number of the block, which counts from 0: that of `task.block`.
    pub number: u32,
    /// The block, which no other task of the round touches.
    pub block: &'a mut P::Block,
    /// The worker's copy of the replica, as the commits that this round reads have left it.
    pub replica: &'a P::Replica,
}

/// A round whose tasks are done, for [`Program::aggregate`].
pub struct Aggregate<'a, P: Program> {
    /// The round, as it was handed out; of a plan that is aggregated once, its last one.
    pub round: &'a Round<P::Phase>,
    /// The pinned block, as the rounds before have left it.
    pub pinned: &'a mut P::Pinned,
    /// One partial for each of the round's tasks, in shard order; of a plan that is aggregated once, one for
    /// each shard. One in all where they are merged ([`Merge`](crate::Merge)), and those of a sufficient set
    /// of shards where a round may end before all have answered ([`Enough`](crate::Enough)).
    pub partials: Partials<P::Partial>,
}

/// A shard at a boundary, for [`Program::evaluate`].
pub struct Evaluate<'a, P: Program> {
    /// The boundary.
    pub boundary: Boundary,
    /// Number of the shard, which counts from 0.
    pub number: u32,
    /// The shard.
    pub shard: &'a mut P::Shard,
    /// The worker's copy of the replica, with all commits of the epoch.
    pub replica: &'a P::Replica,
}

/// A boundary whose shards are evaluated, for [`Program::conclude`].
pub struct Conclude<'a, P: Program> {
    /// The boundary.
    pub boundary: Boundary,
    /// The pinned block, as the epoch's rounds have left it.
    pub pinned: &'a mut P::Pinned,
    /// The replica, with all commits of the epoch.
    pub replica: &'a P::Replica,
    /// One partial for each shard, in shard order: the results of [`Program::evaluate`]. One in all where
    /// they are merged ([`Merge`](crate::Merge)).
    pub partials: Partials<P::Partial>,
}
