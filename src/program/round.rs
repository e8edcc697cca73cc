//! [`Round`]: tasks that may run at the same time, and [`Candidates`] for one.

use super::task::{Phase, Task};

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
crate::state!(Round<F> { phase, tasks });

impl<F> Round<F> {
    /// Makes a round with a task for each of these shards, without variables.
    pub fn to_shards(phase: F, shards: impl IntoIterator<Item = u32>) -> Self {
        let tasks = shards.into_iter().map(|shard| Assignment { shard, block: None, variables: Vec::new() });
        Self { phase, tasks: tasks.collect() }
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
