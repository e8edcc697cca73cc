//! Parties: processes that have data of their own, which stay with them. The number of a party is its place
//! in the list of parties, from 1, in every attempt.

use super::known_parties::{OnLeave, Parties};
use super::{Coordinator, CoordinatorStage, Member, MemberState, Order};
use crate::base::identity::difference;
use crate::cluster::plan::GenerationPlan;
use crate::cluster::protocol::Registration;
use crate::parties::{FEWEST, Keyring};

/// Exit status of a run that ends as too few parties are left.
const TOO_FEW: i32 = 3;

impl Coordinator {
    /// `true` if the processes of the run are parties.
    pub(super) fn has_parties(&self) -> bool {
        self.config.keyring.is_some()
    }

    /// Returns the number of parties that the run waits for; 0 if it has none.
    pub(crate) fn parties_awaited(&self) -> u32 {
        let all = self.config.keyring.as_ref().map_or(0, Keyring::parties);
        all - self.config.parties.gone.len() as u32
    }

    /// Returns the parties, for the next attempt.
    pub(crate) fn parties(&self) -> Parties {
        self.config.parties.clone()
    }

    /// Returns the name of a process, for messages.
    pub(super) fn who(&self, of: u32) -> String {
        match &self.config.keyring {
            Some(keyring) => format!("{} (process {of})", keyring.name(of)),
            None => format!("process {of}"),
        }
    }

    /// Returns why a program cannot be that of a party, or a party is not the one that it was.
    pub(super) fn unfit_party(&self, of: u32, registration: &Registration) -> Option<String> {
        let is_alone = self.config.processes == 1 && self.config.argv.is_empty();
        if self.has_parties() != registration.is_pinned && !is_alone {
            let why = match registration.is_pinned {
                true => "its shards stay with parties: start it with raddle launch --parties",
                false => "what it sends tells on its rows: the program of parties is linear fit --by sums",
            };
            return Some(why.into());
        }
        if let Some(why) = self.other_schema(&registration.identity.run) {
            return Some(why);
        }
        let known = self.config.parties.data.get(&of).filter(|known| **known != registration.data)?;
        Some(format!(
            "its data have the digest {}, and had {known} when it took part before: give the data as they \
             were, or begin a new run",
            registration.data
        ))
    }

    /// Returns what the file of a party says otherwise than the coordinator's, whichever party comes first.
    fn other_schema(&self, identity: &str) -> Option<String> {
        let ours: Vec<&str> = self.config.schema.split_whitespace().collect();
        let words: Vec<&str> = identity.split_whitespace().collect();
        let from = words.iter().position(|word| Some(word) == ours.first())?;
        let theirs = &words[from..words.len().min(from + ours.len())];
        if theirs == ours {
            return None;
        }
        let (theirs, ours) = difference(&theirs.join(" "), &self.config.schema);
        Some(format!(
            "its parties file has `{theirs}`, the coordinator's has `{ours}`: give both the same file"
        ))
    }

    /// Notes the data of the parties with which an attempt begins.
    pub(super) fn note_data(&mut self) {
        let data = |(&of, member): (&u32, &Member)| (of, member.data.clone());
        self.config.parties.data.extend(self.members.iter().map(data));
    }

    /// Makes the plan of a generation of parties.
    pub(super) fn plan_of_parties(&self, number: u64, plan: &GenerationPlan) -> GenerationPlan {
        let participants = plan.participants.clone();
        let there = participants.iter().filter_map(|party| self.members.get(&party.id));
        let cores = there.map(|member| member.cores).min().unwrap_or(1);
        let all = self.config.keyring.as_ref().map_or(0, Keyring::parties);
        let shards = plan.shard_at.len() as u32;
        GenerationPlan::of_parties(number, participants, cores, all, shards, &plan.previous)
    }

    /// Handles the loss of a party; returns `true` if that ends the run, as too few are left.
    pub(super) fn lose_party(&mut self, who: u32, why: &str) -> bool {
        if !self.has_parties() || self.config.parties.on_leave == OnLeave::Wait {
            return false;
        }
        self.config.parties.gone.insert(who);
        let left = self.parties_awaited();
        if left >= FEWEST {
            return false;
        }
        let why = format!("{why}; {left} parties are left, and the sums of fewer than {FEWEST} tell on rows");
        self.over(who, TOO_FEW, Some(why));
        true
    }

    /// Returns the party that is most likely lost, of those that run: the one that was silent for longest.
    pub(super) fn silent_party(&self, reporter: u32) -> u32 {
        let running = |(_, member): &(&u32, &Member)| member.state == MemberState::Running;
        let since = |(_, member): &(&u32, &Member)| (member.last_report * 1e6) as u64;
        let all = self.members.iter().filter(running).filter(|_| self.has_parties());
        all.min_by_key(since).map_or(reporter, |(&of, _)| of)
    }

    /// Handles the request of a party to leave: its rows cannot go to another one.
    pub(super) fn party_leaves(&mut self, from: u32) {
        let why = format!("process {from} leaves");
        self.members.remove(&from);
        self.send(from, Order::End);
        match self.stage {
            CoordinatorStage::Gathering | CoordinatorStage::Finding => self.note(why),
            _ => self.end_attempt(from, why),
        }
    }

    /// `true` if this process has the outcome of a run that is over, and writes it.
    pub(super) fn writes(&self, of: u32) -> bool {
        let has_outcome = self.plan.as_ref().is_some_and(|plan| plan.index_of(of).is_some());
        has_outcome && matches!(self.stage, CoordinatorStage::Ending)
    }

    /// Handles the request of a process to write its model: of parties, all write once all have the outcome.
    pub(super) fn may_write(&mut self, from: u32) {
        if !self.writes(from) {
            return;
        }
        self.outcomes.insert(from);
        let all = self.plan.as_ref().map_or(0, |plan| plan.participants.len());
        if self.outcomes.len() == all {
            self.writing.clone_from(&self.outcomes);
            self.outcomes.clone().into_iter().for_each(|to| self.send(to, Order::Write));
        }
    }

    /// Handles the end of a process that had the outcome: the last of them ends the run.
    pub(super) fn has_written(&mut self, of: u32, code: i32) {
        self.suspected.take_if(|suspected| suspected.who == of);
        self.members.remove(&of);
        self.writing.remove(&of);
        self.code = self.code.max(code);
        if self.writing.is_empty() {
            self.over(of, self.code, None);
        }
    }
}
