//! Attempts of a simulated run: the processes of the first one, and of each that follows a loss.

use super::events::SimulatedEvent;
use super::world::World;
use crate::cluster::LOST;
use crate::cluster::checkpoints::CheckpointStore;
use crate::cluster::coordinator::{Coordinator, CoordinatorConfig, Event};

impl World {
    /// Starts the processes of an attempt, which build their programs first.
    pub(super) fn start_processes(&mut self) {
        let Some(faults) = &mut self.faults else { return };
        let (count, problem) = (faults.config.processes, self.problem);
        self.processes = (0..count).map(|index| (index, faults.process(index, problem))).collect();
        let unmet = faults.unmet > 0;
        faults.unmet = faults.unmet.saturating_sub(1);
        faults.counts.unmet += u64::from(unmet);
        let unmet = unmet.then(|| self.rng.below(u64::from(count)) as u32);
        for index in 0..count {
            let after = self.now + self.rng.below(5_000);
            if unmet != Some(index) {
                self.at(after, SimulatedEvent::Built(index));
                continue;
            }
            self.processes.remove(&index);
            if self.rng.one_in(2) {
                // The connection was made, and broke.
                self.at(after, SimulatedEvent::ToCoordinator(Event::Closed { of: index, damaged: false }));
            }
            let exited = Event::Exited { of: index, code: LOST, crashed: true, how: "ended".into() };
            let after = after + self.rng.below(5_000);
            self.at(after, SimulatedEvent::ToCoordinator(exited));
        }
    }

    /// The launcher, or a new one, ends the remaining processes and begins a new attempt from the state of
    /// the folder.
    pub(super) fn begin_anew(&mut self) {
        let Some(faults) = &mut self.faults else { return };
        faults.counts.attempts += 1;
        for index in std::mem::take(&mut faults.frozen) {
            let unread = faults.unread.iter().filter(|(to, _)| *to == index);
            let unread = unread.map(|(_, order)| order.clone()).collect();
            if let Some(process) = self.processes.remove(&index) {
                faults.late.push((process, unread));
                let after = self.now + self.rng.below(400_000);
                self.count += 1;
                self.agenda.insert((after, self.count), SimulatedEvent::GoesOn);
            }
        }
        faults.unread.clear();
        faults.dropping.clear();
        faults.unheard.clear();
        faults.unreached.clear();
        faults.waiting.clear();
        faults.awake.clear();
        faults.own = faults.disk.reach();
        faults.checkpoints = CheckpointStore::in_store(faults.folder.clone(), faults.own.clone());
        let after = faults.checkpoints.last_generation();
        self.coordinator = Coordinator::new(CoordinatorConfig { after, ..faults.config.clone() });
        // Each coordinator's times begin with 0.
        self.since = self.now;
        self.outcome = None;
        self.early.clear();
        self.last.clear();
        self.joining.clear();
        let stays = |what: &SimulatedEvent| {
            matches!(
                what,
                SimulatedEvent::Fault(_)
                    | SimulatedEvent::Heartbeat
                    | SimulatedEvent::AdminEvent(_)
                    | SimulatedEvent::GoesOn
            )
        };
        self.agenda.retain(|_, what| stays(what));
        self.start_processes();
    }
}
