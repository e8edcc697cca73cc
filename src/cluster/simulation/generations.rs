//! Messages between hub and places of a simulated generation, and the turns of its threads.

use super::events::SimulatedEvent;
use super::mixing::Mixing;
use super::world::{End, World};
use crate::base::state::{from_bytes, to_bytes};
use crate::run::message::Message;
use crate::run::place::{HUB, Outbox};

impl World {
    /// Sends a thread's outgoing messages.
    pub(super) fn post(&mut self, from: End, out: Outbox<Mixing>) {
        let Some(process) = self.processes.get(&from.0) else { return };
        let Some(plan) = process.plan.clone() else { return };
        for (to, message) in out {
            let (position, thread) = match to {
                HUB => (0, u32::MAX),
                worker => (plan.process_of[worker as usize], plan.thread_of[worker as usize]),
            };
            let other = plan.participants[position as usize].id;
            let is_cut = |faults: &super::faults::Faults| faults.is_cut(from.0, other, plan.number);
            if self.faults.as_ref().is_some_and(is_cut) {
                continue;
            }
            let bytes = to_bytes(&message);
            let what = SimulatedEvent::Message { process: other, generation: plan.number, to, bytes };
            self.send(from, (other, thread), what);
        }
    }

    pub(super) fn deliver(
        &mut self,
        index: u32,
        generation: u64,
        to: u32,
        bytes: Vec<u8>,
    ) -> Result<(), String> {
        let Some(process) = self.processes.get_mut(&index) else { return Err("a message to nobody".into()) };
        let Some(running) = process.running.as_mut().filter(|running| running.number == generation) else {
            let number = process.plan.as_ref().map_or(0, |plan| plan.number);
            if number > generation || (number == generation && process.requests.running() == generation) {
                return Err(format!("a message of generation {generation} came after its end"));
            }
            self.early.push(SimulatedEvent::Message { process: index, generation, to, bytes });
            return Ok(());
        };
        let message: Message<Mixing> = from_bytes(&bytes).map_err(|why| why.to_string())?;
        let thread =
            process.plan.as_ref().filter(|_| to != HUB).map(|plan| plan.thread_of[to as usize] as usize);
        let mut out = Outbox::new();
        running.receive(thread, to, message, &mut out)?;
        if let Some(thread) = thread.filter(|&thread| !std::mem::replace(&mut running.awake[thread], true)) {
            let after = self.now + self.rng.below(200);
            self.at(after, SimulatedEvent::Turn { process: index, generation, thread });
        }
        self.post((index, 0), out);
        self.report_epochs(index);
        self.look_for_an_end(index)
    }

    fn report_epochs(&mut self, index: u32) {
        let rng = &mut self.rng;
        let seconds = || 0.5 + rng.part();
        let reports = self.processes.get(&index).map(|process| process.reports(seconds)).unwrap_or_default();
        reports.into_iter().for_each(|report| self.report(index, report));
    }

    pub(super) fn turn(&mut self, index: u32, generation: u64, thread: usize) -> Result<(), String> {
        let Some(process) = self.processes.get_mut(&index) else { return Ok(()) };
        let Some(running) = process.running.as_mut().filter(|running| running.number == generation) else {
            return Ok(());
        };
        let mut out = Outbox::new();
        if running.threads[thread].run(&mut out)? {
            let after = self.now + 1 + self.rng.below(1_000);
            self.at(after, SimulatedEvent::Turn { process: index, generation, thread });
        } else {
            running.awake[thread] = false;
        }
        self.post((index, 1 + thread as u32), out);
        self.look_for_an_end(index)
    }

    /// Reports the end of a generation, once it has come.
    pub(super) fn look_for_an_end(&mut self, index: u32) -> Result<(), String> {
        let Some(process) = self.processes.get_mut(&index) else { return Ok(()) };
        if let Some(report) = process.end()? {
            self.report(index, report);
        }
        Ok(())
    }
}
