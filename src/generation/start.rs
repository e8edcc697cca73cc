//! [`Threads`]: the threads of a generation, and the channels between them.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use timely::WorkerConfig;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::communication::{Allocator, Hooks, initialize_from};
use timely::worker::Worker;

use super::alarm::Alarm;
use super::wiring::Epochs;
use crate::base::error::EngineError;
use crate::base::fork_join::HelperThreads;
use crate::base::panic_context;
use crate::cluster::net::frames::{Frames, ToProcess};
use crate::cluster::net::link::Link;

/// Time that a parked worker sleeps before it checks if another worker has failed. Messages wake it at once.
const WATCH: Duration = Duration::from_millis(50);

/// Limit of that sleep in a held run, where each sleep is twice as long as the one before while no message
/// arrives: the run may wait for its controller for hours.
const WATCH_HELD: Duration = Duration::from_secs(2);

/// Time that an idle thread stays awake: the answer to its last message often arrives within it, and waking a
/// sleeping core takes as long as some rounds.
const AWAKE: Duration = Duration::from_micros(100);

/// Waiting of a thread for messages.
struct Wait {
    /// Moment when messages last arrived; `None` if threads share cores, as one that stays awake would delay
    /// another.
    since: Option<Instant>,
}

impl Wait {
    fn new(threads: usize) -> Self {
        // Asking the system takes longer than many a round: not for one thread.
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        Self { since: (threads > 1 && threads <= cores()).then(Instant::now) }
    }

    /// `true` if the thread is to check for messages again at once.
    fn stays_awake(&mut self) -> bool {
        let Some(since) = &mut self.since else { return false };
        if panic_context::take_messages() {
            *since = Instant::now();
        }
        since.elapsed() < AWAKE
    }
}

/// Channels of the threads of this process, and what carries them.
type Channels = (Vec<AllocatorBuilder>, Box<dyn Any + Send>);

/// Function that makes the channels of a generation on several processes. A run on one process calls none, so
/// that a library which has no other runs is linked without sockets and ciphers.
pub(crate) type Connect = Box<dyn FnOnce(&Threads) -> Result<Channels, String>>;

/// Function that builds a generation's operators in the dataflow of a thread.
type Build = Box<dyn Fn(Epochs<'_>) + Send + Sync>;

/// Threads of a generation. They do not depend on its program, which is in the operators that they build.
pub(crate) struct Threads {
    /// Threads in all processes, and those of this one.
    pub(super) threads: usize,
    pub(super) here: Range<usize>,
    pub(super) is_distributed: bool,
    pub(super) serialized: bool,
    /// `true` if the run waits for its controller at each boundary.
    pub(super) held: bool,
    pub(super) alarm: Arc<Alarm>,
    /// Threads that help the first worker.
    pub(super) helpers: Arc<HelperThreads>,
    /// Channels whose messages are for all threads of a process.
    pub(super) to_process: Arc<ToProcess>,
    pub(super) build: Build,
}

impl Threads {
    /// Runs until all threads are done.
    ///
    /// # Errors
    /// If the threads could not be started; later failures go to the alarm.
    pub(super) fn run(self, connect: Option<Connect>) -> Result<(), EngineError> {
        let threads = Arc::new(self);
        if threads.threads == 1 && !threads.serialized {
            timely::execute_directly(move |worker| threads.work(worker));
            return Ok(());
        }
        let here = threads.here.len();
        let refused = |why| EngineError::Start { threads: here, why };
        let (mut builders, others) = match connect {
            Some(connect) => connect(&threads).map_err(refused)?,
            None => {
                (threads.channels().into_iter().map(AllocatorBuilder::Process).collect(), Box::new(()) as _)
            }
        };
        // The first worker runs on this thread: where there are as many cores as workers, the system
        // otherwise places two of the threads that it starts at once on one core, for milliseconds.
        let first = builders.remove(0);
        let work = |threads: &Self, allocator| {
            threads.work(&mut Worker::new(WorkerConfig::default(), allocator, Some(Instant::now())));
        };
        let shared = Arc::clone(&threads);
        let guards = initialize_from(builders, others, move |allocator| work(&shared, allocator));
        let guards = guards.map_err(refused)?;
        let first = match first {
            AllocatorBuilder::Process(first) => Allocator::Process(first.build()),
            AllocatorBuilder::Tcp(first) => Allocator::Tcp(first.build()),
            AllocatorBuilder::Thread(_) => {
                return Err(refused("timely builds no channels between threads".into()));
            }
        };
        work(&threads, first);
        for result in guards.join() {
            if let Err(message) = result {
                threads.alarm.fail(message);
            }
        }
        Ok(())
    }

    /// Runs one thread: builds the dataflow, steps or parks until it is done, and leaves at once if another
    /// worker failed.
    fn work(&self, worker: &mut Worker) {
        self.alarm.guarded(|| {
            worker.dataflow::<u64, _, _>(|scope| (self.build)(scope));
            let mut helper = if worker.index() > 0 { self.helpers.join() } else { None };
            let mut wait = Wait::new(self.threads);
            let (mut watch, mut is_told) = (WATCH, false);
            while worker.has_dataflows() && !self.alarm.has_failed() {
                let lends = helper.as_mut().is_some_and(|helper| helper.attend(&self.helpers));
                let awake = wait.stays_awake() || lends;
                if self.is_distributed {
                    // The threads that carry messages get a core at once, and not when this one's time is up.
                    std::thread::yield_now();
                }
                if worker.index() == 0 && !is_told && self.alarm.run.is_cancelled_while_waiting() {
                    // The hub may have nothing else to wake it.
                    self.alarm.wake();
                    is_told = true;
                }
                let began = Instant::now();
                worker.step_or_park(Some(if awake { Duration::ZERO } else { watch }));
                let slept = !awake && began.elapsed() >= watch;
                watch = if self.held && slept { WATCH_HELD.min(2 * watch) } else { WATCH };
                if let Some(helper) = &mut helper {
                    helper.worked(began);
                }
            }
            Ok(())
        });
        // Timely would go on waiting for messages that a failed sibling will never send.
        for dataflow in worker.installed_dataflows() {
            worker.drop_dataflow(dataflow);
        }
    }

    /// Makes the channels of the threads of this process to each other.
    fn channels(&self) -> Vec<ProcessBuilder> {
        let (here, Hooks { refill, spill, .. }) = (self.here.len(), Hooks::default());
        match self.serialized {
            true => ProcessBuilder::new_bytes_vector(here, refill, spill),
            false => ProcessBuilder::new_typed_vector(here, refill, spill),
        }
    }
}

/// Number of this process among those of a generation, and its connections to the others, by their number,
/// each with the name of the process there.
pub(crate) struct Links {
    pub(crate) index: usize,
    pub(crate) links: Vec<Option<(String, Link)>>,
}

impl Links {
    /// Makes the channels of the threads of this process, to each other and to those of other processes.
    pub(crate) fn channels(self, threads: &Threads) -> Result<Channels, String> {
        let here = threads.here.len();
        let mut streams = Vec::with_capacity(self.links.len());
        for (number, link) in self.links.into_iter().enumerate() {
            let Some((name, link)) = link else {
                streams.push(None);
                continue;
            };
            let (alarm, closed) = (Arc::clone(&threads.alarm), link.clone());
            alarm.on_end(Box::new(move || closed.close()));
            let lost = Arc::new(move |why: &str| alarm.end_by_peer(why));
            let sources = number * here..(number + 1) * here;
            let (here, to_process) = (threads.here.clone(), Arc::clone(&threads.to_process));
            streams.push(Some(Frames::new(link, &name, sources, here, to_process, lost)));
        }
        let made = initialize_networking_from_sockets(
            threads.channels(),
            streams,
            self.index,
            here,
            Hooks::default(),
        );
        let (builders, guard) = made.map_err(|why| why.to_string())?;
        Ok((builders.into_iter().map(AllocatorBuilder::Tcp).collect(), Box::new(guard)))
    }
}
