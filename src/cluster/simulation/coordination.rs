//! The coordinator of a simulated run: its events, its actions, and requests of admin clients.

use super::events::{AdminEvent, SimulatedEvent};
use super::process::Process;
use super::world::{COORDINATOR, World};
use crate::cluster::coordinator::{Action, Event};
use crate::cluster::protocol::{AdminRequest, AdminResponse, MemberReport, Order};

impl World {
    pub(super) fn coordinate(&mut self, event: Event) -> Result<(), String> {
        let now = (self.now - self.since) as f64 * 1e-6;
        self.duplicate(&event);
        for action in self.coordinator.on(event, now) {
            match action {
                Action::Send { to, order } => {
                    self.send(COORDINATOR, (to, u32::MAX), SimulatedEvent::Order(to, order));
                }
                Action::Dismiss { of } => {
                    self.send(COORDINATOR, (of, u32::MAX), SimulatedEvent::Order(of, Order::Lost));
                }
                Action::AdminResponse { answer: AdminResponse::JoinGrant { index, .. }, .. } => {
                    let (fits, stays) = self.joining.pop().unwrap_or((true, true));
                    let process = match self.faults.as_mut().filter(|_| fits) {
                        Some(faults) => faults.process(index, self.problem),
                        None => Process::new(index, self.problem, fits),
                    };
                    self.processes.insert(index, process);
                    let after = self.now + self.rng.below(20_000);
                    if self.stop_while_it_prepares(index) {
                        continue;
                    }
                    match stays {
                        true => self.at(after, SimulatedEvent::Built(index)),
                        false => self.at(
                            after,
                            SimulatedEvent::ToCoordinator(Event::Closed { of: index, damaged: false }),
                        ),
                    }
                }
                Action::Number(number) => {
                    // Where it cannot be written, as on a full disk, the run waits.
                    let noted = self.faults.as_ref().map(|faults| faults.checkpoints.note_generation(number));
                    if self.is_launcher_dead() {
                        return Ok(());
                    }
                    let failed = noted.and_then(Result::err).map(|why| why.to_string());
                    self.schedule_event(Some(Event::Numbered { number, failed }));
                }
                Action::AdminResponse { .. } | Action::Note(_) | Action::Begun => {}
                Action::Find { identity } => {
                    let found = self.find(&identity)?;
                    self.schedule_event(found);
                }
                Action::Commit { epoch, generation, identity, submitted } => {
                    let checkpoint_result = self.commit(epoch, generation, &identity, submitted)?;
                    if self.is_launcher_dead() {
                        return Ok(());
                    }
                    self.schedule_event(checkpoint_result);
                }
                Action::Lost { .. } | Action::Left { .. } if self.faults.is_some() => {
                    self.begin_anew();
                    return Ok(());
                }
                Action::Lost { who, why } | Action::Left { who, why } => {
                    self.over = Some((who, 1, Some(why)))
                }
                Action::Over { who, code, why } => self.over = Some((who, code, why)),
            }
        }
        Ok(())
    }

    /// Sends the coordinator an event after a short random time.
    pub(super) fn schedule_event(&mut self, event: Option<Event>) {
        let after = self.now + self.rng.below(2_000) + self.slowness();
        event.into_iter().for_each(|event| self.at(after, SimulatedEvent::ToCoordinator(event)));
    }

    pub(super) fn on_admin_event(&mut self, admin_event: AdminEvent) -> Result<(), String> {
        let request = match admin_event {
            AdminEvent::Join { fits, stays } => {
                self.joining.push((fits, stays));
                let workers = Some((self.now % 4) as u32).filter(|&workers| workers > 0);
                AdminRequest::Join { workers, rank: Some((self.now % 3) as u32) }
            }
            AdminEvent::Rescale => AdminRequest::Rescale { workers: 1 + self.rng.below(7) as u32 },
            AdminEvent::FirstLeaves => {
                let plans = self.processes.values().filter(|process| !process.gone);
                let plan = plans.filter_map(|process| process.plan.as_ref()).max_by_key(|plan| plan.number);
                if let Some(first) = plan.map(|plan| plan.participants[0].id) {
                    self.report(first, MemberReport::Leaving);
                    let after = self.now + self.rng.below(60_000);
                    self.at(after, SimulatedEvent::AdminEvent(AdminEvent::Join { fits: true, stays: true }));
                }
                return Ok(());
            }
            AdminEvent::Leave => {
                let ids: Vec<u32> = self.processes.keys().copied().collect();
                if ids.is_empty() {
                    return Ok(());
                }
                let from = ids[self.rng.below(ids.len() as u64) as usize];
                if self.processes[&from].plan.is_some() && !self.processes[&from].gone {
                    self.report(from, MemberReport::Leaving);
                }
                return Ok(());
            }
        };
        self.coordinate(Event::Asked { admin: 0, request })
    }
}
