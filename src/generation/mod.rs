//! [`Generation`]: one timely computation with a fixed set of workers.
//!
//! State waits in slots while no computation runs: each worker takes the state that is placed on it when it
//! starts, and puts it back when the generation ends. A rescale ends a generation, places the state again,
//! and starts the next one.

mod arrived;
mod endpoints;
mod slots;
mod start;
mod tree;

pub(crate) mod alarm;
pub(crate) mod dataflow;
pub(crate) mod parcel;
pub(crate) mod ports;
pub(crate) mod wiring;

use std::sync::{Arc, Mutex};

use self::alarm::{Alarm, OnFailure};
use self::arrived::ArrivedValues;
use self::start::Threads;
pub(crate) use self::start::{Connect, Links};
use crate::base::cancel::Cancellable;
use crate::base::error::EngineError;
use crate::base::fork_join::HelperThreads;
use crate::base::sync::lock;
use crate::cluster::net::frames::ToProcess;
use crate::parties::Masks;
use crate::program::Program;
use crate::run::hub::{GenerationTotals, HubState};
use crate::run::local_state::{GenerationResult, LocalState};
use crate::run::merging::Merging;
use crate::run::placement::Layout;
use crate::run::process_merger::ProcessMerger;
use crate::run::record::EpochRecord;
use crate::run::settings::Settings;

/// Function that is called with the record of every boundary, and the replica there, while the run continues.
pub(crate) type Observer<P> = Box<dyn FnMut(&EpochRecord, &<P as Program>::Replica) + Send>;

/// One timely computation with a fixed set of workers: what they share, and the slots of their state.
pub(crate) struct Generation<P: Program> {
    pub(crate) program: Arc<P>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) layout: Layout,
    slots: Mutex<GenerationResult<P>>,
    /// Merging of partials of this process's workers, if another process aggregates rounds.
    merger: Option<Arc<ProcessMerger<P>>>,
    observer: Mutex<Option<Observer<P>>>,
    alarm: Arc<Alarm>,
    /// Threads that help the first worker.
    helpers: Arc<HelperThreads>,
    /// Values that other processes sent, once for all workers here; and, next, the channels on which they
    /// come.
    values: ArrivedValues,
    to_process: Arc<ToProcess>,
    /// A number that no other generation has; only in a surrounding dataflow.
    pub(crate) memory: Option<u64>,
}

impl<P: Program> Generation<P> {
    pub(crate) fn new(
        program: Arc<P>,
        settings: Arc<Settings>,
        layout: Layout,
        local: LocalState<P>,
        hub: Option<HubState<P>>,
        observer: Option<Observer<P>>,
    ) -> Self {
        let epoch = hub.as_ref().map_or(0, |hub| hub.progress.epoch);
        settings.cancellation.set_decides(hub.is_some());
        let slots = GenerationResult { local, hub, began: None, epoch, ended: GenerationTotals::default() };
        let values = ArrivedValues::new(&layout);
        let merges = layout.here.start > 0 && !settings.serialized && settings.merging == Merging::AtShards;
        let (shard_at, is_here) = (&layout.shard_at, |worker| layout.is_here(worker));
        let merger = ProcessMerger::new(&program, shard_at, layout.workers as u32, is_here);
        Self {
            merger: merger.filter(|_| merges).map(Arc::new),
            program,
            layout,
            values,
            to_process: Arc::default(),
            slots: Mutex::new(slots),
            observer: Mutex::new(observer),
            alarm: Arc::new(Alarm::new(Arc::clone(&settings) as Arc<dyn Cancellable>)),
            settings,
            helpers: Arc::default(),
            memory: None,
        }
    }

    /// Masks the sums of this process, if it is a party that masks them.
    ///
    /// # Errors
    /// If what the program sends are not exact sums alone.
    pub(crate) fn masked(mut self, masks: Option<Masks>) -> Result<Self, EngineError> {
        let Some(masks) = masks else { return Ok(self) };
        let here = (0..self.layout.workers as u32).filter(|&worker| self.layout.is_here(worker));
        let (shards, workers) = (self.layout.shard_at.len() as u32, here.count() as u32);
        let merger = ProcessMerger::masked(&self.program, shards, workers, masks);
        // Descriptions of candidates are no sums, and all parties have to answer a round.
        let verbs = P::verbs();
        let merger = merger.filter(|_| verbs.relate.is_none() && verbs.enough.is_none());
        let why = "parties send exact sums alone, and this program sends something else: see Additive";
        self.merger = Some(Arc::new(merger.ok_or_else(|| EngineError::Setting(why.into()))?));
        Ok(self)
    }

    /// Sets the generation up for a surrounding dataflow, whose workers must share this memory.
    pub(crate) fn into_operators(self) -> Self {
        // Without random bytes memories cannot be distinguished, and an operator whose state is elsewhere
        // waits for ever.
        let memory = crate::parties::bytes::random().map_or(0, u64::from_le_bytes);
        Self { memory: Some(memory), ..self }
    }

    /// Runs the generation to its end on threads of this process, and of others if `connect` makes channels
    /// to them.
    ///
    /// # Errors
    /// If a worker failed, another process is gone, or the threads could not be started.
    pub(crate) fn run(self: Arc<Self>, connect: Option<Connect>) -> Result<GenerationResult<P>, EngineError> {
        let generation = Arc::clone(&self);
        let threads = Threads {
            threads: self.layout.threads,
            here: self.layout.here.clone(),
            is_distributed: self.layout.is_distributed(),
            serialized: self.settings.serialized,
            held: self.settings.held.is_some(),
            alarm: Arc::clone(&self.alarm),
            helpers: Arc::clone(&self.helpers),
            to_process: Arc::clone(&self.to_process),
            build: Box::new(move |scope| drop(dataflow::scheduled(scope, Arc::clone(&generation)))),
        };
        threads.run(connect)?;
        match self.alarm.take() {
            Some(failure) => Err(failure),
            None => {
                let is_empty = self.settings.cancellation.is() || self.values.is_empty();
                debug_assert!(is_empty, "a shared value is kept for workers that have left");
                self.take_back().ok_or_else(|| EngineError::Worker("a worker ended without its state".into()))
            }
        }
    }

    /// Ends the generation because of another process.
    pub(crate) fn end_by_peer(&self, reason: &str) {
        self.alarm.end_by_peer(reason);
    }

    /// Sets a function that is called with the first failure, before workers notice it.
    pub(crate) fn on_first_failure(&self, on_failure: OnFailure) {
        self.alarm.on_first_failure(on_failure);
    }

    /// Sets a function that is called when the current epoch is cancelled.
    pub(crate) fn on_cancel(&self, on_cancel: Box<dyn Fn() + Send>) {
        self.alarm.on_cancel(on_cancel);
    }

    /// Calls the observer of the run with a record, and the replica at its boundary.
    fn observe(&self, record: &EpochRecord, replica: &P::Replica) {
        if let Some(observer) = lock(&self.observer).as_mut() {
            observer(record, replica);
        }
    }

    /// Gives the observer back.
    pub(crate) fn take_observer(&self) -> Option<Observer<P>> {
        lock(&self.observer).take()
    }

    /// Returns the reason that a worker failed, if one did.
    pub(crate) fn failure(&self) -> Option<String> {
        self.alarm.reason()
    }
}
