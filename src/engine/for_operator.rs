//! A run as an operator in another dataflow: one generation, whose workers that dataflow fixes.

use std::sync::Arc;
use std::time::Instant;

use super::{Engine, LazyParts};
use crate::base::error::EngineError;
use crate::cluster::plan::{GenerationPlan, Participant};
use crate::generation::Generation;
use crate::program::Program;
use crate::run::hub::HubState;
use crate::run::local_state::WholeState;

impl<P: Program> Engine<P> {
    /// Makes all parts of the engine, if its settings suit an operator.
    ///
    /// # Errors
    /// If a setting makes no sense there.
    pub(crate) fn for_operator(mut self) -> Result<Self, EngineError> {
        let elsewhere =
            !self.settings.rescale.is_empty() || self.checkpoint.is_some() || self.resume.is_some();
        if elsewhere {
            let why =
                "an operator can neither rescale nor checkpoint: the dataflow around it fixes its workers";
            return Err(EngineError::Setting(why.into()));
        }
        self.check()?;
        let LazyParts { shards, blocks, pinned, replica } = self.parts;
        let (shards, blocks) = (shards.all("shard")?.into(), blocks.all("block")?.into());
        self.parts = LazyParts { shards, blocks, pinned, replica };
        Ok(self)
    }

    /// Makes the only generation of an operator.
    pub(crate) fn into_generation(self, workers: usize) -> Generation<P> {
        let Self { program, schedule, parts, costs, mut settings, observer, .. } = self;
        let LazyParts { shards, blocks, pinned, replica } = parts;
        let (shards, blocks) = (shards.there(), blocks.there());
        let costs = costs.unwrap_or_else(|| vec![1; shards.len()]);
        (settings.workers, settings.started) = (workers, Instant::now());
        let (held, hub) =
            (WholeState { shards, blocks, replica }, HubState::new(pinned, schedule, settings.staleness));
        let (position, asked) =
            (Participant { id: 0, address: String::new(), capacity: 1 }, (workers as u64, workers as u32));
        let mut plan =
            GenerationPlan::new(1, vec![position], asked, &costs, held.blocks.len() as u32, None, None);
        // The threads are those of the surrounding dataflow, which may be more than the shards.
        plan.threads = workers as u32;
        Generation::new(program, Arc::new(settings), plan.layout(0), held.into(), Some(hub), observer)
            .into_operators()
    }
}
