//! [`Process`]: a process of a simulated run.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::disk::FaultyDisk;
use super::mixing::Mixing;
use super::{Rng, engine};
use crate::base::sync::lock;
use crate::cluster::plan::GenerationPlan;
use crate::cluster::protocol::{Epoch, MemberReport};
use crate::engine::Engine;
use crate::engine::member::Member;
use crate::generation::Generation;
use crate::run::hub::Hub;
use crate::run::message::Message;
use crate::run::place::Outbox;
use crate::run::places::Places;
use crate::run::requests::BoundaryRequests;

/// A process of a simulated run.
pub(super) struct Process {
    pub(super) member: Member<Mixing>,
    pub(super) requests: Arc<BoundaryRequests>,
    pub(super) running: Option<Running>,
    pub(super) plan: Option<GenerationPlan>,
    /// Epochs that the hub has reported: generation, epoch, workers.
    epochs: Arc<Mutex<Vec<(u64, u64, usize)>>>,
    pub(super) gone: bool,
}

/// A generation on this process.
pub(super) struct Running {
    pub(super) number: u64,
    generation: Arc<Generation<Mixing>>,
    pub(super) threads: Vec<Places<Mixing>>,
    pub(super) hub: Option<Hub<Mixing>>,
    has_hub: bool,
    /// `true` for each thread that may have work.
    pub(super) awake: Vec<bool>,
}

impl Process {
    pub(super) fn new(index: u32, problem: u64, fits: bool) -> Self {
        Self::of(engine(problem).identity(if fits { "data 1" } else { "data 2" }), index)
    }

    /// A process that writes checkpoints.
    pub(super) fn with_checkpoints(index: u32, problem: u64, folder: PathBuf, disk: Arc<FaultyDisk>) -> Self {
        let engine = engine(problem).identity("data 1").checkpoint(1, folder).store(disk);
        Self::of(engine, index)
    }

    fn of(engine: Engine<Mixing>, index: u32) -> Self {
        let requests = Arc::new(BoundaryRequests::default());
        let epochs: Arc<Mutex<Vec<_>>> = Arc::default();
        let (told, running) = (Arc::clone(&epochs), Arc::clone(&requests));
        let mut rng = Rng::new(u64::from(index));
        let engine = engine.observe(move |record| {
            lock(&told).push((running.running(), record.epoch, record.load.len()));
            // Now and then, as if balance had asked to move shards.
            if rng.one_in(4) {
                running.end_at_boundary(running.running());
            }
        });
        let member = Member::new(engine, index, Arc::clone(&requests));
        Self { member, requests, running: None, plan: None, epochs, gone: false }
    }

    /// Begins a generation; the hub's first messages go to `out`.
    pub(super) fn start(
        &mut self,
        generation: Arc<Generation<Mixing>>,
        out: &mut Outbox<Mixing>,
    ) -> Result<(), String> {
        let here = generation.layout.here.clone();
        let threads: Vec<_> = here.clone().map(|thread| generation.take_workers(thread as u32)).collect();
        let mut hub = if here.start == 0 { generation.hub(threads[0].first()) } else { None };
        if let Some(hub) = &mut hub {
            hub.start(out)?;
        }
        let (has_hub, awake) = (hub.is_some(), vec![false; threads.len()]);
        let number = self.requests.running();
        self.running = Some(Running { number, generation, threads, hub, has_hub, awake });
        Ok(())
    }

    /// Reports of the first process about epochs, with loads in seconds that `seconds` draws.
    pub(super) fn reports(&self, mut seconds: impl FnMut() -> f64) -> Vec<MemberReport> {
        let told = std::mem::take(&mut *lock(&self.epochs));
        let report = |(generation, epoch, workers): (u64, u64, usize)| {
            let load = (0..workers).map(|_| seconds()).collect();
            MemberReport::Epoch { generation, epoch: Epoch { epoch, load, ..Epoch::default() } }
        };
        told.into_iter().map(report).collect()
    }

    /// Ends the generation once all places and the hub have left it; returns the report of that.
    pub(super) fn end(&mut self) -> Result<Option<MemberReport>, String> {
        let Some(running) = &mut self.running else { return Ok(None) };
        let parted = running.hub.as_ref().is_none_or(|hub| hub.ended.exit.is_some());
        if !parted || !running.threads.iter().all(Places::have_left) {
            return Ok(None);
        }
        let Some(mut running) = self.running.take() else { return Ok(None) };
        running.threads.iter_mut().for_each(|places| running.generation.leave(places));
        if let Some(hub) = running.hub.take() {
            running.generation.leave_hub(hub);
        }
        let returned = running.generation.take_back().ok_or("a worker ended without its state")?;
        if running.has_hub != returned.hub.is_some() {
            return Err("the hub is lost".into());
        }
        let report = self.member.ended(&running.generation, returned, Instant::now());
        report.map(Some).map_err(|why| why.to_string())
    }
}

impl Running {
    /// Delivers a message on this process, to a worker of this thread, or to the hub.
    pub(super) fn receive(
        &mut self,
        thread: Option<usize>,
        worker: u32,
        message: Message<Mixing>,
        out: &mut Outbox<Mixing>,
    ) -> Result<(), String> {
        match (thread, &mut self.hub) {
            (Some(thread), _) => {
                self.threads[thread].receive(worker, message);
                Ok(())
            }
            (None, Some(hub)) => hub.receive(message, out),
            (None, None) => Err("an answer came where there is no hub".into()),
        }
    }
}
