//! Faults of a simulated run: processes are killed or stopped, connections with the coordinator pass nothing on, in one
//! direction or in both, and the launcher dies and another one goes on.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::process::Process;
use super::world::{COORDINATOR, Happening, World};
use crate::cluster::coordinator::{Coordinator, Event, Terms};
use crate::cluster::protocol::Report;
use crate::cluster::vault::Vault;
use crate::store::Store;

/// Seconds of silence after which a process is lost, and microseconds between two signs of life.
pub(super) const DEADLINE: f64 = 0.5;
const PULSE: u64 = 100_000;

/// A disk that takes no time to be sure.
#[derive(Debug)]
pub(super) struct Quick;

impl Store for Quick {
    fn sync(&self, _: &std::fs::File) -> std::io::Result<()> {
        Ok(())
    }

    fn sync_folder(&self, _: &std::path::Path) -> std::io::Result<()> {
        Ok(())
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Fault {
    Kill,
    Stop,
    /// What a process says to the coordinator is lost, what it is told, or both.
    Cut {
        from: bool,
        to: bool,
    },
    Launcher,
}

/// What a run with faults has beside one without.
pub(super) struct Faults {
    folder: PathBuf,
    terms: Terms,
    pub(super) vault: Vault,
    /// The last checkpoint that was committed.
    committed: Option<String>,
    /// Processes that do nothing any more; those that are not heard; those that hear nothing.
    pub(super) frozen: Vec<u32>,
    mute: Vec<u32>,
    deaf: Vec<u32>,
    /// Since when a process waits for what others hand over.
    waiting: BTreeMap<u32, u64>,
    pub(super) struck: u64,
    pub(super) attempts: u64,
    pub(super) resumed: u64,
}

impl Faults {
    pub(super) fn checkpoints(&self) -> PathBuf {
        self.folder.join("checkpoint")
    }
}

impl World {
    /// A run in this folder to which a few things happen that should not.
    pub(super) fn with_faults(seed: u64, problem: u64, folder: PathBuf) -> Self {
        let mut world = Self::new(seed, problem);
        let vault = Vault::in_store(folder.clone(), Arc::new(Quick));
        let terms = Terms { keeps: true, deadline: DEADLINE, ..world.coordinator.terms().clone() };
        world.coordinator = Coordinator::new(terms.clone());
        let (committed, frozen, mute, deaf) = (None, Vec::new(), Vec::new(), Vec::new());
        let (waiting, struck, attempts, resumed) = (BTreeMap::new(), 0, 1, 0);
        world.faults = Some(Faults {
            folder,
            terms,
            vault,
            committed,
            frozen,
            mute,
            deaf,
            waiting,
            struck,
            attempts,
            resumed,
        });
        // Those of a run without faults have no folder.
        world.agenda.retain(|_, what| !matches!(what, Happening::Built(_)));
        world.people();
        for _ in 0..1 + world.dice.below(3) {
            let fault = match world.dice.below(8) {
                0..4 => Fault::Kill,
                4 => Fault::Stop,
                5 => Fault::Cut { from: true, to: world.dice.one_in(2) },
                6 => Fault::Cut { from: false, to: true },
                _ => Fault::Launcher,
            };
            // Before the first checkpoint, or behind some.
            let latest = if world.dice.one_in(2) { 60_000 } else { 1_000_000 };
            let after = world.dice.below(latest);
            world.at(after, Happening::Fault(fault));
        }
        world.at(PULSE, Happening::Pulse);
        world
    }

    /// The processes of an attempt, which are still building their programs.
    fn people(&mut self) {
        let Some(faults) = &self.faults else { return };
        let (folder, count) = (faults.checkpoints(), faults.terms.processes);
        self.processes =
            (0..count).map(|index| (index, Process::kept(index, self.problem, folder.clone()))).collect();
        for index in 0..count {
            let after = self.now + self.dice.below(5_000);
            self.at(after, Happening::Built(index));
        }
    }

    /// Whether it concerns nobody who could take it in.
    pub(super) fn is_lost(&self, what: &Happening) -> bool {
        let Some(faults) = &self.faults else { return false };
        match what {
            Happening::ToCoordinator(Event::Said { from, .. }) => faults.mute.contains(from),
            Happening::Order(to, _) => faults.deaf.contains(to) || faults.frozen.contains(to),
            Happening::Goods { to, .. } => faults.frozen.contains(to) || !self.processes.contains_key(to),
            Happening::Message { process, .. } => {
                faults.frozen.contains(process) || !self.processes.contains_key(process)
            }
            Happening::Turn { process, .. } | Happening::Built(process) => faults.frozen.contains(process),
            _ => false,
        }
    }

    /// Everybody who can says that he is alive; the coordinator looks at the time.
    pub(super) fn beat(&mut self) -> Result<(), String> {
        let Some(faults) = &self.faults else { return Ok(()) };
        let alive: Vec<u32> =
            self.processes.keys().copied().filter(|index| !faults.frozen.contains(index)).collect();
        for index in alive {
            self.say(index, Report::Alive);
            self.look_at_handover(index);
        }
        let after = self.now + PULSE;
        self.at(after, Happening::Pulse);
        self.coordinate(Event::Tick)
    }

    /// Who waits too long for what another process hands over says so, as its connections would.
    fn look_at_handover(&mut self, index: u32) {
        let (Some(faults), Some(process)) = (&mut self.faults, self.processes.get(&index)) else { return };
        let begun = process.plan.as_ref().is_some_and(|plan| plan.number > process.wishes.running());
        if !begun || process.gone {
            faults.waiting.remove(&index);
            return;
        }
        let since = *faults.waiting.entry(index).or_insert(self.now);
        if self.now - since > (3e6 * DEADLINE) as u64 {
            let why = "nothing was handed over".into();
            self.say(index, Report::Failed { why, of_a_peer: true });
        }
    }

    pub(super) fn strike(&mut self, fault: Fault) {
        let ids: Vec<u32> = self.processes.keys().copied().collect();
        let (whom, count) = (self.dice.below(ids.len().max(1) as u64) as usize, ids.len());
        let Some(faults) = &mut self.faults else { return };
        faults.struck += 1;
        if count == 0 || matches!(fault, Fault::Launcher) {
            // What it has not noted is gone with it.
            return self.begin_anew();
        }
        match fault {
            Fault::Stop => faults.frozen.push(ids[whom]),
            Fault::Cut { from, to } => {
                faults.mute.extend(Some(ids[whom]).filter(|_| from));
                faults.deaf.extend(Some(ids[whom]).filter(|_| to));
                if to {
                    // Who hears nothing for three deadlines ends.
                    let after = self.now + (3e6 * DEADLINE) as u64;
                    self.at(after, Happening::Ends(ids[whom]));
                }
            }
            Fault::Kill | Fault::Launcher => self.kill(ids[whom]),
        }
    }

    /// A process ends at once. Others may notice before the coordinator does.
    pub(super) fn kill(&mut self, whom: u32) {
        if self.processes.remove(&whom).is_none() {
            return;
        }
        let after = self.now + self.dice.below(3_000);
        self.at(after, Happening::ToCoordinator(Event::Closed { of: whom }));
        let after = self.now + self.dice.below(10_000);
        let exited = Event::Exited { of: whom, code: 137, crashed: true, how: "was killed".into() };
        self.at(after, Happening::ToCoordinator(exited));
        let others: Vec<u32> = self.processes.keys().copied().collect();
        for other in others {
            if self.dice.one_in(2) {
                let why = format!("the connection to process {whom} has ended");
                self.send(
                    (other, u32::MAX),
                    COORDINATOR,
                    Happening::ToCoordinator(Event::Said {
                        from: other,
                        report: Report::Failed { why, of_a_peer: true },
                    }),
                );
            }
        }
    }

    /// The launcher ends what is left, or another one takes its place, and begins anew: it knows what is in the folder.
    pub(super) fn begin_anew(&mut self) {
        let Some(faults) = &mut self.faults else { return };
        faults.attempts += 1;
        for gone in [&mut faults.frozen, &mut faults.mute, &mut faults.deaf] {
            gone.clear();
        }
        faults.waiting.clear();
        faults.vault = Vault::in_store(faults.folder.clone(), Arc::new(Quick));
        let after = faults.vault.last_generation();
        self.coordinator = Coordinator::new(Terms { after, ..faults.terms.clone() });
        // Times never fall, and begin with 0 for each coordinator.
        self.since = self.now;
        self.outcome = None;
        self.early.clear();
        self.last.clear();
        self.joining.clear();
        self.agenda
            .retain(|_, what| matches!(what, Happening::Fault(_) | Happening::Pulse | Happening::Whim(_)));
        self.people();
    }

    /// The checkpoint to go on from: always the last that was committed.
    pub(super) fn find(&mut self, identity: &crate::identity::Identity) -> Result<Option<Event>, String> {
        let Some(faults) = &mut self.faults else { return Ok(None) };
        let found = faults.vault.find(identity);
        let Event::Found { from, .. } = &found else { return Err(format!("it cannot go on: {found:?}")) };
        if *from != faults.committed {
            return Err(format!("{:?} was committed, and {from:?} is found", faults.committed));
        }
        faults.resumed += u64::from(from.is_some());
        Ok(Some(found))
    }

    /// Commits a checkpoint.
    pub(super) fn commit(
        &mut self,
        (epoch, generation): (u64, u64),
        identity: &crate::identity::Identity,
        drafted: crate::checkpoint::Drafted,
    ) -> Result<Option<Event>, String> {
        let Some(faults) = &mut self.faults else { return Ok(None) };
        let kept = faults.vault.commit((epoch, generation), identity, drafted);
        if let Some(why) = kept.failed {
            return Err(why);
        }
        let folder = faults.checkpoints().join(format!("{epoch}.{generation}"));
        faults.committed = Some(folder.to_string_lossy().into_owned());
        Ok(Some(Event::Committed(kept)))
    }
}
