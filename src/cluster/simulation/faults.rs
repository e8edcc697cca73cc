//! Faults of a simulated run: processes are killed or stopped, or their machine loses power with its unsynced
//! bytes; links pass nothing on, in one direction or in both; disks are slow or full; and the launcher dies
//! and another one goes on. A stopped process runs on later, when another one has replaced it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::disk::{FaultyDisk, Folder};
use super::events::{Fault, SimulatedEvent};
use super::process::Process;
use super::world::World;
use crate::base::identity::Identity;
use crate::checkpoint::SubmittedParts;
use crate::cluster::checkpoints::CheckpointStore;
use crate::cluster::coordinator::{Coordinator, CoordinatorConfig, Event};
use crate::cluster::protocol::{MemberReport, Order};

/// Heartbeat timeout in seconds, and microseconds between two heartbeats.
pub(super) const DEADLINE: f64 = 0.5;
pub(super) const HEARTBEAT: u64 = 100_000;

/// Number of times that each kind of event has happened.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) struck: u64,
    pub(super) attempts: u64,
    /// Attempts that resumed from a checkpoint.
    pub(super) resumed: u64,
    /// Machines that lost power, checkpoints that a full disk refused, links that fell silent, and stopped
    /// processes that ran on.
    pub(super) unsynced: u64,
    pub(super) refused: u64,
    pub(super) silent: u64,
    pub(super) late: u64,
    /// Processes that failed their handshake.
    pub(super) unmet: u64,
    /// Joiners that were told, behind a silence, that they have no place any more.
    pub(super) told: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.struck += other.struck;
        self.attempts += other.attempts;
        self.resumed += other.resumed;
        self.unsynced += other.unsynced;
        self.refused += other.refused;
        self.silent += other.silent;
        self.late += other.late;
        self.unmet += other.unmet;
        self.told += other.told;
    }
}

/// State of a run with faults, beside that of a [`World`].
pub(super) struct Faults {
    pub(super) folder: PathBuf,
    pub(super) config: CoordinatorConfig,
    pub(super) disk: Arc<Folder>,
    /// The processes' access to the folder, and the launcher's.
    pub(super) disks: BTreeMap<u32, Arc<FaultyDisk>>,
    pub(super) own: Arc<FaultyDisk>,
    pub(super) is_slow: bool,
    pub(super) checkpoints: CheckpointStore,
    /// The last committed checkpoint, and one whose commit was under way when the launcher died.
    committed: Option<String>,
    maybe_committed: Option<String>,
    /// Stopped processes; those whose messages to the coordinator are dropped; those that receive none from
    /// it.
    pub(super) frozen: Vec<u32>,
    pub(super) unheard: Vec<u32>,
    pub(super) unreached: Vec<u32>,
    /// Links that drop messages: sender, receiver, generation.
    pub(super) dropping: Vec<(u32, u32, u64)>,
    /// Orders that stopped processes have not read, and stopped processes that were replaced, with their
    /// unread orders.
    pub(super) unread: Vec<(u32, Order)>,
    pub(super) late: Vec<(Process, Vec<Order>)>,
    /// Number of attempts to come in which a process fails its handshake.
    pub(super) unmet: u64,
    /// Time since when a process waits for transfers of others.
    pub(super) waiting: BTreeMap<u32, u64>,
    /// Joiners that have run on behind a silence, and when.
    pub(super) awake: BTreeMap<u32, u64>,
    pub(super) counts: Counts,
}

impl Faults {
    pub(super) fn checkpoints(&self) -> PathBuf {
        self.folder.join("checkpoint")
    }

    /// A new process with a disk of its own.
    pub(super) fn process(&mut self, index: u32, problem: u64) -> Process {
        let disk = self.disk.reach();
        self.disks.insert(index, Arc::clone(&disk));
        Process::with_checkpoints(index, problem, self.checkpoints(), disk)
    }

    /// `true` if the link drops messages of one process to the other.
    pub(super) fn is_cut(&self, from: u32, to: u32, generation: u64) -> bool {
        self.dropping.contains(&(from, to, generation))
    }
}

impl World {
    /// A run in this folder with one to three faults at random times.
    pub(super) fn with_faults(seed: u64, problem: u64, folder: PathBuf) -> Self {
        let mut world = Self::new(seed, problem);
        let disk: Arc<Folder> = Arc::default();
        let own = disk.reach();
        let checkpoints = CheckpointStore::in_store(folder.clone(), own.clone());
        let config =
            CoordinatorConfig { may_resume: true, deadline: DEADLINE, ..world.coordinator.config().clone() };
        world.coordinator = Coordinator::new(config.clone());
        world.faults = Some(Faults {
            folder,
            config,
            disk,
            disks: BTreeMap::new(),
            own,
            is_slow: false,
            checkpoints,
            committed: None,
            maybe_committed: None,
            frozen: Vec::new(),
            unheard: Vec::new(),
            unreached: Vec::new(),
            dropping: Vec::new(),
            unread: Vec::new(),
            late: Vec::new(),
            unmet: 0,
            waiting: BTreeMap::new(),
            awake: BTreeMap::new(),
            counts: Counts { attempts: 1, ..Counts::default() },
        });
        // The processes of `new` have no folder: others replace them.
        world.agenda.retain(|_, what| !matches!(what, SimulatedEvent::Built(_)));
        world.start_processes();
        for _ in 0..1 + world.rng.below(3) {
            let fault = Fault::any(&mut world.rng);
            // Before the first checkpoint, or after some.
            let latest = if world.rng.one_in(2) { 60_000 } else { 1_000_000 };
            let after = world.rng.below(latest);
            world.at(after, SimulatedEvent::Fault(fault));
        }
        world.at(HEARTBEAT, SimulatedEvent::Heartbeat);
        world
    }

    /// Repeats an event of the coordinator later, now and then.
    pub(super) fn duplicate(&mut self, event: &Event) {
        let has_faults = self.faults.is_some();
        let again = matches!(
            event,
            Event::Report { .. } | Event::Found { .. } | Event::Numbered { .. } | Event::Committed { .. }
        );
        if has_faults && again && self.rng.one_in(30) {
            let after = self.now + self.rng.below(100_000);
            self.at(after, SimulatedEvent::ToCoordinator(event.clone()));
        }
    }

    /// `true` if a fault drops the event; an order to a stopped process is stored.
    pub(super) fn is_lost(&mut self, what: &SimulatedEvent) -> bool {
        let Some(faults) = &mut self.faults else { return false };
        if let SimulatedEvent::Order(to, order) = what
            && faults.frozen.contains(to)
        {
            faults.unread.push((*to, order.clone()));
        }
        match what {
            SimulatedEvent::ToCoordinator(Event::Report { from, .. }) => faults.unheard.contains(from),
            SimulatedEvent::Order(to, _) => faults.unreached.contains(to) || faults.frozen.contains(to),
            SimulatedEvent::Transfer { from, to, generation, .. } => {
                let is_there = !faults.frozen.contains(to) && self.processes.contains_key(to);
                !is_there || faults.is_cut(*from, *to, *generation)
            }
            SimulatedEvent::Message { process, .. } => {
                faults.frozen.contains(process) || !self.processes.contains_key(process)
            }
            SimulatedEvent::Turn { process, .. } | SimulatedEvent::Built(process) => {
                faults.frozen.contains(process)
            }
            _ => false,
        }
    }

    /// All running processes send a heartbeat, and the coordinator checks its timeouts.
    pub(super) fn beat(&mut self) -> Result<(), String> {
        let Some(faults) = &self.faults else { return Ok(()) };
        let alive: Vec<u32> =
            self.processes.keys().copied().filter(|index| !faults.frozen.contains(index)).collect();
        for index in alive {
            self.report(index, MemberReport::Alive { memory: 0 });
            self.look_at_handover(index);
        }
        let after = self.now + HEARTBEAT;
        self.at(after, SimulatedEvent::Heartbeat);
        self.coordinate(Event::Tick)
    }

    /// Reports a failure of a process that waits too long for transfers, as its links would.
    fn look_at_handover(&mut self, index: u32) {
        let (Some(faults), Some(process)) = (&mut self.faults, self.processes.get(&index)) else { return };
        let begun = process.plan.as_ref().is_some_and(|plan| plan.number > process.requests.running());
        if !begun || process.gone {
            faults.waiting.remove(&index);
            return;
        }
        let since = *faults.waiting.entry(index).or_insert(self.now);
        if self.now - since > (3e6 * DEADLINE) as u64 {
            let why = "nothing was handed over".into();
            self.report(index, MemberReport::Failed { why, of_a_peer: true });
        }
    }

    /// Looks up the checkpoint to resume from, and checks that it is the last committed one.
    pub(super) fn find(&mut self, identity: &Identity) -> Result<Option<Event>, String> {
        let Some(faults) = &mut self.faults else { return Ok(None) };
        let found = faults.checkpoints.find(identity);
        let Event::Found { from, .. } = &found else { return Err(format!("it cannot go on: {found:?}")) };
        let maybe_committed = faults.maybe_committed.take();
        if *from != faults.committed && (maybe_committed.is_none() || *from != maybe_committed) {
            return Err(format!("{:?} was committed, and {from:?} is found", faults.committed));
        }
        faults.committed = from.clone();
        faults.counts.resumed += u64::from(from.is_some());
        Ok(Some(found))
    }

    /// Random delay of a slow disk in microseconds; else 0.
    pub(super) fn slowness(&mut self) -> u64 {
        let is_slow = self.faults.as_ref().is_some_and(|faults| faults.is_slow);
        if is_slow { self.rng.below(4_000_000) } else { 0 }
    }

    /// `true` if the machine of a process has died at an operation.
    pub(super) fn is_dead(&self, index: u32) -> bool {
        let disk = self.faults.as_ref().and_then(|faults| faults.disks.get(&index));
        disk.is_some_and(|disk| disk.is_dead())
    }

    pub(super) fn is_launcher_dead(&self) -> bool {
        self.faults.as_ref().is_some_and(|faults| faults.own.is_dead())
    }

    /// Commits a checkpoint.
    pub(super) fn commit(
        &mut self,
        epoch: u64,
        generation: u64,
        identity: &Identity,
        submitted: SubmittedParts,
    ) -> Result<Option<Event>, String> {
        let Some(faults) = &mut self.faults else { return Ok(None) };
        let checkpoint_result = faults.checkpoints.commit(epoch, generation, identity, submitted);
        let folder = faults.checkpoints().join(format!("{epoch}.{generation}"));
        let folder = Some(folder.to_string_lossy().into_owned());
        match &checkpoint_result.failed {
            None => faults.committed = folder,
            Some(_) if faults.own.is_dead() => faults.maybe_committed = folder,
            Some(why) if why.contains("no space left") => faults.counts.refused += 1,
            // The machine that made the folder has lost power: the loss of its process is reported soon.
            Some(why) if faults.counts.unsynced > 0 && why.contains("os error 2") => {}
            Some(why) => return Err(why.clone()),
        }
        Ok(Some(Event::Committed { generation, checkpoint_result }))
    }
}
