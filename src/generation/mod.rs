//! [`Generation`]: one timely computation with a fixed set of workers.
//!
//! State waits in slots while no computation runs: each worker takes what is placed on it when it starts, and puts
//! it back when the generation ends. So rescaling is: end a generation, place anew, begin the next.

mod slots;
mod start;

pub(crate) mod dataflow;
pub(crate) mod parcel;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use timely::scheduling::SyncActivator;
use timely::worker::Worker;

use self::slots::Slots;
use crate::base::doing;
use crate::base::error::EngineError;
use crate::base::hands::{Crew, lock};
use crate::cluster::net::link::Link;
use crate::program::Program;
use crate::run::hub::HubState;
use crate::run::placement::Layout;
use crate::run::record::EpochRecord;
use crate::run::settings::Settings;
use crate::run::share::{Ended, Returned, Share};

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
    failure: Mutex<Option<Failure>>,
    /// The connections to other processes, to be closed when one fails: whoever reads from them is then done.
    links: Mutex<Vec<Link>>,
    /// Told of the first failure, before others can notice it: workers may be busy for long.
    told: Mutex<Option<Told>>,
    /// Workers that lend the first one a hand.
    crew: Arc<Crew>,
    /// In a dataflow of someone else's: a number that no other generation has.
    pub(crate) memory: Option<u64>,
    /// Every operator, to be woken when one fails: in a dataflow of someone else's nobody looks for failures.
    wakers: Mutex<Vec<SyncActivator>>,
}

/// Told why a generation fails.
pub(crate) type Told = Box<dyn Fn(&EngineError) + Send>;

/// Why a generation failed, and whether only because another process did.
#[derive(Clone)]
struct Failure {
    reason: String,
    of_a_peer: bool,
}

impl From<Failure> for EngineError {
    fn from(Failure { reason, of_a_peer }: Failure) -> Self {
        if of_a_peer { Self::Process(reason) } else { Self::Worker(reason) }
    }
}

/// Which of the processes of a generation this is, and its connections to the others, by their number, each with the name
/// of who is there.
pub(crate) struct Links {
    pub(crate) index: usize,
    pub(crate) links: Vec<Option<(String, Link)>>,
}

impl<P: Program> Generation<P> {
    pub(crate) fn new(
        program: Arc<P>,
        settings: Arc<Settings>,
        layout: Layout,
        share: Share<P>,
        hub: Option<HubState<P>>,
        observer: Option<Observer<P>>,
    ) -> Self {
        let epoch = hub.as_ref().map_or(0, |hub| hub.progress.epoch);
        let slots = Slots { share, hub, began: None, epoch, ended: Ended::default() };
        Self {
            program,
            settings,
            layout,
            slots: Mutex::new(slots),
            observer: Mutex::new(observer),
            failed: AtomicBool::new(false),
            failure: Mutex::new(None),
            links: Mutex::default(),
            told: Mutex::default(),
            crew: Arc::default(),
            memory: None,
            wakers: Mutex::new(Vec::new()),
        }
    }

    /// The same for a dataflow of someone else's, whose workers must share this memory.
    pub(crate) fn into_operators(self) -> Self {
        // Without random bytes nothing is told apart, and a run that cannot end does not.
        let memory = crate::cluster::random().map_or(0, u64::from_le_bytes);
        Self { memory: Some(memory), ..self }
    }

    /// Runs to its end on threads of this process, and of others where there are `links` to them.
    ///
    /// # Errors
    /// If a worker failed, another process is gone, or the threads could not be started.
    pub(crate) fn run(self: Arc<Self>, links: Option<Links>) -> Result<Returned<P>, EngineError> {
        let threads = self.layout.threads;
        if threads == 1 && !self.settings.serialized {
            let generation = Arc::clone(&self);
            timely::execute_directly(move |worker| generation.work(worker));
        } else {
            self.run_on_threads(links)?;
        }
        match lock(&self.failure).take() {
            Some(failure) => Err(failure.into()),
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
                if self.layout.is_among_others() {
                    // The threads that carry messages get a core at once, and not when this one's time is up.
                    std::thread::yield_now();
                }
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
        self.end_with(Failure { reason, of_a_peer: false });
    }

    /// Ends the generation because of another process.
    pub(crate) fn lose(&self, reason: &str) {
        self.end_with(Failure { reason: reason.into(), of_a_peer: true });
    }

    fn end_with(&self, failure: Failure) {
        let mut first = lock(&self.failure);
        if first.is_none() {
            *first = Some(failure.clone());
            if let Some(told) = &*lock(&self.told) {
                told(&failure.into());
            }
        }
        drop(first);
        self.failed.store(true, Ordering::Release);
        lock(&self.links).iter().for_each(Link::close);
        for waker in lock(&self.wakers).iter() {
            // A worker that is gone needs no waking.
            let _ = waker.activate();
        }
    }

    /// Has somebody told of the first failure, before the others.
    pub(crate) fn tell_first(&self, told: Told) {
        *lock(&self.told) = Some(told);
    }

    /// Wakes this operator when another one fails.
    pub(crate) fn wake_on_failure(&self, waker: SyncActivator) {
        lock(&self.wakers).push(waker);
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// Shows a record, and the replica at its boundary, to whoever watches the run.
    fn observe(&self, record: &EpochRecord, replica: &P::Replica) {
        if let Some(observer) = lock(&self.observer).as_mut() {
            observer(record, replica);
        }
    }

    /// Gives the observer back.
    pub(crate) fn take_observer(&self) -> Option<Observer<P>> {
        lock(&self.observer).take()
    }

    /// Why a worker failed, if one did.
    pub(crate) fn failure(&self) -> Option<String> {
        lock(&self.failure).as_ref().map(|failure| failure.reason.clone())
    }
}
