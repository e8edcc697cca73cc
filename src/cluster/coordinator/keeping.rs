//! Checkpoints: which one a run goes on from, and how a boundary becomes one. The processes write, the coordinator commits.

use std::collections::BTreeSet;

use super::{Action, Coordinator, Stage};
use crate::checkpoint::Drafted;
use crate::cluster::protocol::{Cut, Keep, Kept, Order};

/// Handing in parts may take so many times the deadline: disks are slow, and who writes is heard of meanwhile.
const PATIENCE: f64 = 30.0;

/// A boundary that becomes a checkpoint.
pub(super) struct Keeping {
    /// The processes whose parts are not here.
    awaited: BTreeSet<u32>,
    cut: Cut,
    drafted: Drafted,
    until: f64,
}

impl Coordinator {
    /// All processes are there: is there a checkpoint to go on from?
    pub(super) fn find(&mut self, now: f64) {
        match self.facts.as_ref().filter(|_| self.terms.keeps) {
            Some(facts) => {
                self.stage = Stage::Finding;
                self.out.push(Action::Find { identity: facts.identity.clone() });
            }
            None => self.found(None, 0, Vec::new(), now),
        }
    }

    /// The run goes on from there, or begins.
    pub(super) fn found(&mut self, from: Option<String>, epoch: u64, warnings: Vec<String>, now: f64) {
        (self.from, self.warnings) = (from, warnings);
        // What the plan of workers named last before the checkpoint holds there.
        let before = self.rescale().iter().filter(|&&(at, _)| at <= epoch).max_by_key(|&&(at, _)| at);
        self.workers = before.map(|&(_, workers)| workers).or(self.workers);
        self.begin(None, None);
        for (from, facts, address) in std::mem::take(&mut self.early) {
            if self.members.contains_key(&from) {
                self.admit(from, facts, address, now);
            }
        }
    }

    /// A generation has ended at a boundary that is worth a checkpoint.
    pub(super) fn keep(&mut self, cut: Cut, now: f64) {
        let Some(plan) = &self.plan else { return };
        let (awaited, generation): (BTreeSet<u32>, _) =
            (plan.seats.iter().map(|seat| seat.id).collect(), plan.number);
        let order = Order::Keep { generation, epoch: cut.epoch, anew: cut.keep == Keep::Anew };
        awaited.iter().for_each(|&to| self.out.push(Action::Tell { to, order: order.clone() }));
        let until = now + PATIENCE * self.terms.deadline;
        self.stage = Stage::Keeping(Box::new(Keeping { awaited, cut, drafted: Drafted::default(), until }));
    }

    /// A process has handed in its parts.
    pub(super) fn handed_in(&mut self, from: u32, one: Drafted) {
        let (Stage::Keeping(keeping), Some(plan)) = (&mut self.stage, &self.plan) else { return };
        if !keeping.awaited.remove(&from) {
            return;
        }
        let all = &mut keeping.drafted;
        all.parts.extend(one.parts);
        all.cost = all.cost.max(one.cost);
        let has_others = plan.seats.len() > 1;
        let failed = one.failed.map(|why| if has_others { format!("process {from}: {why}") } else { why });
        all.failed = all.failed.take().or(failed);
        if let Some(facts) = self.facts.as_ref().filter(|_| keeping.awaited.is_empty()) {
            let (identity, drafted) = (facts.identity.clone(), std::mem::take(all));
            let (epoch, generation) = (keeping.cut.epoch, plan.number);
            self.out.push(Action::Commit { epoch, generation, identity, drafted });
        }
    }

    /// The checkpoint is there, or could not be written: the run goes on.
    pub(super) fn committed(&mut self, generation: u64, kept: Kept) {
        let is_awaited = self.plan.as_ref().is_some_and(|plan| plan.number == generation);
        match std::mem::replace(&mut self.stage, Stage::Running) {
            Stage::Keeping(keeping) if is_awaited && keeping.awaited.is_empty() => {
                // The first process says so on the screen.
                if let Some(why) = &kept.failed {
                    self.remember(format!("no checkpoint of epoch {}: {why}", keeping.cut.epoch));
                }
                self.begin(Some(keeping.cut), Some(kept));
            }
            other => self.stage = other,
        }
    }

    /// Gives up waiting for parts.
    pub(super) fn look_at_parts(&mut self, now: f64) {
        let Stage::Keeping(keeping) = &self.stage else { return };
        if let Some(&who) = keeping.awaited.first().filter(|_| now >= keeping.until) {
            self.lost(who, format!("process {who} has not handed in its part of a checkpoint"));
        }
    }
}
