//! Effects of faults on a simulated run.

use super::events::{AdminEvent, Fault, SimulatedEvent};
use super::faults::{DEADLINE, HEARTBEAT};
use super::world::{COORDINATOR, World};
use crate::cluster::coordinator::Event;
use crate::cluster::protocol::{MemberReport, Order};
use crate::engine::transfer::ProcessStats;
use crate::run::place::Outbox;

impl World {
    /// Injects a fault.
    pub(super) fn inject(&mut self, fault: Fault) {
        let ids: Vec<u32> = self.processes.keys().copied().collect();
        let (whom, count) = (self.rng.below(ids.len().max(1) as u64) as usize, ids.len());
        let Some(faults) = &mut self.faults else { return };
        faults.counts.struck += 1;
        // The end of a full or slow disk takes effect even where no process runs.
        match fault {
            Fault::Full(false) => faults.disk.fill(false),
            Fault::Slow(false) => faults.is_slow = false,
            _ => {}
        }
        if count == 0 {
            return self.begin_anew();
        }
        match fault {
            Fault::Launcher => {
                if self.rng.one_in(2) {
                    // The machine loses power, with its unsynced bytes.
                    faults.own.lose_power();
                    faults.counts.unsynced += 1;
                }
                self.begin_anew();
            }
            Fault::Writing { launcher: true } => faults.own.die_after(1 + self.rng.below(25) as usize),
            Fault::Writing { launcher: false } => {
                let operations = 1 + self.rng.below(12) as usize;
                faults.disks.get(&ids[whom]).iter().for_each(|disk| disk.die_after(operations));
            }
            Fault::Slow(slow) => {
                faults.is_slow = slow;
                let after = self.now + 3_000_000;
                self.at(after, SimulatedEvent::Fault(Fault::Slow(false)));
            }
            Fault::Full(full) => {
                faults.disk.fill(full);
                let after = self.now + self.rng.below(300_000);
                if full {
                    self.at(after, SimulatedEvent::Fault(Fault::Full(false)));
                }
            }
            Fault::CutLink { both } => self.cut_link(&ids, both),
            Fault::Stop => faults.frozen.push(ids[whom]),
            Fault::Partition { from, to } => {
                faults.unheard.extend(Some(ids[whom]).filter(|_| from));
                faults.unreached.extend(Some(ids[whom]).filter(|_| to));
                if to {
                    // A process that receives nothing for two deadlines ends.
                    let after = self.now + (2e6 * DEADLINE) as u64;
                    self.at(after, SimulatedEvent::Ends(ids[whom]));
                }
            }
            Fault::Kill => self.kill(ids[whom]),
            Fault::Handshake => {
                faults.unmet = 1 + self.rng.below(2);
                self.kill(ids[whom]);
            }
        }
    }

    /// A link between two processes of a generation passes nothing on; the end that receives nothing reports
    /// it and ends.
    fn cut_link(&mut self, ids: &[u32], both: bool) {
        let Some(faults) = &mut self.faults else { return };
        let one = ids[self.rng.below(ids.len() as u64) as usize];
        let Some(plan) = self.processes.get(&one).and_then(|process| process.plan.as_ref()) else { return };
        let linked: Vec<u32> = ids.iter().copied().filter(|&other| plan.links(one, other)).collect();
        if linked.is_empty() {
            return;
        }
        let other = linked[self.rng.below(linked.len() as u64) as usize];
        let (generation, attempt) = (plan.number, faults.counts.attempts);
        for (from, to) in [(one, other), (other, one)].into_iter().take(1 + usize::from(both)) {
            faults.dropping.push((from, to, generation));
            let after = self.now + (1e6 * DEADLINE) as u64 + self.rng.below(HEARTBEAT);
            self.count += 1;
            self.agenda.insert((after, self.count), SimulatedEvent::Silent { from, to, generation, attempt });
        }
    }

    /// A process has received nothing on a link for the deadline.
    pub(super) fn on_silence(&mut self, from: u32, to: u32, generation: u64, attempt: u64) {
        let (Some(faults), Some(process)) = (&mut self.faults, self.processes.get(&to)) else { return };
        let reads = process.plan.as_ref().is_some_and(|plan| plan.number == generation)
            && (process.running.is_some() || process.requests.running() < generation);
        if attempt != faults.counts.attempts || !reads || process.gone || faults.frozen.contains(&to) {
            return;
        }
        faults.counts.silent += 1;
        let why = format!("process {from} is lost: it has sent nothing");
        self.report(to, MemberReport::Failed { why, of_a_peer: true });
        let after = self.now + self.rng.below(10_000);
        self.at(after, SimulatedEvent::Ends(to));
    }

    /// Ends the launcher, or a process, whose machine has died at an operation.
    pub(super) fn end_dead(&mut self) {
        let Some(faults) = &mut self.faults else { return };
        let dead =
            faults.disks.iter().find(|(index, disk)| disk.is_dead() && self.processes.contains_key(index));
        let dead = dead.map(|(&index, _)| index);
        if faults.own.is_dead() {
            if self.rng.one_in(2) {
                faults.own.lose_power();
                faults.counts.unsynced += 1;
            }
            self.begin_anew();
        } else if let Some(index) = dead {
            self.kill(index);
        }
    }

    /// A stopped process runs on after another one has replaced it: it carries out the orders that it had,
    /// and the work it had begun.
    pub(super) fn go_on_late(&mut self) {
        let Some(faults) = &mut self.faults else { return };
        let Some((mut process, orders)) = faults.late.pop() else { return };
        faults.counts.late += 1;
        // Its messages reach no one.
        if let Some(running) = &mut process.running {
            for _ in 0..4 {
                for places in &mut running.threads {
                    let _ = places.run(&mut Outbox::new());
                }
            }
        }
        for order in orders {
            match order {
                Order::SubmitParts { epoch, anew, .. } => drop(process.member.submit_parts(epoch, anew)),
                Order::Begin { start } => drop(process.member.begin(start, Some(ProcessStats::default()))),
                _ => {}
            }
        }
    }

    /// Stops a process that is about to join, now and then, for one to two deadlines: it has connected and
    /// reads its data.
    pub(super) fn stop_while_it_prepares(&mut self, index: u32) -> bool {
        let stops = self.faults.is_some() && self.rng.one_in(2);
        if let Some(faults) = self.faults.as_mut().filter(|_| stops) {
            faults.frozen.push(index);
            self.report(index, MemberReport::Alive { memory: 0 });
            let after = self.now + (1e6 * DEADLINE) as u64 + self.rng.below((1e6 * DEADLINE) as u64);
            self.at(after, SimulatedEvent::Wakes(index));
        }
        stops
    }

    /// A stopped joiner runs on: it reads the orders that have come, and goes on to build its program.
    pub(super) fn wake(&mut self, index: u32) -> Result<(), String> {
        let Some(faults) = &mut self.faults else { return Ok(()) };
        faults.frozen.retain(|&frozen| frozen != index);
        faults.awake.insert(index, self.now);
        let unread = faults.unread.extract_if(.., |(to, _)| *to == index).collect::<Vec<_>>();
        for (to, order) in unread {
            self.on_order(to, order)?;
        }
        let after = self.now + self.rng.below(20_000);
        self.at(after, SimulatedEvent::Built(index));
        Ok(())
    }

    /// A joiner that was told that it has no place ends, and asks for another one.
    pub(super) fn knock_again(&mut self, index: u32) {
        self.processes.remove(&index);
        if let Some(faults) = &mut self.faults {
            faults.counts.told += u64::from(faults.awake.remove(&index).is_some());
        }
        let after = self.now + self.rng.below(60_000);
        self.at(after, SimulatedEvent::AdminEvent(AdminEvent::Join { fits: true, stays: true }));
    }

    /// Error if a joiner that ran on behind a silence waits for ever: it has no place, and nobody has told
    /// it.
    pub(super) fn check_ghosts(&self) -> Result<(), String> {
        let Some(faults) = &self.faults else { return Ok(()) };
        for (&index, &since) in &faults.awake {
            let waits = self.processes.get(&index).is_some_and(|process| process.plan.is_none());
            let is_told = self.coordinator.has_member(index) || faults.unreached.contains(&index);
            if waits && !is_told && !faults.frozen.contains(&index) && self.now > since + 200_000 {
                return Err(format!("process {index} waits for ever: it has no place, and is not told"));
            }
        }
        Ok(())
    }

    /// A process ends at once. Others may notice before the coordinator does.
    pub(super) fn kill(&mut self, whom: u32) {
        if self.processes.remove(&whom).is_none() {
            return;
        }
        if let Some(faults) = &mut self.faults
            && let Some(disk) = faults.disks.remove(&whom)
            && self.rng.one_in(2)
        {
            // The process's machine loses power.
            disk.lose_power();
            faults.counts.unsynced += 1;
        }
        let after = self.now + self.rng.below(3_000);
        self.at(after, SimulatedEvent::ToCoordinator(Event::Closed { of: whom, damaged: false }));
        let after = self.now + self.rng.below(10_000);
        let exited = Event::Exited { of: whom, code: 137, crashed: true, how: "was killed".into() };
        self.at(after, SimulatedEvent::ToCoordinator(exited));
        let others: Vec<u32> = self.processes.keys().copied().collect();
        for other in others {
            if self.rng.one_in(2) {
                let why = format!("the connection to process {whom} has ended");
                self.send(
                    (other, u32::MAX),
                    COORDINATOR,
                    SimulatedEvent::ToCoordinator(Event::Report {
                        from: other,
                        report: MemberReport::Failed { why, of_a_peer: true },
                    }),
                );
            }
        }
    }
}
