//! What the coordinator of a simulated run is told and does, and what others wish of it.

use super::process::Process;
use super::world::{COORDINATOR, Happening, Whim, World};
use crate::cluster::coordinator::{Action, Event};
use crate::cluster::protocol::{Answer, Question, Report};

impl World {
    pub(super) fn coordinate(&mut self, event: Event) -> Result<(), String> {
        let now = (self.now - self.since) as f64 * 1e-6;
        self.echo(&event);
        for action in self.coordinator.on(event, now) {
            match action {
                Action::Tell { to, order } => {
                    self.send(COORDINATOR, (to, u32::MAX), Happening::Order(to, order));
                }
                Action::Answer { answer: Answer::Place { index, .. }, .. } => {
                    let (fits, stays) = self.joining.pop().unwrap_or((true, true));
                    let process = match self.faults.as_mut().filter(|_| fits) {
                        Some(faults) => faults.process(index, self.problem),
                        None => Process::new(index, self.problem, fits),
                    };
                    self.processes.insert(index, process);
                    let after = self.now + self.dice.below(20_000);
                    match stays {
                        true => self.at(after, Happening::Built(index)),
                        false => self.at(after, Happening::ToCoordinator(Event::Closed { of: index })),
                    }
                }
                Action::Number(number) => {
                    // Where it cannot be noted, as on a full disk, the run waits.
                    let noted = self.faults.as_ref().map(|faults| faults.vault.note_generation(number));
                    if self.is_launcher_dead() {
                        return Ok(());
                    }
                    let failed = noted.and_then(Result::err).map(|why| why.to_string());
                    self.soon(Some(Event::Numbered { number, failed }));
                }
                Action::Answer { .. } | Action::Note(_) | Action::Begun => {}
                Action::Find { identity } => {
                    let found = self.find(&identity)?;
                    self.soon(found);
                }
                Action::Commit { epoch, generation, identity, drafted } => {
                    let kept = self.commit((epoch, generation), &identity, drafted)?;
                    if self.is_launcher_dead() {
                        return Ok(());
                    }
                    self.soon(kept);
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

    /// The coordinator is told in a while.
    pub(super) fn soon(&mut self, event: Option<Event>) {
        let after = self.now + self.dice.below(2_000) + self.slowness();
        event.into_iter().for_each(|event| self.at(after, Happening::ToCoordinator(event)));
    }

    pub(super) fn indulge(&mut self, whim: Whim) -> Result<(), String> {
        let question = match whim {
            Whim::Join { fits, stays } => {
                self.joining.push((fits, stays));
                Question::Join
            }
            Whim::Rescale => Question::Rescale { workers: 1 + self.dice.below(7) as u32 },
            Whim::FirstLeaves => {
                let plans = self.processes.values().filter(|process| !process.gone);
                let plan = plans.filter_map(|process| process.plan.as_ref()).max_by_key(|plan| plan.number);
                if let Some(first) = plan.map(|plan| plan.seats[0].id) {
                    self.say(first, Report::Leaving);
                    let after = self.now + self.dice.below(60_000);
                    self.at(after, Happening::Whim(Whim::Join { fits: true, stays: true }));
                }
                return Ok(());
            }
            Whim::Leave => {
                let ids: Vec<u32> = self.processes.keys().copied().collect();
                if ids.is_empty() {
                    return Ok(());
                }
                let from = ids[self.dice.below(ids.len() as u64) as usize];
                if self.processes[&from].plan.is_some() && !self.processes[&from].gone {
                    self.say(from, Report::Leaving);
                }
                return Ok(());
            }
        };
        self.coordinate(Event::Asked { visitor: 0, question })
    }
}
