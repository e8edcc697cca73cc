//! Checkpoints of a process: writing its shards and blocks, and committing the change of a boundary.

use std::path::PathBuf;
use std::time::Duration;

use super::{Member, missing_state};
use crate::base::error::EngineError;
use crate::base::panic_context::{self, PanicContext};
use crate::base::state::from_bytes;
use crate::checkpoint::SubmittedParts;
use crate::cluster::HeldBoundary;
use crate::cluster::plan::GenerationPlan;
use crate::cluster::protocol::{CheckpointNeed, CheckpointResult, GenerationStart};
use crate::program::Program;
use crate::run::hub::{GenerationExit, HubState};
use crate::run::local_state::LocalState;
use crate::run::record::Ending;

impl<P: Program> Member<P> {
    /// Returns the need for a checkpoint of the boundary at which the generation ended.
    pub(super) fn checkpoint_need(&self, hub: &HubState<P>, exit: GenerationExit) -> CheckpointNeed {
        // A run that a limit or Ctrl-C ends can resume from its end, not only from the last multiple.
        let unfinished = matches!(exit, GenerationExit::Finished(Ending::Limit(_) | Ending::Interrupted));
        match &self.settings.checkpoints {
            Some((due, _)) if (unfinished || due.at(hub.progress.epoch)) => {
                if hub.unconcluded.is_some() {
                    CheckpointNeed::PartsWritten
                } else {
                    CheckpointNeed::PartsMissing
                }
            }
            _ => CheckpointNeed::None,
        }
    }

    /// Returns the folder that checkpoints are written to; `None` if none are.
    pub(crate) fn checkpoints(&self) -> Option<PathBuf> {
        Some(self.settings.checkpoints.as_ref()?.1.path().to_owned())
    }

    /// Returns names, lengths and digests of the parts of a checkpoint that this process has written. With
    /// `anew` the parts are written first, because the boundary has changed since, or the checkpoint was not
    /// foreseen.
    ///
    /// # Errors
    /// If program or schedule fail.
    pub(crate) fn submit_parts(&mut self, epoch: u64, anew: bool) -> Result<SubmittedParts, EngineError> {
        let Some((_, checkpoints)) = &self.settings.checkpoints else { return Ok(SubmittedParts::default()) };
        let LocalState { shards, blocks, replica } = self.local.as_ref().ok_or_else(missing_state)?;
        let written = panic_context::guarded(|| {
            if anew {
                checkpoints.give_up();
                let shards = (0..).zip(shards).filter_map(|(number, shard)| Some((number, shard.as_ref()?)));
                let blocks = (0..).zip(blocks).filter_map(|(number, block)| Some((number, block.as_ref()?)));
                checkpoints.write_parts(epoch, &*self.program, shards, blocks)?;
            }
            self.hub.as_ref().map_or(Ok(()), |hub| checkpoints.write_hub(&*self.program, replica, hub))
        });
        written.map_err(EngineError::Worker)?;
        Ok(checkpoints.submit_parts())
    }

    /// Prepares a generation: counts the last checkpoint, and commits the change of the boundary.
    pub(super) fn prepare(&mut self, start: &GenerationStart) -> Result<(), EngineError> {
        if let Some((due, checkpoints)) = &self.settings.checkpoints {
            checkpoints.begin_generation(start.plan.number);
            if let Some(checkpoint_result) = &start.checkpoint_result {
                due.note(if checkpoint_result.failed.is_none() {
                    seconds(checkpoint_result)
                } else {
                    Duration::ZERO
                });
            }
        }
        if self.hub.is_some()
            && let Some(checkpoint_result) = &start.checkpoint_result
        {
            let warner = self.warner.as_mut();
            match &checkpoint_result.failed {
                Some(why) => self.history.warn(why.clone(), warner),
                None => self.history.count_checkpoint(seconds(checkpoint_result), checkpoint_result.bytes),
            }
        }
        // A process that joins receives a replica and shards that include the change.
        self.commit(start.change.as_deref().filter(|_| start.plan.was_participant(self.index)))
    }

    /// Commits the change of a boundary's conclusion, which the first process has; the others get its bytes.
    pub(super) fn commit(&mut self, bytes: Option<&[u8]>) -> Result<(), EngineError> {
        let here = self.hub.as_mut().and_then(|hub| hub.unconcluded.take()).and_then(|before| before.change);
        if here.is_none() && bytes.is_none() {
            return Ok(());
        }
        let (program, local) = (&self.program, self.local.as_mut().ok_or_else(missing_state)?);
        let committed = panic_context::guarded(|| {
            let loaded = bytes.filter(|_| here.is_none()).map(|bytes| {
                PanicContext::verb("load of the change").enter();
                from_bytes::<P::Change>(bytes)
            });
            let loaded = loaded.transpose().map_err(|why| why.to_string())?;
            let Some(change) = here.or(loaded) else { return Ok(()) };
            PanicContext::verb("commit").enter();
            program.commit(&change, &mut local.replica);
            for (number, shard) in (0..).zip(&mut local.shards) {
                if let Some(shard) = shard {
                    PanicContext::verb("commit_shard").of("shard", number).enter();
                    program.commit_shard(&change, number, shard);
                }
            }
            Ok(())
        });
        committed.map_err(EngineError::Worker)
    }

    /// Returns the boundary from which a held run resumes, if it was concluded before its checkpoint was
    /// written: the generation then does not conclude it again.
    ///
    /// # Errors
    /// If the schedule fails.
    pub(crate) fn resumed_boundary(&self) -> Result<Option<HeldBoundary>, EngineError> {
        let resumes = |plan: &&GenerationPlan| self.settings.held.is_some() && plan.previous.is_empty();
        let hub = self.plan.as_ref().filter(resumes).zip(self.hub.as_ref());
        let Some((plan, (hub, start))) =
            hub.and_then(|(plan, hub)| Some((plan, (hub, hub.progress.start.as_ref()?))))
        else {
            return Ok(None);
        };
        PanicContext::verb("the schedule's wanted").epoch(start.epoch).enter();
        let wanted =
            panic_context::guarded(|| Ok(hub.schedule.wanted(start))).map_err(EngineError::Worker)?;
        Ok(Some(HeldBoundary {
            epoch: start.epoch,
            wanted,
            metric: Some((start.metric.name.to_string(), start.metric.value)),
            target: start.metric.target,
            objective: start.objective,
            epochs: self.settings.epochs,
            generation: plan.number,
            ..HeldBoundary::default()
        }))
    }
}

fn seconds(checkpoint_result: &CheckpointResult) -> Duration {
    Duration::try_from_secs_f64(checkpoint_result.cost).unwrap_or_default()
}
