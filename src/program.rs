//! [`Program`]: the mathematics of one algorithm, which knows no threads, no workers and no clock.

use crate::random::Stream;
use crate::schedule::{Dependencies, Round};
use crate::state::{Reader, State, StateError, Writer};
use crate::verdict::Verdict;

/// A model-parallel algorithm as a few verbs over shards, blocks and replicas.
///
/// | type | what it is | who holds it |
/// |---|---|---|
/// | [`Shard`](Program::Shard) | a piece of the training data with the solver state that belongs to it | the worker it is placed on |
/// | [`Block`](Program::Block) | model variables that travel from shard to shard | the worker where they are |
/// | [`Pinned`](Program::Pinned) | the one block that stays where rounds are aggregated | the first worker |
/// | [`Replica`](Program::Replica) | small state of which every worker keeps an equal copy | every worker |
/// | [`Partial`](Program::Partial) | what a shard answers | travels to where rounds are aggregated |
/// | [`Change`](Program::Change) | an aggregated update, made visible by a commit | travels to every worker |
///
/// Use `()` for what an algorithm does not need. A round runs
/// [`update`](Program::update) (or [`update_block`](Program::update_block)) on its shards,
/// [`aggregate`](Program::aggregate) on their partials *in shard order*, and
/// [`commit`](Program::commit) everywhere. At a boundary, [`certify`](Program::certify) runs on every shard and
/// [`conclude`](Program::conclude) on the answers. None of them may read a clock, a thread or a random source
/// other than a [`Stream`] named by what is in the [`Task`], such as [`Task::stream`]: then the model's bytes
/// depend on the data, the program, the schedule and the seed, and on nothing else.
pub trait Program: Send + Sync + 'static {
    /// A piece of the training data with its solver state.
    type Shard: State;
    /// Model variables that travel from shard to shard.
    type Block: State;
    /// The block that stays where rounds are aggregated.
    type Pinned: State;
    /// Small state of which every worker keeps a copy.
    type Replica: State + Clone;
    /// What a shard answers.
    type Partial: State;
    /// An aggregated update.
    type Change: State + Sync;

    /// When an aggregated change becomes visible; [`Visibility::EachRound`] unless overridden.
    fn visibility(&self) -> Visibility {
        Visibility::EachRound
    }

    /// Whether no epoch can worsen the objective, because the program compares before it steps; false unless overridden.
    /// The guard then keeps no boundaries to return to, which saves a copy of what every shard learned and of the
    /// pinned block in each epoch.
    fn is_monotone(&self) -> bool {
        false
    }

    /// Whether tasks of this kind, or with `None` the boundary's [`certify`](Program::certify), only measure the model:
    /// their seconds are then told apart from those of the training. False unless overridden.
    fn measures(&self, kind: Option<u32>) -> bool {
        let _ = kind;
        false
    }

    /// Updates the shard's variables named by the task, where the shard lives. Tasks of one round read the same
    /// replica and may run at the same time.
    fn update(&self, task: &Task, shard: &mut Self::Shard, replica: &Self::Replica) -> Self::Partial {
        let _ = (shard, replica);
        panic!(
            "round {} asks shard {} to update variables, but the program has no `update`",
            task.round, task.shard
        )
    }

    /// Updates a travelling block together with a shard. No other task of the round touches either.
    fn update_block(
        &self,
        task: &Task,
        shard: &mut Self::Shard,
        block: &mut Self::Block,
        replica: &Self::Replica,
    ) -> Self::Partial {
        let _ = (shard, block, replica);
        panic!(
            "round {} brings shard {} a block, but the program has no `update_block`",
            task.round, task.shard
        )
    }

    /// Merges a shard's next partial into those it gave earlier in the epoch. Needed where changes become visible at the
    /// boundary, a shard has more than one task an epoch, and there is something in a partial.
    fn fold(&self, so_far: &mut Self::Partial, next: Self::Partial) {
        let _ = (so_far, next);
        assert!(
            size_of::<Self::Partial>() == 0,
            "a shard gives more than one answer before the boundary, but the program has no `fold` that merges them"
        )
    }

    /// The part of the candidates' description that this shard owns, for [`relate`](Program::relate): say, their
    /// columns. `task.variables` are the candidates that live here. Schedules remember what ties a pair together, so
    /// describe what does not change: data, not solver state.
    fn gather(&self, task: &Task, shard: &Self::Shard) -> Self::Partial {
        let _ = shard;
        panic!(
            "the schedule asks shard {} what ties variables together, but the program has no `gather`",
            task.shard
        )
    }

    /// What ties candidates together: a round of its own, between proposing and deciding. `pieces` are the
    /// answers of [`gather`](Program::gather), in shard order; the result speaks of positions in `candidates`. What
    /// ties a pair together may not depend on which other candidates are asked about.
    fn relate(&self, kind: u32, candidates: &[u32], pieces: Vec<(u32, Self::Partial)>) -> Dependencies {
        let _ = (kind, pieces);
        Dependencies::none(candidates.len())
    }

    /// Decides the new value from the partials, given in shard order as (shard, partial). Rounds are aggregated
    /// in the order in which they were handed out. Workers wait meanwhile: much work may be shared out among them, as
    /// that of [`relate`](Program::relate) and [`conclude`](Program::conclude), by [`hands`](crate::hands).
    fn aggregate(
        &self,
        round: &Round,
        pinned: &mut Self::Pinned,
        partials: Vec<(u32, Self::Partial)>,
    ) -> Self::Change;

    /// Makes a change visible in a worker's replica, and nothing else: nothing else may change a replica.
    fn commit(&self, change: &Self::Change, replica: &mut Self::Replica);

    /// Makes a change visible in a shard; called for every shard. Nothing unless overridden.
    fn commit_shard(&self, change: &Self::Change, number: u32, shard: &mut Self::Shard) {
        let _ = (change, number, shard);
    }

    /// Tells the schedule how far each variable moved, as (variable, how far).
    fn moved(&self, change: &Self::Change, tell: &mut dyn FnMut(u32, f64)) {
        let _ = (change, tell);
    }

    /// The shard's share of what is measured at a boundary.
    fn certify(&self, number: u32, shard: &mut Self::Shard, replica: &Self::Replica) -> Self::Partial;

    /// Concludes a boundary from the shards' shares, given in shard order as (shard, share).
    fn conclude(
        &self,
        boundary: &Boundary,
        pinned: &mut Self::Pinned,
        replica: &Self::Replica,
        shares: Vec<(u32, Self::Partial)>,
    ) -> Verdict<Self::Change>;

    /// Writes what the shard has learned, without the data it was made from. The default writes the shard whole.
    fn remember(&self, shard: &Self::Shard, out: &mut Writer) {
        shard.save(out);
    }

    /// Brings back what [`remember`](Program::remember) wrote into a shard made from the same data.
    ///
    /// # Errors
    /// If the bytes do not describe such a shard.
    fn recall(&self, shard: &mut Self::Shard, from: &mut Reader<'_>) -> Result<(), StateError> {
        *shard = Self::Shard::load(from)?;
        Ok(())
    }

    /// Checks what a checkpoint gave back against this program, its data and itself, and makes anew what its bytes leave
    /// out because data and state give it back bit for bit, such as a matrix of products. The hash of a checkpoint only
    /// says that its bytes are whole; lengths, and numbers that name rows, are checked here, once, so that no verb meets
    /// others. Nothing is checked unless overridden.
    ///
    /// # Errors
    /// If something does not fit: the run is then refused.
    fn restored(&self, run: Restored<'_, Self>) -> Result<(), StateError>
    where
        Self: Sized,
    {
        let _ = run;
        Ok(())
    }
}

/// What a checkpoint gave back, for [`Program::restored`].
pub struct Restored<'a, P: Program> {
    /// The boundary.
    pub boundary: Boundary,
    /// Whether it is as its conclusion left it: so where the guard had gone back. Else it is as it was before: it is
    /// certified and concluded next.
    pub is_concluded: bool,
    /// The shards, in their order, as [`recall`](Program::recall) made them.
    pub shards: &'a mut [P::Shard],
    /// The blocks, in their order.
    pub blocks: &'a mut [P::Block],
    /// The pinned block.
    pub pinned: &'a mut P::Pinned,
    /// The replica.
    pub replica: &'a mut P::Replica,
    /// The weights with which the schedule goes on; none before the conclusion.
    pub weights: &'a [(u32, f64)],
}

/// When the changes of an epoch become visible in the replicas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// Each round reads the commits of the rounds before it (less the staleness), so it waits for them.
    EachRound,
    /// Commits happen at the boundary alone, so no round waits for another: a rotation without barriers. A plan that
    /// is known for the whole epoch is then aggregated once, from each shard's folded partials, with an empty round;
    /// the schedule has nothing to learn from it.
    AtBoundary,
}

/// What one shard is asked to do in one round.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Task {
    /// The epoch, counted from 0 over the whole run.
    pub epoch: u64,
    /// The round, counted from 0 within the epoch.
    pub round: u64,
    /// Which of the program's kinds of rounds this is; 0 for programs that have one.
    pub kind: u32,
    /// The shard.
    pub shard: u32,
    /// The block that meets the shard, if one does.
    pub block: Option<u32>,
    /// The variables to update, in the order chosen by the schedule.
    pub variables: Vec<u32>,
}

crate::state!(Task { epoch, round, kind, shard, block, variables });

impl Task {
    /// The randomness of this task: the stream named by the seed and by where and when the task runs in the
    /// mathematics, the same on any worker.
    pub fn stream(&self, seed: u64) -> Stream {
        let block = self.block.map_or(u64::MAX, u64::from);
        Stream::new(&[seed, self.epoch, self.round, u64::from(self.shard), block])
    }
}

/// Where a run stands when a boundary is concluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Boundary {
    /// Epochs completed so far; 0 at the boundary before the first.
    pub epoch: u64,
    /// How many shards the run has.
    pub shards: u32,
}
