//! The next generation: its participants, and the placement of workers, shards and blocks.

use std::collections::BTreeMap;

use super::{Action, Coordinator, CoordinatorConfig, CoordinatorStage, Member, MemberState};
use crate::cluster::plan::{Before, GenerationPlan, Participant, PlacedGeneration};
use crate::cluster::protocol::{CheckpointResult, GenerationEnd, GenerationStart, Order, Registration};

/// Seconds after which to try again to write the number of a generation.
const NOTE_AGAIN: f64 = 1.0;

impl Coordinator {
    /// Starts the next generation, or the end of the run.
    pub(super) fn begin(
        &mut self,
        mut end: Option<GenerationEnd>,
        checkpoint_result: Option<CheckpointResult>,
    ) {
        let number = self.plan.as_ref().map_or(self.config.after, |plan| plan.number) + 1;
        let change = end.as_mut().and_then(|end| end.change.take());
        let epoch = end.as_ref().map_or(self.resumed_at, |end| end.epoch);
        let plan = match (self.plan.take(), end) {
            (Some(before), Some(end)) if end.over => {
                self.stage = CoordinatorStage::Ending;
                GenerationPlan::end(number, &before)
            }
            (before, end) => {
                self.stage = CoordinatorStage::Running;
                let planned =
                    end.as_ref().and_then(|end| self.rescale().iter().find(|(at, _)| *at == end.epoch));
                self.workers = planned.map(|&(_, workers)| workers).or(self.workers);
                let before = before.as_ref().zip(end.as_ref());
                self.next_plan(number, before.map(|(plan, end)| Before { plan, block_at: &end.block_at }))
            }
        };
        let (from, warnings) = (self.from.take(), std::mem::take(&mut self.warnings));
        let CoordinatorConfig { deadline, held, .. } = self.config;
        let start = GenerationStart { plan, from, warnings, change, checkpoint_result, deadline, held };
        self.out.push(Action::Number(number));
        self.deferred = Some(Vec::new());
        for &Participant { id, .. } in start.plan.everyone() {
            let runs = start.plan.index_of(id).is_some();
            if let Some(member) = self.members.get_mut(&id) {
                member.state = if runs { MemberState::Running } else { MemberState::Released };
            }
            self.send(id, Order::Begin { start: start.clone() });
        }
        if let Some(last) = self.placed.last_mut() {
            last.has_ended = true;
        }
        if !start.plan.last {
            let (epoch, members) = (Some(epoch), start.plan.members());
            self.placed.push(PlacedGeneration { number, epoch, has_ended: false, members });
        }
        self.plan = Some(start.plan);
        self.end_is_requested = false;
        self.release_waiting();
        // A process that came while the last generation ended waits for the next boundary.
        let waits = |member: &Member| matches!(member.state, MemberState::Ready | MemberState::Leaving);
        if self.members.values().any(waits) || self.checkpoint_is_requested {
            self.end_at_boundary();
        }
        if self.stop_is_requested {
            self.stop();
        }
    }

    /// Starts the next generation once its number is durable. If the number could not be written, the run
    /// waits until it can: a generation without a durable number could be mistaken for a later one.
    pub(super) fn numbered(&mut self, number: u64, failed: Option<String>, now: f64) {
        if self.plan.as_ref().is_none_or(|plan| plan.number != number) {
            return;
        }
        match failed {
            None => self.out.extend(self.deferred.take().unwrap_or_default()),
            Some(why) => {
                self.note_again = Some(now + NOTE_AGAIN);
                self.note_once(format!(
                    "generation.json cannot be written: {why}: nor could a model be; the run waits until it \
                     can"
                ));
            }
        }
    }

    /// Tries again to write the number of the generation, if that is due.
    pub(super) fn retry_number(&mut self, now: f64) {
        if let Some(plan) = &self.plan
            && self.note_again.take_if(|again| now >= *again).is_some()
        {
            self.out.push(Action::Number(plan.number));
        }
    }

    /// Returns the planned changes of the workers, as the processes registered them.
    pub(super) fn rescale(&self) -> &[(u64, u64)] {
        self.registration.as_ref().map_or(&[], |registration| &registration.rescale)
    }

    fn next_plan(&mut self, number: u64, before: Option<Before<'_>>) -> GenerationPlan {
        let in_run = |member: &Member| matches!(member.state, MemberState::Ready | MemberState::Running);
        let mut participants: Vec<Participant> = Vec::new();
        let mut add = |id: u32, members: &BTreeMap<u32, Member>| {
            if let Some(member) = members.get(&id).filter(|&member| in_run(member))
                && participants.iter().all(|participant| participant.id != id)
            {
                let (address, capacity) = (member.address.clone(), member.capacity);
                participants.push(Participant { id, address, capacity });
            }
        };
        // The first process stays the first while it is a member; then any other process of the launcher.
        let was = before.as_ref().map(|before| before.plan.participants[0].id);
        let spawned_here = |id: &&u32| self.members.get(id).is_some_and(|member| member.spawned_here);
        let own = self.members.keys().filter(spawned_here);
        was.iter().chain(self.begun_by.iter()).chain(own).for_each(|&id| add(id, &self.members));
        self.members.keys().for_each(|&id| add(id, &self.members));
        let capacity = participants.iter().map(|participant| u64::from(participant.capacity)).sum();
        let workers = self.workers.unwrap_or(capacity);
        let there = participants.iter().filter_map(|participant| self.members.get(&participant.id));
        let cores = there.map(|member| member.cores).min().unwrap_or(1);
        let (costs, blocks) =
            (costs(self.registration.as_ref()), self.registration.as_ref().map_or(0, |known| known.blocks));
        let plan_with = |participants: Vec<Participant>, speeds: Option<&[f64]>| {
            GenerationPlan::new(
                number,
                participants,
                (workers, cores),
                costs,
                blocks,
                speeds,
                before.as_ref(),
            )
        };
        let mut plan = plan_with(participants, None);
        if let Some(speeds) = self.balance.speeds(&plan) {
            plan = plan_with(plan.participants, Some(&speeds));
        }
        if self.has_parties() {
            self.note_data();
            return self.plan_of_parties(number, &plan);
        }
        plan.balance = self.config.balance;
        self.balance.begin(&plan);
        plan
    }
}

/// Returns the counted cost of each shard; empty before the first registration.
pub(super) fn costs(registration: Option<&Registration>) -> &[u64] {
    registration.map_or(&[], |known| &known.identity.costs)
}
