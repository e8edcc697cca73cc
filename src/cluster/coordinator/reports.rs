//! Reports of processes, and the admission of those whose program is built.

use super::plans::costs;
use super::{
    Action, Connection, Coordinator, CoordinatorConfig, CoordinatorStage, GRACE, MemberState, SuspectedLoss,
};
use crate::cluster::protocol::{MemberReport, Order, Registration};

impl Coordinator {
    /// Handles a report; one of an earlier generation is ignored.
    pub(super) fn on_report(&mut self, from: u32, report: MemberReport, now: f64) {
        let Some(member) = self.members.get_mut(&from) else {
            // Its place was taken from it before it came, or while it was silent: it would wait for ever.
            if matches!(report, MemberReport::Ready { .. }) {
                self.out.push(Action::Dismiss { of: from });
            }
            return;
        };
        (member.connection, member.last_report) = (Connection::Open, now);
        let number = self.plan.as_ref().map_or(0, |plan| plan.number);
        match report {
            MemberReport::Alive { memory } => member.memory = memory,
            MemberReport::Ready { registration, address } => self.admit(from, *registration, address, now),
            MemberReport::Epoch { generation, mut epoch } if generation == number => {
                if let Some(plan) = &self.plan {
                    self.balance.learn(plan, costs(self.registration.as_ref()), &epoch);
                }
                let boundary = epoch.held.take();
                self.epoch = epoch;
                boundary.into_iter().for_each(|boundary| self.on_held_boundary(*boundary));
            }
            MemberReport::Ended { generation, end, sent, moved } if generation == number => {
                let members = self.placed.last_mut().into_iter().flat_map(|last| &mut last.members);
                for member in members.filter(|member| member.process == from) {
                    (member.messages_sent, member.bytes_sent) = (sent.messages, sent.bytes);
                    member.bytes_received = moved;
                }
                self.on_generation_end(from, end, now);
            }
            MemberReport::PartsSubmitted { generation, submitted } if generation == number => {
                self.parts_submitted(from, submitted)
            }
            MemberReport::MayWrite => self.may_write(from),
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
            MemberReport::Cancelled { generation } if generation == number => {
                self.cancel_beside(from, generation);
            }
            MemberReport::Leaving => self.on_leave(from),
            MemberReport::Failed { why, of_a_peer } => self.on_failure(from, why, of_a_peer, now),
            MemberReport::Done => {
                if let Some(member) = self.members.get_mut(&from) {
                    member.state = MemberState::Released;
                }
            }
            // Reports of an earlier generation are ignored.
            MemberReport::Epoch { .. }
            | MemberReport::Ended { .. }
            | MemberReport::PartsSubmitted { .. }
            | MemberReport::Cancelled { .. } => {}
        }
    }

    /// Handles the report of a process that cannot continue, by its own fault or because of another one.
    fn on_failure(&mut self, from: u32, why: String, of_a_peer: bool, now: f64) {
        let Some(member) = self.members.get_mut(&from) else { return };
        let is_guest = !member.spawned_here && member.state == MemberState::Preparing;
        let waits =
            !member.spawned_here && matches!(member.state, MemberState::Preparing | MemberState::Ready);
        if of_a_peer && waits {
            // The others have not begun with it.
            self.classify_exit(from, (1, true, format!("ends ({why})")), now);
        } else if of_a_peer {
            member.failed_because_of_peer = true;
            self.on_peer_failure(from, &why, now);
        } else if is_guest && self.begun_by == Some(from) && self.plan.is_none() {
            // All have the same command line. Its exit status follows.
            let (until, why) = (now + GRACE, format!("process {from} failed: {why}"));
            self.suspected = Some(SuspectedLoss { until, who: from, code: 1, why, loss: false });
        } else if is_guest {
            self.members.remove(&from);
            self.note(format!("process {from} does not join: {why}"));
        } else {
            self.over(from, 1, Some(format!("process {from} failed: {why}")));
        }
    }

    /// Admits a process that has built its program, once those of the launcher have.
    pub(super) fn admit(&mut self, from: u32, registration: Registration, address: String, now: f64) {
        // Only once: a repeated report does not reset a process that has a part in the run.
        let is_expected =
            self.members.get(&from).is_some_and(|member| member.state == MemberState::Preparing);
        if !is_expected || self.early.iter().any(|&(before, ..)| before == from) {
            return;
        }
        let gathering = matches!(self.stage, CoordinatorStage::Gathering | CoordinatorStage::Finding);
        // Processes that join are compared with those of the launcher, and wait for them.
        let is_guest = self.members.get(&from).is_some_and(|member| !member.spawned_here);
        let finding = matches!(self.stage, CoordinatorStage::Finding);
        if is_guest && (finding || gathering && !self.is_gathered()) {
            return self.early.push((from, registration, address));
        }
        self.compare(from, registration, address);
        match self.stage {
            CoordinatorStage::Gathering => self.begin_if_all_are_there(now),
            CoordinatorStage::Finding | CoordinatorStage::Over => {}
            _ => self.end_at_boundary(),
        }
    }

    /// Compares a process with the run, and makes it ready or refuses it.
    fn compare(&mut self, from: u32, registration: Registration, address: String) {
        let gathering = matches!(self.stage, CoordinatorStage::Gathering | CoordinatorStage::Finding);
        let is_guest = self.members.get(&from).is_some_and(|member| !member.spawned_here);
        let unfit = self.unfit_party(from, &registration);
        let known = self.registration.get_or_insert_with(|| registration.clone());
        let is_elsewhere =
            self.config.proof.zip(registration.proof).is_some_and(|(wrote, read)| wrote != read);
        let misfit = match unfit.or_else(|| known.identity.difference(&registration.identity)) {
            None if known.blocks != registration.blocks => Some("it has other blocks".into()),
            None if is_elsewhere => {
                let why =
                    "it does not reach the folder of the run: --out must name one that all processes reach";
                Some(why.into())
            }
            misfit => misfit,
        };
        if let Some(why) = misfit {
            let why = format!("{} does not fit the run: {why}", self.who(from));
            self.send(from, Order::Refuse { why: why.clone() });
            if gathering && !is_guest {
                return self.over(from, 2, Some(why));
            }
            self.members.remove(&from);
            return self.note(why);
        }
        if let Some(member) = self.members.get_mut(&from) {
            (member.state, member.address) = (MemberState::Ready, address);
            (member.cores, member.machine) = (registration.cores, registration.machine);
            member.data = registration.data;
        }
    }

    /// `true` if all processes of the launcher are ready.
    fn is_gathered(&self) -> bool {
        self.members.values().all(|member| member.state == MemberState::Ready || !member.spawned_here)
    }

    /// Starts the first generation if all processes of the launcher are ready, and as many others as the run
    /// waits for.
    fn begin_if_all_are_there(&mut self, now: f64) {
        if !self.is_gathered() {
            return;
        }
        for (from, registration, address) in std::mem::take(&mut self.early) {
            if self.members.contains_key(&from) {
                self.compare(from, registration, address);
            }
        }
        let is_ready =
            |of: u32| self.members.get(&of).is_none_or(|member| member.state == MemberState::Ready);
        if self.ready() >= self.config.wait_for && self.begun_by.is_none_or(is_ready) {
            self.find(now);
        }
    }

    /// Returns the number of processes that are ready.
    fn ready(&self) -> u32 {
        self.members.values().filter(|member| member.state == MemberState::Ready).count() as u32
    }

    /// Notes that the process of a machine is absent, for this reason, or that it is there now.
    pub(super) fn absent(&mut self, host: String, why: Option<String>) {
        match why {
            Some(why) => {
                self.note_once(why.clone());
                self.absent.insert(host, why);
            }
            None => drop(self.absent.remove(&host)),
        }
    }

    /// Ends the run if the processes that it waits for have not come in time.
    pub(super) fn check_waiting(&mut self, now: f64) {
        let CoordinatorConfig { wait_for, wait, .. } = self.config;
        if matches!(self.stage, CoordinatorStage::Gathering) && self.is_gathered() && wait_for > 0 {
            let since = *self.waits_since.get_or_insert(now);
            if now > since + wait {
                let causes: String = self.absent.values().map(|why| format!("; {why}")).collect();
                let why = format!(
                    "--wait-for {wait_for}: {} of them are there after {wait} s: start the others with \
                     raddle join, or wait for fewer{causes}",
                    self.ready()
                );
                self.over(0, 1, Some(why));
            }
        }
    }
}
