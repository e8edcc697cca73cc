//! [`Alarm`]: the failure of a generation, and the functions that are called with it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use timely::scheduling::SyncActivator;

use crate::base::cancel::{self, Cancellable};
use crate::base::error::EngineError;
use crate::base::panic_context;
use crate::base::sync::lock;

/// Function that is called with the reason that a generation fails.
pub(crate) type OnFailure = Box<dyn Fn(&EngineError) + Send>;

/// Reason that a generation failed, and `true` if it failed only because another process did.
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

/// The failure of a generation, if it has failed.
pub(crate) struct Alarm {
    /// The run, which may be cancelled.
    pub(crate) run: Arc<dyn Cancellable>,
    failed: AtomicBool,
    failure: Mutex<Option<Failure>>,
    /// Called with every failure: the connections to other processes are closed, and their readers then done.
    on_end: Mutex<Vec<Box<dyn Fn() + Send>>>,
    /// Called with the first failure, before workers can notice it, as they may be busy for long.
    on_failure: Mutex<Option<OnFailure>>,
    /// Called when the hub has cancelled the current epoch, as other processes may be busy for long.
    on_cancel: Mutex<Option<Box<dyn Fn() + Send>>>,
    /// Every operator, to be woken when one fails, or the epoch is cancelled: in a surrounding dataflow no
    /// thread of the run checks that.
    wakers: Mutex<Vec<SyncActivator>>,
}

impl Alarm {
    pub(crate) fn new(run: Arc<dyn Cancellable>) -> Self {
        let failed = AtomicBool::new(false);
        let (failure, on_end, on_failure, on_cancel, wakers) = Default::default();
        Self { run, failed, failure, on_end, on_failure, on_cancel, wakers }
    }

    /// Ends the generation on all workers; the first reason is kept.
    pub(crate) fn fail(&self, reason: String) {
        self.end_with(Failure { reason, of_a_peer: false });
    }

    /// Ends the generation because of another process.
    pub(crate) fn end_by_peer(&self, reason: &str) {
        self.end_with(Failure { reason: reason.into(), of_a_peer: true });
    }

    fn end_with(&self, failure: Failure) {
        let mut first = lock(&self.failure);
        if first.is_none() {
            *first = Some(failure.clone());
            if let Some(on_failure) = &*lock(&self.on_failure) {
                on_failure(&failure.into());
            }
        }
        drop(first);
        self.failed.store(true, Ordering::Release);
        lock(&self.on_end).iter().for_each(|end| end());
        self.wake();
    }

    /// Wakes every operator.
    pub(crate) fn wake(&self) {
        for waker in lock(&self.wakers).iter() {
            // A worker that is gone needs no waking.
            let _ = waker.activate();
        }
    }

    /// Runs code of a program or a schedule. A panic or an error in it ends the generation, without unwinding
    /// through timely; the result is then `None`.
    pub(crate) fn guarded<T>(&self, work: impl FnOnce() -> Result<T, String>) -> Option<T> {
        let work = || panic_context::guarded(work).map_err(|reason| self.fail(reason)).ok();
        cancel::caught(|| cancel::during(&self.run, work)).flatten()
    }

    /// Sets a function that is called with the first failure, before workers notice it.
    pub(crate) fn on_first_failure(&self, on_failure: OnFailure) {
        *lock(&self.on_failure) = Some(on_failure);
    }

    /// Sets a function that is called when the hub has cancelled the current epoch.
    pub(crate) fn on_cancel(&self, on_cancel: Box<dyn Fn() + Send>) {
        *lock(&self.on_cancel) = Some(on_cancel);
    }

    /// Notes that the hub has cancelled the current epoch.
    pub(crate) fn cancelled(&self) {
        if let Some(on_cancel) = &*lock(&self.on_cancel) {
            on_cancel();
        }
    }

    /// Adds a function that is called when a worker fails, such as one that closes a connection.
    pub(crate) fn on_end(&self, end: Box<dyn Fn() + Send>) {
        lock(&self.on_end).push(end);
    }

    /// Wakes this operator when another one fails, or an epoch is cancelled.
    pub(crate) fn wake_on_failure(&self, waker: SyncActivator) {
        lock(&self.wakers).push(waker);
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// Returns the reason that a worker failed, if one did.
    pub(crate) fn reason(&self) -> Option<String> {
        lock(&self.failure).as_ref().map(|failure| failure.reason.clone())
    }

    /// Takes the failure as an error, if there was one.
    pub(crate) fn take(&self) -> Option<EngineError> {
        lock(&self.failure).take().map(EngineError::from)
    }
}
