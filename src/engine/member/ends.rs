//! The end of a generation, and of the run.

use std::sync::Arc;
use std::time::Instant;

use super::{Member, missing_state};
use crate::base::error::EngineError;
use crate::base::state::to_bytes;
use crate::cluster::plan::GenerationPlan;
use crate::cluster::protocol::{GenerationEnd, MemberReport};
use crate::engine::transfer::ProcessStats;
use crate::engine::{Outcome, RunEnd};
use crate::generation::Generation;
use crate::program::Program;
use crate::run::hub::{GenerationExit, HubState};
use crate::run::local_state::{GenerationResult, LocalState};

impl<P: Program> Member<P> {
    /// Takes the state of a generation back when it has ended, at the time `now`; returns the report of the
    /// end.
    ///
    /// # Errors
    /// If the generation ended before its first boundary.
    pub(crate) fn ended(
        &mut self,
        generation: &Generation<P>,
        mut returned: GenerationResult<P>,
        now: Instant,
    ) -> Result<MemberReport, EngineError> {
        self.observer = generation.take_observer();
        self.sent = returned.ended.traffic;
        let layout = &generation.layout;
        let end = match returned.hub.take() {
            Some(hub) => {
                let (epoch, placement) = (returned.epoch, Arc::clone(&layout.shard_at));
                let members = self.plan.as_ref().map(GenerationPlan::members).unwrap_or_default();
                self.history.add(epoch, layout.asked, layout.threads, placement, members, &returned);
                Some(self.end_of(hub, &mut returned)?)
            }
            None => {
                self.history.last_boundary = Some(now);
                None
            }
        };
        self.local = Some(returned.local);
        let generation = self.plan.as_ref().map_or(0, |plan| plan.number);
        Ok(MemberReport::Ended { generation, end, sent: self.sent, moved: self.moved })
    }

    /// Makes the report of the first process on the end of the generation.
    fn end_of(
        &mut self,
        hub: HubState<P>,
        returned: &mut GenerationResult<P>,
    ) -> Result<GenerationEnd, EngineError> {
        let ended = &mut returned.ended;
        self.history.trace.append(&mut ended.records);
        self.history.fingerprints.append(&mut ended.fingerprints);
        if let Some(GenerationExit::BeforeBoundary(ending)) = ended.exit {
            return Err(ending.before_boundary());
        }
        let (Some((metric, objective)), Some(exit)) = (ended.verdict.take(), ended.exit) else {
            return Err(EngineError::Worker("the run ended before its first boundary".into()));
        };
        let (epoch, checkpoint_need) = (hub.progress.epoch, self.checkpoint_need(&hub, exit));
        // Only other processes need the bytes: here the hub has the change.
        let has_others = self.plan.as_ref().is_some_and(|plan| plan.participants.len() > 1);
        let change = hub.unconcluded.as_ref().and_then(|before| before.change.as_ref());
        let change = change.filter(|_| has_others).map(to_bytes);
        let over = match exit {
            GenerationExit::Finished(ending) => {
                if let Some(last) = self.history.trace.last_mut() {
                    // After a cancelled epoch this is an earlier boundary, which was not the last when it was
                    // shown.
                    last.ending = Some(ending);
                }
                self.ended = Some(RunEnd { ending, metric, objective });
                true
            }
            GenerationExit::Reconfigure | GenerationExit::BeforeBoundary(_) => false,
        };
        self.hub = Some(hub);
        Ok(GenerationEnd {
            epoch,
            over,
            block_at: std::mem::take(&mut ended.block_at),
            checkpoint_need,
            change,
        })
    }

    /// Returns the error that the run is to end before its first boundary.
    pub(crate) fn before_boundary(&self) -> EngineError {
        self.settings.cancelled_ending().before_boundary()
    }

    /// Commits the last change, and returns the outcome of a run whose parts are all here.
    ///
    /// # Errors
    /// If a part is elsewhere, or the program fails.
    pub(crate) fn finish(&mut self) -> Result<Outcome<P>, EngineError> {
        self.commit(None)?;
        self.outcome()
    }

    /// Returns the outcome of the run, whose parts are all here.
    pub(super) fn outcome(&mut self) -> Result<Outcome<P>, EngineError> {
        let held = self.local.take().and_then(LocalState::whole).ok_or_else(missing_state)?;
        let (hub, ended) =
            (self.hub.take().ok_or_else(missing_state)?, self.ended.take().ok_or_else(missing_state)?);
        if self.position() != Some(0) {
            // A party has the first one's history, and adds what it has sent itself.
            let own = self.stats(ProcessStats::default());
            self.history.count(&own);
        }
        self.history.held = self.requests.waited().as_secs_f64();
        let (history, program) = (std::mem::take(&mut self.history), Arc::clone(&self.program));
        Ok(history.outcome(program, ended, held, hub, self.settings.elapsed()))
    }
}
