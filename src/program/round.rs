//! [`Round`]: tasks that may run at the same time, and [`Candidates`] for one.

use super::task::{Phase, Task};
use crate::base::state::{Reader, State, StateError, Writer};

/// Variables that a schedule asks the program to relate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Candidates<F = ()> {
    /// Purpose, handed to the program, which may relate in more than one way.
    pub phase: F,
    /// The variables, most important first.
    pub variables: Vec<u32>,
    /// Owners of the variables: (shard, the positions in `variables` that live there), by shard.
    pub owners: Vec<(u32, Vec<u32>)>,
}

/// Tasks that may run at the same time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Round<F = ()> {
    /// Purpose of the round.
    pub phase: F,
    /// Tasks, at most one for each shard, in shard order.
    pub tasks: Vec<Assignment>,
    /// Number of rounds that may be asked for after this one before it is committed; `None` for the run's
    /// [`staleness`](crate::Engine::staleness), which it must not exceed.
    pub lag: Option<u32>,
}

/// Task of one shard in a round.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assignment {
    /// The shard.
    pub shard: u32,
    /// The block that meets it, if one does.
    pub block: Option<u32>,
    /// The variables to update.
    pub variables: Vec<u32>,
}

crate::state!(Assignment { shard, block, variables });

/// The bytes of phase and tasks: the lag stays where rounds are handed out.
impl<F: State> State for Round<F> {
    fn save(&self, out: &mut Writer) {
        self.phase.save(out);
        self.tasks.save(out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        Ok(Self::new(from.read()?, from.read()?))
    }
}

impl<F> Round<F> {
    /// Makes a round of these tasks.
    pub fn new(phase: F, tasks: Vec<Assignment>) -> Self {
        Self { phase, tasks, lag: None }
    }

    /// Makes a round with a task for each of these shards, without variables.
    pub fn to_shards(phase: F, shards: impl IntoIterator<Item = u32>) -> Self {
        let tasks = shards.into_iter().map(|shard| Assignment { shard, block: None, variables: Vec::new() });
        Self::new(phase, tasks.collect())
    }

    /// Returns the number of variables that the round names.
    pub fn variables(&self) -> usize {
        self.tasks.iter().map(|task| task.variables.len()).sum()
    }

    /// Returns the task of one assignment of this round.
    pub(crate) fn task(&self, position: usize, epoch: u64, round: u64) -> Task<F>
    where
        F: Phase,
    {
        self.tasks[position].clone().task(&self.phase, epoch, round)
    }
}

impl Assignment {
    /// Makes the assignment a task of this round.
    pub(crate) fn task<F: Phase>(self, phase: &F, epoch: u64, round: u64) -> Task<F> {
        let Self { shard, block, variables } = self;
        Task { epoch, round, phase: phase.clone(), shard, block, variables }
    }
}
