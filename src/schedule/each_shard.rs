//! [`EachShard`]: every shard, every round.

use super::{Outlook, Plan, Round, Schedule};
use crate::state::{Reader, StateError, Writer};

/// Asks every shard in every round, naming no variables: for full gradients, statistics, and work without training.
///
/// ```
/// use raddle::schedule::EachShard;
/// let halves = EachShard::new(2).then(1); // an epoch is a round of kind 0 and one of kind 1
/// ```
#[derive(Debug, Clone)]
pub struct EachShard {
    shards: u32,
    kinds: Vec<u32>,
}

impl EachShard {
    /// One round of kind 0 an epoch, with the shards `0..shards`.
    pub fn new(shards: u32) -> Self {
        Self { shards, kinds: vec![0] }
    }

    /// Follows each epoch's rounds by another one of this kind.
    pub fn then(mut self, kind: u32) -> Self {
        self.kinds.push(kind);
        self
    }
}

impl Schedule for EachShard {
    fn identity(&self) -> String {
        format!("each of {} shards, kinds {:?}", self.shards, self.kinds)
    }

    fn check(&self, shards: usize, _: usize) -> Result<(), String> {
        super::check_shards(self.shards, shards)
    }

    fn begin_epoch(&mut self, _: &Outlook) -> Plan {
        let round = |&kind: &u32| Round::to_shards(kind, 0..self.shards);
        Plan::Known(self.kinds.iter().map(round).collect())
    }

    fn save(&self, _: &mut Writer) {}

    fn load(&mut self, _: &mut Reader<'_>) -> Result<(), StateError> {
        Ok(())
    }
}
