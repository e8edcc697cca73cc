//! Restoring a run from a checkpoint, on one process: it reads its own shards and blocks, and answers the
//! questions of the first process.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::Path;

use super::{Member, Outgoing, missing_state};
use crate::base::error::EngineError;
use crate::checkpoint::Checkpoint;
use crate::cluster::plan::GenerationPlan;
use crate::engine::transfer::Transfer;
use crate::program::Program;
use crate::program::restore::{PartsHere, RestHere, Restoration};
use crate::run::local_state::LocalState;

/// A restoration by shard that is in progress.
pub(super) struct MemberRestoration<P: Program> {
    checkpoint: Checkpoint,
    restoration: Box<dyn Restoration<P>>,
    /// The first process, which asks.
    first: u32,
    /// The other participants.
    others: Vec<u32>,
    /// `true` if this process has not answered yet.
    answer_due: bool,
    /// The processes whose answers have not arrived.
    awaited: BTreeSet<u32>,
}

impl<P: Program> Member<P> {
    /// Restores this process's state from a checkpoint, as far as it can alone; returns what others need.
    pub(super) fn restore(&mut self, plan: &GenerationPlan, from: &str) -> Result<Outgoing<P>, EngineError> {
        let takes_part = self.lazy_parts.is_some() && plan.index_of(self.index).is_some();
        let Some(first) = plan.participants.first().filter(|_| takes_part) else {
            return Ok(Outgoing::new());
        };
        let found = self.found.take().map_or_else(|| Checkpoint::read(Path::new(from), &self.identity), Ok);
        let checkpoint = found?;
        self.make(plan)?;
        let local = self.local.as_mut().ok_or_else(missing_state)?;
        checkpoint.load(&*self.program, local, self.hub.as_mut())?;
        let Some(begin) = P::verbs().restore else { return Ok(Outgoing::new()) };
        let others = plan.participants.iter().map(|other| other.id).filter(|&id| id != self.index);
        self.restoring = Some(MemberRestoration {
            checkpoint,
            restoration: begin(),
            first: first.id,
            others: others.collect(),
            answer_due: false,
            awaited: BTreeSet::new(),
        });
        self.restore_on()
    }

    /// Continues a restoration by shard, if one is in progress, until it needs other processes; returns what
    /// they need of this one.
    ///
    /// # Errors
    /// If the checkpoint does not fit.
    pub(crate) fn restore_on(&mut self) -> Result<Outgoing<P>, EngineError> {
        let Some(mut now) = self.restoring.take() else { return Ok(Outgoing::new()) };
        let local = self.local.as_mut().ok_or_else(missing_state)?;
        let program = &*self.program;
        loop {
            if std::mem::take(&mut now.answer_due) {
                let LocalState { shards, blocks, replica } = &mut *local;
                let here = PartsHere { shards, blocks, replica };
                now.checkpoint.fits(|| now.restoration.answer(program, here))?;
                if self.hub.is_none() {
                    let answers = Transfer::Answers(now.restoration.take_answers());
                    let to = now.first;
                    self.restoring = Some(now);
                    return Ok(Outgoing::from([(to, vec![answers])]));
                }
            }
            let Some(hub) = self.hub.as_mut().filter(|_| now.awaited.is_empty()) else {
                self.restoring = Some(now);
                return Ok(Outgoing::new());
            };
            let start = hub.progress.start.as_ref();
            let rest = RestHere {
                boundary: hub.progress.boundary(local.shards.len()),
                is_concluded: start.is_some(),
                pinned: &mut hub.pinned,
                replica: &local.replica,
                weights: start.map_or(&[][..], |start| &start.weights),
            };
            let ask = || now.restoration.ask(program, rest).map_err(|why| why.to_string());
            let is_asked = now.checkpoint.fits(ask)?;
            let to_each =
                |one: &dyn Fn() -> Transfer<P>| now.others.iter().map(|&to| (to, vec![one()])).collect();
            if !is_asked {
                return Ok(to_each(&|| Transfer::Restored));
            }
            now.answer_due = true;
            if !now.others.is_empty() {
                let question = now.restoration.question();
                let out = to_each(&|| Transfer::Question(question.clone()));
                now.awaited = now.others.iter().copied().collect();
                self.restoring = Some(now);
                return Ok(out);
            }
        }
    }

    /// Returns the processes whose next transfer of a restoration this one needs; none once it is over.
    pub(crate) fn restores_with(&self) -> Vec<u32> {
        match &self.restoring {
            Some(now) if self.hub.is_some() => now.awaited.iter().copied().collect(),
            Some(now) => vec![now.first],
            None => Vec::new(),
        }
    }

    /// Takes a question of the first process.
    pub(super) fn hear(&mut self, question: &[u8]) -> Result<(), EngineError> {
        let now = self.restoring.as_mut().ok_or_else(unexpected)?;
        now.answer_due = true;
        now.checkpoint.fits(|| now.restoration.hear(question).map_err(|why| why.to_string()))
    }

    /// Takes the answers of another process.
    pub(super) fn collect(&mut self, from: u32, answers: &[u8]) -> Result<(), EngineError> {
        let now = self.restoring.as_mut().filter(|now| now.awaited.contains(&from)).ok_or_else(unexpected)?;
        now.awaited.remove(&from);
        now.checkpoint.fits(|| now.restoration.collect(answers).map_err(|why| why.to_string()))
    }
}

fn unexpected() -> EngineError {
    EngineError::Process("a process restores what this one does not".into())
}
