//! Reports of processes, and the admission of those whose program is built.

use super::plans::costs;
use super::{Action, Connection, Coordinator, CoordinatorStage, MemberState};
use crate::cluster::protocol::{MemberReport, Order, Registration};

impl Coordinator {
    /// Handles a report; one of an earlier generation is ignored.
    pub(super) fn on_report(&mut self, from: u32, report: MemberReport, now: f64) {
        let Some(member) = self.members.get_mut(&from) else { return };
        (member.connection, member.last_report) = (Connection::Open, now);
        let is_guest = !member.spawned_here && member.state == MemberState::Preparing;
        let number = self.plan.as_ref().map_or(0, |plan| plan.number);
        match report {
            MemberReport::Alive { memory } => member.memory = memory,
            MemberReport::Ready { registration, address } => self.admit(from, registration, address, now),
            MemberReport::Epoch { generation, mut epoch } if generation == number => {
                if let Some(plan) = &self.plan {
                    self.balance.learn(plan, costs(self.registration.as_ref()), &epoch);
                }
                let boundary = epoch.held.take();
                self.epoch = epoch;
                boundary.into_iter().for_each(|boundary| self.on_held_boundary(*boundary));
            }
            MemberReport::Ended { generation, end } if generation == number => {
                self.on_generation_end(from, end, now);
            }
            MemberReport::PartsSubmitted { generation, submitted } if generation == number => {
                self.parts_submitted(from, submitted)
            }
            MemberReport::MayWrite => {
                if matches!(self.stage, CoordinatorStage::Ending) && self.first() == Some(from) {
                    self.send(from, Order::Write);
                }
            }
            MemberReport::Settled { generation, seconds, memory, .. } => {
                if let Some(member) = self.members.get_mut(&from) {
                    member.memory = memory;
                }
                let is_first = self.first() == Some(from) && generation == number;
                let goes_on = self.plan.as_ref().is_some_and(|plan| !plan.previous.is_empty());
                if is_first && goes_on && !matches!(self.stage, CoordinatorStage::Ending) {
                    self.pauses.push(seconds);
                    self.balance.paused(seconds);
                }
                if is_first && !goes_on {
                    self.out.push(Action::Begun);
                }
            }
            MemberReport::Leaving => self.on_leave(from),
            MemberReport::Failed { why, of_a_peer: true } => {
                member.failed_because_of_peer = true;
                self.on_peer_failure(from, &why, now);
            }
            MemberReport::Failed { why, .. } if is_guest => {
                self.members.remove(&from);
                self.note(format!("process {from} does not join: {why}"));
            }
            MemberReport::Failed { why, .. } => {
                self.over(from, 1, Some(format!("process {from} failed: {why}")))
            }
            MemberReport::Done => {
                if let Some(member) = self.members.get_mut(&from) {
                    member.state = MemberState::Released;
                }
            }
            // Reports of an earlier generation are ignored.
            MemberReport::Epoch { .. } | MemberReport::Ended { .. } | MemberReport::PartsSubmitted { .. } => {
            }
        }
    }

    /// Compares a process that has built its program with the run, and makes it ready or refuses it.
    pub(super) fn admit(&mut self, from: u32, registration: Registration, address: String, now: f64) {
        // Only once: a repeated report does not reset a process that has a part in the run.
        let is_expected =
            self.members.get(&from).is_some_and(|member| member.state == MemberState::Preparing);
        if !is_expected || self.early.iter().any(|&(before, ..)| before == from) {
            return;
        }
        let gathering = matches!(self.stage, CoordinatorStage::Gathering | CoordinatorStage::Finding);
        // Processes that join wait, to be compared with those of the launcher.
        if gathering && !self.members.get(&from).is_some_and(|member| member.spawned_here) {
            return self.early.push((from, registration, address));
        }
        let known = self.registration.get_or_insert_with(|| registration.clone());
        let is_elsewhere =
            self.config.proof.zip(registration.proof).is_some_and(|(wrote, read)| wrote != read);
        let misfit = match known.identity.difference(&registration.identity) {
            None if known.blocks != registration.blocks => Some("it has other blocks".into()),
            None if is_elsewhere => {
                let why =
                    "it does not reach the folder of the run: --out must name one that all processes reach";
                Some(why.into())
            }
            misfit => misfit,
        };
        if let Some(why) = misfit {
            let why = format!("process {from} does not fit the run: {why}");
            self.send(from, Order::Refuse { why: why.clone() });
            match gathering {
                true => self.over(from, 2, Some(why)),
                false => {
                    self.members.remove(&from);
                    self.note(why);
                }
            }
            return;
        }
        if let Some(member) = self.members.get_mut(&from) {
            (member.state, member.address, member.cores) = (MemberState::Ready, address, registration.cores);
        }
        if gathering {
            if self.members.values().all(|member| member.state == MemberState::Ready || !member.spawned_here)
            {
                self.find(now);
            }
        } else {
            self.end_at_boundary();
        }
    }
}
