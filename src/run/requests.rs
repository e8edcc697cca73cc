//! [`BoundaryRequests`]: what the coordinator of a run of several processes wishes while a generation runs.

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::base::stop::Stop;
use crate::base::sync::lock;

/// What the coordinator wishes while a generation runs.
#[derive(Default)]
pub(crate) struct BoundaryRequests {
    /// The generation that runs, and the one that is to end at the next boundary.
    running: AtomicU64,
    cut: AtomicU64,
    stop: Mutex<(bool, Option<Stop>)>,
    abort: Mutex<Option<Abort>>,
    over: AtomicBool,
}

type Abort = Box<dyn Fn(&str) + Send>;

impl fmt::Debug for BoundaryRequests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wishes").field("cut", &self.cut).finish_non_exhaustive()
    }
}

impl BoundaryRequests {
    /// A generation begins; 0 is none.
    pub(crate) fn begin(&self, generation: u64) {
        self.running.store(generation, Ordering::Release);
    }

    /// This generation is to end at the next boundary.
    pub(crate) fn end_at_boundary(&self, generation: u64) {
        self.cut.store(generation, Ordering::Release);
    }

    /// The generation that runs.
    pub(crate) fn running(&self) -> u64 {
        self.running.load(Ordering::Acquire)
    }

    /// `true` if the generation that runs is to end at the next boundary.
    pub(crate) fn ends_at_boundary(&self) -> bool {
        let cut = self.cut.load(Ordering::Acquire);
        cut != 0 && cut == self.running()
    }

    /// Whom to ask when the run is to end after the epoch under way.
    pub(crate) fn set_stop(&self, stop: Stop) {
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

    /// What ends the generation under way where the run is over elsewhere.
    pub(crate) fn set_abort(&self, abort: Option<Abort>) {
        *lock(&self.abort) = abort;
    }

    /// Whether the run is over elsewhere.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// The run is over elsewhere.
    pub(crate) fn abort(&self, why: &str) {
        self.over.store(true, Ordering::Release);
        if let Some(abort) = &*lock(&self.abort) {
            abort(why);
        }
    }
}
