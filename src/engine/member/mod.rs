//! [`Member`]: one process of a run, possibly the only one, as a plain state machine: its input is plans,
//! transfers and the ends of generations; its output transfers, generations and reports. It has no sockets,
//! no threads and no clock.

mod checkpoints;
mod ends;
mod restore;
#[cfg(test)]
mod tests;
mod transfers;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use self::restore::MemberRestoration;
use self::transfers::put;
use super::lazy_parts::Lazy;
use super::parts::PreparationSeconds;
use super::{Engine, History, LazyParts, Outcome, RunEnd, Warner};
use crate::base::cancel::Cancellable;
use crate::base::error::EngineError;
use crate::base::identity::Identity;
use crate::base::panic_context;
use crate::base::process::machine;
use crate::checkpoint::{Checkpoint, CheckpointWriter, Due};
use crate::cluster::plan::GenerationPlan;
use crate::cluster::protocol::{GenerationStart, Registration};
use crate::cluster::read_proof;
use crate::engine::transfer::{ProcessStats, Transfer};
use crate::generation::{Generation, Observer};
use crate::parties::Masks;
use crate::program::Program;
use crate::program::shard::Shard;
use crate::run::hub::HubState;
use crate::run::local_state::LocalState;
use crate::run::record::ProcessRecord;
use crate::run::requests::BoundaryRequests;
use crate::run::settings::Settings;
use crate::run::traffic::Traffic;
use crate::schedule::Schedule;

/// Next step of a process.
pub(crate) enum Step<P: Program> {
    /// Wait for transfers of other processes.
    Wait,
    /// Run this generation, as the participant of this index.
    Run(Arc<Generation<P>>, usize),
    /// Leave: the run continues, or has ended, elsewhere.
    Leave,
    /// End: the run is over, with this outcome.
    Over(Box<Outcome<P>>),
}

/// Transfers, by the process that receives them.
pub(crate) type Outgoing<P> = BTreeMap<u32, Vec<Transfer<P>>>;

/// Lazy shards and blocks, and the pinned block.
type Beginnings<P> = (Lazy<<P as Program>::Shard>, Lazy<<P as Program>::Block>, <P as Program>::Pinned);

/// One process of a run.
pub(crate) struct Member<P: Program> {
    index: u32,
    requests: Arc<BoundaryRequests>,
    program: Arc<P>,
    settings: Settings,
    identity: Identity,
    /// Digest of this process's own data, if they are another's in each.
    data: String,
    pub(crate) masks: Option<Masks>,
    /// The parts with which the run starts; `None` once it has started.
    lazy_parts: Option<Beginnings<P>>,
    /// Numbers of shards and of blocks.
    counts: (usize, usize),
    /// Shards, blocks and replica; `None` while a generation runs.
    local: Option<LocalState<P>>,
    /// The checkpoint to resume from, if it has been read already.
    found: Option<Checkpoint>,
    /// The schedule, if this is not the first process.
    schedule: Option<Box<dyn Schedule<P::Phase>>>,
    /// The pinned block that was handed over, until the rest of the hub has arrived.
    pinned: Option<P::Pinned>,
    hub: Option<HubState<P>>,
    observer: Option<Observer<P>>,
    warner: Option<Warner>,
    history: History,
    plan: Option<GenerationPlan>,
    /// The restoration by shard that is in progress.
    restoring: Option<MemberRestoration<P>>,
    /// The processes whose transfers have not all arrived.
    awaited: BTreeSet<u32>,
    /// Messages that this process sent in the last generation.
    sent: Traffic,
    /// Bytes that were handed over to this process before the generation.
    moved: u64,
    ended: Option<RunEnd>,
}

impl<P: Program> Member<P> {
    pub(crate) fn new(engine: Engine<P>, index: u32, requests: Arc<BoundaryRequests>) -> Self {
        let Engine {
            program, schedule, parts, costs, mut settings, observer, warner, identity, data, ..
        } = engine;
        let (checkpoint, store) = (engine.checkpoint, engine.store);
        let LazyParts { shards, blocks, pinned, replica } = parts;
        let counts = (shards.len(), blocks.len());
        let identity = Identity {
            run: identity.unwrap_or_default(),
            schedule: schedule.identity(),
            staleness: settings.staleness,
            guard: settings.guard,
            costs: costs.unwrap_or_else(|| vec![1; counts.0]),
        };
        settings.checkpoints = checkpoint
            .map(|(every, folder)| (Due::new(every), Arc::new(CheckpointWriter::new(folder, store, index))));
        settings.requests = Arc::clone(&requests);
        requests.set_stop(settings.stop.clone(), Arc::clone(&settings.cancellation));
        let (shards_here, blocks_here) = ((0..counts.0).map(|_| None), (0..counts.1).map(|_| None));
        let local = LocalState { shards: shards_here.collect(), blocks: blocks_here.collect(), replica };
        Self {
            index,
            requests,
            program,
            settings,
            identity,
            data,
            masks: None,
            lazy_parts: Some((shards, blocks, pinned)),
            counts,
            local: Some(local),
            found: None,
            schedule: Some(schedule),
            pinned: None,
            hub: None,
            observer,
            warner,
            history: History::default(),
            plan: None,
            restoring: None,
            awaited: BTreeSet::new(),
            sent: Traffic::default(),
            moved: 0,
            ended: None,
        }
    }

    /// Returns the run, for threads that may end their work early.
    pub(crate) fn run(&self) -> Arc<dyn Cancellable> {
        Arc::new(self.settings.clone())
    }

    /// Returns the registration of this process with the coordinator; `cores` is the number that it may use.
    pub(crate) fn registration(&self, cores: usize) -> Registration {
        let rescale = self.settings.rescale.iter().map(|&(epoch, workers)| (epoch, workers as u64)).collect();
        let proof = self.settings.checkpoints.as_ref().map(|(_, checkpoints)| read_proof(checkpoints.path()));
        let cores = u32::try_from(self.settings.threads.unwrap_or(cores)).unwrap_or(u32::MAX);
        let blocks = self.counts.1 as u32;
        let (identity, data, is_pinned) = (self.identity.clone(), self.data.clone(), P::Shard::STAYS);
        Registration { identity, data, is_pinned, blocks, rescale, cores, machine: machine(), proof }
    }

    /// Sets the checkpoint to resume from, in place of the one that the generation's start names.
    pub(crate) fn resume_from(&mut self, checkpoint: Checkpoint) {
        self.found = Some(checkpoint);
    }

    /// Starts to take part in a generation; returns the transfers to other processes. `stats` are the
    /// statistics of this process, if there are others to send them to.
    ///
    /// # Errors
    /// If the plan does not fit the run, or a part cannot be made or restored.
    pub(crate) fn begin(
        &mut self,
        start: GenerationStart,
        stats: Option<ProcessStats>,
    ) -> Result<Outgoing<P>, EngineError> {
        self.prepare(&start)?;
        let GenerationStart { plan, from, warnings, held, .. } = start;
        self.requests.set_held(held);
        self.settings.held = held.then(|| Arc::new(self.identity.costs.clone()));
        if !plan.is_sound(self.counts.0, self.counts.1) {
            return Err(EngineError::Process("the coordinator's plan does not fit the run".into()));
        }
        let me = self.index;
        let takes = plan.index_of(me).is_some();
        self.awaited =
            plan.previous.iter().map(|participant| participant.id).filter(|&id| takes && id != me).collect();
        self.moved = 0;
        let mut transfers = Outgoing::new();
        if plan.previous.is_empty() {
            match from {
                Some(from) => transfers = self.restore(&plan, &from)?,
                None => self.make(&plan)?,
            }
            if self.hub.is_some() {
                let warner = &mut self.warner;
                warnings.into_iter().for_each(|why| self.history.warn(why, warner.as_mut()));
            }
        } else {
            // A process that joins begins with transfers.
            self.lazy_parts = None;
            let stats = stats.map(|stats| self.stats(stats));
            stats.iter().for_each(|stats| self.note_process(stats));
            if plan.was_participant(me) {
                transfers = self.transfers(&plan, stats)?;
            }
        }
        self.history.next = (plan.participants.len(), 0);
        self.plan = Some(plan);
        Ok(transfers)
    }

    /// Receives a transfer of another process; `bytes` is its length.
    ///
    /// # Errors
    /// If the transfer cannot be read, or is not expected.
    pub(crate) fn take(&mut self, from: u32, transfer: Transfer<P>, bytes: u64) -> Result<(), EngineError> {
        let is_moved = !matches!(transfer, Transfer::Question(_) | Transfer::Answers(_) | Transfer::Restored);
        self.moved += if is_moved { bytes } else { 0 };
        match transfer {
            Transfer::Shard(at, shard) => put(&mut self.local()?.shards, at, P::Shard::crossed(shard))?,
            Transfer::Block(number, block) => put(&mut self.local()?.blocks, number, block)?,
            Transfer::Replica(replica) => self.local()?.replica = replica,
            Transfer::Pinned(pinned) => self.pinned = Some(pinned),
            Transfer::Hub(bytes) => {
                let loaded =
                    panic_context::guarded(|| self.load_hub(&bytes).map_err(|error| error.to_string()));
                loaded.map_err(|why| EngineError::Process(format!("the hub cannot be read: {why}")))?;
            }
            Transfer::End(stats) => {
                self.awaited.remove(&from);
                self.note_process(&stats);
                if self.position() == Some(0) || self.plan.as_ref().is_some_and(|plan| plan.last) {
                    self.history.count(&stats);
                }
            }
            Transfer::Question(question) => self.hear(&question)?,
            Transfer::Answers(answers) => self.collect(from, &answers)?,
            Transfer::Restored => self.restoring = None,
        }
        Ok(())
    }

    /// Returns shards, blocks and replica.
    ///
    /// # Errors
    /// If a generation holds them.
    fn local(&mut self) -> Result<&mut LocalState<P>, EngineError> {
        self.local.as_mut().ok_or_else(missing_state)
    }

    /// Returns the index of this process among the participants of the plan.
    fn position(&self) -> Option<usize> {
        self.plan.as_ref()?.index_of(self.index)
    }

    /// Returns the next step at the time `now`: the run's clock starts with its first generation.
    ///
    /// # Errors
    /// If a part that is placed here was not handed over.
    pub(crate) fn next(&mut self, now: Instant) -> Result<Step<P>, EngineError> {
        if !self.awaited.is_empty() || self.restoring.is_some() {
            return Ok(Step::Wait);
        }
        let Some((plan, position)) = self.plan.as_ref().zip(self.position()) else { return Ok(Step::Leave) };
        self.check_local(plan, position)?;
        if plan.last {
            return Ok(Step::Over(Box::new(self.outcome()?)));
        }
        if plan.previous.is_empty() {
            self.settings.started = now;
        }
        let (layout, number) = (plan.layout(position), plan.number);
        let local = self.local.take().ok_or_else(missing_state)?;
        let (program, settings) = (Arc::clone(&self.program), Arc::new(self.settings.clone()));
        let (hub, observer) = (self.hub.take(), self.observer.take());
        self.history.next.1 = self.moved;
        let generation = Generation::new(program, settings, layout, local, hub, observer);
        let generation = Arc::new(generation.masked(self.masks.take())?);
        self.requests.begin(number);
        Ok(Step::Run(generation, position))
    }

    /// Sets the seconds of this process before its first generation.
    pub(crate) fn note_preparation(&mut self, preparation: PreparationSeconds) {
        self.history.preparation = preparation;
    }

    /// Returns the time of the last boundary of a generation on this process.
    pub(crate) fn last_worked(&self) -> Option<Instant> {
        self.history.last_boundary
    }

    /// Completes statistics with the number and the bytes of this process.
    fn stats(&self, stats: ProcessStats) -> ProcessStats {
        ProcessStats { process: self.index, traffic: self.sent, moved: self.moved, ..stats }
    }

    /// Makes the parts with which this process starts.
    fn make(&mut self, plan: &GenerationPlan) -> Result<(), EngineError> {
        let Some((shards, blocks, pinned)) = self.lazy_parts.take() else { return Ok(()) };
        let position = plan.index_of(self.index).map(|position| position as u32);
        let local = self.local()?;
        local.shards = shards.make("shard", |shard| Some(plan.shard_process(shard)) == position)?;
        local.blocks = blocks.make("block", |block| Some(plan.block_process(block)) == position)?;
        if position == Some(0)
            && let Some(schedule) = self.schedule.take()
        {
            self.hub = Some(HubState::new(pinned, schedule, self.settings.staleness));
        }
        Ok(())
    }

    fn note_process(&mut self, stats: &ProcessStats) {
        let ProcessStats { process, peak_memory, cpu_seconds, .. } = *stats;
        let record = ProcessRecord {
            process,
            peak_memory_bytes: Some(peak_memory).filter(|&bytes| bytes > 0),
            cpu_seconds: Some(cpu_seconds).filter(|&seconds| seconds > 0.0),
            machine: stats.machine.clone(),
        };
        self.history.processes.insert(process, record);
    }

    /// Checks that all parts are here that the plan places here.
    fn check_local(&self, plan: &GenerationPlan, position: usize) -> Result<(), EngineError> {
        let (position, local) = (position as u32, self.local.as_ref().ok_or_else(missing_state)?);
        let lacks = |what: &str, number| {
            Err(EngineError::Process(format!("nobody handed over {what} {number}, which is placed here")))
        };
        for (number, shard) in (0..).zip(&local.shards) {
            if plan.shard_process(number) == position && shard.is_none() {
                return lacks("shard", number);
            }
        }
        for (number, block) in (0..).zip(&local.blocks) {
            if plan.block_process(number) == position && block.is_none() {
                return lacks("block", number);
            }
        }
        if position == 0 && self.hub.is_none() { lacks("hub", 0) } else { Ok(()) }
    }
}

/// Returns the error that shards, blocks, replica or hub are missing.
pub(super) fn missing_state() -> EngineError {
    EngineError::Worker("the run ended without its state".into())
}
