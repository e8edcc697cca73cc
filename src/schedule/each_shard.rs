//! [`EachShard`]: every shard, every round.

use super::{EpochStart, Plan, Round, Schedule};
use crate::base::state::{Reader, StateError, Writer};
use crate::program::Phase;
use crate::program::verbs::Verb;

/// Gives every shard a task in every round, without variables: for full gradients, statistics, and work
/// without training.
///
/// ```
/// use raddle::schedule::EachShard;
/// let gradients = EachShard::new(2); // an epoch is one round
/// let halves = EachShard::new(2).phase("users").then("items"); // an epoch is a round of each phase
/// ```
#[derive(Debug, Clone)]
pub struct EachShard<F = ()> {
    shards: u32,
    phases: Vec<F>,
}

impl EachShard {
    /// Makes a schedule of one round an epoch, with the shards `0..shards`.
    pub fn new(shards: u32) -> Self {
        Self { shards, phases: vec![()] }
    }
}

impl<F> EachShard<F> {
    /// Makes the rounds those of this phase, one an epoch.
    pub fn phase<G>(self, phase: G) -> EachShard<G> {
        EachShard { shards: self.shards, phases: vec![phase] }
    }

    /// Adds a round of this phase to the end of each epoch.
    pub fn then(mut self, phase: F) -> Self {
        self.phases.push(phase);
        self
    }
}

impl<F: Phase> Schedule<F> for EachShard<F> {
    fn identity(&self) -> String {
        format!("each of {} shards, phases {:?}", self.shards, self.phases)
    }

    fn requires(&self) -> Vec<Verb> {
        let fold = (self.phases.len() > 1).then_some(Verb::Fold);
        std::iter::once(Verb::Update).chain(fold).collect()
    }

    fn check(&self, shards: usize, _: usize) -> Result<(), String> {
        super::check_count("shards", self.shards, shards)
    }

    fn wanted(&self, _: &EpochStart) -> Option<u32> {
        Some(self.shards)
    }

    fn begin_epoch(&mut self, _: &EpochStart) -> Plan<F> {
        let round = |phase: &F| Round::to_shards(phase.clone(), 0..self.shards);
        Plan::Known(self.phases.iter().map(round).collect())
    }

    fn save(&self, _: &mut Writer) {}

    fn load(&mut self, _: &mut Reader<'_>) -> Result<(), StateError> {
        Ok(())
    }
}
