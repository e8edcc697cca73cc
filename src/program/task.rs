//! [`Task`]: work of one shard in one round.

use std::fmt::Debug;

use crate::base::random::Stream;
use crate::base::state::State;

/// Purpose of a round, by which a program tells rounds apart: any type with these traits.
///
/// A phase travels with every task of its round, by pointer within a process if it holds large values in an
/// `Arc`.
pub trait Phase: State + Clone + Debug + Sync {}

impl<T: State + Clone + Debug + Sync> Phase for T {}

/// Work that one shard is asked to do in one round.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Task<F = ()> {
    /// The epoch, counted from 0 over the whole run.
    pub epoch: u64,
    /// The round, counted from 0 within the epoch.
    pub round: u64,
    /// Purpose of the round.
    pub phase: F,
    /// The shard.
    pub shard: u32,
    /// The block that meets the shard, if one does.
    pub block: Option<u32>,
    /// The variables to update, in the order chosen by the schedule.
    pub variables: Vec<u32>,
}

crate::state!(Task<F> { epoch, round, phase, shard, block, variables });

impl<F: Default> Task<F> {
    /// Makes a task to update these variables, in this order, in epoch 0 on shard 0: for a verb that calls
    /// another, such as an [`evaluate`](crate::Program::evaluate) that needs the partial of an
    /// [`update`](crate::Update::update).
    pub fn of(variables: impl IntoIterator<Item = u32>) -> Self {
        Self { variables: variables.into_iter().collect(), ..Self::default() }
    }
}

impl<F> Task<F> {
    /// Returns the positions of the variables in a shard whose variables are numbered from `first` on,
    /// without a gap.
    pub fn positions(&self, first: u32) -> impl Iterator<Item = usize> {
        self.variables.iter().map(move |&variable| (variable - first) as usize)
    }

    /// Returns the stream of random numbers of this task. The stream is named by seed, epoch, round, shard
    /// and block, so that it is the same on any worker.
    pub fn stream(&self, seed: u64) -> Stream {
        let block = self.block.map_or(u64::MAX, u64::from);
        Stream::new(&[seed, self.epoch, self.round, u64::from(self.shard), block])
    }
}
