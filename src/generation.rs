//! [`Generation`]: one timely computation with a fixed set of workers.
//!
//! State waits in slots while no computation runs: each worker takes what is placed on it when it starts, and puts
//! it back when the generation ends. So rescaling is: end a generation, place anew, begin the next.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use timely::communication::{Allocator, allocator::AllocatorBuilder, initialize_from};
use timely::scheduling::SyncActivator;
use timely::worker::Worker;
use timely::{CommunicationConfig, WorkerConfig};

use crate::error::EngineError;
use crate::hands::{Crew, lock};
use crate::hub::{Hub, HubState, Parting};
use crate::place::{Manner, Place};
use crate::placement::Layout;
use crate::places::Places;
use crate::prints::{BoundaryPrint, Prints};
use crate::program::Program;
use crate::record::EpochRecord;
use crate::settings::Settings;
use crate::verdict::Metric;
use crate::{dataflow, doing};

/// How long a parked worker sleeps before it looks whether a sibling has failed. Messages wake it at once.
const WATCH: Duration = Duration::from_millis(50);

/// How long a thread stays awake that has nothing to do: the answer to what it has just sent is often that near, and to
/// wake a core that sleeps takes as long as many a round.
const AWAKE: Duration = Duration::from_micros(100);

/// How a thread waits for messages.
struct Wait {
    /// When messages last came; `None` where threads share cores, and one that stays awake would hold another up.
    since: Option<Instant>,
}

impl Wait {
    fn new(threads: usize) -> Self {
        // Asking the system takes longer than many a round: not for one thread.
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        Self { since: (threads > 1 && threads <= cores()).then(Instant::now) }
    }

    /// Whether to look again at once.
    fn stays_awake(&mut self) -> bool {
        let Some(since) = &mut self.since else { return false };
        if doing::take_messages() {
            *since = Instant::now();
        }
        since.elapsed() < AWAKE
    }
}

/// Called with every boundary's record, and the replica there, while the run goes on.
pub(crate) type Observer<P> = Box<dyn FnMut(&EpochRecord, &<P as Program>::Replica) + Send>;

/// One timely computation with a fixed set of workers: what they share, and the slots of what they hold.
pub(crate) struct Generation<P: Program> {
    pub(crate) program: Arc<P>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) layout: Layout,
    slots: Mutex<Slots<P>>,
    observer: Mutex<Option<Observer<P>>>,
    failed: AtomicBool,
    failure: Mutex<Option<String>>,
    /// Workers that lend the first one a hand.
    crew: Arc<Crew>,
    /// Every operator, to be woken when one fails: in a dataflow of someone else's nobody looks for failures.
    wakers: Mutex<Vec<SyncActivator>>,
}

/// What waits for its worker, or has come back from it.
struct Slots<P: Program> {
    shards: Vec<Option<P::Shard>>,
    blocks: Vec<Option<P::Block>>,
    replica: P::Replica,
    /// What shards had learned before the last boundary, where a checkpoint of it may be written.
    kept: Vec<(u32, Vec<u8>)>,
    hub: Option<HubState<P>>,
    /// When the first worker began to work.
    began: Option<Instant>,
    ended: Ended,
}

/// How a generation ended and what it counted.
#[derive(Default)]
pub(crate) struct Ended {
    pub(crate) records: Vec<EpochRecord>,
    pub(crate) prints: Vec<BoundaryPrint>,
    pub(crate) verdict: Option<(Metric, Option<f64>)>,
    pub(crate) parting: Option<Parting>,
    pub(crate) bytes: u64,
    pub(crate) block_bytes: u64,
    /// When the hub had concluded its last boundary.
    pub(crate) at: Option<Instant>,
}

/// What the places of a generation hold together.
pub(crate) struct Held<P: Program> {
    pub(crate) shards: Vec<P::Shard>,
    pub(crate) blocks: Vec<P::Block>,
    pub(crate) replica: P::Replica,
}

/// What comes back from a generation.
pub(crate) struct Returned<P: Program> {
    pub(crate) held: Held<P>,
    pub(crate) hub: HubState<P>,
    /// What each shard had learned before the boundary was concluded, where a checkpoint of it may be written.
    pub(crate) kept: Vec<(u32, Vec<u8>)>,
    pub(crate) observer: Option<Observer<P>>,
    pub(crate) began: Option<Instant>,
    pub(crate) ended: Ended,
}

impl<P: Program> Generation<P> {
    pub(crate) fn new(
        program: Arc<P>,
        settings: Arc<Settings>,
        layout: Layout,
        held: Held<P>,
        hub: HubState<P>,
        observer: Option<Observer<P>>,
    ) -> Self {
        let slots = Slots {
            shards: held.shards.into_iter().map(Some).collect(),
            blocks: held.blocks.into_iter().map(Some).collect(),
            replica: held.replica,
            kept: Vec::new(),
            hub: Some(hub),
            began: None,
            ended: Ended::default(),
        };
        Self {
            program,
            settings,
            layout,
            slots: Mutex::new(slots),
            observer: Mutex::new(observer),
            failed: AtomicBool::new(false),
            failure: Mutex::new(None),
            crew: Arc::default(),
            wakers: Mutex::new(Vec::new()),
        }
    }

    /// Runs to its end on threads of this process.
    ///
    /// # Errors
    /// If a worker failed or the threads could not be started.
    pub(crate) fn run(self: Arc<Self>) -> Result<Returned<P>, EngineError> {
        let threads = self.layout.threads;
        if threads == 1 && !self.settings.serialized {
            let generation = Arc::clone(&self);
            timely::execute_directly(move |worker| generation.work(worker));
        } else {
            let communication = match self.settings.serialized {
                true => CommunicationConfig::ProcessBinary(threads),
                false => CommunicationConfig::Process(threads),
            };
            let refused = |why| EngineError::Start { threads, why };
            let (mut builders, others) = communication.try_build().map_err(refused)?;
            // The first worker runs on this thread: where there are as many cores as workers, the system otherwise
            // places two of the threads that it starts at once on one core, for milliseconds.
            let AllocatorBuilder::Process(first) = builders.remove(0) else {
                return Err(refused("timely builds no channels between threads".into()));
            };
            let work = |generation: &Arc<Self>, allocator| {
                generation.work(&mut Worker::new(WorkerConfig::default(), allocator, Some(Instant::now())));
            };
            let generation = Arc::clone(&self);
            let guards = initialize_from(builders, others, move |allocator| work(&generation, allocator));
            let guards = guards.map_err(refused)?;
            work(&self, Allocator::Process(first.build()));
            for result in guards.join() {
                if let Err(message) = result {
                    self.fail(message);
                }
            }
        }
        match lock(&self.failure).take() {
            Some(message) => Err(EngineError::Worker(message)),
            None => {
                self.take_back().ok_or_else(|| EngineError::Worker("a worker ended without its state".into()))
            }
        }
    }

    /// One thread's life: build the dataflow, step or park until it is done, leave at once if a sibling failed.
    fn work(self: &Arc<Self>, worker: &mut Worker) {
        let outcome = doing::guarded(|| {
            worker.dataflow::<u64, _, _>(|scope| {
                dataflow::scheduled(scope, Arc::clone(self));
            });
            let mut hand = if worker.index() > 0 { self.crew.join() } else { None };
            let mut wait = Wait::new(self.layout.threads);
            while worker.has_dataflows() && !self.has_failed() {
                let lends = hand.as_mut().is_some_and(|hand| hand.attend(&self.crew));
                let awake = wait.stays_awake() || lends;
                let began = Instant::now();
                worker.step_or_park(Some(if awake { Duration::ZERO } else { WATCH }));
                if let Some(hand) = &mut hand {
                    hand.worked(began);
                }
            }
            Ok(())
        });
        if let Err(reason) = outcome {
            self.fail(reason);
        }
        // Timely would go on waiting for what a failed sibling will never send.
        for dataflow in worker.installed_dataflows() {
            worker.drop_dataflow(dataflow);
        }
    }

    /// Ends the generation on all workers; the first reason is kept.
    pub(crate) fn fail(&self, reason: String) {
        lock(&self.failure).get_or_insert(reason);
        self.failed.store(true, Ordering::Release);
        for waker in lock(&self.wakers).iter() {
            // A worker that is gone needs no waking.
            let _ = waker.activate();
        }
    }

    /// Wakes this operator when another one fails.
    pub(crate) fn wake_on_failure(&self, waker: SyncActivator) {
        lock(&self.wakers).push(waker);
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// Takes what is placed on a thread's workers out of the slots.
    pub(crate) fn seat(&self, thread: u32) -> Places<P> {
        let mut slots = lock(&self.slots);
        slots.began.get_or_insert_with(Instant::now);
        let workers =
            (0..self.layout.workers as u32).filter(|&w| self.layout.thread_of[w as usize] == thread);
        let workers: Vec<u32> = workers.collect();
        let Settings { reversed, prints, .. } = *self.settings;
        // A replica alone has nothing to differ from.
        let prints =
            if prints == Prints::Replicas && self.layout.workers == 1 { Prints::Off } else { prints };
        let manner = Manner { reversed, prints };
        let place = |&worker: &u32| {
            let shards = take_placed(&mut slots.shards, &self.layout.shard_at, worker);
            let blocks = take_placed(&mut slots.blocks, &self.layout.block_at, worker);
            let (program, placement) = (Arc::clone(&self.program), Arc::clone(&self.layout.shard_at));
            Place::new(program, (worker, manner), placement, shards, blocks, slots.replica.clone())
        };
        Places::new(workers.first().copied().unwrap_or(0), workers.iter().map(place).collect(), reversed)
    }

    /// The hub, for the first worker.
    pub(crate) fn hub(self: &Arc<Self>, place: &Place<P>) -> Option<Hub<P>> {
        let state = lock(&self.slots).hub.take()?;
        let replica = std::rc::Rc::clone(&place.replica);
        let (program, settings) = (Arc::clone(&self.program), Arc::clone(&self.settings));
        let generation = Arc::clone(self);
        let watcher =
            Box::new(move |record: &EpochRecord, replica: &P::Replica| generation.observe(record, replica));
        Some(Hub::new(program, settings, state, &self.layout, replica, Arc::clone(&self.crew), watcher))
    }

    /// Puts the state of a thread's workers back.
    pub(crate) fn leave(&self, places: &mut Places<P>) {
        let mut slots = lock(&self.slots);
        for (worker, place) in places.iter_mut() {
            slots.kept.append(&mut place.kept);
            for (number, shard) in std::mem::take(&mut place.shards) {
                slots.shards[number as usize] = Some(shard);
            }
            for (number, block) in std::mem::take(&mut place.blocks) {
                slots.blocks[number as usize] = Some(block);
            }
            // Equal everywhere: one worker's copy stands for all.
            if worker == 0 {
                slots.replica = place.replica.borrow().clone();
            }
        }
    }

    /// Puts the hub's state back.
    pub(crate) fn leave_hub(&self, hub: Hub<P>) {
        let mut slots = lock(&self.slots);
        slots.ended.records = hub.records;
        slots.ended.prints = hub.prints;
        slots.ended.verdict = hub.verdict;
        slots.ended.parting = hub.parting;
        slots.ended.at = Some(Instant::now());
        slots.hub = Some(hub.state);
    }

    pub(crate) fn count_bytes(&self, bytes: u64, block_bytes: u64) {
        let mut slots = lock(&self.slots);
        slots.ended.bytes += bytes;
        slots.ended.block_bytes += block_bytes;
    }

    /// Shows a record, and the replica at its boundary, to whoever watches the run.
    fn observe(&self, record: &EpochRecord, replica: &P::Replica) {
        if let Some(observer) = lock(&self.observer).as_mut() {
            observer(record, replica);
        }
    }

    /// Everything that came back; `None` if something is missing.
    pub(crate) fn take_back(&self) -> Option<Returned<P>> {
        let mut slots = lock(&self.slots);
        let hub = slots.hub.take()?;
        let shards = slots.shards.iter_mut().map(Option::take).collect::<Option<Vec<_>>>()?;
        let blocks = slots.blocks.iter_mut().map(Option::take).collect::<Option<Vec<_>>>()?;
        let held = Held { shards, blocks, replica: slots.replica.clone() };
        let observer = lock(&self.observer).take();
        let mut kept = std::mem::take(&mut slots.kept);
        kept.sort_unstable_by_key(|&(number, _)| number);
        Some(Returned {
            held,
            hub,
            kept,
            observer,
            began: slots.began,
            ended: std::mem::take(&mut slots.ended),
        })
    }

    /// Why a worker failed, if one did.
    pub(crate) fn failure(&self) -> Option<String> {
        lock(&self.failure).clone()
    }
}

fn take_placed<T>(slots: &mut [Option<T>], placement: &[u32], worker: u32) -> BTreeMap<u32, T> {
    let here = placement.iter().enumerate().filter(|&(_, &at)| at == worker);
    here.filter_map(|(number, _)| Some((number as u32, slots[number].take()?))).collect()
}
