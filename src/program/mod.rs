//! [`Program`]: the mathematics of one algorithm, which knows no threads, no workers and no clock.

pub(crate) mod context;
mod define;
mod dependencies;
pub(crate) mod merge;
pub mod partials;
pub(crate) mod restore;
mod round;
pub(crate) mod shard;
mod task;
pub(crate) mod verbs;
pub(crate) mod verdict;

pub use self::dependencies::Dependencies;
pub use self::round::{Assignment, Candidates, Round};
pub use self::task::{Phase, Task};

use crate::base::state::{Learned, Reader, State, StateError, Writer};
use crate::program::context::{Aggregate, Conclude, Evaluate};
use crate::program::shard::Shard;
use crate::program::verbs::Verbs;
use crate::program::verdict::Verdict;

/// A model-parallel algorithm as a few verbs over shards, blocks and replicas.
///
/// | type | what it is | who holds it |
/// |---|---|---|
/// | [`Shard`](Program::Shard) | a piece of the training data with its solver state | one worker |
/// | [`Block`](Program::Block) | model variables that travel from shard to shard | the worker where it is |
/// | [`Pinned`](Program::Pinned) | the one block that stays where rounds are aggregated | the first worker |
/// | [`Replica`](Program::Replica) | small state of which every worker keeps an equal copy | every worker |
/// | [`Partial`](Program::Partial) | what a shard answers | travels to where rounds are aggregated |
/// | [`Change`](Program::Change) | an aggregated update, made visible by a commit | travels to every worker |
/// | [`Phase`](Program::Phase) | what a round is for | travels with its tasks |
///
/// [`program!`](crate::program!) names them, and leaves those that an algorithm does not need to be `()`.
/// A round runs [`Update`](crate::Update) (or, where it brings blocks,
/// [`UpdateBlock`](crate::UpdateBlock)) on its shards, [`aggregate`](Program::aggregate) on their partials
/// *in shard order*, and [`commit`](Program::commit) everywhere. Further verbs, which only some schedules
/// require, have traits of their own, as have [`Merge`](crate::Merge), which makes one of the partials of
/// neighbouring shards, and [`Enough`](crate::Enough), by which a round does not wait for all of them;
/// [`verbs`](Program::verbs) names those that the program has. At a boundary,
/// [`evaluate`](Program::evaluate) runs on every shard and [`conclude`](Program::conclude) on their
/// partials. None of them may read a clock, a thread or a random source other than a
/// [`Stream`](crate::random::Stream) named by the fields of the [`Task`], such as [`Task::stream`]: then
/// the model's bytes depend on the data, the program, the schedule and the seed, and on nothing else.
pub trait Program: Sized + Send + Sync + 'static {
    /// A piece of the training data with its solver state: a [`State`], or a
    /// [`PinnedShard`](crate::PinnedShard).
    type Shard: Shard;
    /// Model variables that travel from shard to shard.
    type Block: State;
    /// The block that stays where rounds are aggregated.
    type Pinned: State;
    /// Small state of which every worker keeps a copy.
    type Replica: State + Clone;
    /// Answer of a shard.
    type Partial: State;
    /// An aggregated update.
    type Change: State + Sync;
    /// Purpose of a round: `()` where all are alike, else an enum. A phase may carry values to the tasks of
    /// its round.
    type Phase: Phase;

    /// Returns the verbs that the program has in addition to those here, such as `Verbs::new().update()`:
    /// [`program!`](crate::program!) writes them. A run under a schedule that asks for more is refused.
    fn verbs() -> Verbs<Self>;

    /// Returns when an aggregated change becomes visible; [`Visibility::EachRound`] unless overridden.
    fn visibility(&self) -> Visibility {
        Visibility::EachRound
    }

    /// `true` if no epoch can worsen the objective, because the program compares before it steps; false
    /// unless overridden. The guard then keeps no boundaries to return to, which saves a copy of the learned
    /// state of every shard and of the pinned block in each epoch.
    fn is_monotone(&self) -> bool {
        false
    }

    /// `true` if tasks of this phase, or with `None` the boundary's [`evaluate`](Program::evaluate), only
    /// measure the model: their seconds are then counted separately from those of the training. False unless
    /// overridden.
    fn is_evaluation(&self, phase: Option<&Self::Phase>) -> bool {
        let _ = phase;
        false
    }

    /// Completes a phase before its round is handed out: values that the pinned block has for the tasks, such
    /// as an intermediate result of the round before, go into the phase and to this round's shards, and
    /// nowhere else. The pinned block is as the rounds whose commits the round reads have left it: exactly
    /// those, on any number of workers. Nothing unless overridden.
    fn prepare(&self, phase: &mut Self::Phase, pinned: &Self::Pinned) {
        let _ = (phase, pinned);
    }

    /// Decides the new value from the partials of a round. Rounds are aggregated in the order of their
    /// commits, in which they were handed out unless some have a lag of their own. Workers wait meanwhile:
    /// much work may be divided among them, as that of [`relate`](crate::Relate::relate) and
    /// [`conclude`](Program::conclude), by [`fork_join`](crate::fork_join). A `Partial` of several kinds is
    /// taken apart by [`answers!`](crate::answers!).
    fn aggregate(&self, at: Aggregate<'_, Self>) -> Self::Change;

    /// Makes a change visible in a worker's replica, and nothing else: nothing else may change a replica.
    fn commit(&self, change: &Self::Change, replica: &mut Self::Replica);

    /// Makes a change visible in a shard; called for every shard. Nothing unless overridden.
    fn commit_shard(&self, change: &Self::Change, number: u32, shard: &mut Self::Shard) {
        let _ = (change, number, shard);
    }

    /// Reports the step of each variable to the schedule, by a call of `tell(variable, distance moved)`.
    fn deltas(&self, change: &Self::Change, tell: &mut dyn FnMut(u32, f64)) {
        let _ = (change, tell);
    }

    /// Measures a shard at a boundary: its part of the metric and the objective.
    fn evaluate(&self, at: Evaluate<'_, Self>) -> Self::Partial;

    /// Concludes a boundary from the shards' partials of [`evaluate`](Program::evaluate).
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Self::Change>;

    /// Writes the learned state of a shard, without the data it was made from: the form that checkpoints and
    /// the guard keep. To another process a shard crosses whole, as its [`State`]. The default writes the
    /// shard whole here, too.
    fn save_state(&self, shard: &Self::Shard, out: &mut Learned<Writer>) {
        shard.save_learned(out.whole());
    }

    /// Reads the form that [`save_state`](Program::save_state) wrote. A checkpoint is read into a shard that
    /// was made again from the same data; the guard reads into the shard itself, after some more epochs.
    ///
    /// # Errors
    /// If the bytes do not describe such a shard.
    fn load_state(&self, shard: &mut Self::Shard, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        shard.load_learned(from.whole())
    }

    /// Writes the learned state of the pinned block, without all that follows from data and state: the form
    /// that checkpoints keep. [`RestoreByShard`](crate::RestoreByShard) restores the rest from the shards. To
    /// another process, which may never make the shards, the block crosses whole, as its [`State`]; the guard
    /// keeps it whole, too. The default writes it whole here as well.
    fn save_pinned(&self, pinned: &Self::Pinned, out: &mut Learned<Writer>) {
        pinned.save(out.whole());
    }

    /// Reads the form that [`save_pinned`](Program::save_pinned) wrote into a pinned block as a run begins
    /// with it.
    ///
    /// # Errors
    /// If the bytes do not describe such a block.
    fn load_pinned(
        &self,
        pinned: &mut Self::Pinned,
        from: &mut Learned<Reader<'_>>,
    ) -> Result<(), StateError> {
        *pinned = Self::Pinned::load(from.whole())?;
        Ok(())
    }

    /// Drops all of a shard that the model does not need, such as its data, when a run on several processes
    /// is over: the first one gets the shards of all. The default keeps all. A run on one process keeps them
    /// as they are.
    fn drop_training_data(&self, shard: &mut Self::Shard) {
        let _ = shard;
    }

    /// Drops all of a block that the model does not need, when a run on several processes is over: such as
    /// capacity that will not be filled any more. The default keeps all.
    fn shrink_to_model(&self, block: &mut Self::Block) {
        let _ = block;
    }
}

/// Moment when the changes of an epoch become visible in the replicas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// Each round reads the commits of the rounds before it (less the staleness), so it waits for them.
    EachRound,
    /// Changes become visible only at the boundary, so no round waits for another: a rotation without
    /// barriers. A plan that is known for the whole epoch is then aggregated once, with its last round, from
    /// the folded partials of each shard; the schedule learns nothing from it.
    AtBoundary,
}

/// Progress of a run when a boundary is concluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Boundary {
    /// Epochs completed so far; 0 at the boundary before the first.
    pub epoch: u64,
    /// Number of shards of the run.
    pub shards: u32,
}

crate::state!(Boundary { epoch, shards });
