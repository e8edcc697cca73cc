//! [`BoundaryRequests`]: requests of the coordinator of several processes to the generation that runs.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::base::stop::Stop;
use crate::base::sync::lock;
use crate::run::cancellation::Cancellation;

/// Requests of the coordinator while a generation runs.
#[derive(Default)]
pub(crate) struct BoundaryRequests {
    /// The current generation, and the one that is to end at the next boundary.
    running: AtomicU64,
    ending: AtomicU64,
    stop: Mutex<(bool, Option<Stop>)>,
    cancellation: Mutex<Option<Arc<Cancellation>>>,
    abort: Mutex<Option<Abort>>,
    over: AtomicBool,
    is_held: AtomicBool,
    held: Mutex<HoldState>,
    released: Condvar,
}

/// State of a held run: the last boundary, as generation and epoch, from which it may continue, and the time
/// for which it has waited.
#[derive(Default)]
struct HoldState {
    released: Option<(u64, u64)>,
    waited: Duration,
}

type Abort = Box<dyn Fn(&str) + Send>;

impl fmt::Debug for BoundaryRequests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundaryRequests").field("ending", &self.ending).finish_non_exhaustive()
    }
}

impl BoundaryRequests {
    /// Notes the start of a generation; 0 stands for none.
    pub(crate) fn begin(&self, generation: u64) {
        self.running.store(generation, Ordering::Release);
    }

    /// Requests that this generation end at the next boundary.
    pub(crate) fn end_at_boundary(&self, generation: u64) {
        self.ending.store(generation, Ordering::Release);
    }

    /// Returns the current generation.
    pub(crate) fn running(&self) -> u64 {
        self.running.load(Ordering::Acquire)
    }

    /// `true` if the current generation is to end at the next boundary.
    pub(crate) fn ends_at_boundary(&self) -> bool {
        let ending = self.ending.load(Ordering::Acquire);
        ending != 0 && ending == self.running()
    }

    /// Sets the stop to request when the run is to end, and the cancellation of its epochs.
    pub(crate) fn set_stop(&self, stop: Stop, cancellation: Arc<Cancellation>) {
        *lock(&self.cancellation) = Some(cancellation);
        let mut kept = lock(&self.stop);
        if kept.0 {
            stop.request();
        }
        kept.1 = Some(stop);
    }

    pub(crate) fn stop(&self) {
        let mut kept = lock(&self.stop);
        kept.0 = true;
        kept.1.iter().for_each(Stop::request);
    }

    /// Ends the work on the current epoch of this generation, which the first process has cancelled.
    pub(crate) fn cancel(&self, generation: u64) {
        if generation == self.running() {
            lock(&self.cancellation).iter().for_each(|cancellation| cancellation.cancel());
        }
    }

    /// Sets the function that ends the current generation once the run is over elsewhere.
    pub(crate) fn set_abort(&self, abort: Option<Abort>) {
        *lock(&self.abort) = abort;
    }

    /// `true` if the run is over elsewhere.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Sets `held` to `true` if the run waits for its controller at each boundary.
    pub(crate) fn set_held(&self, held: bool) {
        self.is_held.store(held, Ordering::Release);
    }

    /// `true` if the run waits for its controller at each boundary.
    pub(crate) fn is_held(&self) -> bool {
        self.is_held.load(Ordering::Acquire)
    }

    /// Lets a held run continue from a boundary.
    pub(crate) fn go_on(&self, generation: u64, epoch: u64) {
        lock(&self.held).released = Some((generation, epoch));
        self.released.notify_all();
    }

    /// Waits at a boundary of a held run until the run may continue, or is over elsewhere.
    pub(crate) fn wait_to_go_on(&self, generation: u64, epoch: u64) {
        let began = Instant::now();
        let waits = |held: &mut HoldState| held.released != Some((generation, epoch)) && !self.is_over();
        let waited = self.released.wait_while(lock(&self.held), waits);
        waited.unwrap_or_else(PoisonError::into_inner).waited += began.elapsed();
    }

    /// Returns the time for which the run has waited at boundaries.
    pub(crate) fn waited(&self) -> Duration {
        lock(&self.held).waited
    }

    /// Notes that the run is over elsewhere, and ends the current generation.
    pub(crate) fn abort(&self, why: &str) {
        self.over.store(true, Ordering::Release);
        // A thread that waits has seen the flag, or is woken.
        drop(lock(&self.held));
        self.released.notify_all();
        if let Some(abort) = &*lock(&self.abort) {
            abort(why);
        }
    }
}
