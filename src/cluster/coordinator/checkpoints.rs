//! Checkpoints: the one that a run resumes from, and the commit of a new one at a boundary. The processes
//! write, the coordinator commits.

use std::collections::BTreeSet;

use super::{Action, Coordinator, CoordinatorStage};
use crate::checkpoint::SubmittedParts;
use crate::cluster::protocol::{CheckpointNeed, CheckpointResult, GenerationEnd, Order};

/// Time limit for submitting parts, in deadlines: disks are slow, and heartbeats cover a process that writes.
const TIMEOUT: f64 = 30.0;

/// A checkpoint whose parts are being submitted.
pub(super) struct PendingParts {
    /// The processes that have not submitted their parts.
    awaited: BTreeSet<u32>,
    end: GenerationEnd,
    submitted: SubmittedParts,
    until: f64,
}

impl Coordinator {
    /// Looks up the checkpoint to resume from, once all processes are ready.
    pub(super) fn find(&mut self, now: f64) {
        match self.registration.as_ref().filter(|_| self.config.may_resume) {
            Some(registration) => {
                self.stage = CoordinatorStage::Finding;
                self.out.push(Action::Find { identity: registration.identity.clone() });
            }
            None => self.found(None, 0, Vec::new(), now),
        }
    }

    /// Starts the run, from the checkpoint if there is one.
    pub(super) fn found(&mut self, from: Option<String>, epoch: u64, warnings: Vec<String>, now: f64) {
        (self.from, self.warnings, self.resumed_at) = (from, warnings, epoch);
        // The last planned rescale up to the checkpoint's epoch applies.
        let before = self.rescale().iter().filter(|&&(at, _)| at <= epoch).max_by_key(|&&(at, _)| at);
        self.workers = before.map(|&(_, workers)| workers).or(self.workers);
        self.begin(None, None);
        for (from, registration, address) in std::mem::take(&mut self.early) {
            if self.members.contains_key(&from) {
                self.admit(from, registration, address, now);
            }
        }
    }

    /// Asks all participants for the parts of a checkpoint of the boundary.
    pub(super) fn request_parts(&mut self, end: GenerationEnd, now: f64) {
        let Some(plan) = &self.plan else { return };
        let (awaited, generation): (BTreeSet<u32>, _) =
            (plan.participants.iter().map(|participant| participant.id).collect(), plan.number);
        let order = Order::SubmitParts {
            generation,
            epoch: end.epoch,
            anew: end.checkpoint_need == CheckpointNeed::PartsMissing,
        };
        awaited.iter().for_each(|&to| self.out.push(Action::Send { to, order: order.clone() }));
        let until = now + TIMEOUT * self.config.deadline;
        self.stage = CoordinatorStage::Checkpointing(Box::new(PendingParts {
            awaited,
            end,
            submitted: SubmittedParts::default(),
            until,
        }));
    }

    /// Adds the parts that a process has submitted, and commits once all have.
    pub(super) fn parts_submitted(&mut self, from: u32, one: SubmittedParts) {
        let (CoordinatorStage::Checkpointing(pending), Some(plan)) = (&mut self.stage, &self.plan) else {
            return;
        };
        if !pending.awaited.remove(&from) {
            return;
        }
        let all = &mut pending.submitted;
        all.parts.extend(one.parts);
        all.cost = all.cost.max(one.cost);
        let has_others = plan.participants.len() > 1;
        let failed = one.failed.map(|why| if has_others { format!("process {from}: {why}") } else { why });
        all.failed = all.failed.take().or(failed);
        if let Some(registration) = self.registration.as_ref().filter(|_| pending.awaited.is_empty()) {
            let (identity, submitted) = (registration.identity.clone(), std::mem::take(all));
            let (epoch, generation) = (pending.end.epoch, plan.number);
            self.out.push(Action::Commit { epoch, generation, identity, submitted });
        }
    }

    /// Starts the next generation, once the checkpoint is committed or could not be written.
    pub(super) fn committed(&mut self, generation: u64, checkpoint_result: CheckpointResult) {
        let is_awaited = self.plan.as_ref().is_some_and(|plan| plan.number == generation);
        match std::mem::replace(&mut self.stage, CoordinatorStage::Running) {
            CoordinatorStage::Checkpointing(pending) if is_awaited && pending.awaited.is_empty() => {
                // The first process prints it as a warning.
                if let Some(why) = &checkpoint_result.failed {
                    self.add_to_status(format!("no checkpoint of epoch {}: {why}", pending.end.epoch));
                }
                self.begin(Some(pending.end), Some(checkpoint_result));
            }
            other => self.stage = other,
        }
    }

    /// Declares processes lost whose parts are overdue.
    pub(super) fn check_parts_timeout(&mut self, now: f64) {
        let CoordinatorStage::Checkpointing(pending) = &self.stage else { return };
        if let Some(&who) = pending.awaited.first().filter(|_| now >= pending.until) {
            self.end_attempt(who, format!("process {who} has not submitted its part of a checkpoint"));
        }
    }
}
