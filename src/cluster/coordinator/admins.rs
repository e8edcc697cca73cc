//! Requests of admin clients: status, rescale, join.

use super::{Action, Coordinator, CoordinatorConfig, Member};
use crate::cluster::protocol::{AdminRequest, AdminResponse, MemberStatus, RunStatus};

impl Coordinator {
    pub(super) fn answer(&mut self, admin: u64, request: AdminRequest, now: f64) {
        let answer = match request {
            AdminRequest::Hold | AdminRequest::GoOn { .. } | AdminRequest::Pause { .. } => {
                return self.on_holder(admin, &request);
            }
            AdminRequest::Rescale { .. } if self.config.held => {
                AdminResponse::Refused("the run is held: its holder sets its workers".into())
            }
            AdminRequest::Join { .. } if self.config.held => {
                AdminResponse::Refused("the run is held, and has one process: nobody joins it".into())
            }
            AdminRequest::Status => AdminResponse::Status(self.status()),
            AdminRequest::Rescale { workers: 0 } => {
                AdminResponse::Refused("a run needs at least 1 worker".into())
            }
            AdminRequest::Rescale { workers } => {
                self.workers = Some(workers.into());
                self.end_at_boundary();
                AdminResponse::Accepted
            }
            AdminRequest::Join { workers: Some(0), .. } => {
                AdminResponse::Refused("a process needs at least 1 worker".into())
            }
            AdminRequest::Offer => AdminResponse::Offer { argv: self.config.argv.clone() },
            AdminRequest::Join { workers, rank } => match self.place(rank) {
                Ok(index) => self.grant(index, workers, now),
                Err(why) => AdminResponse::Refused(why),
            },
            AdminRequest::Exited { run, process, code, crashed, how } => {
                if run == self.config.run
                    && self.members.get(&process).is_some_and(|member| !member.spawned_here)
                {
                    self.on_exit(process, (code, crashed, how), now);
                }
                AdminResponse::Accepted
            }
        };
        self.out.push(Action::AdminResponse { admin, answer });
    }

    /// Returns the number of a process that is to join: that of its party, or the wanted or next one.
    fn place(&self, rank: Option<u32>) -> Result<u32, String> {
        if let Some(keyring) = &self.config.keyring {
            let known = rank.filter(|rank| (1..=keyring.parties()).contains(rank));
            let party = known.ok_or("the run has parties: join with --parties, --as and --key")?;
            if self.config.parties.gone.contains(&party) {
                let name = keyring.name(party);
                return Err(format!(
                    "the run goes on without {name}, which was lost: it can join the next one"
                ));
            }
            // It may come again once it is gone.
            return match self.members.contains_key(&party) {
                true => Err(format!("{} takes part already: a party joins once", keyring.name(party))),
                false => Ok(party),
            };
        }
        // No number is used twice: late events of an earlier process may still arrive.
        let wanted = rank.and_then(|rank| self.config.first_guest().checked_add(rank));
        Ok(wanted.filter(|wanted| !self.granted.contains(wanted)).unwrap_or(self.next))
    }

    /// Grants a process to join by this number, with so many workers or as many as the others.
    fn grant(&mut self, index: u32, brings: Option<u32>, now: f64) -> AdminResponse {
        self.granted.insert(index);
        self.next = self.next.max(index.saturating_add(1));
        let CoordinatorConfig { argv, workers, run, .. } = self.config.clone();
        let workers = brings.unwrap_or(workers);
        self.members.insert(index, Member::new(false, workers, now));
        // Each party has a folder of its own.
        let begins = self.has_parties() || self.begins(index);
        AdminResponse::JoinGrant { argv, index, workers, run, begins }
    }

    /// `true` if a process that joins makes the run's folder: the first one that joins a launcher without
    /// processes of its own.
    fn begins(&mut self, index: u32) -> bool {
        let is_there = |before: u32| self.members.contains_key(&before);
        let begins =
            self.config.processes == 0 && !self.config.goes_on && !self.begun_by.is_some_and(is_there);
        if begins {
            self.begun_by = Some(index);
        }
        begins
    }

    fn status(&self) -> RunStatus {
        let place = |of: u32| {
            let plan = self.plan.as_ref()?;
            let participant = plan.index_of(of)? as u32;
            let workers = plan.process_of.iter().filter(|&&process| process == participant).count() as u32;
            let shards = (0..plan.shard_at.len() as u32)
                .filter(|&shard| plan.shard_process(shard) == participant)
                .count();
            Some((workers, shards as u32))
        };
        let member = |(&process, member): (&u32, &Member)| {
            let (workers, shards) = place(process).unwrap_or_default();
            let (state, address) = (member.state.name().into(), member.address.clone());
            let (peak_memory_bytes, machine) = (member.memory, member.machine.clone());
            MemberStatus { process, state, address, workers, shards, peak_memory_bytes, machine }
        };
        RunStatus {
            generation: self.plan.as_ref().map_or(0, |plan| plan.number),
            epoch: self.epoch.epoch,
            seconds: self.epoch.seconds,
            metric: self.epoch.metric.clone(),
            workers: self.plan.as_ref().map_or(0, |plan| u32::try_from(plan.asked).unwrap_or(u32::MAX)),
            members: self.members.iter().map(member).collect(),
            pauses: self.pauses.clone(),
            notes: self.notes.last(),
            losses: self.config.losses,
            refused: self.refused(),
            held: self.held_status(),
        }
    }
}
