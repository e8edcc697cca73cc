//! [`World`]: the processes of a simulated run, its coordinator and their connections, under a virtual clock
//! in microseconds.

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use super::Rng;
use super::events::{AdminEvent, MembershipCounts, SimulatedEvent};
use super::faults::{Counts, Faults};
use super::mixing::Mixing;
use super::process::Process;
use crate::cluster::coordinator::{Coordinator, CoordinatorConfig, Event};
use crate::cluster::protocol::{MemberReport, Order};
use crate::engine::Outcome;
use crate::engine::member::{Outgoing, Step};
use crate::engine::transfer::{ProcessStats, Transfer};
use crate::run::place::Outbox;

/// Most events of a run.
const MOST: u64 = 400_000;

/// End of a connection: a process (or the coordinator), and one of its threads or `u32::MAX` for the process
/// itself.
pub(super) type End = (u32, u32);

pub(super) const COORDINATOR: End = (u32::MAX, 0);

/// Result of a simulated run.
pub(super) struct Ended {
    pub(super) outcome: Outcome<Mixing>,
    pub(super) comings: MembershipCounts,
    pub(super) faults: Counts,
}

pub(super) struct World {
    pub(super) rng: Rng,
    pub(super) problem: u64,
    pub(super) now: u64,
    /// Time at which the coordinator began.
    pub(super) since: u64,
    pub(super) count: u64,
    pub(super) faults: Option<Faults>,
    pub(super) agenda: BTreeMap<(u64, u64), SimulatedEvent>,
    /// Time at which the last message from one end to another arrives: connections keep the order.
    pub(super) last: HashMap<(End, End), u64>,
    pub(super) coordinator: Coordinator,
    pub(super) processes: BTreeMap<u32, Process>,
    /// Messages that arrived before their generation began at the receiver.
    pub(super) early: Vec<SimulatedEvent>,
    /// For each process about to join: whether it fits the run, and whether it stays until it has joined.
    pub(super) joining: Vec<(bool, bool)>,
    pub(super) outcome: Option<(u32, Outcome<Mixing>)>,
    pub(super) over: Option<(u32, i32, Option<String>)>,
    pub(super) comings: MembershipCounts,
}

impl World {
    pub(super) fn new(seed: u64, problem: u64) -> Self {
        let mut rng = Rng::new(seed);
        let (processes, workers) = (1 + rng.below(3) as u32, 1 + rng.below(3) as u32);
        let config = CoordinatorConfig {
            processes,
            workers,
            balance: rng.one_in(2),
            run: seed,
            deadline: 1e9,
            ..CoordinatorConfig::default()
        };
        let mut world = Self {
            problem,
            now: 0,
            since: 0,
            faults: None,
            count: 0,
            agenda: BTreeMap::new(),
            last: HashMap::new(),
            coordinator: Coordinator::new(config),
            processes: (0..processes).map(|index| (index, Process::new(index, problem, true))).collect(),
            early: Vec::new(),
            joining: Vec::new(),
            outcome: None,
            over: None,
            comings: MembershipCounts::default(),
            rng,
        };
        for index in 0..processes {
            let after = world.rng.below(5_000);
            world.at(after, SimulatedEvent::Built(index));
        }
        for _ in 0..world.rng.below(5) {
            let admin_event = match world.rng.below(10) {
                0..3 => AdminEvent::Join { fits: true, stays: !world.rng.one_in(5) },
                3 => AdminEvent::Join { fits: false, stays: true },
                4 | 5 => AdminEvent::Leave,
                6 | 7 => AdminEvent::FirstLeaves,
                _ => AdminEvent::Rescale,
            };
            let after = world.rng.below(120_000);
            world.at(after, SimulatedEvent::AdminEvent(admin_event));
        }
        world
    }

    pub(super) fn at(&mut self, time: u64, what: SimulatedEvent) {
        self.count += 1;
        self.agenda.insert((time, self.count), what);
    }

    /// Sends an event with a random delay; those between two ends keep their order.
    pub(super) fn send(&mut self, from: End, to: End, what: SimulatedEvent) {
        let delay = match self.rng.below(20) {
            0 => self.rng.below(50_000),
            1..5 => self.rng.below(3_000),
            _ => self.rng.below(300),
        };
        let last = self.last.entry((from, to)).or_default();
        *last = (*last).max(self.now + delay);
        let time = *last;
        self.at(time, what);
    }

    /// Runs to the end of the run.
    pub(super) fn run(mut self) -> Result<Ended, String> {
        while self.over.is_none() {
            let Some(((time, _), what)) = self.agenda.pop_first() else {
                return Err(format!("nothing happens any more at {} us", self.now));
            };
            self.now = time;
            if self.count > MOST {
                return Err("the run does not end".into());
            }
            self.dispatch(what)?;
            self.end_dead();
        }
        self.check_ghosts()?;
        let (who, code, why) = self.over.take().unwrap_or_default();
        if code != 0 || why.is_some() {
            return Err(format!("the run ended with {code} by process {who}: {why:?}"));
        }
        let (whose, outcome) = self.outcome.take().ok_or("nobody has the outcome")?;
        if whose != who {
            return Err(format!("process {whose} has the outcome, and process {who} ended the run"));
        }
        let faults = self.faults.as_ref().map(|faults| faults.counts);
        Ok(Ended { outcome, comings: self.comings, faults: faults.unwrap_or_default() })
    }

    fn dispatch(&mut self, what: SimulatedEvent) -> Result<(), String> {
        if self.is_lost(&what) {
            return Ok(());
        }
        match what {
            SimulatedEvent::Fault(fault) => self.inject(fault),
            SimulatedEvent::Heartbeat => self.beat()?,
            SimulatedEvent::Ends(index) => self.kill(index),
            SimulatedEvent::Silent { from, to, generation, attempt } => {
                self.on_silence(from, to, generation, attempt);
            }
            SimulatedEvent::GoesOn => self.go_on_late(),
            SimulatedEvent::Wakes(index) => self.wake(index)?,
            SimulatedEvent::ToCoordinator(event) => self.coordinate(event)?,
            SimulatedEvent::Order(to, order) => self.on_order(to, order)?,
            SimulatedEvent::Transfer { from, to, generation, packed } => {
                let Some(process) = self.processes.get_mut(&to) else { return Ok(()) };
                if process.plan.as_ref().is_none_or(|plan| plan.number < generation) {
                    self.early.push(SimulatedEvent::Transfer { from, to, generation, packed });
                    return Ok(());
                }
                let (tag, number, bytes) = packed;
                let length = bytes.len() as u64;
                let transfers = Transfer::unpack(tag, number, bytes)?;
                process.member.take(from, transfers, length).map_err(|why| why.to_string())?;
                self.go_on(to)?;
            }
            SimulatedEvent::Message { process, generation, to, bytes } => {
                self.deliver(process, generation, to, bytes)?;
            }
            SimulatedEvent::Turn { process, generation, thread } => self.turn(process, generation, thread)?,
            SimulatedEvent::AdminEvent(admin_event) => self.on_admin_event(admin_event)?,
            SimulatedEvent::Built(index) => {
                let Some(process) = self.processes.get(&index) else { return Ok(()) };
                let report = MemberReport::Ready {
                    registration: Box::new(process.member.registration(2)),
                    address: format!("at {index}"),
                };
                self.report(index, report);
            }
        }
        Ok(())
    }

    pub(super) fn report(&mut self, from: u32, report: MemberReport) {
        self.send(
            (from, u32::MAX),
            COORDINATOR,
            SimulatedEvent::ToCoordinator(Event::Report { from, report }),
        );
    }

    /// Carries an order out at a process.
    pub(super) fn on_order(&mut self, to: u32, order: Order) -> Result<(), String> {
        let Some(process) = self.processes.get_mut(&to) else { return Ok(()) };
        match order {
            Order::Begin { start } => {
                let generation = start.plan.number;
                process.plan = Some(start.plan.clone());
                let transfers = process.member.begin(start, Some(ProcessStats::default()));
                let transfers = transfers.map_err(|why| why.to_string())?;
                self.hand_over(to, generation, transfers);
                self.go_on(to)?;
                for early in std::mem::take(&mut self.early) {
                    self.dispatch(early)?;
                }
            }
            Order::EndGeneration { generation } => process.requests.end_at_boundary(generation),
            Order::Stop => process.requests.stop(),
            Order::Cancel { generation } => process.requests.cancel(generation),
            Order::Refuse { .. } => {
                self.comings.refused += 1;
                self.processes.remove(&to);
            }
            Order::SubmitParts { generation, epoch, anew } => {
                let submitted = process.member.submit_parts(epoch, anew).map_err(|why| why.to_string())?;
                if self.is_dead(to) {
                    return Ok(());
                }
                let report = MemberReport::PartsSubmitted { generation, submitted };
                match self.slowness() {
                    0 => self.report(to, report),
                    slow => {
                        let after = self.now + slow;
                        self.at(after, SimulatedEvent::ToCoordinator(Event::Report { from: to, report }));
                    }
                }
            }
            // One that has no part yet ends, and joins anew.
            Order::Lost if process.plan.is_none() => self.knock_again(to),
            // No simulated run is held: a hub that waits would hold up the others.
            Order::End | Order::Lost | Order::Alive { .. } | Order::Write | Order::GoOn { .. } => {}
        }
        Ok(())
    }

    /// Sends transfers before a generation.
    fn hand_over(&mut self, from: u32, generation: u64, transfers: Outgoing<Mixing>) {
        for (to, transfers) in transfers {
            for one in transfers {
                let what = SimulatedEvent::Transfer { from, to, generation, packed: one.pack() };
                self.send((from, u32::MAX), (to, u32::MAX), what);
            }
        }
    }

    /// Takes a process's next step, if all transfers to it have arrived.
    fn go_on(&mut self, index: u32) -> Result<(), String> {
        let Some(process) = self.processes.get_mut(&index) else { return Ok(()) };
        if process.running.is_some() || process.gone {
            return Ok(());
        }
        let transfers = process.member.restore_on().map_err(|why| why.to_string())?;
        if !transfers.is_empty() {
            let generation = process.plan.as_ref().map_or(1, |plan| plan.number);
            self.hand_over(index, generation, transfers);
            return self.go_on(index);
        }
        match process.member.next(Instant::now()).map_err(|why| why.to_string())? {
            Step::Wait => {}
            Step::Leave => {
                process.gone = true;
                let plan = process.plan.as_ref().filter(|plan| !plan.last);
                let was_first =
                    plan.and_then(|plan| plan.previous.first()).is_some_and(|first| first.id == index);
                self.comings.left += u64::from(plan.is_some());
                self.comings.handed_on += u64::from(was_first);
                self.leave(index);
            }
            Step::Over(outcome) => {
                process.gone = true;
                self.outcome = Some((index, *outcome));
                self.leave(index);
            }
            Step::Run(generation, _) => {
                let mut out = Outbox::new();
                process.start(generation, &mut out)?;
                let begins = process.plan.as_ref().map_or(1, |plan| plan.number);
                let previous = process.plan.as_ref().is_some_and(|plan| plan.was_participant(index));
                let joins = begins > 1 && !previous;
                self.comings.joined += u64::from(joins);
                self.comings.again += u64::from(joins && self.comings.handed_on > 0);
                let settled =
                    MemberReport::Settled { generation: begins, bytes: 0, seconds: 0.001, memory: 0 };
                self.report(index, settled);
                self.post((index, 0), out);
                for early in std::mem::take(&mut self.early) {
                    self.dispatch(early)?;
                }
                self.look_for_an_end(index)?;
            }
        }
        Ok(())
    }

    /// A process sends its last report and ends.
    fn leave(&mut self, index: u32) {
        self.report(index, MemberReport::Done);
        let (from, to) = ((index, u32::MAX), COORDINATOR);
        self.send(from, to, SimulatedEvent::ToCoordinator(Event::Closed { of: index, damaged: false }));
        // The launcher sees the exit of a process after a time of its own.
        let exited = Event::Exited { of: index, code: 0, crashed: false, how: "ended".into() };
        let after = self.now + self.rng.below(10_000);
        self.at(after, SimulatedEvent::ToCoordinator(exited));
    }
}
